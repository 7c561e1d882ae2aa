//! Linear classifiers that learn from streams, one example at a time, and know how sure they are of every weight.
//!
//! Surefoot keeps a Gaussian over weight vectors and after each example makes the smallest change (in KL divergence)
//! that classifies it with the confidence asked for.
//!
//! ```
//! use surefoot::{Model, Task};
//!
//! let mut model = Model::builder().learner("arow:r=0.1").task(Task::Binary).build()?;
//! model.learn(&[("subject=offer", 1.0), ("caps", 0.4)], "spam")?; // predict, score, update, count
//! model.learn(&[("subject=lunch", 1.0)], "ham")?;
//! let p = model.predict(&[("caps", 0.9)]);
//! println!("{} {:.2}", p.label(), p.probability());
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("mail.model");
//! model.save(&path)?;
//! assert_eq!(Model::load(&path)?.predict(&[("caps", 0.9)]).label(), "spam");
//! # Ok::<(), surefoot::Error>(())
//! ```
//!
//! - [`core`] is the mathematics: rules, stores, learners, heads, probabilities, metrics.
//! - [`data`] is data in and models out: formats, text features, encoders, the model file.
//! - [`Model`] is a learner with its labels and features; [`train`] has the loop that every entry point shares.
//! - [`plot`] draws what came of it.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub use surefoot_core as core;
pub use surefoot_data as data;

mod balance;
mod beginning;
mod compare;
mod description;
mod error;
mod evaluate;
mod explain;
mod familiarity;
mod first_rows;
mod learners;
mod model;
mod options;
pub mod page;
pub mod plot;
mod prediction_line;
mod read;
mod side_by_side;
mod threshold;
pub mod train;
mod tune;
pub mod words;

pub use compare::{Comparison, ComparisonRow, Contender, Protocol, compare};
pub use core::Task;
pub use description::Description;
pub use error::{Error, Result};
pub use evaluate::{
    Accepted, Bin, ClassScores, Confused, CoveragePoint, Evaluation, Evaluator, Metrics, OutcomeTally,
    RankPoint, Ranked, RarestLabel, UnknownLabel, evaluate, evaluate_with,
};
pub use explain::{Contribution, Explanation, Others, RunnerUp, explain};
pub use familiarity::Familiarity;
pub use model::{
    AsFeatures, MemberReport, Model, ModelBuilder, NamedWeight, Predicted, Predictor, Settings, merge,
    merge_by, merge_files,
};
pub use prediction_line::{AskedFields, LabelLine, PredictionLine};
pub use read::Reading;
pub use threshold::{CommonThreshold, LabelThresholds, Thresholds};
pub use train::round::Learned;
pub use tune::{FeatureSearch, Search, Setting, Tuning, Untried, settings, tune, tuning_metrics};

/// What `train` learns with when nothing is said; docs/defaults.md tells how it was chosen.
pub const DEFAULT_LEARNER: &str = "auto";

/// How `train` prepares examples for a learner when nothing is said: the members of an ensemble see them each in their own
/// way, so they get them as they are, and text cut in every way that a member sees.
#[must_use]
pub fn default_recipe_for(learner: &core::LearnerSpec) -> data::Recipe {
    if !learner.is_ensemble() {
        return default_recipe();
    }
    cut_for(learner, data::Recipe::default())
}

/// The recipe with text cut as the members of an ensemble want it, unless it asks for other features than single words.
pub(crate) fn cut_for(learner: &core::LearnerSpec, mut recipe: data::Recipe) -> data::Recipe {
    if let Some(cuts) = learner.cuts() {
        recipe.text = recipe.text.cut(cuts);
    }
    recipe
}

/// How `train` prepares examples for a single learner when nothing is said.
#[must_use]
pub fn default_recipe() -> data::Recipe {
    let text = data::TextRecipe { values: core::transform::Transform::Sqrt, ..data::TextRecipe::default() };
    data::Recipe { text, normalize: data::Normalize::L2, ..data::Recipe::default() }
}

/// What most programs need.
pub mod prelude {
    pub use crate::core::{LearnerSpec, Task};
    pub use crate::data::{Labels, Recipe, Source};
    pub use crate::train::{Observer, Report, TrainOptions, train};
    pub use crate::{Error, Model, Result, Settings};
}
