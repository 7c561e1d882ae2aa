//! MCCW Fig. 1: accuracy after each pass, for one, five and all rivals.

use super::method::{CONFIDENCES, Method, Setting, right};
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

/// The curves: one and five constraints, then the four ways to meet all.
const METHODS: [Method; 6] = [
    Method::new("k = 1", "cw-var:top=1", CONFIDENCES),
    Method::new("k = 5", "cw-var:top=5", CONFIDENCES),
    WAYS[0],
    WAYS[1],
    WAYS[2],
    WAYS[3],
];

/// What the paper says of the first pass over its Amazon 7: "both approximate methods took about the same amount of time".
const PAPER_SECONDS: [&str; 6] = ["3", "10", "11", "about 11", "over 240", "–"];

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let tasks: &[Task] = setup.pick(&[AMAZON], &[AMAZON, NEWS], &[AMAZON, NEWS]);
    for task in tasks {
        let set = task.read(setup, &mut findings)?;
        let runs = runs(setup, &set)?;
        curves(&set.name, &runs, &mut findings);
        findings.timings.push(times(&set.name, &runs));
        claims(&set.name, &mut findings);
    }
    Ok(findings)
}

/// A method at its setting, part by part: seconds and accuracy of each pass.
struct Run {
    method: Method,
    setting: Setting,
    seconds: Vec<Vec<f64>>,
    accuracies: Vec<Vec<f64>>,
}

/// All methods, tuned and then taking turns on each tested part, so that their times compare.
fn runs(setup: &Setup, set: &DataSet) -> Result<Vec<Run>> {
    let parts = Parts::deal(set.examples.len(), 5, setup.seed);
    let mut runs = Vec::new();
    for method in METHODS.map(|method| method.sized(setup)) {
        let chosen = method.tune(set, &parts.tuning(), setup.pick(1, PASSES, PASSES))?;
        let setting = Setting { passes: PASSES, ..chosen };
        runs.push(Run { method, setting, seconds: Vec::new(), accuracies: Vec::new() });
    }
    for split in parts.tests() {
        for run in &mut runs {
            let (mut seconds, mut accuracies) = (Vec::new(), Vec::new());
            run.method.learn(&run.setting, set, &split.train, |took, learner, _| {
                seconds.push(took);
                accuracies.push(percent(&right(learner, set, &split.test)));
            })?;
            run.seconds.push(seconds);
            run.accuracies.push(accuracies);
        }
    }
    Ok(runs)
}

/// Adds a task's curves and what they start and end with.
fn curves(task: &str, runs: &[Run], findings: &mut Findings) {
    let heads = ["method", "SPEC", "after 1 pass", "after 10"];
    let mut table = Table::new(&format!("{task}: settings and accuracy, %"), &heads);
    for Run { method, setting, accuracies, .. } in runs {
        let means: Vec<f64> = summary::columns(accuracies).iter().map(|pass| pass.mean).collect();
        let cells: [serde_json::Value; 3] =
            [setting.spec.clone().into(), means[0].into(), means[PASSES - 1].into()];
        table.row(method.name, cells);
        let points = means.into_iter().enumerate().map(|(i, mean)| (i as f64 + 1.0, mean));
        findings.series.push(Series::new(task, method.name, points));
    }
    findings.tables.push(table);
}

/// Seconds of the first and of a later pass, the first beside that of k = 1, and the paper's.
fn times(task: &str, runs: &[Run]) -> Table {
    let heads = ["method", "first pass, s", "relative to k = 1", "a later pass, s", "paper's first, s"];
    let mut table = Table::new(&format!("{task}: CPU time a pass, medians over the tested parts"), &heads);
    let first = |run: &Run| summary::median(&run.seconds.iter().map(|part| part[0]).collect::<Vec<_>>());
    let one = first(&runs[0]);
    for (run, paper) in runs.iter().zip(PAPER_SECONDS) {
        let later: Vec<f64> = run.seconds.iter().flat_map(|part| &part[1..]).copied().collect();
        let ratio = first(run).zip(one).map(|(own, one)| own / one);
        let cells = [first(run), ratio, summary::median(&later)].map(serde_json::Value::from);
        table.row(run.method.name, cells.into_iter().chain([paper.into()]));
    }
    table
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
