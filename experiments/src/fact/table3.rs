//! FACT Table 3: document classification, ten random orders.

use super::{PUPILS, progressive_errors};
use crate::plot::{Axis, Figure, Panel};
use crate::stream::shuffled;
use crate::{Experiment, Findings, Result, Series, Setup, Table, summary, tasks};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "fact-table3",
    title: "FACT Table 3: document classification",
    needs_data: true,
    run,
    draw,
};

/// The paper's mean error rates in %, where it has a task of that name: perceptron, PA, CW-diag, CW-fact8. Its
/// sentiment sets are larger than ours.
const PAPER: [(&str, [f64; 4]); 6] = [
    ("comp", [27.0, 19.6, 13.6, 12.3]),
    ("sci", [21.9, 13.6, 8.1, 7.1]),
    ("talk", [23.2, 8.6, 4.7, 3.7]),
    ("books", [18.6, 16.8, 14.7, 14.3]),
    ("dvd", [20.2, 18.0, 15.8, 15.4]),
    ("kitchen", [20.4, 17.2, 15.3, 14.8]),
];

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let heads: Vec<&str> = ["task", "examples", "features"]
        .into_iter()
        .chain(PUPILS.map(|(name, _)| name))
        .chain(["paper"])
        .collect();
    let mut table = Table::new("Progressive error in %, mean ± sd over the orders", &heads);
    let (mut better, mut tasks_seen) = (0, 0);
    for task in tasks::text(setup, &mut findings)? {
        let mut errors = vec![Vec::new(); PUPILS.len()];
        for seed in setup.seeds(1, setup.pick(2, 10, 10)) {
            let order = shuffled(&task.examples, seed);
            progressive_errors(&order)?.into_iter().zip(&mut errors).for_each(|(error, all)| all.push(error));
        }
        let errors: Vec<_> = errors.iter().map(|all| summary::of(all)).collect();
        let cells = errors.iter().map(|found| format!("{:.1} ± {:.1}", found.mean, found.sd));
        let paper = PAPER.iter().find(|(name, _)| *name == task.name);
        let paper = paper.map_or("–".into(), |(_, e)| format!("{} / {} / {} / {}", e[0], e[1], e[2], e[3]));
        let sizes = [task.examples.len(), task.features()].map(|n| n.to_string());
        table.row(&task.name, sizes.into_iter().chain(cells).chain([paper]));
        for ((name, _), found) in PUPILS.iter().zip(&errors) {
            let point = [(tasks_seen as f64, found.mean)];
            findings.series.push(Series::new(&task.name, name, point).with_spread([found.sd]));
        }
        tasks_seen += 1;
        better += usize::from(errors[3].mean < errors[2].mean);
    }
    findings.tables.push(table);
    if !setup.is_quick() {
        let says = format!("CW-fact8 improves on CW-diag (here on {better} of {tasks_seen} tasks)");
        findings.claim(says, better == tasks_seen);
    }
    Ok(findings)
}

fn draw(findings: &Findings) -> Figure {
    let mut names: Vec<&str> = findings.series.iter().map(|series| series.panel.as_str()).collect();
    names.dedup();
    let mut panel =
        Panel::new("Document classification", Axis::names(names), Axis::new("progressive error in %"));
    for (colour, (name, _)) in PUPILS.iter().enumerate() {
        let own: Vec<&Series> = findings.series.iter().filter(|series| series.name == *name).collect();
        let joined = Series::new("", name, own.iter().flat_map(|series| series.points()));
        panel = panel.bars(
            &joined.with_spread(own.iter().flat_map(|s| s.spread.iter().copied())),
            [4, 3, 5, 0][colour],
        );
    }
    Figure::of(panel.wide())
}
