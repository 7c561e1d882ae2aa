//! Data in, models out.

mod batch;
mod builder;
mod key;
mod problem;
mod recipe;
mod space;
mod state;
mod text;

pub use batch::{Batch, Example, Features};
pub use builder::{Builder, FEATURE_LIMIT};
pub use key::{BIAS_KEY, BIAS_NAME, name_key};
pub use problem::FeatureProblem;
pub use recipe::{Normalize, Plan, Recipe, RecipeProblem, Scale, SpaceKind, Values};
pub use space::{AsGiven, Dictionary, FeatureName, Hashed, SPACE_LIMIT, Space, load_space, new_space};
pub use state::{State, StateProblem, Tensor};
pub use text::{Ngrams, TextRecipe};
