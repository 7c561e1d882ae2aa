//! What changes with a threshold: the curves of two labels, and how many predictions are kept if only sure ones are.

use surefoot_core::metric::Ranking;

/// Points that a curve has at most; more are finer than a screen.
const POINTS: usize = 400;

/// The curves of an evaluation.
#[derive(Debug, Clone, Default)]
pub struct Ranked {
    /// The label whose curves they are: the rarer of two. None unless there are two labels.
    pub label: Option<String>,
    /// From the strictest threshold down; empty unless there are two labels.
    pub points: Vec<RankPoint>,
    /// From the surest predictions to all.
    pub coverage: Vec<CoveragePoint>,
}

/// What comes of taking all examples above a threshold for the rarer label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankPoint {
    /// Of the examples of the label, the share that is found: recall, the true positive rate.
    pub found: f64,
    /// Of the examples of the other label, the share that is taken for it: the false positive rate.
    pub false_alarms: f64,
    /// Of the examples taken for the label, the share that are of it.
    pub precision: f64,
}

/// What comes of keeping only the surest predictions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoveragePoint {
    /// The share of the examples that is kept.
    pub coverage: f64,
    /// The share of those that are right.
    pub accuracy: f64,
}

impl Ranked {
    pub(super) fn new(ranking: Option<&Ranking>, sureness: &Ranking, name: impl Fn(usize) -> String) -> Self {
        let label = ranking.and_then(Ranking::rarer);
        let points = ranking.zip(label).map_or_else(Vec::new, |(ranking, rarer)| curve(ranking, rarer));
        Self { label: label.map(name), points, coverage: coverage(sureness) }
    }
}

fn curve(ranking: &Ranking, rarer: usize) -> Vec<RankPoint> {
    let mut bins = ranking.descending();
    if rarer == 0 {
        bins.reverse();
    }
    let all = ranking.totals();
    let point = |taken: [f64; 2]| RankPoint {
        found: taken[rarer] / all[rarer],
        false_alarms: taken[1 - rarer] / all[1 - rarer],
        precision: taken[rarer] / (taken[0] + taken[1]),
    };
    thinned(running(&bins).map(point).collect())
}

fn coverage(sureness: &Ranking) -> Vec<CoveragePoint> {
    let [wrong, right] = sureness.totals();
    let point = |taken: [f64; 2]| {
        let kept = taken[0] + taken[1];
        CoveragePoint { coverage: kept / (wrong + right), accuracy: taken[1] / kept }
    };
    thinned(running(&sureness.descending()).map(point).collect())
}

/// The weight of both classes up to and with each bin.
fn running(bins: &[[f64; 2]]) -> impl Iterator<Item = [f64; 2]> + '_ {
    bins.iter().scan([0.0; 2], |sum, bin| {
        *sum = [sum[0] + bin[0], sum[1] + bin[1]];
        Some(*sum)
    })
}

/// Evenly chosen points, the first and the last among them.
fn thinned<T: Copy>(points: Vec<T>) -> Vec<T> {
    if points.len() <= POINTS {
        return points;
    }
    let last = points.len() - 1;
    (0..POINTS).map(|at| points[at * last / (POINTS - 1)]).collect()
}
