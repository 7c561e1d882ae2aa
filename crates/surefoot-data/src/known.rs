//! What was looked up of a batch before its examples are learned.
//!
//! Parse workers look keys up in the [`Directory`] of the space, or the consumer does it some examples ahead. Most keys
//! are known by then. Those that are not are listed, so that the consumer, who has the least time of all, looks at them
//! alone.

use crate::batch::Head;
use crate::space::{Directory, Space, UNKNOWN};

/// Indices of the keys of a batch's first examples.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Beside the keys, `u32::MAX` where one was unknown.
    indices: Vec<u32>,
    /// Positions among the batch's keys of those that were unknown, ascending; what stands behind the last end is waste.
    unknown: Vec<usize>,
    /// For each example where its part of `unknown` ends.
    ends: Vec<usize>,
    /// Examples that the consumer has asked about.
    asked: usize,
}

impl Known {
    pub(crate) fn clear(&mut self) {
        self.indices.clear();
        self.ends.clear();
        self.asked = 0;
    }

    /// Examples that the consumer has asked about.
    pub(crate) fn asked(&self) -> usize {
        self.asked
    }

    /// Looks all keys up, for whoever will ask; nothing if the directory has no table yet.
    pub(crate) fn consult(&mut self, directory: &Directory, keys: &[u64], heads: &[Head]) {
        self.clear();
        directory.look_up(keys, &mut self.indices);
        if self.indices.len() == keys.len() {
            self.list(0, heads);
        }
    }

    /// Looks up the keys of the examples before `to`, or once more those that a parse worker did not find: they may
    /// have come meanwhile.
    pub(crate) fn ask(&mut self, to: usize, keys: &[u64], heads: &[Head], space: &dyn Space) {
        let listed = self.ends.len();
        if listed < to {
            let (start, end) = (self.indices.len(), heads[to - 1].end);
            space.lookup_all(&keys[start..end], &mut self.indices);
            self.list(start, &heads[listed..to]);
        } else {
            let unknown = self.end(self.asked)..self.end(to);
            space.lookup_rest(keys, &mut self.indices, &self.unknown[unknown]);
        }
        self.asked = to;
    }

    /// Lists the unknown keys of the next examples, the first of which is the one at `start`.
    fn list(&mut self, start: usize, heads: &[Head]) {
        let (mut at, mut count) = (start, self.end(self.ends.len()));
        let room = count + self.indices.len() - start + 1;
        self.unknown.resize(room.max(self.unknown.len()), 0);
        // Every position is written and most are overwritten: no branch on what nobody can predict.
        for head in heads {
            for (position, &index) in (at..head.end).zip(&self.indices[at..head.end]) {
                self.unknown[count] = position;
                count += usize::from(index == UNKNOWN);
            }
            self.ends.push(count);
            at = head.end;
        }
    }

    /// Indices of an example's keys and the positions of those that were unknown; empty if nobody looked.
    pub(crate) fn of(&self, example: usize, start: usize, end: usize) -> (&[u32], &[usize]) {
        match self.ends.get(example) {
            Some(&last) => (&self.indices[start..end], &self.unknown[self.end(example)..last]),
            None => (&[], &[]),
        }
    }

    /// Where the unknown keys of the examples before this one end.
    fn end(&self, example: usize) -> usize {
        if example == 0 { 0 } else { self.ends[example - 1] }
    }
}
