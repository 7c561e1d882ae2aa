//! Text to features: words, n-grams of words and of characters, parts of URLs.

mod chars;
mod stop;
mod url;
mod words;

use serde::{Deserialize, Serialize};

use crate::recipe::{RecipeProblem, TransformWord};
use surefoot_core::transform::Transform;
use words::Tokens;
pub(crate) use words::Word;

/// Longest n-gram that can be asked for.
pub(crate) const LONGEST_NGRAM: usize = 16;

/// Words, and nothing longer.
const SINGLE: Ngrams = Ngrams { min: 1, max: 1 };

/// How text becomes features.
///
/// A word n-gram is named by its words with one space between, a character n-gram by `#` and its characters, a part of a
/// URL by what it is: `host:example`, `path:login`, `query:id`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextRecipe {
    /// What text is cut into.
    pub tokens: TokenKind,
    /// Whether text is turned to lower case.
    pub lowercase: bool,
    /// Words that are left out, before n-grams are made.
    pub stop_words: StopWords,
    /// Lengths of the word n-grams, if words are wanted at all. Parts of URLs have no n-grams.
    pub ngrams: Option<Ngrams>,
    /// Lengths of the character n-grams, if they are wanted.
    pub characters: Option<Ngrams>,
    /// Whether character n-grams may reach across the blanks between words.
    pub across_words: bool,
    /// Transform of the counts.
    #[serde(with = "TransformWord")]
    pub values: Transform,
}

impl Default for TextRecipe {
    fn default() -> Self {
        TextRecipe {
            tokens: TokenKind::Words,
            lowercase: true,
            stop_words: StopWords::None,
            ngrams: Some(SINGLE),
            characters: None,
            across_words: false,
            values: Transform::None,
        }
    }
}

impl TextRecipe {
    /// Whether every feature is a word of the text as it stands, but for its case: then words need not be copied.
    pub(crate) fn just_words(&self) -> bool {
        let words = self.tokens == TokenKind::Words && self.ngrams == Some(SINGLE);
        words && self.characters.is_none() && self.stop_words == StopWords::None
    }

    pub(crate) fn check(&self) -> Result<(), RecipeProblem> {
        self.ngrams.map_or(Ok(()), |lengths| lengths.check("word"))?;
        self.characters.map_or(Ok(()), |lengths| lengths.check("character"))?;
        match (self.ngrams, self.characters) {
            (None, None) => Err(RecipeProblem::NothingOfText),
            _ => Ok(()),
        }
    }
}

/// What text is cut into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// The words of the Unicode standard (UAX #29), of which only an apostrophe may join two parts.
    #[default]
    Words,
    /// What stands between blanks, for text that was cut into tokens already.
    Blanks,
    /// The parts of URLs.
    Url,
}

/// A list of words that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopWords {
    /// None.
    #[default]
    None,
    /// English function words, negations not among them.
    English,
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
        let usable = 1 <= self.min && self.min <= self.max && self.max <= LONGEST_NGRAM;
        if usable { Ok(()) } else { Err(RecipeProblem::Ngrams { what, lengths: self }) }
    }
}

/// Buffers that survive from one text to the next.
#[derive(Debug, Default)]
pub(crate) struct TextScratch {
    tokens: Tokens,
    chars: chars::CharNgrams,
    folded: String,
    name: String,
}

/// Calls `emit` with the name of every feature occurrence in `text`, in order.
pub(crate) fn features(
    recipe: &TextRecipe,
    text: &str,
    scratch: &mut TextScratch,
    emit: &mut impl FnMut(&str),
) {
    if let Some(lengths) = recipe.ngrams {
        word_features(recipe, lengths, text, scratch, emit);
    }
    if let Some(lengths) = recipe.characters {
        scratch.chars.fill(text, recipe.lowercase);
        scratch.chars.ngrams(lengths, recipe.across_words, emit);
    }
}

fn word_features(
    recipe: &TextRecipe,
    lengths: Ngrams,
    text: &str,
    scratch: &mut TextScratch,
    emit: &mut impl FnMut(&str),
) {
    let TextScratch { tokens, name, folded, .. } = scratch;
    let lowercase = recipe.lowercase;
    if recipe.tokens == TokenKind::Url {
        return text.split_whitespace().for_each(|url| url::parts(url, lowercase, name, emit));
    }
    // ASCII all at once, which the compiler does sixteen letters at a time; what is beyond, word by word.
    folded.clear();
    folded.push_str(text);
    if lowercase {
        folded.make_ascii_lowercase();
    }
    let keeps = |word: &str| recipe.stop_words == StopWords::None || !stop::is_english(word);
    if lengths == SINGLE {
        return cut(recipe.tokens, folded, &mut |word| {
            if keeps(word) {
                emit(words::fold(word, lowercase, name));
            }
        });
    }
    tokens.clear();
    cut(recipe.tokens, folded, &mut |word| {
        if keeps(word) {
            tokens.push(words::fold(word, lowercase, name));
        }
    });
    tokens.ngrams(lengths, emit);
}

fn cut(kind: TokenKind, text: &str, take: &mut impl FnMut(&str)) {
    match kind {
        TokenKind::Words => words::words(text, &mut |word| match word {
            Word::Plain(place) => take(&text[place]),
            Word::Beyond(word) => take(word),
        }),
        _ => text.split_whitespace().for_each(take),
    }
}

/// Calls `take` with every word of `text` under a recipe that wants [just words](TextRecipe::just_words); one beyond
/// ASCII is folded.
pub(crate) fn plain_words(
    recipe: &TextRecipe,
    text: &str,
    scratch: &mut TextScratch,
    take: &mut impl FnMut(Word<'_>),
) {
    words::words(text, &mut |word| match word {
        Word::Plain(_) => take(word),
        Word::Beyond(word) => {
            scratch.name.clear();
            words::push_folded(&mut scratch.name, word, recipe.lowercase);
            take(Word::Beyond(&scratch.name));
        }
    });
}

#[cfg(test)]
mod tests;
