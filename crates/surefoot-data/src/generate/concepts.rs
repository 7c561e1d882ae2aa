//! Which of several concepts holds, for streams that change from one to the next.

use super::StreamParameter;

/// Which concept holds all the time; 0 takes one after the other.
pub(super) const CONCEPT_HELP: &str = "the one concept of the stream; 0 takes them in turn";

/// How long a concept holds where they take turns.
pub(super) const fn block(default: f64) -> StreamParameter {
    StreamParameter::new("block", default, [1.0, 1e15], "examples of a concept before the next one holds")
        .whole()
}

/// The concepts of a stream, by number from 0.
#[derive(Clone, Debug)]
pub(super) struct Concepts {
    count: u64,
    block: u64,
    /// The one that always holds, from 1, or 0.
    only: u64,
    seen: u64,
}

impl Concepts {
    pub(super) fn new(count: usize, block: u64, only: u64) -> Self {
        Concepts { count: count as u64, block: block.max(1), only, seen: 0 }
    }

    /// The concept of the next example. Behind the last comes the first again.
    pub(super) fn next(&mut self) -> usize {
        let turn = self.seen / self.block;
        self.seen += 1;
        let number = self.only.checked_sub(1).unwrap_or(turn);
        (number % self.count) as usize
    }
}
