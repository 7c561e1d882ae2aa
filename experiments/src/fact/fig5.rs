//! Like FACT §4.2 and Fig. 5: spam as character trigrams, error per epoch.

use surefoot_data::{Ngrams, Normalize, Recipe, TextRecipe, Zipf};

use super::{PUPILS, curve, half, pupils_wrong};
use crate::plot::{Axis, Figure, Panel};
use crate::stream::{Example, count, generated};
use crate::{Experiment, Findings, Result, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "fact-fig5",
    title: "FACT §4.2, Fig. 5: spam as trigrams",
    needs_data: true,
    run,
    draw,
};

const EPOCHS: usize = 10;

fn mail(setup: &Setup) -> Result<Vec<Example>> {
    if setup.is_quick() {
        return generated(&mut Zipf::new(20_000, 60, 0.15, 0.05, 2, setup.seed), 1000);
    }
    let characters = Some(Ngrams { min: 3, max: 3 });
    let text = TextRecipe { ngrams: None, characters, across_words: true, ..TextRecipe::default() };
    let recipe = Recipe { text, normalize: Normalize::L2, bias: false, ..Recipe::default() };
    Ok(setup.data.read("enron1_spam.tsv.zst", &recipe)?.examples)
}

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let mail = mail(setup)?;
    findings.used(if setup.is_quick() { "generated: zipf" } else { "enron1_spam" }, mail.len());
    let epochs: Vec<usize> = (1..=EPOCHS).collect();
    let (mut found, mut totals) = (vec![Vec::new(); PUPILS.len()], vec![Vec::new(); PUPILS.len()]);
    for seed in setup.seeds(1, setup.pick(2, 10, 10)) {
        let sample = half(&mail, seed);
        for (i, wrong) in pupils_wrong(&sample)?.into_iter().enumerate() {
            let rate = |part: &[bool]| 100.0 * count(part) as f64 / part.len().max(1) as f64;
            let cut = |epoch: usize| epoch * wrong.len() / EPOCHS;
            found[i].push(epochs.iter().map(|&e| rate(&wrong[cut(e - 1)..cut(e)])).collect::<Vec<f64>>());
            totals[i].push(rate(&wrong));
        }
    }
    let mut table = Table::new("Progressive error in %", &["learner", "whole run", "sd", "last epoch"]);
    for (i, (name, _)) in PUPILS.iter().enumerate() {
        findings.series.push(curve("", name, &epochs, &found[i]));
        let (total, last) = (summary::of(&totals[i]), summary::columns(&found[i])[EPOCHS - 1]);
        table.row(name, [total.mean, total.sd, last.mean]);
    }
    if !setup.is_quick() {
        let error = |name| table.number(name, "whole run").unwrap_or(f64::NAN);
        findings.claim("CW-fact is more accurate than CW-diag", error("CW-fact8") < error("CW-diag"));
    }
    findings.tables.push(table);
    Ok(findings)
}

fn draw(findings: &Findings) -> Figure {
    let axes = (Axis::new("epoch (a tenth of the mail)"), Axis::new("error in %"));
    let mut panel = Panel::new("Spam as character trigrams", axes.0, axes.1);
    for (series, colour) in findings.series.iter().zip([4, 3, 5, 0]) {
        panel = panel.line(series, colour);
    }
    Figure::of(panel)
}
