//! From Python's arguments to checked settings: the rules' own tables do the checking.

use pyo3::PyResult;
use serde_json::Value;
use surefoot::core::drift::{self, DetectorSpec};
use surefoot::core::{LearnerSpec, Spec};
use surefoot::data::{Labels, Recipe};
use surefoot::train::{OnDrift, default_detectors};

use crate::error::{refusal, value};

/// Labels known from the start; whether further ones may come is what `grow` says, and whether a row may have several, `several`.
pub fn known_labels(labels: &[String], grow: bool, several: bool) -> surefoot::Result<Labels> {
    if several {
        let known = if grow { met(labels)? } else { Labels::declared_several(labels)? };
        return Ok(known.of_several());
    }
    if grow { met(labels) } else { Ok(Labels::declared(labels)?) }
}

/// Labels that were met, of which more may come.
fn met(labels: &[String]) -> surefoot::Result<Labels> {
    let mut known = Labels::open();
    for label in labels {
        if known.class(label.as_bytes()).is_some() {
            return Err(surefoot::Error::Other(format!("label '{label}' is declared twice")));
        }
        known.meet(label.as_bytes())?;
    }
    Ok(known)
}

/// The learner that rule and store (or `auto` or an ensemble, and no store) make with parameters that are not left to the rule.
pub fn learner_spec(
    (rule, store): &(String, Option<String>),
    parameters: &[(String, String)],
) -> surefoot::core::Result<LearnerSpec> {
    if rule == "auto" || ["ensemble(", "bank("].iter().any(|word| rule.starts_with(word)) {
        return match (store, parameters.first()) {
            (None, None) => LearnerSpec::parse(rule),
            _ => Err(surefoot::core::Error::Conflict(format!(
                "rule={rule:?} brings its own stores and parameters; leave covariance and the others at None"
            ))),
        };
    }
    let mut spec = Spec::new(rule, store.as_deref())?;
    for (name, text) in parameters {
        // A keyword of Python has no hyphen.
        spec.set(&name.replace('_', "-"), text)?;
    }
    spec.params()?;
    Ok(LearnerSpec::One(spec))
}

/// What is done about changes of the data, and what looks for them: names with commas between them, or `none`.
pub fn known_drift(
    on_drift: &str,
    detectors: Option<&str>,
) -> surefoot::Result<(OnDrift, Vec<&'static DetectorSpec>)> {
    let found = match detectors {
        None => default_detectors(),
        Some("none") => Vec::new(),
        Some(names) => drift::detectors(names.split(',').map(str::trim))?,
    };
    Ok((OnDrift::parse(on_drift)?, found))
}

/// The usual recipe of a learner with what differs.
pub fn changed_recipe(learner: &LearnerSpec, changes: &str) -> PyResult<Recipe> {
    let mut recipe = serde_json::to_value(surefoot::default_recipe_for(learner)).map_err(value)?;
    overlay(&mut recipe, serde_json::from_str(changes).map_err(value)?);
    Recipe::from_json(&recipe.to_string()).map_err(|problem| refusal(problem.into()))
}

/// Objects are merged, anything else is replaced.
fn overlay(onto: &mut Value, changes: Value) {
    match (onto, changes) {
        (Value::Object(onto), Value::Object(changes)) => {
            for (key, change) in changes {
                overlay(onto.entry(key).or_insert(Value::Null), change);
            }
        }
        (onto, change) => *onto = change,
    }
}
