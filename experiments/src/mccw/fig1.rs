//! MCCW Fig. 1: accuracy after each pass, for one, five and all rivals.

use super::method::{CONFIDENCES, Method, Setting};
use super::parts::Parts;
use super::table2::WAYS;
use super::tasks::{AMAZON, NEWS, Task};
use super::verdict::percent;
use crate::data::DataSet;
use crate::plot::{Axis, Figure, Panel};
use crate::{Experiment, Findings, Result, Series, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "mccw-fig1",
    title: "MCCW Fig. 1: accuracy after each pass",
    needs_data: true,
    run,
    draw,
};

const PASSES: usize = 10;

/// The curves: two single updates, then the four ways to meet all constraints.
const SINGLE: Method = Method::new("k = 1", "cw-var:top=1", CONFIDENCES);
const FIVE: Method = Method::new("k = 5", "cw-var:top=5", CONFIDENCES);

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut seconds = Table::new("Seconds of the first pass", &["method", AMAZON.name, NEWS.name]);
    let tasks: &[Task] = setup.pick(&[AMAZON], &[AMAZON, NEWS], &[AMAZON, NEWS]);
    let mut times = Vec::new();
    for task in tasks {
        let set = task.read(setup, &mut findings)?;
        times.push(curves(setup, &set, &mut findings)?);
        claims(&set.name, &mut findings);
    }
    for (i, method) in methods().enumerate() {
        seconds.row(method.name, times.iter().map(|times| times[i]));
    }
    findings.timings.push(seconds);
    Ok(findings)
}

fn methods() -> impl Iterator<Item = Method> {
    [SINGLE, FIVE].into_iter().chain(WAYS)
}

/// Adds a task's curves; returns the time of each method's first pass.
fn curves(setup: &Setup, set: &DataSet, findings: &mut Findings) -> Result<Vec<f64>> {
    let parts = Parts::deal(set.examples.len(), setup.pick(2, 2, 5), setup.seed);
    let mut table = Table::new(
        &format!("{}: settings and accuracy, %", set.name),
        &["method", "SPEC", "after 1 pass", "after 10"],
    );
    let mut times = Vec::new();
    for method in methods().map(|method| method.sized(setup)) {
        let chosen = method.tune(set, &parts.tuning(), setup.pick(1, PASSES, PASSES))?;
        let setting = Setting { passes: PASSES, ..chosen };
        let mut runs = Vec::new();
        let mut first = None;
        for split in parts.tests() {
            let mut accuracies = Vec::new();
            method.learn(&setting, set, &split.train, |seconds, learner| {
                first.get_or_insert(seconds);
                accuracies.push(percent(&super::method::right(learner, set, &split.test)));
            })?;
            runs.push(accuracies);
        }
        let points: Vec<(f64, f64)> =
            summary::columns(&runs).iter().enumerate().map(|(i, s)| (i as f64 + 1.0, s.mean)).collect();
        let cells: [serde_json::Value; 3] =
            [setting.spec.into(), points[0].1.into(), points[PASSES - 1].1.into()];
        table.row(method.name, cells);
        findings.series.push(Series::new(&set.name, method.name, points));
        times.extend(first);
    }
    findings.tables.push(table);
    Ok(times)
}

fn claims(task: &str, findings: &mut Findings) {
    let curve = |name: &str| findings.panel(task).find(|s| s.name == name).map_or(&[][..], |s| &s.y[..]);
    let at = |name: &str, pass: usize| curve(name).get(pass).copied().unwrap_or(f64::NAN);
    let last = PASSES - 1;
    let ahead = |pass: usize| at("k = 5", pass) - at("k = 1", pass);
    let said = [
        (format!("{task}: k = 5 beats k = 1 after one pass, by {:.2}", ahead(0)), ahead(0) > 0.0),
        (
            format!("{task}: k = 1 catches up: {:.2} remain after ten passes", ahead(last)),
            ahead(last) < ahead(0),
        ),
        (
            format!(
                "{task}: exact gains nothing after its first pass ({:+.2})",
                at("exact", last) - at("exact", 0)
            ),
            at("exact", last) - at("exact", 0) < 0.5,
        ),
        (
            format!("{task}: exact ends below sequential and parallel"),
            at("exact", last) < at("sequential", last).min(at("parallel", last)),
        ),
    ];
    said.into_iter().for_each(|(says, holds)| findings.claim(says, holds));
}

fn draw(findings: &Findings) -> Figure {
    let mut titles: Vec<&str> = findings.series.iter().map(|s| s.panel.as_str()).collect();
    titles.dedup();
    let panel = |title: &&str| {
        let empty = Panel::new(title, Axis::new("passes over the data"), Axis::new("test accuracy, %"));
        findings.panel(title).enumerate().fold(empty, |panel, (i, series)| {
            if i < 5 { panel.line(series, i) } else { panel.dashed(series, i) }
        })
    };
    Figure::new(2, titles.iter().map(panel).collect())
}
