//! How surprised the probabilities of labels were, where a row may have several.

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};
use crate::learner::labels_loss;

/// The mean of −ln p over all labels of an example, p the probability given to what is true of the label, and over the examples; clipped
/// as [`LogLoss`](super::LogLoss) is.
#[derive(Debug, Clone, Default)]
pub struct LabelLogLoss(Mean);

impl Metric for LabelLogLoss {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if outcome.truth.labels().is_some() {
            self.0.add(labels_loss(outcome.probabilities, outcome.truth), weight);
        }
    }

    fn value(&self) -> Option<f64> {
        self.0.value()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "label-log-loss",
    key: "label_log_loss",
    title: "log loss a label",
    help: "several labels a row: mean −ln of the probability of what is true",
    higher_is_better: Some(false),
    scale: ValueScale::Positive,
    tasks: Tasks::Labels,
    progressive: true,
    tally: MadeOf::Own,
    build: || Box::new(LabelLogLoss::default()),
};
