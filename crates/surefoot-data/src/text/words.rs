//! Words and word n-grams.

use super::Ngrams;

/// The tokens of one text, side by side with one space between, so that an n-gram is a slice.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    joined: String,
    /// Start and end of each token in `joined`.
    bounds: Vec<(usize, usize)>,
}

impl Tokens {
    /// Replaces the tokens by the words of `text`.
    pub(crate) fn fill(&mut self, text: &str, lowercase: bool) {
        self.joined.clear();
        self.bounds.clear();
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            self.push(word, lowercase);
        }
    }

    fn push(&mut self, word: &str, lowercase: bool) {
        if !self.bounds.is_empty() {
            self.joined.push(' ');
        }
        let start = self.joined.len();
        if lowercase && word.is_ascii() {
            self.joined.push_str(word);
            self.joined[start..].make_ascii_lowercase();
        } else if lowercase {
            self.joined.push_str(&word.to_lowercase());
        } else {
            self.joined.push_str(word);
        }
        self.bounds.push((start, self.joined.len()));
    }

    /// Calls `emit` with each n-gram, by where it starts, shorter first.
    pub(crate) fn ngrams(&self, lengths: Ngrams, emit: &mut dyn FnMut(&str)) {
        for first in 0..self.bounds.len() {
            for length in lengths.min..=lengths.max {
                let Some(&(_, end)) = self.bounds.get(first + length - 1) else { break };
                emit(&self.joined[self.bounds[first].0..end]);
            }
        }
    }
}
