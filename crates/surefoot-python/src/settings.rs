//! From Python's arguments to checked settings: the rules' own tables do the checking.

use pyo3::PyResult;
use serde_json::Value;
use surefoot::Settings;
use surefoot::core::{LearnerSpec, Spec};
use surefoot::data::{Labels, Recipe};

use crate::error::{refusal, value};

/// What Python asks for.
pub struct Asked {
    /// Rule and store; or `auto` or an ensemble, and no store.
    pub learner: (String, Option<String>),
    /// Parameters that are not left to the rule.
    pub parameters: Vec<(String, String)>,
    /// Labels known from the start.
    pub labels: Vec<String>,
    /// Whether further labels may come.
    pub grow: bool,
    /// Seed of everything that is drawn at random.
    pub seed: u64,
}

impl Asked {
    /// Checked settings; `recipe` is a JSON object that says what differs from the usual.
    pub fn settings(self, recipe: &str) -> PyResult<Settings> {
        let learner = learner_spec(&self.learner, &self.parameters).map_err(value)?;
        let (labels, recipe) = (self.known_labels().map_err(value)?, changed_recipe(&learner, recipe)?);
        let mut settings = Settings::new(learner, labels, recipe);
        settings.seed = self.seed;
        Ok(settings)
    }

    fn known_labels(&self) -> surefoot::Result<Labels> {
        if !self.grow {
            return Ok(Labels::declared(&self.labels)?);
        }
        let mut labels = Labels::open();
        for label in &self.labels {
            if labels.class(label.as_bytes()).is_some() {
                return Err(surefoot::Error::Other(format!("label '{label}' is declared twice")));
            }
            labels.meet(label.as_bytes())?;
        }
        Ok(labels)
    }
}

/// The learner that rule, store and parameters make.
fn learner_spec(
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
        spec.set(name, text)?;
    }
    spec.params()?;
    Ok(LearnerSpec::One(spec))
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
