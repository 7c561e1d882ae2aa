//! How far a prediction can be trusted, whatever class it says.

use super::counts::ClassCounts;
use super::{Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// Precision averaged over the classes that occurred or were predicted; 0 for one never predicted.
#[derive(Debug, Clone, Default)]
pub struct MacroPrecision {
    counts: ClassCounts,
}

impl Metric for MacroPrecision {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.counts.update(outcome, weight);
    }

    fn value(&self) -> Option<f64> {
        self.counts.macro_average(ClassCounts::precision)
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "macro-precision",
    key: "macro_precision",
    title: "macro precision",
    help: "precision, averaged over the classes",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    build: || Box::new(MacroPrecision::default()),
};
