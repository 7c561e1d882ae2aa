//! What was looked up of a batch before its examples are learned.
//!
//! Parse workers look keys up in the [`Directory`] of the space, or the consumer does it some examples ahead. Most keys
//! are known by then. Those that are not are listed, so that the consumer, who has the least time of all, looks at them
//! alone.

use crate::batch::{Head, start};
use crate::space::{Directory, Space, UNKNOWN};

/// Indices that are looked at together.
const TOGETHER: usize = 8;

/// Indices of the keys of a batch's first examples.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Those of one example behind those of another, `u32::MAX` where one was unknown, and room for the bias behind each
    /// example if there is one.
    indices: Vec<u32>,
    /// Positions of those that were unknown, counted from the start of their example; what stands behind the last end is waste.
    unknown: Vec<u32>,
    /// For each example where its part of `unknown` ends.
    ends: Vec<usize>,
    /// Examples that the consumer has asked about.
    asked: usize,
    /// The layout of the space that the indices belong to.
    layout: u32,
    /// Places behind every example for its bias, one or none.
    room: usize,
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

    /// Looks all keys up, for whoever will ask, and leaves room for the `bias`; nothing if the directory has no table yet.
    pub(crate) fn consult(&mut self, directory: &Directory, keys: &[u64], heads: &[Head], bias: bool) {
        self.clear();
        self.room = usize::from(bias);
        let newest = directory.newest();
        self.layout = newest.layout();
        if newest.is_nothing() {
            return;
        }
        let (mut start, mut all) = (0, true);
        self.indices.reserve(keys.len() + heads.len());
        for head in heads {
            all &= newest.find_all(&keys[start..head.end], &mut self.indices);
            self.indices.extend(bias.then_some(UNKNOWN));
            start = head.end;
        }
        if all {
            self.ends.resize(heads.len(), 0);
        } else {
            self.list(0, heads);
        }
    }

    /// Looks up the keys of the examples before `to`, or once more those that a parse worker did not find: they may
    /// have come meanwhile. Where there is a bias, every example gets its index too.
    pub(crate) fn ask(
        &mut self,
        to: usize,
        keys: &[u64],
        heads: &[Head],
        space: &dyn Space,
        bias: Option<u32>,
    ) {
        let room = usize::from(bias.is_some());
        if (self.layout, self.room) != (space.layout(), room) {
            // Features have moved since then.
            self.clear();
            (self.layout, self.room) = (space.layout(), room);
        }
        let (listed, start) = (self.ends.len(), start(heads, self.asked));
        if listed < to {
            let mut first = start;
            for head in &heads[listed..to] {
                space.locate_all(&keys[first..head.end], &mut self.indices);
                self.indices.extend(bias);
                first = head.end;
            }
            self.list(start, &heads[listed..to]);
        } else if self.end(to) > self.end(self.asked) {
            self.ask_again(to, keys, heads, space);
        }
        if let Some(bias) = bias {
            (self.asked..to).for_each(|example| self.indices[heads[example].end + example] = bias);
        }
        self.asked = to;
    }

    /// Looks again for what was unknown of the examples before `to` that nobody has asked about.
    fn ask_again(&mut self, to: usize, keys: &[u64], heads: &[Head], space: &dyn Space) {
        for example in self.asked..to {
            let (start, end) = (start(heads, example), heads[example].end);
            let unknown = &self.unknown[self.end(example)..self.ends[example]];
            if !unknown.is_empty() {
                let indices = &mut self.indices[start + example * self.room..];
                space.lookup_rest(&keys[start..end], indices, unknown);
            }
        }
    }

    /// Lists the unknown keys of the next examples, the first of which has its keys from `start` on.
    fn list(&mut self, mut start: usize, heads: &[Head]) {
        let mut count = self.end(self.ends.len());
        let most = heads.last().map_or(0, |head| head.end - start);
        self.unknown.resize((count + most + 1).max(self.unknown.len()), 0);
        for head in heads {
            let shift = self.ends.len() * self.room;
            let (parts, rest) = self.indices[start + shift..head.end + shift].as_chunks::<TOGETHER>();
            let mut at = 0;
            for part in parts {
                // Frequent integers are small, and stand at the front of a row: whole parts of it are known.
                if part.iter().fold(false, |any, &index| any | (index == UNKNOWN)) {
                    count = note(&mut self.unknown, count, at, part);
                }
                at += TOGETHER as u32;
            }
            count = note(&mut self.unknown, count, at, rest);
            self.ends.push(count);
            start = head.end;
        }
    }

    /// Indices of an example's keys, that of the bias behind them if there is room for it, and the positions of those that were
    /// unknown; empty if nobody looked.
    pub(crate) fn of(&self, example: usize, start: usize, end: usize) -> (&[u32], &[u32]) {
        match self.ends.get(example) {
            Some(&last) => (
                &self.indices[start + example * self.room..end + (example + 1) * self.room],
                &self.unknown[self.end(example)..last],
            ),
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
fn note(unknown: &mut [u32], mut count: usize, start: u32, indices: &[u32]) -> usize {
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
            for bias in [None, Some(77)] {
                let mut asked = Known::default();
                asked.ask(first.min(rows.len()), &keys, &heads, &space, bias);
                asked.ask(rows.len(), &keys, &heads, &space, bias);
                let mut start = 0;
                for (example, head) in heads.iter().enumerate() {
                    let (indices, unknown) = asked.of(example, start, head.end);
                    let find = |key: &u64| space.lookup(*key);
                    let own = &keys[start..head.end];
                    let found = own.iter().map(|key| find(key).unwrap_or(UNKNOWN)).chain(bias);
                    prop_assert_eq!(indices, &found.collect::<Vec<_>>()[..]);
                    let missing = (0..own.len()).filter(|&at| find(&own[at]).is_none()).map(|at| at as u32);
                    prop_assert_eq!(unknown, &missing.collect::<Vec<_>>()[..]);
                    start = head.end;
                }
            }
        }
    }
}
