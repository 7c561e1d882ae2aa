//! ECCW Theorem 4: the mistakes of a separable run beside the bound.

use surefoot_core::analysis::Certificate;
use surefoot_core::{Prediction, Scores, Target};
use surefoot_data::Ellipse;

use crate::plot::{Axis, Figure, Panel};
use crate::stream::{build, generated, store};
use crate::{Experiment, Findings, Result, Series, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "eccw-theorem4",
    title: "ECCW Theorem 4: mistakes and their bound",
    needs_data: false,
    run,
    draw,
};

const CONFIDENCES: [f64; 5] = [0.6, 0.75, 0.9, 0.95, 0.99];
const COLUMNS: [&str; 5] = ["mistakes", "updates", "confidence loss", "Theorem 4", "simplified bound"];

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let runs = setup.pick(4, 20, 100);
    findings.used("generated: ellipse, 1000 points a run", runs * 1000);
    let heads: Vec<&str> = std::iter::once("confidence").chain(COLUMNS).collect();
    let mut table = Table::new("Means over runs of 1000 points", &heads);
    let mut holds = true;
    for confidence in CONFIDENCES {
        let mut found = Vec::new();
        for seed in setup.seeds(0, runs) {
            found.push(bounds(confidence, seed)?);
            holds &= found.last().is_some_and(|b| b[0] <= b[2] && b[2] <= b[3] && b[3] <= b[4]);
        }
        table.row(&confidence.to_string(), summary::columns(&found).iter().map(|s| s.mean));
    }
    findings.claim("mistakes ≤ Σ confidence loss ≤ Theorem 4 ≤ its simplified form, in every run", holds);
    for column in ["mistakes", "confidence loss", "Theorem 4", "simplified bound"] {
        let means = CONFIDENCES.map(|c| (c, table.number(&c.to_string(), column).unwrap_or(f64::NAN)));
        findings.series.push(Series::new("", column, means));
    }
    findings.tables.push(table);
    Ok(findings)
}

/// The quantities of one run, in the order of the columns.
fn bounds(confidence: f64, seed: u64) -> Result<Vec<f64>> {
    let points = generated(&mut Ellipse::new(1.0, 4.0, 2.0, 20, seed), 1000)?;
    let mut learner = build(&format!("cw-stdev/full:floor=0,confidence={confidence}"))?;
    let mut truth = [0.0; 20];
    (truth[0], truth[1]) = (-1.0, 1.0);
    let mut certificate = Certificate::new(confidence, 1.0, &truth)?;
    let mut scores = Scores::default();
    for (x, class) in &points {
        learner.update(x.features(), Target::Class(*class), 1.0, &mut scores)?;
        let (label, score, variance) = (scores.label(0), scores.of(0)[0], scores.variance(0));
        let prediction = Prediction { label, score, variance, ..Prediction::default() };
        certificate.follow(x.features(), *class, &prediction);
    }
    let b = certificate.bounds(store(&*learner)?);
    Ok(vec![b.mistakes as f64, b.updates as f64, b.confidence_loss, b.theorem, b.simplified])
}

fn draw(findings: &Findings) -> Figure {
    let mut panel = Panel::new("The bound on 1000 rounds", Axis::new("confidence η"), Axis::log("mistakes"));
    for (colour, series) in findings.series.iter().enumerate() {
        panel = panel.line(series, colour);
    }
    Figure::of(panel)
}
