//! Words and word n-grams.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use surefoot_core::transform::Cut;

use super::Ngrams;
use crate::fast::ascii_words::ascii_words;

/// Punctuation that UAX #29 lets stand inside a word (`film.It`, `1,000`, `a_b`) and that parts words here: in text that
/// people type, a full stop without a blank after it is more often the end of a sentence than a part of a word.
const PARTING: [char; 12] = [
    '.', ',', ':', ';', '_', '\u{2024}', '\u{fe52}', '\u{ff0e}', '\u{ff0c}', '\u{ff1a}', '\u{ff1b}',
    '\u{ff3f}',
];

/// A word of a text.
pub(crate) enum Word<'a> {
    /// ASCII alone: where it stands.
    Plain(Range<usize>),
    /// Anything else.
    Beyond(&'a str),
}

/// Calls `take` with each word of `text`, in order: runs of letters, digits and marks, joined by an apostrophe between
/// two letters or two digits. Ideographs, which stand without blanks, are words of one character.
///
/// A blank ends every word, so what stands between the blanks around a character beyond ASCII is all that the rules of
/// Unicode are needed for.
pub(super) fn words(text: &str, take: &mut impl FnMut(Word<'_>)) {
    let bytes = text.as_bytes();
    let mut done = 0;
    while let Some(found) = first_beyond_ascii(&bytes[done..]) {
        let start = done + bytes[done..done + found].iter().rposition(|&b| b == b' ').map_or(0, |at| at + 1);
        let end = memchr::memchr(b' ', &bytes[done + found..]).map_or(bytes.len(), |at| done + found + at);
        plain_words(bytes, done..start, take);
        unicode_words(&text[start..end], &mut |word| take(Word::Beyond(word)));
        done = end;
    }
    plain_words(bytes, done..bytes.len(), take);
}

#[inline]
fn plain_words(bytes: &[u8], within: Range<usize>, take: &mut impl FnMut(Word<'_>)) {
    let from = within.start;
    ascii_words(&bytes[within], &mut |word| take(Word::Plain(from + word.start..from + word.end)));
}

/// Where the first byte above 127 stands.
fn first_beyond_ascii(bytes: &[u8]) -> Option<usize> {
    let plain = bytes.as_chunks::<16>().0.iter().take_while(|chunk| chunk.is_ascii()).count() * 16;
    bytes[plain..].iter().position(|byte| !byte.is_ascii()).map(|at| plain + at)
}

#[inline(never)]
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

    /// Appends a token.
    pub(super) fn push(&mut self, word: &str) {
        if !self.bounds.is_empty() {
            self.joined.push(' ');
        }
        let start = self.joined.len();
        self.joined.push_str(word);
        self.bounds.push((start, self.joined.len()));
    }

    /// Calls `emit` with each n-gram, by where it starts, shorter first.
    pub(super) fn ngrams(&self, lengths: Ngrams, emit: &mut impl FnMut(Cut, &str)) {
        for first in 0..self.bounds.len() {
            for length in lengths.min..=lengths.max {
                let Some(&(_, end)) = self.bounds.get(first + length - 1) else { break };
                let cut = if length == 1 { Cut::Words } else { Cut::Pairs };
                emit(cut, &self.joined[self.bounds[first].0..end]);
            }
        }
    }
}

/// A word of a text whose ASCII letters are folded already, as [`push_folded`] would write it.
#[inline]
pub(super) fn fold<'a>(word: &'a str, lowercase: bool, name: &'a mut String) -> &'a str {
    if word.is_ascii() {
        return word;
    }
    name.clear();
    push_folded(name, word, lowercase);
    name
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
