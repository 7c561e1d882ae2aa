//! Which examples were learned lately, by their ids, so that one that is sent again is learned once.

use std::collections::{HashMap, VecDeque};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// So many ids are remembered; with all of them the memory is about 70 MB.
const REMEMBERED: usize = 1 << 20;

/// The examples that had ids, the newest [`REMEMBERED`] of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenIds {
    examples: HashMap<IdHash, SeenExample>,
    order: VecDeque<(u64, IdHash)>,
}

/// An id as it is remembered: two halves, because a whole one would be padded to twice its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct IdHash(u64, u64);

/// An example that was learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeenExample {
    /// Its number.
    pub(crate) sequence: u64,
    label: u64,
}

impl IdHash {
    pub(crate) fn of(id: &[u8]) -> Self {
        let hash = xxh3_128(id);
        Self(hash as u64, (hash >> 64) as u64)
    }
}

impl SeenExample {
    pub(crate) fn new(sequence: u64, label: &[u8]) -> Self {
        Self { sequence, label: xxh3_64(label) }
    }

    /// Whether it was learned with this label.
    pub(crate) fn had(&self, label: &[u8]) -> bool {
        self.label == xxh3_64(label)
    }
}

impl SeenIds {
    /// The example of this id, if it was learned lately.
    pub(crate) fn get(&self, id: IdHash) -> Option<SeenExample> {
        self.examples.get(&id).copied()
    }

    /// Remembers an example, which is newer than all others.
    pub(crate) fn push(&mut self, id: IdHash, example: SeenExample) {
        if self.order.len() == REMEMBERED
            && let Some((_, oldest)) = self.order.pop_front()
        {
            self.examples.remove(&oldest);
        }
        self.order.push_back((example.sequence, id));
        self.examples.insert(id, example);
    }

    /// Forgets what was learned behind this example.
    pub(crate) fn forget_after(&mut self, sequence: u64) {
        while let Some((_, id)) = self.order.pop_back_if(|(newest, _)| *newest > sequence) {
            self.examples.remove(&id);
        }
    }

    /// The number from which on ids have to be looked at, if this is the last one.
    pub(crate) fn reach(last: u64) -> u64 {
        last.saturating_sub(REMEMBERED as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_forgotten_and_the_newest_can_be() {
        let mut seen = SeenIds::default();
        let id = |n: u64| IdHash::of(&n.to_le_bytes());
        for n in 0..REMEMBERED as u64 + 10 {
            seen.push(id(n), SeenExample::new(n, b"a"));
        }
        assert_eq!((seen.get(id(9)), seen.order.len()), (None, REMEMBERED));
        assert!(seen.get(id(10)).is_some_and(|example| example.had(b"a") && !example.had(b"b")));
        seen.forget_after(20);
        assert_eq!((seen.get(id(21)), seen.order.len(), seen.examples.len()), (None, 11, 11));
    }
}
