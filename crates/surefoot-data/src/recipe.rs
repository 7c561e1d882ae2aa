//! Everything that turns a parsed example into numbers and that prediction must repeat exactly.
//!
//! A [`Recipe`] is plain data and lives in the model file as JSON with sorted keys. [`Plan`] is the checked form
//! that the workers run: an unchecked recipe cannot reach them.

mod plan;

use serde::{Deserialize, Serialize};
use surefoot_core::transform::Transform;
use thiserror::Error;

use plan::FIELD_LIMIT;
pub use plan::Plan;
pub(crate) use plan::Traits;

use crate::text::{LONGEST_NGRAM, Ngrams, TextRecipe};

/// Settings from parsed pieces to numbers. The default is what `surefoot train` does with no flags on named features.
///
/// ```
/// use surefoot_core::transform::Transform;
/// use surefoot_data::{Recipe, SpaceKind};
///
/// let recipe = Recipe { values: Transform::Sqrt, space: SpaceKind::Hashed { bits: 20, seed: 0 }, ..Recipe::default() };
/// let text = recipe.to_json();
/// assert!(text.starts_with(r#"{"bias":true,"ignore":[]"#));
/// assert_eq!(Recipe::from_json(&text).unwrap(), recipe);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// How text becomes features.
    pub text: TextRecipe,
    /// Transform of the values of all features that do not come from text.
    #[serde(with = "TransformWord")]
    pub values: Transform,
    /// Running scale of each feature.
    pub scale: Scale,
    /// Normalisation of each example.
    pub normalize: Normalize,
    /// Whether a feature of constant value 1 is added at the end.
    pub bias: bool,
    /// Groups of namespaces or columns to be multiplied, each `A*B` or longer.
    pub interactions: Vec<String>,
    /// If not empty, only these namespaces, columns or `namespace^column` are kept.
    pub keep: Vec<String>,
    /// These namespaces, columns or `namespace^column` are left out.
    pub ignore: Vec<String>,
    /// How features get their indices.
    pub space: SpaceKind,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            text: TextRecipe::default(),
            values: Transform::None,
            scale: Scale::None,
            normalize: Normalize::None,
            bias: true,
            interactions: Vec::new(),
            keep: Vec::new(),
            ignore: Vec::new(),
            space: SpaceKind::Auto,
        }
    }
}

impl Recipe {
    /// JSON with sorted keys, so that equal recipes are equal bytes.
    pub fn to_json(&self) -> String {
        // A plain tree of strings, numbers and lists always has a JSON form, and `Value` sorts its keys.
        serde_json::to_value(self).map(|value| value.to_string()).unwrap_or_default()
    }

    /// The recipe with `auto` decided, for features that have names or are integers.
    #[must_use]
    pub fn decided(mut self, named: bool) -> Recipe {
        if self.space == SpaceKind::Auto {
            self.space = if named { SpaceKind::Dictionary } else { SpaceKind::AsGiven };
        }
        self
    }

    /// Reads what [`Recipe::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Recipe, RecipeProblem> {
        serde_json::from_str(text).map_err(|error| RecipeProblem::Json(error.to_string()))
    }
}

/// How a [`Transform`] is spelt in a recipe.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Transform", rename_all = "lowercase")]
pub(crate) enum TransformWord {
    None,
    Binary,
    Sqrt,
    Log,
}

/// Running scale of each feature, learnt from the stream and kept in the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Values as they are.
    #[default]
    None,
    /// Divided by the root mean square of the feature's non-zero values so far.
    Rms,
    /// Mean 0 and standard deviation 1 over all examples so far, zeros included: every example becomes dense.
    Standardize,
}

/// Normalisation of each example, before the bias is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Normalize {
    /// As it is.
    #[default]
    None,
    /// Euclidean length 1.
    L2,
}

/// How features get the dense indices that the learner works with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SpaceKind {
    /// What the data says: integers as given if features are integers, otherwise every name is kept. A model always
    /// has one of the other kinds.
    #[default]
    Auto,
    /// Integers as the file gives them.
    AsGiven,
    /// Every name is kept.
    Dictionary,
    /// Names are hashed (XXH3-64) to 2^bits slots.
    Hashed {
        /// Logarithm of the number of slots, 1 to 32.
        bits: u8,
        /// Seed of the hash.
        seed: u64,
    },
}

/// Why a recipe cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecipeProblem {
    /// The stored recipe cannot be read.
    #[error("the recipe is not readable: {0}")]
    Json(String),
    /// Bits outside 1 to 32.
    #[error("bits is {0}; a hashed feature space takes 1 to 32")]
    Bits(u8),
    /// An interaction that does not name two fields or more.
    #[error("the interaction '{0}' does not read A*B, with the names of two or more namespaces or columns")]
    Interaction(String),
    /// More names in interactions than a feature's set of fields can hold.
    #[error("the interactions use {0} different names; at most {FIELD_LIMIT} are possible")]
    TooManyFields(usize),
    /// Interactions of integer features.
    #[error("interactions need named features; integer features as given have no names to cross")]
    InteractionsOfIntegers,
    /// A field that is not an integer where features are integers.
    #[error("'{0}' is not a feature id; integer features as given are kept or ignored by id")]
    FieldOfIntegers(String),
    /// Text without any features.
    #[error("text is to give neither words nor characters; ask for one of them")]
    NothingOfText,
    /// A range of n-gram lengths that cannot be used.
    #[error("the {what} n-grams {}-{} are not a range within 1-{LONGEST_NGRAM}", .lengths.min, .lengths.max)]
    Ngrams {
        /// Word or character.
        what: &'static str,
        /// The range.
        lengths: Ngrams,
    },
}
