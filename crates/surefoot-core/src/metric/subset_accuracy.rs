//! How often all labels of an example are right.

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// The share of examples whose predicted labels are the true ones, no more and no less.
#[derive(Debug, Clone, Default)]
pub struct SubsetAccuracy(Mean);

impl Metric for SubsetAccuracy {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if let Some(truth) = outcome.truth.labels() {
            self.0.add_flag(truth == outcome.labels, weight);
        }
    }

    fn value(&self) -> Option<f64> {
        self.0.value()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "subset-accuracy",
    key: "subset_accuracy",
    title: "subset accuracy",
    help: "several labels a row: the share of rows all of whose labels are right",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::Labels,
    progressive: true,
    tally: MadeOf::Own,
    build: || Box::new(SubsetAccuracy::default()),
};
