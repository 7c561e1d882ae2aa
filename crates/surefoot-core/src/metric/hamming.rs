//! Which share of all labels is wrong (Schapire and Singer 2000).

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// The labels that an example has and was not predicted to have, and those of which it is the other way round, out of all that are
/// known; in the mean over the examples.
#[derive(Debug, Clone, Default)]
pub struct HammingLoss(Mean);

impl Metric for HammingLoss {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        let Some(truth) = outcome.truth.labels() else { return };
        let wrong = outcome.labels.len() + truth.len() - 2 * outcome.label_hits();
        self.0.add(wrong as f64 / outcome.label_count().max(1) as f64, weight);
    }

    fn value(&self) -> Option<f64> {
        self.0.value()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "hamming-loss",
    key: "hamming_loss",
    title: "Hamming loss",
    help: "several labels a row: the share of all labels that are wrong",
    higher_is_better: Some(false),
    scale: ValueScale::Share,
    tasks: Tasks::Labels,
    progressive: true,
    tally: MadeOf::Own,
    build: || Box::new(HammingLoss::default()),
};
