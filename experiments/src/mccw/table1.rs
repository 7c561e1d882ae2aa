//! MCCW Table 1: the data.

use super::tasks::{TASKS, chosen};
use crate::plot::{Axis, Figure, Panel};
use crate::{Experiment, Findings, Result, Series, Setup, Table};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "mccw-table1",
    title: "MCCW Table 1: the multi-class tasks",
    needs_data: true,
    run,
    draw,
};

/// The paper's rows: instances, features, labels, whether balanced.
const PAPER: &[(&str, u32, u32, u32, &str)] = &[
    ("20 News", 18_828, 252_115, 20, "Y"),
    ("Amazon 7", 13_580, 686_724, 7, "Y"),
    ("Amazon 3", 7_000, 494_481, 3, "Y"),
    ("Enron A", 3_000, 13_559, 10, "N"),
    ("Enron B", 3_000, 18_065, 10, "N"),
    ("NYTD", 10_000, 108_671, 26, "N"),
    ("NYTO", 10_000, 108_671, 34, "N"),
    ("NYTS", 10_000, 114_316, 20, "N"),
    ("Reuters", 4_000, 23_699, 4, "N"),
];

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut ours =
        Table::new("Our tasks", &["task", "instances", "features", "labels", "balanced", "largest class %"]);
    let mut theirs = Table::new("The paper's", &["task", "instances", "features", "labels", "balanced"]);
    for task in chosen(setup, TASKS) {
        let set = task.read(setup, &mut findings)?;
        let mut counts = vec![0usize; set.labels.len()];
        set.examples.iter().for_each(|(_, class)| counts[*class] += 1);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let share = 100.0 * counts[0] as f64 / set.examples.len() as f64;
        let numbers = [set.examples.len(), set.features(), set.labels.len()].map(serde_json::Value::from);
        let rest = [if task.balanced { "Y" } else { "N" }.into(), share.into()];
        ours.row(&set.name, numbers.into_iter().chain(rest));
        let sizes = counts.iter().enumerate().map(|(i, &count)| (i as f64 + 1.0, count as f64));
        findings.series.push(Series::new("", &set.name, sizes));
    }
    for &(name, instances, features, labels, balanced) in PAPER {
        let numbers = [instances, features, labels].map(serde_json::Value::from);
        theirs.row(name, numbers.into_iter().chain([balanced.into()]));
    }
    findings.tables = vec![ours, theirs];
    Ok(findings)
}

fn draw(findings: &Findings) -> Figure {
    let axes = (Axis::log("label, by size"), Axis::log("examples of the label"));
    let lines = findings.series.iter().enumerate();
    Figure::of(
        lines.fold(Panel::new("Sizes of the classes", axes.0, axes.1), |panel, (i, s)| panel.line(s, i)),
    )
}
