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
///
/// A blank ends every word, so what stands between the blanks around a character beyond ASCII is all that the rules of
/// Unicode are needed for.
pub(super) fn words(text: &str, take: &mut dyn FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut done = 0;
    while let Some(found) = first_beyond_ascii(&bytes[done..]) {
        let start = done + bytes[done..done + found].iter().rposition(|&b| b == b' ').map_or(0, |at| at + 1);
        let end = memchr::memchr(b' ', &bytes[done + found..]).map_or(bytes.len(), |at| done + found + at);
        ascii_words(&text[done..start], take);
        unicode_words(&text[start..end], take);
        done = end;
    }
    ascii_words(&text[done..], take);
}

/// Where the first byte above 127 stands.
fn first_beyond_ascii(bytes: &[u8]) -> Option<usize> {
    let plain = bytes.as_chunks::<16>().0.iter().take_while(|chunk| chunk.is_ascii()).count() * 16;
    bytes[plain..].iter().position(|byte| !byte.is_ascii()).map(|at| plain + at)
}

/// What each byte is to the ASCII tokeniser.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Letter,
    Digit,
    Apostrophe,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        let ascii = byte as u8;
        classes[byte] = match ascii {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'\'' => Class::Apostrophe,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

fn ascii_words(text: &str, take: &mut dyn FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while let Some(&byte) = bytes.get(at) {
            match CLASSES[usize::from(byte)] {
                Class::Letter | Class::Digit => at += 1,
                Class::Apostrophe if at > start && joins(bytes, at) => at += 1,
                _ => break,
            }
        }
        if start < at {
            take(&text[start..at]);
        }
        at += 1;
    }
}

/// Whether the apostrophe at `at` stands between two letters or two digits.
fn joins(bytes: &[u8], at: usize) -> bool {
    let class = |at: usize| bytes.get(at).map_or(Class::Other, |&byte| CLASSES[usize::from(byte)]);
    let (before, after) = (class(at - 1), class(at + 1));
    before == after && matches!(before, Class::Letter | Class::Digit)
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

    /// Calls `emit` with each word as it comes, as [`Tokens::ngrams`] of length 1 would.
    pub(super) fn single(
        &mut self,
        word: &str,
        lowercase: bool,
        stop_words: StopWords,
        emit: &mut dyn FnMut(&str),
    ) {
        if stop_words == StopWords::None || !stop::is_english(word) {
            self.joined.clear();
            push_folded(&mut self.joined, word, lowercase);
            emit(&self.joined);
        }
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
