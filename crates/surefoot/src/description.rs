//! What a model is and has learned, as JSON: `inspect --json`, and a server's answer.

use serde::Serialize;
use serde::ser::Serializer;
use surefoot_data::model_file::{Counts, FORMAT_VERSION};
use surefoot_data::{FormatOptions, Recipe};

use crate::train::OnDrift;
use crate::{Model, NamedWeight, Result};

/// The settings, counts and weights of a model.
#[derive(Serialize)]
pub struct Description<'m> {
    learner: String,
    /// Of the model file.
    version: u64,
    task: &'static str,
    labels: Vec<String>,
    features: usize,
    collisions: usize,
    counts: Counts,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_drift: Option<OnDrift>,
    recipe: &'m Recipe,
    columns: &'m FormatOptions,
    weights: DescribedWeights<'m>,
}

/// All weights, or the most decisive of each label; written one by one, for there may be millions.
pub struct DescribedWeights<'m> {
    model: &'m Model,
    top: Option<usize>,
}

#[derive(Serialize)]
struct WeightLine {
    feature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    mean: f64,
    variance: f64,
}

impl<'m> Description<'m> {
    /// Of a model with its `top` most decisive weights of each label, or with all weights.
    pub fn new(model: &'m Model, top: Option<usize>) -> Result<Self> {
        Ok(Description {
            learner: model.spec()?,
            version: FORMAT_VERSION,
            task: model.task().word(),
            labels: model.labels().in_order(),
            features: model.encoder().index().len(),
            collisions: model.encoder().index().collisions(),
            counts: model.counts(),
            seed: model.seed(),
            on_drift: Some(model.on_drift()).filter(|on_drift| *on_drift != OnDrift::Report),
            recipe: model.encoder().recipe(),
            columns: model.columns(),
            weights: DescribedWeights { model, top },
        })
    }
}

impl From<NamedWeight<'_>> for WeightLine {
    fn from(named: NamedWeight<'_>) -> Self {
        Self {
            feature: named.feature.to_string(),
            label: named.label.map(ToString::to_string),
            mean: named.weight.mean,
            variance: named.weight.variance,
        }
    }
}

impl Serialize for DescribedWeights<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(top) = self.top else {
            return serializer.collect_seq(self.model.weights().map(WeightLine::from));
        };
        let decisive = self.model.decisive(top).into_iter().flat_map(|(_, weights)| weights);
        serializer.collect_seq(decisive.map(WeightLine::from))
    }
}
