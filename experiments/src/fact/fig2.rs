//! FACT Fig. 2: cumulative mistakes of CW-fact, between diagonal and full, on 1000 features.

use super::{EM, RANKS, REFERENCES, coins, curve, factored};
use crate::plot::{Axis, Figure, Panel};
use crate::stream::{build, cumulative, learn};
use crate::{Experiment, Findings, Result, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "fact-fig2",
    title: "FACT Fig. 2: between diagonal and full",
    needs_data: false,
    run,
    draw,
};

/// What is drawn, in the order of the legend.
pub(super) fn learners() -> Vec<(String, String)> {
    let reference = |(name, spec): (&str, &str)| (name.to_string(), spec.to_string());
    let fact = RANKS.map(|rank| (format!("CW-fact{rank}"), factored(rank, EM)));
    REFERENCES[..3]
        .iter()
        .copied()
        .map(reference)
        .chain(fact)
        .chain(REFERENCES[3..].iter().copied().map(reference))
        .collect()
}

/// Copies of the coins: 1000 features, or a fifth of them when it has to be quick.
pub(super) fn copies(setup: &Setup) -> usize {
    setup.pick(20, 100, 100)
}

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let runs = setup.pick(12, 100, 100);
    let total = setup.pick(400, 1000, 1000);
    findings.used(format!("generated: coins, {} copies", copies(setup)), runs * total);
    let rounds: Vec<usize> = (0..=20).map(|i| i * total / 20).collect();
    let mut found: Vec<Vec<Vec<f64>>> = vec![Vec::new(); learners().len()];
    for seed in setup.seeds(0, runs) {
        let points = coins(copies(setup), total, seed)?;
        for (own, (_, spec)) in found.iter_mut().zip(learners()) {
            own.push(cumulative(&learn(&mut *build(&spec)?, &points)?, &rounds));
        }
    }
    let last =
        |runs: &Vec<Vec<f64>>| -> Vec<f64> { runs.iter().filter_map(|run| run.last().copied()).collect() };
    let full = found.last().map(last).unwrap_or_default();
    let heads = ["learner", "mistakes", "standard error", "to full", "standard error of it"];
    let mut table = Table::new(&format!("Mistakes in {total} rounds"), &heads);
    for ((name, _), runs) in learners().iter().zip(&found) {
        let own = last(runs);
        let paired: Vec<f64> = own.iter().zip(&full).map(|(own, full)| own - full).collect();
        let (own, paired) = (summary::of(&own), summary::of(&paired));
        table.row(name, [own.mean, own.error, paired.mean, paired.error]);
        findings.series.push(curve("", name, &rounds, runs));
    }
    claims(&table, judged(setup), &mut findings);
    findings.tables.push(table);
    Ok(findings)
}

/// The ranks that claims are made of: with few features and rounds two and four columns gain less than chance moves.
pub(super) fn judged(setup: &Setup) -> &'static [usize] {
    setup.pick(&RANKS[2..], &RANKS, &RANKS)
}

fn claims(table: &Table, judged: &[usize], findings: &mut Findings) {
    let mistakes = |name: &str| table.number(name, "mistakes").unwrap_or(f64::NAN);
    let [two, four, eight, sixteen] = RANKS.map(|rank| mistakes(&format!("CW-fact{rank}")));
    findings.claim(
        "CW-diag makes fewer mistakes than PA and the perceptron",
        mistakes("CW-diag") < mistakes("PA").min(mistakes("Perceptron")),
    );
    findings.claim(
        format!("CW-fact makes fewer mistakes than CW-diag (columns: {judged:?})"),
        judged.iter().all(|rank| mistakes(&format!("CW-fact{rank}")) < mistakes("CW-diag")),
    );
    findings.claim("the error falls with the rank", eight < two && sixteen < four);
    let reached = table.number("CW-fact16", "to full").unwrap_or(f64::NAN).abs() < 0.05 * mistakes("CW-full");
    findings.claim("with 16 columns CW-fact is at the level of CW-full", reached);
}

fn draw(findings: &Findings) -> Figure {
    Figure::of(cumulative_panel("Cumulative mistakes, 1000 features", findings, ""))
}

/// A panel of cumulative mistakes; learners for reference are dashed.
pub(super) fn cumulative_panel(title: &str, findings: &Findings, panel: &str) -> Panel {
    let mut drawn = Panel::new(title, Axis::new("rounds"), Axis::new("mistakes"));
    let mut fact = 0;
    for series in findings.panel(panel) {
        drawn = match REFERENCES.iter().position(|(name, _)| *name == series.name) {
            Some(at) => drawn.dashed(series, [4, 5, 3, 6][at]),
            None => {
                fact += 1;
                drawn.line(series, [1, 2, 0, 4, 1][fact - 1])
            }
        };
    }
    drawn
}
