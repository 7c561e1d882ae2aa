//! Linear classifiers that learn from streams, one example at a time, and know how sure they are of every weight.
//!
//! Surefoot keeps a Gaussian over weight vectors and after each example makes the smallest change (in KL divergence)
//! that classifies it with the confidence asked for.
//!
//! - [`core`] is the mathematics: rules, stores, learners, probabilities, metrics.
//! - [`data`] is data in and models out: formats, text features, feature spaces, the model file.
//! - [`Model`] is a learner with its labels and features; [`train`] is the loop that every entry point shares.
//! - [`plot`] draws what came of it.

pub use surefoot_core as core;
pub use surefoot_data as data;

mod bank;
mod compare;
mod density;
mod error;
mod evaluate;
mod explain;
mod front;
mod league;
mod merge;
mod model;
pub mod plot;
mod predict;
mod read;
mod state;
pub mod train;
mod tune;
mod weights;

pub use bank::Standing;
pub use compare::{Comparison, Contender, Protocol, Row, compare};
pub use error::{Error, Result};
pub use evaluate::{
    Accepted, Bin, ClassScores, Confused, Evaluation, Evaluator, Metrics, UnknownLabel, evaluate,
};
pub use explain::{Contribution, Explanation, RunnerUp, explain};
pub use merge::{merge, merge_by};
pub use model::{Learned, Model, Settings};
pub use predict::Predictor;
pub use read::Reading;
pub use tune::{Setting, Tuning, settings, tune};
pub use weights::NamedWeight;

/// What `train` learns with when nothing is said; docs/defaults.md tells how it was chosen.
pub const DEFAULT_LEARNER: &str = "auto";

/// How `train` prepares examples for a learner when nothing is said: the members of a bank see them each in their own
/// way, so they get them as they are.
#[must_use]
pub fn default_recipe_for(learner: &core::Roster) -> data::Recipe {
    if learner.is_bank() { data::Recipe::default() } else { default_recipe() }
}

/// How `train` prepares examples for a single learner when nothing is said.
#[must_use]
pub fn default_recipe() -> data::Recipe {
    let text = data::TextRecipe { values: data::Values::Sqrt, ..data::TextRecipe::default() };
    data::Recipe { text, normalize: data::Normalize::L2, ..data::Recipe::default() }
}

/// What most programs need.
pub mod prelude {
    pub use crate::core::{Features, Learner, Prediction, Roster, Spec, Task, Vector};
    pub use crate::data::{Labels, Recipe, Source};
    pub use crate::train::{Observer, Report, TrainOptions, train};
    pub use crate::{Error, Model, Result, Settings};
}
