//! Precision and recall in one number, every example as important as the next.

use super::counts::ClassCounts;
use super::{Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// F1 of the counts of all classes together; the accuracy, if every example got a prediction.
#[derive(Debug, Clone, Default)]
pub struct MicroF1 {
    counts: ClassCounts,
}

impl Metric for MicroF1 {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.counts.update(outcome, weight);
    }

    fn value(&self) -> Option<f64> {
        self.counts.micro_f1()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "micro-f1",
    key: "micro_f1",
    title: "micro F1",
    help: "F1 of the counts of all classes together",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    build: || Box::new(MicroF1::default()),
};
