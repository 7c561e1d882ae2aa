//! How large a share of the predictions was wrong.

use super::mean::Mean;
use super::{Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// The share of mistakes.
#[derive(Debug, Clone, Default)]
pub struct ErrorRate {
    wrong: Mean,
}

impl Metric for ErrorRate {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if let Some(correct) = outcome.correct() {
            self.wrong.add_flag(!correct, weight);
        }
    }

    fn value(&self) -> Option<f64> {
        self.wrong.value()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "error-rate",
    key: "error_rate",
    title: "error rate",
    help: "share of mistakes",
    higher_is_better: Some(false),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    build: || Box::new(ErrorRate::default()),
};
