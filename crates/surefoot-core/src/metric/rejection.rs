//! How good the predictions are that are sure enough.

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale, ratio};

/// The accuracy of the predictions whose probability reaches a threshold; the others are rejected, that is,
/// left for a person to decide. An example without a prediction is rejected.
///
/// ```
/// use surefoot_core::Target;
/// use surefoot_core::metric::{AccuracyAtRejection, Metric, Outcome};
///
/// let mut metric = AccuracyAtRejection::new(0.8);
/// let truth = Target::Class(1);
/// metric.update(&Outcome { truth, predicted: Some(1), probabilities: &[0.1, 0.9], score: 2.0, labels: &[] }, 1.0);
/// metric.update(&Outcome { truth, predicted: Some(0), probabilities: &[0.6, 0.4], score: -0.5, labels: &[] }, 1.0);
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
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        let Some(correct) = outcome.correct() else { return };
        self.seen += weight;
        if outcome.confidence().is_some_and(|p| p >= self.threshold) {
            self.accepted.add_flag(correct, weight);
        }
    }

    fn value(&self) -> Option<f64> {
        self.accepted.value()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "accuracy-at-rejection",
    key: "accuracy_at_rejection",
    title: "accuracy if sure",
    help: "accuracy where the prediction's probability is at least 0.9",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    tally: MadeOf::Own,
    build: || Box::new(AccuracyAtRejection::default()),
};
