//! How much of each class is found.

use super::counts::ClassCounts;
use super::{Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// Recall averaged over the classes that occurred or were predicted; 0 for one that never occurred.
#[derive(Debug, Clone, Default)]
pub struct MacroRecall {
    counts: ClassCounts,
}

impl Metric for MacroRecall {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.counts.update(outcome, weight);
    }

    fn value(&self) -> Option<f64> {
        self.counts.macro_average(ClassCounts::recall)
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "macro-recall",
    key: "macro_recall",
    title: "macro recall",
    help: "recall, averaged over the classes",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    build: || Box::new(MacroRecall::default()),
};
