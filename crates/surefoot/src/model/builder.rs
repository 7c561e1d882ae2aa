//! A model described step by step.

use surefoot_core::{LearnerSpec, Task};
use surefoot_data::{Labels, Recipe, SpaceKind};

use super::{Model, Settings};
use crate::{Error, Result};

/// Describes a model; [`ModelBuilder::build`] makes it. Without a word it is `auto` for any number of labels and named
/// features.
///
/// ```
/// use surefoot::Model;
///
/// let mut model = Model::builder().learner("arow").labels(["ham", "spam"]).build()?;
/// assert_eq!(model.labels().len(), 2);
/// assert!(Model::builder().learner("oracle").build().is_err());
/// # Ok::<(), surefoot::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ModelBuilder {
    learner: Option<String>,
    task: Option<Task>,
    labels: Vec<String>,
    recipe: Option<Recipe>,
    seed: u64,
}

impl ModelBuilder {
    /// The learner: a SPEC such as `arow:r=0.1`, `auto`, or `ensemble(SPEC@VIEW; …)`.
    pub fn learner(mut self, spec: impl Into<String>) -> Self {
        self.learner = Some(spec.into());
        self
    }

    /// Two labels, any number, or any number of which an example may have several. Of two labels that are not declared, the one met first is the positive one.
    pub fn task(mut self, task: Task) -> Self {
        self.task = Some(task);
        self
    }

    /// Labels that are known beforehand; two of them make the task binary, the larger one positive.
    pub fn labels<S: Into<String>>(mut self, labels: impl IntoIterator<Item = S>) -> Self {
        self.labels = labels.into_iter().map(Into::into).collect();
        self
    }

    /// From parsed pieces to numbers; without it the learner's usual one, with a dictionary of feature names.
    pub fn recipe(mut self, recipe: Recipe) -> Self {
        self.recipe = Some(recipe);
        self
    }

    /// Seed of everything that is drawn at random.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The model at the start of its stream.
    pub fn build(self) -> Result<Model> {
        let learner = LearnerSpec::parse(self.learner.as_deref().unwrap_or(crate::DEFAULT_LEARNER))?;
        let labels = match (self.labels.len(), self.task) {
            (0, Some(Task::Binary)) => Labels::open_pair(),
            (0, Some(Task::Multilabel)) => Labels::open().of_several(),
            (0, _) => Labels::open(),
            (_, Some(Task::Multilabel)) => Labels::declared_several(&self.labels)?,
            (2, Some(Task::Binary) | None) => Labels::declared(&self.labels)?,
            (count, Some(Task::Binary)) => {
                return Err(Error::Other(format!("a binary model takes 2 labels, {count} are declared")));
            }
            (_, Some(Task::Multiclass)) => Labels::declared_multiclass(&self.labels)?,
            (_, None) => Labels::declared(&self.labels)?,
        };
        let usual = || Recipe { space: SpaceKind::Dictionary, ..crate::default_recipe_for(&learner) };
        let recipe = self.recipe.unwrap_or_else(usual);
        Model::new(Settings { seed: self.seed, ..Settings::new(learner, labels, recipe) })
    }
}
