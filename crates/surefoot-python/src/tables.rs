//! The lists of rules, stores and metrics, as Python's documentation and tests read them.

use pyo3::prelude::*;
use surefoot::core::metric::{METRICS, MetricSpec, Tasks};
use surefoot::core::{Spec, rule, store};

use crate::error::value;

/// Every rule: name, title, paper, and whether importance weights change its step.
#[pyfunction]
pub fn rules() -> Vec<(&'static str, &'static str, &'static str, bool)> {
    rule::RULES.iter().map(|rule| (rule.name, rule.title, rule.paper, rule.weighted)).collect()
}

/// Every store: name, title.
#[pyfunction]
pub fn stores() -> Vec<(&'static str, &'static str)> {
    store::STORES.iter().map(|store| (store.name, store.title)).collect()
}

/// A row of the table of metrics: name, key in JSON, title, help, whether larger is better, whether it is for two classes alone.
type MetricRow = (&'static str, &'static str, &'static str, &'static str, Option<bool>, bool);

/// Every metric.
#[pyfunction]
pub fn metrics() -> Vec<MetricRow> {
    let row = |spec: &&MetricSpec| {
        let two_classes = spec.tasks == Tasks::TwoClasses;
        (spec.name, spec.key, spec.title, spec.help, spec.higher_is_better, two_classes)
    };
    METRICS.iter().map(row).collect()
}

/// The parameters of a rule on a store: name as a keyword of Python, what it takes, default, help.
#[pyfunction]
#[pyo3(signature = (rule, covariance = None))]
pub fn parameters(
    rule: &str,
    covariance: Option<&str>,
) -> PyResult<Vec<(String, String, String, &'static str)>> {
    let spec = Spec::new(rule, covariance).map_err(value)?;
    let filled = spec.params().map_err(value)?;
    let default = |name: &str| {
        filled
            .iter()
            .find(|(known, _)| *known == name)
            .map_or_else(String::new, |(_, value)| value.to_string())
    };
    let keyword = |name: &str| name.replace('-', "_");
    Ok(spec.tables().map(|p| (keyword(p.name), p.range.to_string(), default(p.name), p.help)).collect())
}

/// What learns when nothing is said.
#[pyfunction]
pub fn default_learner() -> &'static str {
    surefoot::DEFAULT_LEARNER
}
