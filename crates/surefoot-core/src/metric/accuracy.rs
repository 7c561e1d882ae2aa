//! How often the prediction was right.

use super::mean::Mean;
use super::{Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// The share of correct predictions.
#[derive(Debug, Clone, Default)]
pub struct Accuracy {
    wrong: Mean,
}

impl Metric for Accuracy {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if let Some(correct) = outcome.correct() {
            self.wrong.add_flag(!correct, weight);
        }
    }

    fn value(&self) -> Option<f64> {
        // What the error rate leaves, to the last bit.
        self.wrong.value().map(|wrong| 1.0 - wrong)
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "accuracy",
    key: "accuracy",
    title: "accuracy",
    help: "share of correct predictions",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    build: || Box::new(Accuracy::default()),
};
