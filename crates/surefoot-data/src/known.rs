//! What was looked up of a batch before its examples are learned.
//!
//! Parse workers look keys up in the [`Directory`] of the space, or the consumer does it some examples ahead. Most keys
//! are known by then. Those that are not are listed, so that the consumer, who has the least time of all, looks at them
//! alone.

use crate::batch::Head;
use crate::space::{Directory, Space, UNKNOWN};

/// Indices that are looked at together.
const TOGETHER: usize = 8;

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
    /// The layout of the space that the indices belong to.
    layout: u32,
}

impl Known {
    pub(crate) fn clear(&mut self) {
        self.indices.clear();
        self.ends.clear();
        self.asked = 0;
    }

    /// The layout of the space that the indices belong to.
    pub(crate) fn layout(&self) -> u32 {
        self.layout
    }

    /// Examples that the consumer has asked about.
    pub(crate) fn asked(&self) -> usize {
        self.asked
    }

    /// Looks all keys up, for whoever will ask; nothing if the directory has no table yet.
    pub(crate) fn consult(&mut self, directory: &Directory, keys: &[u64], heads: &[Head]) {
        self.clear();
        let found = directory.look_up(keys, &mut self.indices);
        self.layout = found.layout;
        if found.all {
            self.ends.resize(heads.len(), 0);
        } else if self.indices.len() == keys.len() {
            self.list(0, heads);
        }
    }

    /// Looks up the keys of the examples before `to`, or once more those that a parse worker did not find: they may
    /// have come meanwhile.
    pub(crate) fn ask(&mut self, to: usize, keys: &[u64], heads: &[Head], space: &dyn Space) {
        if self.layout != space.layout() {
            // Features have moved since then.
            self.clear();
            self.layout = space.layout();
        }
        let listed = self.ends.len();
        if listed < to {
            let (start, end) = (self.indices.len(), heads[to - 1].end);
            space.locate_all(&keys[start..end], &mut self.indices);
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
        for head in heads {
            let (parts, rest) = self.indices[at..head.end].as_chunks::<TOGETHER>();
            for part in parts {
                // Frequent integers are small, and stand at the front of a row: whole parts of it are known.
                if part.iter().fold(false, |any, &index| any | (index == UNKNOWN)) {
                    count = note(&mut self.unknown, count, at, part);
                }
                at += TOGETHER;
            }
            count = note(&mut self.unknown, count, at, rest);
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

/// Writes the positions of unknown indices, the first of which is at `start`, behind the `count` that are there. Returns how
/// many there are then.
#[inline]
fn note(unknown: &mut [usize], mut count: usize, start: usize, indices: &[u32]) -> usize {
    // Every position is written and most are overwritten: no branch on what nobody can predict.
    for (position, &index) in (start..).zip(indices) {
        unknown[count] = position;
        count += usize::from(index == UNKNOWN);
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::space::AsGiven;

    proptest! {
        #[test]
        fn what_is_unknown_is_listed_example_by_example(
            rows in prop::collection::vec(prop::collection::vec(0u64..40, 0..30), 1..5),
            known in prop::collection::vec(0u64..40, 0..40),
            first in 1usize..5,
        ) {
            let mut space = AsGiven::default();
            known.iter().for_each(|&key| _ = space.index(key, b""));
            let keys = rows.concat();
            let mut end = 0;
            let heads: Vec<Head> = rows.iter().map(|row| {
                end += row.len();
                Head { line: 1, weight: 1.0, label: None, tag: None, end }
            }).collect();
            let mut asked = Known::default();
            asked.ask(first.min(rows.len()), &keys, &heads, &space);
            asked.ask(rows.len(), &keys, &heads, &space);
            let mut start = 0;
            for (example, head) in heads.iter().enumerate() {
                let (indices, unknown) = asked.of(example, start, head.end);
                let places = start..head.end;
                let find = |at: usize| space.lookup(keys[at]);
                let found: Vec<u32> = places.clone().map(|at| find(at).unwrap_or(UNKNOWN)).collect();
                prop_assert_eq!(indices, &found[..]);
                let missing: Vec<usize> = places.filter(|&at| find(at).is_none()).collect();
                prop_assert_eq!(unknown, &missing[..]);
                start = head.end;
            }
        }
    }
}
