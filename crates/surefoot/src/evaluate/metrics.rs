//! The numbers of a report, each beside its metric in the list.

use serde::ser::{Serialize, SerializeMap, Serializer};
use surefoot_core::metric::{MetricSpec, ValueScale};

/// What metrics of [`METRICS`](surefoot_core::metric::METRICS) came to, in the order of the list. In JSON each number is
/// under the metric's key; null where the examples do not determine it.
#[derive(Debug, Clone, Default)]
pub struct Metrics(Vec<(&'static MetricSpec, Option<f64>)>);

impl Metrics {
    /// The number of the metric of this name (`log-loss`); none if the examples do not determine it, or it is not here.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.iter().find(|(spec, _)| spec.name == name).and_then(|(_, value)| value)
    }

    /// Every metric with its number.
    pub fn iter(&self) -> impl Iterator<Item = (&'static MetricSpec, Option<f64>)> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<(&'static MetricSpec, Option<f64>)> for Metrics {
    fn from_iter<I: IntoIterator<Item = (&'static MetricSpec, Option<f64>)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (spec, value) in self.iter() {
            match value {
                // A count without a decimal point.
                Some(count) if spec.scale == ValueScale::Count && count.fract() == 0.0 => {
                    map.serialize_entry(spec.key, &(count as u64))?;
                }
                value => map.serialize_entry(spec.key, &value)?,
            }
        }
        map.end()
    }
}
