//! Character n-grams, within words or across the whole text.

use super::Ngrams;
use super::words::push_folded;

/// What stands before the characters in the name, so that the trigram `the` is not the word `the`.
const MARK: char = '#';

/// A text with one blank before, between and after its words, and where its characters begin.
#[derive(Debug, Default)]
pub(super) struct CharNgrams {
    padded: String,
    /// Start of each character, and the end of the text.
    starts: Vec<usize>,
    /// Positions in `starts` of the blanks.
    blanks: Vec<usize>,
    name: String,
}

impl CharNgrams {
    /// Takes a new text. Words are what stands between blanks, punctuation included.
    pub(super) fn fill(&mut self, text: &str, lowercase: bool) {
        self.padded.clear();
        for word in text.split_whitespace() {
            self.padded.push(' ');
            push_folded(&mut self.padded, word, lowercase);
        }
        if !self.padded.is_empty() {
            self.padded.push(' ');
        }
        self.starts.clear();
        self.blanks.clear();
        for (at, (start, character)) in self.padded.char_indices().enumerate() {
            self.starts.push(start);
            if character == ' ' {
                self.blanks.push(at);
            }
        }
        self.starts.push(self.padded.len());
    }

    /// Calls `emit` with each n-gram. A blank marks where a word begins or ends.
    pub(super) fn ngrams(&mut self, lengths: Ngrams, across: bool, emit: &mut dyn FnMut(&str)) {
        if across {
            let last = self.blanks.last().copied();
            return last.into_iter().for_each(|last| self.range(0, last, lengths, emit));
        }
        for next in 1..self.blanks.len() {
            self.range(self.blanks[next - 1], self.blanks[next], lengths, emit);
        }
    }

    /// The n-grams of the characters `first..=last`; all of them as one if they are fewer than the shortest n-gram.
    fn range(&mut self, first: usize, last: usize, lengths: Ngrams, emit: &mut dyn FnMut(&str)) {
        let CharNgrams { padded, starts, name, .. } = self;
        let count = last - first + 1;
        let mut emit = |start: usize, length: usize| {
            name.clear();
            name.push(MARK);
            name.push_str(&padded[starts[start]..starts[start + length]]);
            emit(name);
        };
        if count < lengths.min {
            return emit(first, count);
        }
        for length in lengths.min..=lengths.max.min(count) {
            for start in first..=first + count - length {
                emit(start, length);
            }
        }
    }
}
