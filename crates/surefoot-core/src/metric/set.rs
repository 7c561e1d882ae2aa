//! Metrics side by side.

use super::{METRICS, Metric, MetricSpec, Outcome};

/// Metrics of the list that follow the same outcomes.
///
/// ```
/// use surefoot_core::Target;
/// use surefoot_core::metric::{MetricSet, Outcome};
///
/// let mut metrics = MetricSet::of(|spec| spec.higher_is_better == Some(true));
/// let probabilities = [0.2, 0.8];
/// let truth = Target::Class(1);
/// metrics.update(&Outcome { truth, predicted: Some(1), probabilities: &probabilities, score: 1.3 }, 1.0);
/// assert_eq!(metrics.value("accuracy"), Some(1.0));
/// assert_eq!(metrics.value("error-rate"), None); // not among those asked for
/// ```
#[derive(Debug)]
pub struct MetricSet {
    metrics: Vec<(&'static MetricSpec, Box<dyn Metric>)>,
}

impl MetricSet {
    /// Those of the list that are wanted, empty.
    #[must_use]
    pub fn of(wanted: impl Fn(&MetricSpec) -> bool) -> Self {
        let wanted = METRICS.iter().copied().filter(|spec| wanted(spec));
        Self { metrics: wanted.map(|spec| (spec, (spec.build)())).collect() }
    }

    /// Takes an outcome in.
    pub fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.metrics.iter_mut().for_each(|(_, metric)| metric.update(outcome, weight));
    }

    /// The number of the metric of this name, if it is followed and the outcomes determine it.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|(spec, _)| spec.name == name).and_then(|(_, metric)| metric.value())
    }

    /// Every metric with its number, in the order of the list.
    pub fn values(&self) -> impl Iterator<Item = (&'static MetricSpec, Option<f64>)> + '_ {
        self.metrics.iter().map(|(spec, metric)| (*spec, metric.value()))
    }
}
