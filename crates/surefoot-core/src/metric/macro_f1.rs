//! Precision and recall in one number, the rare classes as important as the common ones.

use super::counts::ClassCounts;
use super::{Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// F1 averaged over the classes that occurred or were predicted: every class weighs the same.
#[derive(Debug, Clone, Default)]
pub struct MacroF1 {
    counts: ClassCounts,
}

impl Metric for MacroF1 {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.counts.update(outcome, weight);
    }

    fn value(&self) -> Option<f64> {
        self.counts.macro_average(ClassCounts::f1)
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "macro-f1",
    key: "macro_f1",
    title: "macro F1",
    help: "F1, averaged over the classes",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    build: || Box::new(MacroF1::default()),
};
