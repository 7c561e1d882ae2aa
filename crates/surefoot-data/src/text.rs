//! Text to features: words, n-grams, characters, URLs.

mod words;

use serde::{Deserialize, Serialize};

use crate::recipe::{RecipeProblem, Values};

/// Longest n-gram that can be asked for.
const LONGEST: usize = 16;

/// How text becomes features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextRecipe {
    /// Whether words are turned to lower case.
    pub lowercase: bool,
    /// Lengths of the word n-grams.
    pub ngrams: Ngrams,
    /// Transform of the counts.
    pub values: Values,
}

impl Default for TextRecipe {
    fn default() -> Self {
        TextRecipe { lowercase: true, ngrams: Ngrams { min: 1, max: 1 }, values: Values::None }
    }
}

/// Lengths of n-grams, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ngrams {
    /// Shortest.
    pub min: usize,
    /// Longest.
    pub max: usize,
}

impl Ngrams {
    fn check(self, what: &'static str) -> Result<(), RecipeProblem> {
        let Ngrams { min, max } = self;
        let usable = 1 <= min && min <= max && max <= LONGEST;
        if usable { Ok(()) } else { Err(RecipeProblem::Ngrams { what, min, max, limit: LONGEST }) }
    }
}

impl TextRecipe {
    pub(crate) fn check(&self) -> Result<(), RecipeProblem> {
        self.ngrams.check("word")
    }
}

/// Buffers that survive from one text to the next.
#[derive(Debug, Default)]
pub(crate) struct TextScratch {
    tokens: words::Tokens,
}

/// Calls `emit` with the name of every feature occurrence in `text`, in order.
pub(crate) fn features(
    recipe: &TextRecipe,
    text: &str,
    scratch: &mut TextScratch,
    emit: &mut dyn FnMut(&str),
) {
    scratch.tokens.fill(text, recipe.lowercase);
    scratch.tokens.ngrams(recipe.ngrams, emit);
}
