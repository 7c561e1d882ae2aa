//! Like FACT §4.1 and Fig. 4: malicious URLs, mistakes over time.

use surefoot_core::transform::Transform;
use surefoot_data::{Ngrams, Recipe, TextRecipe, TokenKind, Zipf};

use super::{PUPILS, curve, half, pupils_wrong};
use crate::plot::{Axis, Figure, Panel};
use crate::stream::{Example, cumulative, generated};
use crate::{Experiment, Findings, Result, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment =
    Experiment { name: "fact-fig4", title: "FACT §4.1, Fig. 4: URLs", needs_data: true, run, draw };

fn urls(setup: &Setup) -> Result<Vec<Example>> {
    if setup.is_quick() {
        return generated(&mut Zipf::new(20_000, 40, 0.15, 0.05, 2, setup.seed), 1500);
    }
    let characters = Some(Ngrams { min: 3, max: 3 });
    let text =
        TextRecipe { tokens: TokenKind::Url, characters, values: Transform::Binary, ..TextRecipe::default() };
    let recipe = Recipe { text, bias: false, ..Recipe::default() };
    Ok(setup.data.read("url_ebbu2017.tsv.zst", &recipe)?.examples)
}

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let urls = urls(setup)?;
    findings.used(if setup.is_quick() { "generated: zipf" } else { "url_ebbu2017" }, urls.len());
    let rounds: Vec<usize> = (1..=20).map(|i| i * urls.len() / 2 / 20).collect();
    let mut found: Vec<Vec<Vec<f64>>> = vec![Vec::new(); PUPILS.len()];
    for seed in setup.seeds(1, setup.pick(2, 10, 10)) {
        let sample = half(&urls, seed);
        for (wrong, own) in pupils_wrong(&sample)?.iter().zip(&mut found) {
            own.push(cumulative(wrong, &rounds));
        }
    }
    let heads = ["learner", "mistakes", "sd", "error %", "relative to CW-diag"];
    let mut table = Table::new("At the end of a subsample", &heads);
    let diagonal = found[2].clone();
    for ((name, _), runs) in PUPILS.iter().zip(&found) {
        let relative: Vec<Vec<f64>> =
            runs.iter().zip(&diagonal).map(|(own, base)| ratios(own, base)).collect();
        findings.series.push(curve("mistakes", name, &rounds, runs));
        findings.series.push(curve("relative", name, &rounds, &relative));
        let (last, ratio) = (summary::columns(runs)[19], summary::columns(&relative)[19]);
        table.row(name, [last.mean, last.sd, 100.0 * last.mean / rounds[19] as f64, ratio.mean]);
    }
    if !setup.is_quick() {
        let mistakes = |name| table.number(name, "mistakes").unwrap_or(f64::NAN);
        findings
            .claim("CW-fact makes fewer mistakes than CW-diag", mistakes("CW-fact8") < mistakes("CW-diag"));
        let first = mistakes("PA, averaged").min(mistakes("Perceptron, averaged"));
        findings
            .claim("CW-diag makes fewer mistakes than PA and the perceptron", mistakes("CW-diag") < first);
    }
    findings.tables.push(table);
    Ok(findings)
}

fn ratios(own: &[f64], base: &[f64]) -> Vec<f64> {
    own.iter().zip(base).map(|(own, base)| own / base.max(1.0)).collect()
}

fn draw(findings: &Findings) -> Figure {
    let panel = |panel: &str, title: &str, label: &str| {
        let mut drawn = Panel::new(title, Axis::new("URLs seen"), Axis::new(label));
        for (series, colour) in findings.panel(panel).zip([4, 3, 5, 0]) {
            drawn = drawn.line(series, colour);
        }
        drawn
    };
    let relative = panel("relative", "Relative to CW-diag", "mistakes / mistakes of CW-diag");
    Figure::new(2, vec![panel("mistakes", "Cumulative mistakes", "mistakes"), relative])
}
