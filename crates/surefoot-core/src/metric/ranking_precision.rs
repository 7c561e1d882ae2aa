//! Label ranking average precision (Tsoumakas, Katakis and Vlahavas 2010).

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// For each label that an example has, the share of its labels among those that are ranked as high or higher; averaged over its labels,
/// then over the examples. 1 for an example that has no label or all of them.
#[derive(Debug, Clone, Default)]
pub struct RankingPrecision(Mean);

impl Metric for RankingPrecision {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        let Some(truth) = outcome.truth.labels() else { return };
        let all = outcome.label_count();
        if truth.is_empty() || truth.len() == all {
            return self.0.add(1.0, weight);
        }
        let precision = |&label: &u32| {
            let own = outcome.probability_of(label as usize);
            let above = |other: usize| outcome.probability_of(other) >= own;
            let hits = truth.iter().filter(|&&other| above(other as usize)).count();
            hits as f64 / (0..all).filter(|&other| above(other)).count() as f64
        };
        self.0.add(truth.iter().map(precision).sum::<f64>() / truth.len() as f64, weight);
    }

    fn value(&self) -> Option<f64> {
        self.0.value()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "lrap",
    key: "lrap",
    title: "ranking precision",
    help: "several labels a row: label ranking average precision",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::Labels,
    progressive: false,
    tally: MadeOf::Own,
    build: || Box::new(RankingPrecision::default()),
};
