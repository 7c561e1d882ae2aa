//! Shares of correct and of wrong predictions.

use super::mean::Mean;
use super::{Metric, Outcome};

/// The share of correct predictions.
#[derive(Debug, Clone, Default)]
pub struct Accuracy {
    correct: Mean,
}

impl Accuracy {
    pub(super) const NAME: &'static str = "accuracy";
}

impl Metric for Accuracy {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.correct.add_flag(outcome.is_correct(), weight);
    }

    fn value(&self) -> Option<f64> {
        self.correct.value()
    }
}

/// The share of mistakes.
#[derive(Debug, Clone, Default)]
pub struct ErrorRate {
    wrong: Mean,
}

impl ErrorRate {
    pub(super) const NAME: &'static str = "error-rate";
}

impl Metric for ErrorRate {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.wrong.add_flag(!outcome.is_correct(), weight);
    }

    fn value(&self) -> Option<f64> {
        self.wrong.value()
    }
}
