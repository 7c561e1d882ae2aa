//! Beyond the paper: its probabilities exactly, beside its Gibbs sampling.

use surefoot_core::probability::{Voter, gibbs};
use surefoot_core::store::Projection;
use surefoot_data::Random;

use super::method::{CONFIDENCES, Method};
use super::parts::Parts;
use super::tasks::NEWS;
use crate::clock::Stopwatch;
use crate::plot::{Axis, Figure, Panel};
use crate::{Experiment, Findings, Result, Series, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "mccw-gibbs",
    title: "Beyond MCCW: exact votes beside Gibbs sampling",
    needs_data: true,
    run,
    draw,
};

const SAMPLES: [u32; 4] = [10, 100, 1_000, 10_000];

/// So many examples are timed, in so many turns.
const TIMED: usize = 50;
const TURNS: usize = 5;

const CW: Method = Method::new("CW", "cw-var:top=1", CONFIDENCES);

/// Means and variances of the scores of one example.
type Scores = (Vec<f64>, Vec<f64>);

/// How far sampled votes are from the exact ones.
#[derive(Default)]
struct Distance {
    /// Sum over examples of half the sum of the absolute differences.
    total_variation: f64,
    largest: f64,
    /// Examples whose most probable label differs.
    other_winner: usize,
}

impl Distance {
    fn update(&mut self, exact: &[f64], sampled: &[f64]) {
        let gaps = || exact.iter().zip(sampled).map(|(a, b)| (a - b).abs());
        self.total_variation += 0.5 * gaps().sum::<f64>();
        self.largest = gaps().fold(self.largest, f64::max);
        self.other_winner += usize::from(winner(exact) != winner(sampled));
    }
}

fn winner(votes: &[f64]) -> Option<usize> {
    (0..votes.len()).reduce(|a, b| if votes[b] > votes[a] { b } else { a })
}

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let scores = scores(setup, &mut findings)?;
    let count = scores.len() as f64;
    let mut error = Table::new(
        "Distance of sampled votes from the exact ones",
        &["samples", "mean total variation", "largest difference of a vote", "another winner, % of examples"],
    );
    let exact = exact(&scores);
    let mut points = Vec::new();
    for samples in SAMPLES {
        let mut distance = Distance::default();
        let sampled = sampled(&scores, samples, setup.seed);
        exact.iter().zip(&sampled).for_each(|(exact, sampled)| distance.update(exact, sampled));
        let mean = distance.total_variation / count;
        error.row(
            &samples.to_string(),
            [mean, distance.largest, 100.0 * distance.other_winner as f64 / count],
        );
        points.push((f64::from(samples), mean));
    }
    let halves = points.windows(2).all(|w| (w[1].1 / w[0].1 * 10f64.sqrt() - 1.0).abs() < 0.3);
    findings.claim(
        "ten times the samples bring √10 times less error: sampling has the exact votes for its limit",
        halves,
    );
    findings.series.push(Series::new("", "Gibbs sampling", points));
    findings.tables.push(error);
    findings.timings.push(times(&scores[..scores.len().min(TIMED)]));
    Ok(findings)
}

fn exact(scores: &[Scores]) -> Vec<Vec<f64>> {
    let mut voter = Voter::new();
    let mut votes = |(means, variances): &Scores| {
        let mut votes = vec![0.0; means.len()];
        voter.distribution(means, variances, &mut votes);
        votes
    };
    scores.iter().map(&mut votes).collect()
}

fn sampled(scores: &[Scores], samples: u32, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed);
    let mut votes = |(means, variances): &Scores| {
        let mut votes = vec![0.0; means.len()];
        gibbs::sample(means, variances, samples, &mut || random.normal(), &mut votes);
        votes
    };
    scores.iter().map(&mut votes).collect()
}

/// What the votes of an example cost: medians over turns in which every way is run once.
fn times(scores: &[Scores]) -> Table {
    let mut turns = vec![Vec::new(); 1 + SAMPLES.len()];
    for _ in 0..TURNS {
        for (way, times) in turns.iter_mut().enumerate() {
            let began = Stopwatch::start();
            let votes = if way == 0 { exact(scores) } else { sampled(scores, SAMPLES[way - 1], 1) };
            times.push(1e6 * began.seconds() / votes.len() as f64);
        }
    }
    let mut table =
        Table::new("CPU time an example (median of five turns)", &["votes", "µs", "relative to exact"]);
    let names = std::iter::once("exact".to_string()).chain(SAMPLES.map(|n| format!("{n} samples")));
    let medians: Vec<f64> = turns.iter().filter_map(|times| summary::median(times)).collect();
    names.zip(&medians).for_each(|(name, median)| table.row(&name, [*median, median / medians[0]]));
    table
}

/// The scores of the first tested part after the passes that tuning chose.
fn scores(setup: &Setup, findings: &mut Findings) -> Result<Vec<Scores>> {
    let set = NEWS.read(setup, findings)?;
    let parts = Parts::deal(set.examples.len(), 1, setup.seed).tuned_on(setup);
    let setting = CW.tune(&set, &parts.tuning(), setup.pick(3, 5, 10))?;
    let (mut all, mut projection) = (Vec::new(), Projection::default());
    for split in parts.tests() {
        CW.learn(&setting, &set, &split.train, |_, learner, _| {
            all.clear();
            let tested = split.test.iter().take(setup.pick(50, 500, 2_000));
            for (x, _) in tested.map(|&i| &set.examples[i]) {
                let (mut means, mut variances) = (vec![0.0; set.labels.len()], vec![0.0; set.labels.len()]);
                if let Some(store) = learner.store() {
                    store.scores(x.features(), &mut means, Some(&mut variances), &mut projection);
                }
                all.push((means, variances));
            }
        })?;
    }
    Ok(all)
}

fn draw(findings: &Findings) -> Figure {
    let axes = (Axis::log("samples an example"), Axis::log("mean total variation from the exact votes"));
    let panel = Panel::new("Sampled votes", axes.0, axes.1);
    let lines = |panel: Panel, series: &Series| {
        panel.line(&Series { name: String::new(), ..series.clone() }, 0).dots(series, 0, 4.0)
    };
    Figure::of(findings.series.iter().fold(panel, lines))
}
