//! Everything that turns a parsed example into numbers and that prediction must repeat exactly.
//!
//! A [`Recipe`] is plain data and lives in the model file as JSON with sorted keys. [`Plan`] is the checked form
//! that the workers run: an unchecked recipe cannot reach them.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use surefoot_core::transform::Transform;
use thiserror::Error;

use crate::text::{LONGEST_NGRAM, Ngrams, TextRecipe};

/// Fields that the interactions of one recipe may name.
const FIELD_LIMIT: usize = 64;

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

/// What the recipe says of one feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// One bit for each field of the interactions that the feature belongs to.
    pub(crate) fields: u64,
    /// Whether a name of it is in the list of those to keep.
    pub(crate) kept: bool,
    /// Whether a name of it is in the list of those to ignore.
    pub(crate) ignored: bool,
}

impl Traits {
    /// What holds for a feature under this name or that one.
    pub(crate) fn or(self, other: Traits) -> Traits {
        Traits {
            fields: self.fields | other.fields,
            kept: self.kept || other.kept,
            ignored: self.ignored || other.ignored,
        }
    }
}

/// A checked [`Recipe`], ready for the workers.
#[derive(Clone, Debug)]
pub struct Plan {
    recipe: Recipe,
    traits: HashMap<Vec<u8>, Traits>,
    /// Ids kept or ignored, for integer features.
    kept_ids: HashSet<u64>,
    ignored_ids: HashSet<u64>,
    /// Each interaction as bit numbers of its fields.
    crossings: Vec<Vec<u32>>,
}

impl Plan {
    /// Checks a recipe.
    pub fn new(recipe: Recipe) -> Result<Plan, RecipeProblem> {
        recipe.text.check()?;
        let mut plan = Plan {
            traits: HashMap::new(),
            kept_ids: HashSet::new(),
            ignored_ids: HashSet::new(),
            crossings: Vec::new(),
            recipe: recipe.clone(),
        };
        match recipe.space {
            SpaceKind::AsGiven => plan.read_ids(&recipe)?,
            SpaceKind::Hashed { bits, .. } if !(1..=32).contains(&bits) => {
                return Err(RecipeProblem::Bits(bits));
            }
            _ => plan.read_names(&recipe)?,
        }
        if recipe.space == SpaceKind::Auto {
            // Names that are integers select ids too, should the features turn out to be integers.
            plan.kept_ids = recipe.keep.iter().filter_map(|name| name.parse().ok()).collect();
            plan.ignored_ids = recipe.ignore.iter().filter_map(|name| name.parse().ok()).collect();
        }
        Ok(plan)
    }

    fn read_ids(&mut self, recipe: &Recipe) -> Result<(), RecipeProblem> {
        if !recipe.interactions.is_empty() {
            return Err(RecipeProblem::InteractionsOfIntegers);
        }
        let id = |name: &String| name.parse().map_err(|_| RecipeProblem::FieldOfIntegers(name.clone()));
        self.kept_ids = recipe.keep.iter().map(id).collect::<Result<_, _>>()?;
        self.ignored_ids = recipe.ignore.iter().map(id).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn read_names(&mut self, recipe: &Recipe) -> Result<(), RecipeProblem> {
        for name in &recipe.keep {
            self.traits.entry(name.clone().into_bytes()).or_default().kept = true;
        }
        for name in &recipe.ignore {
            self.traits.entry(name.clone().into_bytes()).or_default().ignored = true;
        }
        let mut fields: Vec<&str> = recipe.interactions.iter().flat_map(|group| group.split('*')).collect();
        fields.sort_unstable();
        fields.dedup();
        if fields.len() > FIELD_LIMIT {
            return Err(RecipeProblem::TooManyFields(fields.len()));
        }
        for (bit, name) in fields.iter().enumerate() {
            self.traits.entry(name.as_bytes().to_vec()).or_default().fields = 1 << bit;
        }
        for group in &recipe.interactions {
            self.crossings.push(crossing(group, &fields)?);
        }
        Ok(())
    }

    /// The settings.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Whether the length of a row depends on its parsed values alone, and is made 1.
    pub(crate) fn makes_unit_rows(&self) -> bool {
        self.recipe.normalize == Normalize::L2 && self.recipe.scale == Scale::None
    }

    /// Whether any feature is treated apart because of its name.
    pub(crate) fn is_selective(&self) -> bool {
        !self.traits.is_empty()
    }

    /// Whether any integer feature is left out.
    pub(crate) fn selects_ids(&self) -> bool {
        !self.kept_ids.is_empty() || !self.ignored_ids.is_empty()
    }

    /// Whether an integer feature stays.
    pub(crate) fn wants_id(&self, id: u64) -> bool {
        (self.kept_ids.is_empty() || self.kept_ids.contains(&id)) && !self.ignored_ids.contains(&id)
    }

    /// What is said of a namespace, a column or a `namespace^column`.
    pub(crate) fn traits(&self, name: &[u8]) -> Traits {
        self.traits.get(name).copied().unwrap_or_default()
    }

    /// Whether a feature with these traits stays.
    pub(crate) fn wants(&self, traits: Traits) -> bool {
        (self.recipe.keep.is_empty() || traits.kept) && !traits.ignored
    }

    /// Each interaction as bit numbers of [`Traits::fields`], in ascending order.
    pub(crate) fn crossings(&self) -> &[Vec<u32>] {
        &self.crossings
    }
}

fn crossing(group: &str, fields: &[&str]) -> Result<Vec<u32>, RecipeProblem> {
    let mut bits = Vec::new();
    for name in group.split('*') {
        match fields.binary_search(&name) {
            Ok(bit) if !name.is_empty() => bits.push(bit as u32),
            _ => return Err(RecipeProblem::Interaction(group.to_string())),
        }
    }
    if bits.len() < 2 {
        return Err(RecipeProblem::Interaction(group.to_string()));
    }
    // A*B and B*A are the same features; equal fields must stand together to be crossed without repetition.
    bits.sort_unstable();
    Ok(bits)
}
