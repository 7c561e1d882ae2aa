//! How good the predictions are that are sure enough.

use super::mean::{Mean, ratio};
use super::{Metric, Outcome};

/// The accuracy of the predictions whose probability reaches a threshold; the others are rejected, that is,
/// left to somebody else. An example without a prediction is rejected.
///
/// ```
/// use surefoot_core::metric::{AccuracyAtRejection, Metric, Outcome};
///
/// let mut metric = AccuracyAtRejection::new(0.8);
/// metric.update(&Outcome { truth: 1, predicted: Some(1), probabilities: &[0.1, 0.9], score: 2.0 }, 1.0);
/// metric.update(&Outcome { truth: 1, predicted: Some(0), probabilities: &[0.6, 0.4], score: -0.5 }, 1.0);
/// assert_eq!(metric.value(), Some(1.0));
/// assert_eq!(metric.coverage(), Some(0.5));
/// ```
#[derive(Debug, Clone)]
pub struct AccuracyAtRejection {
    threshold: f64,
    accepted: Mean,
    seen: f64,
}

impl AccuracyAtRejection {
    pub(super) const NAME: &'static str = "accuracy-at-rejection";

    /// Accepts predictions of at least this probability.
    #[must_use]
    pub fn new(threshold: f64) -> Self {
        AccuracyAtRejection { threshold, accepted: Mean::default(), seen: 0.0 }
    }

    /// The share of the examples whose prediction was accepted.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        ratio(self.accepted.weight(), self.seen)
    }
}

impl Default for AccuracyAtRejection {
    fn default() -> Self {
        Self::new(0.9)
    }
}

impl Metric for AccuracyAtRejection {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.seen += weight;
        if outcome.confidence().is_some_and(|p| p >= self.threshold) {
            self.accepted.add_flag(outcome.is_correct(), weight);
        }
    }

    fn value(&self) -> Option<f64> {
        self.accepted.value()
    }
}
