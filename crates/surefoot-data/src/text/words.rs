//! Words and word n-grams.

use unicode_segmentation::UnicodeSegmentation;

use super::{Ngrams, StopWords, stop};

/// Punctuation that UAX #29 lets stand inside a word (`film.It`, `1,000`, `a_b`) and that parts words here: in text that
/// people type, a full stop without a blank after it is more often the end of a sentence than a part of a word.
const PARTING: [char; 12] = [
    '.', ',', ':', ';', '_', '\u{2024}', '\u{fe52}', '\u{ff0e}', '\u{ff0c}', '\u{ff1a}', '\u{ff1b}',
    '\u{ff3f}',
];

/// Calls `take` with each word of `text`, in order: runs of letters, digits and marks, joined by an apostrophe between
/// two letters or two digits. Ideographs, which stand without blanks, are words of one character.
pub(super) fn words(text: &str, take: &mut dyn FnMut(&str)) {
    if text.is_ascii() { ascii_words(text, take) } else { unicode_words(text, take) }
}

fn ascii_words(text: &str, take: &mut dyn FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || joins(bytes, start, at)) {
            at += 1;
        }
        if start < at {
            take(&text[start..at]);
        }
        at += 1;
    }
}

/// Whether the byte at `at` is an apostrophe between two letters or two digits of a word that began at `start`.
fn joins(bytes: &[u8], start: usize, at: usize) -> bool {
    if bytes[at] != b'\'' || at == start {
        return false;
    }
    let (before, after) = (bytes[at - 1], bytes.get(at + 1).copied().unwrap_or(b' '));
    before.is_ascii_alphabetic() && after.is_ascii_alphabetic()
        || before.is_ascii_digit() && after.is_ascii_digit()
}

pub(super) fn unicode_words(text: &str, take: &mut dyn FnMut(&str)) {
    let parts = text.unicode_words().flat_map(|word| word.split(PARTING));
    parts.filter(|part| !part.is_empty()).for_each(take);
}

/// The tokens of one text, side by side with one space between, so that an n-gram is a slice.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    joined: String,
    /// Start and end of each token in `joined`.
    bounds: Vec<(usize, usize)>,
}

impl Tokens {
    pub(super) fn clear(&mut self) {
        self.joined.clear();
        self.bounds.clear();
    }

    /// Appends a token, unless it is a stop word.
    pub(super) fn push(&mut self, word: &str, lowercase: bool, stop_words: StopWords) {
        if stop_words == StopWords::English && stop::is_english(word) {
            return;
        }
        if !self.bounds.is_empty() {
            self.joined.push(' ');
        }
        let start = self.joined.len();
        push_folded(&mut self.joined, word, lowercase);
        self.bounds.push((start, self.joined.len()));
    }

    /// Calls `emit` with each n-gram, by where it starts, shorter first.
    pub(super) fn ngrams(&self, lengths: Ngrams, emit: &mut dyn FnMut(&str)) {
        for first in 0..self.bounds.len() {
            for length in lengths.min..=lengths.max {
                let Some(&(_, end)) = self.bounds.get(first + length - 1) else { break };
                emit(&self.joined[self.bounds[first].0..end]);
            }
        }
    }
}

/// Appends a word in lower case if asked for, and with plain apostrophes, so that `don’t` and `Don't` are one.
pub(super) fn push_folded(out: &mut String, word: &str, lowercase: bool) {
    let start = out.len();
    if word.is_ascii() {
        out.push_str(word);
        if lowercase {
            out[start..].make_ascii_lowercase();
        }
    } else {
        let plain = word.replace(['\u{2019}', '\u{2018}'], "'");
        if lowercase { out.push_str(&plain.to_lowercase()) } else { out.push_str(&plain) }
    }
}
