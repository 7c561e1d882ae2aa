//! MCCW §4: the inner and the outer bound, with all rivals.

use surefoot_core::probability::Voter;

use super::method::{Method, Pair, Setting};
use super::parts::{Parts, Split};
use super::tasks::AMAZON;
use super::verdict::percent;
use crate::data::DataSet;
use crate::plot::{Axis, Figure, Panel};
use crate::{Experiment, Findings, Result, Series, Setup, Table};

/// The entry in the list.
pub const EXPERIMENT: Experiment =
    Experiment { name: "mccw-bounds", title: "MCCW §4: inner and outer bound", needs_data: true, run, draw };

const CONFIDENCES: [f64; 4] = [0.6, 0.75, 0.9, 0.99];
const PASSES: usize = 5;
/// Every so many rounds of the first pass the probability of the learned label is looked at; quickly, each.
const LOOK: usize = 10;

const BOUNDS: [&str; 2] = ["outer", "inner"];

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let set = AMAZON.read(setup, &mut findings)?;
    let splits = Parts::deal(set.examples.len(), setup.pick(1, 5, 5), setup.seed).tests();
    let mut table = Table::new(
        &format!("{}, k = ∞, sequential", set.name),
        &["η and bound", "accuracy after 1 pass, %", "after 5, %", "Pr[y] ≥ η after the update, % of rounds"],
    );
    let mut curves = [Vec::new(), Vec::new()];
    let mut same = true;
    for confidence in CONFIDENCES {
        for (bound, curve) in BOUNDS.iter().zip(&mut curves) {
            let spec = format!("cw-var:top=all,bound={bound},confidence={confidence}");
            let right = right_per_pass(&spec, &set, &splits)?;
            let kept = kept(&spec, confidence, &set, &splits, setup.pick(1, LOOK, LOOK))?;
            let last = percent(&right[PASSES - 1]);
            table.row(&format!("{confidence} {bound}"), [percent(&right[0]), last, kept]);
            curve.push((confidence, last));
            if *bound == "inner" {
                let out = 1.0 - (1.0 - confidence) / (set.labels.len() as f64 - 1.0);
                same &= right == right_per_pass(&format!("cw-var:top=all,confidence={out}"), &set, &splits)?;
            }
        }
    }
    findings.claim(
        "the inner bound at η is the outer bound at 1 − (1 − η)/(K − 1), prediction for prediction",
        same,
    );
    let share = |row: usize| table.rows[row][3].as_f64().unwrap_or(f64::NAN);
    let more = (0..CONFIDENCES.len()).all(|i| share(2 * i + 1) >= share(2 * i));
    findings.claim("the inner bound keeps Pr[y] ≥ η in more rounds than the outer", more);
    findings.series.extend(BOUNDS.iter().zip(curves).map(|(bound, points)| Series::new("", bound, points)));
    findings.tables.push(table);
    Ok(findings)
}

/// Which of the tested examples are right after each pass.
fn right_per_pass(spec: &str, set: &DataSet, splits: &[Split]) -> Result<Vec<Vec<bool>>> {
    let setting = Setting { spec: spec.to_string(), passes: PASSES };
    let mut all = vec![Vec::new(); PASSES];
    for split in splits {
        let found = Method::new("", "", &[]).right_per_pass(&setting, set, split)?;
        all.iter_mut().zip(found).for_each(|(all, right)| all.extend(right));
    }
    Ok(all)
}

/// How often the exact Pr[y|x] of the label just learned is at least η, in percent of the rounds of a pass.
fn kept(spec: &str, confidence: f64, set: &DataSet, splits: &[Split], look: usize) -> Result<f64> {
    let (mut voter, mut votes, mut kept) = (Voter::new(), Vec::new(), Vec::new());
    for split in splits {
        let mut pair = Pair::new(spec, set.labels.len())?;
        for (round, (x, class)) in split.train.iter().map(|&i| &set.examples[i]).enumerate() {
            pair.learn(x.features(), *class)?;
            if round % look == 0 {
                pair.learner.votes(x.features(), &[1.0], &mut voter, &mut votes);
                kept.push(votes[*class] >= confidence);
            }
        }
    }
    Ok(percent(&kept))
}

fn draw(findings: &Findings) -> Figure {
    let panel =
        Panel::new("k = ∞ after five passes", Axis::new("confidence η"), Axis::new("test accuracy, %"));
    Figure::of(
        findings.series.iter().enumerate().fold(panel, |panel, (i, s)| panel.line(s, i).dots(s, i, 4.0)),
    )
}
