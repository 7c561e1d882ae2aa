//! How many of the most probable labels are right: precision at k.

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// Of the `K` most probable labels of an example, the share that it has, in the mean; of equally probable ones the class that was
/// met first goes first.
#[derive(Debug, Clone, Default)]
pub struct PrecisionAt<const K: usize> {
    mean: Mean,
    /// The best labels of an example; reused.
    best: Vec<usize>,
}

impl<const K: usize> Metric for PrecisionAt<K> {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if outcome.truth.labels().is_none() {
            return;
        }
        self.best.clear();
        for (label, p) in outcome.probabilities.iter().enumerate() {
            let place = self.best.partition_point(|&better| outcome.probabilities[better] >= *p);
            if place < K {
                self.best.truncate(K - 1);
                self.best.insert(place.min(self.best.len()), label);
            }
        }
        let hits = self.best.iter().filter(|&&label| outcome.truth.holds(label)).count();
        self.mean.add(hits as f64 / K as f64, weight);
    }

    fn value(&self) -> Option<f64> {
        self.mean.value()
    }
}

/// Of the most probable label.
pub const AT_1: MetricSpec = MetricSpec {
    name: "precision-at-1",
    key: "precision_at_1",
    title: "precision at 1",
    help: "several labels a row: rows that have their most probable label",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::Labels,
    progressive: false,
    tally: MadeOf::Own,
    build: || Box::new(PrecisionAt::<1>::default()),
};

/// Of the three most probable labels.
pub const AT_3: MetricSpec = MetricSpec {
    name: "precision-at-3",
    key: "precision_at_3",
    title: "precision at 3",
    help: "several labels a row: share of the 3 most probable that the row has",
    build: || Box::new(PrecisionAt::<3>::default()),
    ..AT_1
};

/// Of the five most probable labels.
pub const AT_5: MetricSpec = MetricSpec {
    name: "precision-at-5",
    key: "precision_at_5",
    title: "precision at 5",
    help: "several labels a row: share of the 5 most probable that the row has",
    build: || Box::new(PrecisionAt::<5>::default()),
    ..AT_1
};
