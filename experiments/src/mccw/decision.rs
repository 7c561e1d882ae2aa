//! MCCW §5: predicting with the mean weights, or with the label of the largest vote.

use surefoot_core::Learner;
use surefoot_core::metric::significance::PairedMistakes;
use surefoot_core::probability::Voter;

use super::method::{CONFIDENCES, Method, right};
use super::parts::Parts;
use super::tasks::{TASKS, chosen};
use super::verdict::percent;
use crate::clock::Stopwatch;
use crate::data::DataSet;
use crate::plot::{Axis, Figure, Panel};
use crate::{Experiment, Findings, Result, Series, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "mccw-decision",
    title: "MCCW §5: prediction by the mean and by the vote",
    needs_data: true,
    run,
    draw,
};

const CW: Method = Method::new("CW", "cw-var:top=1", CONFIDENCES);
const TITLE: &str = "CW k = 1, accuracy on the tested parts, %";

/// So many predictions of each kind are timed, in turns.
const TIMED: usize = 100;
const TURNS: usize = 7;

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let mut table = Table::new(TITLE, &["task", "mean", "vote", "labels that differ, %", "McNemar p"]);
    let heads = ["task", "mean", "vote", "vote / mean"];
    let mut time = Table::new("CPU time a prediction, µs (median of seven turns)", &heads);
    for task in chosen(setup, TASKS) {
        let set = task.read(setup, &mut findings)?;
        let parts = Parts::deal(set.examples.len(), setup.pick(1, 5, 5), setup.seed).tuned_on(setup);
        let setting = CW.tune(&set, &parts.tuning(), setup.pick(3, 10, 10))?;
        let (mut by_mean, mut by_vote, mut times) = (Vec::new(), Vec::new(), [0.0; 2]);
        for split in parts.tests() {
            let mut pass = 0;
            CW.learn(&setting, &set, &split.train, |_, learner, _| {
                pass += 1;
                if pass == setting.passes {
                    by_mean.extend(right(learner, &set, &split.test));
                    by_vote.extend(right_by_vote(learner, &set, &split.test));
                    times = timed(learner, &set, &split.test);
                }
            })?;
        }
        let mut paired = PairedMistakes::default();
        by_mean.iter().zip(&by_vote).for_each(|(a, b)| paired.update(!a, !b));
        let differ = 100.0 * (paired.only_first + paired.only_second) as f64 / by_mean.len() as f64;
        table.row(&set.name, [percent(&by_mean), percent(&by_vote), differ, paired.p_value()]);
        time.row(&set.name, [times[0], times[1], times[1] / times[0]]);
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

/// Which of these examples have the largest vote on their label.
fn right_by_vote(learner: &dyn Learner, set: &DataSet, test: &[usize]) -> Vec<bool> {
    let (mut voter, mut votes) = (Voter::new(), Vec::new());
    let mut is_right = |&i: &usize| {
        learner.votes(set.examples[i].0.features(), &[1.0], &mut voter, &mut votes);
        (0..votes.len()).reduce(|a, b| if votes[b] > votes[a] { b } else { a }) == Some(set.examples[i].1)
    };
    test.iter().map(&mut is_right).collect()
}

/// Microseconds a prediction by the mean and by the vote.
fn timed(learner: &dyn Learner, set: &DataSet, test: &[usize]) -> [f64; 2] {
    let few = &test[..test.len().min(TIMED)];
    let mut turns = [Vec::new(), Vec::new()];
    for _ in 0..TURNS {
        for (way, times) in [right, right_by_vote].iter().zip(&mut turns) {
            let began = Stopwatch::start();
            way(learner, set, few);
            times.push(1e6 * began.seconds() / few.len() as f64);
        }
    }
    turns.map(|times| summary::median(&times).unwrap_or(f64::NAN))
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
    let panel = Panel::new("CW k = 1", Axis::names(names), Axis::new("test error, %"));
    let error = |s: &Series| Series::new("", &s.name, s.points().map(|(task, right)| (task, 100.0 - right)));
    Figure::of(findings.series.iter().enumerate().fold(panel, |panel, (i, s)| panel.bars(&error(s), i)))
}
