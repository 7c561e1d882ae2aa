//! MCCW §5: predicting with the mean weights, or with the label of the largest vote.

use std::time::Instant;

use surefoot_core::metric::significance::PairedMistakes;
use surefoot_core::probability::Voter;

use super::method::{CONFIDENCES, Method, right};
use super::parts::Parts;
use super::tasks::{TASKS, chosen};
use super::verdict::percent;
use crate::plot::{Axis, Figure, Panel};
use crate::{Experiment, Findings, Result, Series, Setup, Table};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "mccw-decision",
    title: "MCCW §5: prediction by the mean and by the vote",
    needs_data: true,
    run,
    draw,
};

const CW: Method = Method::new("CW", "cw-var:top=1", CONFIDENCES);
const TITLE: &str = "CW k = 1, accuracy on a tested part, %";

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut table = Table::new(TITLE, &["task", "mean", "vote", "labels that differ, %", "McNemar p"]);
    let mut time = Table::new("Time a prediction, µs", &["task", "mean", "vote"]);
    for task in chosen(setup, TASKS) {
        let set = task.read(setup, &mut findings)?;
        let parts = Parts::deal(set.examples.len(), 1, setup.seed);
        let setting = CW.tune(&set, &parts.tuning(), setup.pick(3, 5, 10))?;
        let split = parts.tests().swap_remove(0);
        let (mut by_mean, mut by_vote, mut times) = (Vec::new(), Vec::new(), [0.0; 2]);
        CW.learn(&setting, &set, &split.train, |_, learner| {
            let began = Instant::now();
            by_mean = right(learner, &set, &split.test);
            times[0] = began.elapsed().as_secs_f64();
            let (mut voter, mut votes) = (Voter::new(), Vec::new());
            by_vote = split
                .test
                .iter()
                .map(|&i| {
                    learner.vote_into(set.examples[i].0.features(), &mut voter, &mut votes);
                    (0..votes.len()).reduce(|a, b| if votes[b] > votes[a] { b } else { a })
                        == Some(set.examples[i].1)
                })
                .collect();
            times[1] = began.elapsed().as_secs_f64() - times[0];
        })?;
        let mut paired = PairedMistakes::default();
        by_mean.iter().zip(&by_vote).for_each(|(a, b)| paired.update(!a, !b));
        let differ = 100.0 * (paired.only_first + paired.only_second) as f64 / by_mean.len() as f64;
        table.row(&set.name, [percent(&by_mean), percent(&by_vote), differ, paired.p_value()]);
        time.row(&set.name, times.map(|seconds| 1e6 * seconds / by_mean.len() as f64));
    }
    claims(&mut findings, &table);
    for column in ["mean", "vote"] {
        let bars =
            table.names().enumerate().filter_map(|(i, task)| Some((i as f64, table.number(task, column)?)));
        findings.series.push(Series::new("", column, bars.collect::<Vec<_>>()));
    }
    findings.tables.push(table);
    findings.timings.push(time);
    Ok(findings)
}

fn claims(findings: &mut Findings, table: &Table) {
    let significant =
        |task: &&str| table.number(task, "McNemar p").is_some_and(|p| p < 0.05 / table.rows.len() as f64);
    let tasks: Vec<&str> = table.names().filter(significant).collect();
    findings.claim(
        format!("voting does not improve on the mean significantly (it differs on {tasks:?})"),
        tasks.iter().all(|task| table.number(task, "vote") < table.number(task, "mean")),
    );
}

fn draw(findings: &Findings) -> Figure {
    let names: Vec<String> =
        findings.table(TITLE).map_or(Vec::new(), |t| t.names().map(ToString::to_string).collect());
    let panel = Panel::new("CW k = 1", Axis::names(names), Axis::new("test accuracy, %"));
    Figure::of(findings.series.iter().enumerate().fold(panel, |panel, (i, s)| panel.bars(s, i)))
}
