//! New models: of the bytes of a file, or of settings.

use serde::Deserialize;
use surefoot::core::{LearnerSpec, Task};
use surefoot::data::{Labels, Ngrams, Scale, SpaceKind, TextRecipe};
use surefoot::{Model, Settings, default_recipe, default_recipe_for};

use super::{BodyNeeds, Handled, Route, TokenRole, object};
use crate::http::call::Call;
use crate::http::reply::{ApiError, Reply};
use crate::http::route::list::brief;

pub(crate) static ROUTE: Route = Route {
    method: "PUT",
    path: "/v1/models/{model}",
    role: TokenRole::Admin,
    needs: BodyNeeds::Model,
    about: "Create a model: the bytes of a model file (application/octet-stream), or settings in JSON, in the words of `train`",
    query: &[],
    answer: object,
    handle: |call| -> Handled { Box::pin(create(call)) },
};

/// What a model is to be, in the words of `train`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewModel {
    /// The learner; `auto` if nothing is said.
    #[serde(default)]
    learner: Option<String>,
    /// `binary` or `multiclass`; two labels are binary if nothing is said.
    #[serde(default)]
    task: Option<String>,
    /// The labels. Without them the model takes any, where the server takes new ones.
    #[serde(default)]
    labels: Vec<String>,
    /// The scale of the features: `none` or `rms`.
    #[serde(default)]
    scale: Option<String>,
    /// Runs of words in texts: `1`, `1-2`, …
    #[serde(default)]
    ngrams: Option<String>,
    /// Features in so many bits, and not in a dictionary that grows.
    #[serde(default)]
    bits: Option<u8>,
    /// The seed of all that is random.
    #[serde(default)]
    seed: u64,
}

impl NewModel {
    fn model(&self) -> Result<Model, ApiError> {
        let refused = |what: &str, error: &dyn std::fmt::Display| {
            ApiError::new(422, "bad_settings", format!("{what}: {error}"))
        };
        let learner = LearnerSpec::parse(self.learner.as_deref().unwrap_or(surefoot::DEFAULT_LEARNER));
        let learner = learner.map_err(|error| refused("learner", &error))?;
        let task = match self.task.as_deref() {
            None => None,
            Some("binary") => Some(Task::Binary),
            Some("multiclass") => Some(Task::Multiclass),
            Some(_) => return Err(refused("task", &"expected binary or multiclass")),
        };
        let labels = match (task, self.labels.len()) {
            (None, 0) => {
                return Err(refused(
                    "labels",
                    &"name them, or say \"task\": \"multiclass\" to let them come",
                ));
            }
            (Some(Task::Binary), 0) => {
                return Err(refused("labels", &"a model of two labels must know both"));
            }
            (Some(Task::Multiclass), 0) => Ok(Labels::open()),
            (Some(Task::Multiclass), _) => Labels::declared_multiclass(&self.labels),
            (Some(Task::Binary), count) if count != 2 => {
                return Err(refused("labels", &"binary is for two labels"));
            }
            _ => Labels::declared(&self.labels),
        };
        let labels = labels.map_err(|error| refused("labels", &error))?;
        let mut recipe = if learner.is_ensemble() { default_recipe_for(&learner) } else { default_recipe() };
        recipe.space = match self.bits {
            Some(bits) => SpaceKind::Hashed { bits, seed: self.seed },
            None => SpaceKind::Dictionary,
        };
        if let Some(scale) = &self.scale {
            recipe.scale = match scale.as_str() {
                "none" => Scale::None,
                "rms" => Scale::Rms,
                _ => return Err(refused("scale", &"expected none or rms")),
            };
        }
        if let Some(ngrams) = &self.ngrams {
            let (min, max) = ngrams.split_once('-').unwrap_or((ngrams, ngrams));
            let (Ok(min), Ok(max)) = (min.parse(), max.parse()) else {
                return Err(refused("ngrams", &"expected lengths such as 1-2"));
            };
            let text = TextRecipe { values: recipe.text.values, ..TextRecipe::default() };
            recipe.text = TextRecipe { ngrams: Some(Ngrams { min, max }), ..text };
        }
        let mut settings = Settings::new(learner, labels, recipe);
        settings.seed = self.seed;
        Model::new(settings).map_err(|error| refused("settings", &error))
    }
}

async fn create(call: Call) -> Result<Reply, ApiError> {
    let name = call.param("model").to_string();
    let octets = call
        .headers
        .get(hyper::header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/octet-stream"));
    let wanted = (!octets).then(|| call.json::<NewModel>()).transpose()?;
    let (app, body) = (call.app.clone(), call.body.clone());
    let created = tokio::task::spawn_blocking(move || -> Result<(), ApiError> {
        let model = match wanted {
            Some(wanted) => wanted.model()?,
            None => Model::from_bytes(&body)?,
        };
        Ok(app.create(&name, &model)?)
    });
    created.await.map_err(|error| ApiError::internal(&error))??;
    let entry = call.model()?;
    let mut reply = Reply::json(&brief(&entry))?;
    reply.status = hyper::StatusCode::CREATED;
    Ok(reply)
}
