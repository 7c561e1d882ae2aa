//! Text to features: words, n-grams of words and of characters, parts of URLs.

mod chars;
mod stop;
mod url;
mod words;

use serde::{Deserialize, Serialize};

use crate::recipe::{RecipeProblem, TransformWord};
use surefoot_core::transform::{Cut, Cuts, Transform};
use words::Tokens;
pub(crate) use words::Word;

/// Longest n-gram that can be asked for.
pub(crate) const LONGEST_NGRAM: usize = 16;

/// Words, and nothing longer.
const SINGLE: Ngrams = Ngrams { min: 1, max: 1 };

/// Where text is cut in several ways, characters are taken from so many bytes at its beginning. They pay in short texts, and
/// would be most of the features of a long one.
const WITHIN: usize = 128;

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
    /// Whether words, longer word n-grams and character n-grams are kept apart, for learners whose members do not all see all
    /// of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// So many bytes at the beginning of a text are cut into character n-grams; without a number all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<usize>,
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
            apart: false,
            within: None,
            values: Transform::None,
        }
    }
}

impl TextRecipe {
    /// The same with text cut in these ways, kept apart: words, pairs of words, 3 and 4 characters of the beginning; as it is
    /// if it asks for other features than single words already.
    #[must_use]
    pub fn cut(self, cuts: Cuts) -> Self {
        if self.ngrams != Some(SINGLE) || self.characters.is_some() {
            return self;
        }
        let words = match (cuts.has(Cut::Words), cuts.has(Cut::Pairs)) {
            (true, true) => Some(Ngrams { min: 1, max: 2 }),
            (true, false) => Some(SINGLE),
            (false, true) => Some(Ngrams { min: 2, max: 2 }),
            (false, false) => None,
        };
        let characters = cuts.has(Cut::Characters).then_some(Ngrams { min: 3, max: 4 });
        Self { ngrams: words, characters, apart: true, within: characters.map(|_| WITHIN), ..self }
    }

    /// The same with single words alone, for every member alike, if text is [cut](TextRecipe::cut) in several ways.
    #[must_use]
    pub fn uncut(self) -> Self {
        if !self.apart {
            return self;
        }
        Self { ngrams: Some(SINGLE), characters: None, apart: false, within: None, ..self }
    }

    /// Whether every feature is a word of the text as it stands, but for its case: then words need not be copied.
    pub(crate) fn just_words(&self) -> bool {
        let words = self.tokens == TokenKind::Words && self.ngrams == Some(SINGLE);
        words && self.characters.is_none() && self.stop_words == StopWords::None
    }

    /// Whether text is cut in several ways, of which each feature is words or characters of it as they stand, but for case.
    pub(crate) fn is_cut_plainly(&self) -> bool {
        let words = self.ngrams.is_some_and(|lengths| lengths.min == 1 && lengths.max <= 2);
        self.apart && words && self.tokens == TokenKind::Words && self.stop_words == StopWords::None
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
    /// Those of one, and those that are longer.
    fn apart(self) -> [Option<Ngrams>; 2] {
        let longer = Ngrams { min: self.min.max(2), ..self };
        [(self.min == 1).then_some(SINGLE), (longer.max >= longer.min).then_some(longer)]
    }

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

/// Calls `emit` with the name of every feature occurrence in `text`, in order, and what cut it.
pub(crate) fn features(
    recipe: &TextRecipe,
    text: &str,
    scratch: &mut TextScratch,
    emit: &mut impl FnMut(Cut, &str),
) {
    if let Some(lengths) = recipe.ngrams {
        word_features(recipe, lengths, text, scratch, emit);
    }
    characters(recipe, text, scratch, &mut |name| emit(Cut::Characters, name));
}

/// Calls `emit` with the name of every character n-gram, in order.
pub(crate) fn characters(
    recipe: &TextRecipe,
    text: &str,
    scratch: &mut TextScratch,
    emit: &mut dyn FnMut(&str),
) {
    if let Some(lengths) = recipe.characters {
        scratch.chars.fill(recipe.within.map_or(text, |most| beginning(text, most)), recipe.lowercase);
        scratch.chars.ngrams(lengths, recipe.across_words, emit);
    }
}

/// The beginning of a text, up to the end of a word within so many bytes.
fn beginning(text: &str, most: usize) -> &str {
    let end = text.floor_char_boundary(most);
    if end == text.len() { text } else { &text[..text[..end].rfind(char::is_whitespace).unwrap_or(end)] }
}

fn word_features(
    recipe: &TextRecipe,
    lengths: Ngrams,
    text: &str,
    scratch: &mut TextScratch,
    emit: &mut impl FnMut(Cut, &str),
) {
    let TextScratch { tokens, name, folded, .. } = scratch;
    let lowercase = recipe.lowercase;
    if recipe.tokens == TokenKind::Url {
        let emit = &mut |name: &str| emit(Cut::Words, name);
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
                emit(Cut::Words, words::fold(word, lowercase, name));
            }
        });
    }
    tokens.clear();
    cut(recipe.tokens, folded, &mut |word| {
        if keeps(word) {
            tokens.push(words::fold(word, lowercase, name));
        }
    });
    let parts = if recipe.apart { lengths.apart() } else { [Some(lengths), None] };
    parts.into_iter().flatten().for_each(|lengths| tokens.ngrams(lengths, emit));
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
