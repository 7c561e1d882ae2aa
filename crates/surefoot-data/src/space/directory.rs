//! A table of indices that one consumer writes while parse workers read it.
//!
//! Looking up a million ids is a walk through memory that no cache holds, and whoever parses has time for it. An entry
//! changes once, from nothing to its index, and an index never changes: a worker that sees an entry sees the right
//! index, and what it does not see yet the consumer looks up again. So the results do not depend on who was faster.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::slots::SlotTable;

/// Ids that need no entry: those below `length` have consecutive indices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    pub(crate) length: u64,
    /// The index of id 0.
    pub(crate) start: u32,
    /// How often ids have got other indices so far.
    pub(crate) layout: u32,
}

/// Indices of small ids. Clones share their entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    run: Run,
    /// Index + 1 of each id, or 0.
    entries: Arc<[AtomicU32]>,
}

impl Table {
    /// No entries yet.
    pub(crate) fn behind(run: Run) -> Self {
        Table { run, entries: Arc::default() }
    }

    pub(crate) fn run(&self) -> Run {
        self.run
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is an entry for this id, used or not.
    #[inline]
    pub(crate) fn holds(&self, id: u64) -> bool {
        id < self.entries.len() as u64
    }

    /// The index of an id behind the run, if it has one here.
    #[inline]
    pub(crate) fn find(&self, id: u64) -> Option<u32> {
        self.entry(id)?.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Appends the index of every id, `u32::MAX` if it has none here. True if it is certain that all of them have one.
    pub(crate) fn find_all(&self, ids: &[u64], indices: &mut Vec<u32>) -> bool {
        let (Run { length, start, .. }, first) = (self.run, indices.len());
        if self.find_run(ids, indices) {
            return true;
        }
        indices.truncate(first);
        // An absent id has the entry 0, which becomes `u32::MAX`: no branch on what nobody can predict.
        let entry = |id: u64| self.entry(id).map_or(0, |entry| entry.load(Ordering::Relaxed));
        let index = |&id: &u64| if id < length { start + id as u32 } else { entry(id).wrapping_sub(1) };
        indices.extend(ids.iter().map(index));
        false
    }

    /// Appends the index of every id as if all were in the run; whether they are.
    fn find_run(&self, ids: &[u64], indices: &mut Vec<u32>) -> bool {
        let Run { length, start, .. } = self.run;
        let Some(last) = length.checked_sub(1) else { return false };
        // No early exit, as everywhere: the top bit of the distance says what comparing would, for ids below 2⁶³.
        let mut tops = 0;
        indices.extend(ids.iter().map(|&id| {
            tops |= id | last.wrapping_sub(id);
            start.wrapping_add(id as u32)
        }));
        tops >> 63 == 0
    }

    /// Gives an index to an id; false if the table does not reach so far.
    #[inline]
    pub(crate) fn insert(&self, id: u64, index: u32) -> bool {
        self.entry(id).map(|entry| entry.store(index + 1, Ordering::Relaxed)).is_some()
    }

    /// The same entries and more, apart from earlier clones.
    pub(crate) fn lengthen(&mut self, length: usize) {
        let entries = self.entries.iter().map(|entry| entry.load(Ordering::Relaxed));
        let fresh = entries.chain(std::iter::repeat(0)).take(length.max(self.len()));
        self.entries = fresh.map(AtomicU32::new).collect();
    }

    #[inline]
    fn entry(&self, id: u64) -> Option<&AtomicU32> {
        self.entries.get(usize::try_from(id).unwrap_or(usize::MAX))
    }
}

/// A table that others may read.
#[derive(Clone, Debug, Default)]
pub(crate) enum Posted {
    #[default]
    Nothing,
    /// Of small integers.
    Ids(Table),
    /// Of the keys of names.
    Names(SlotTable),
}

impl Posted {
    /// Whether there is no table yet.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Posted::Nothing)
    }

    /// The layout that its indices belong to.
    pub(crate) fn layout(&self) -> u32 {
        if let Posted::Ids(table) = self { table.run.layout } else { 0 }
    }

    /// Appends the index of every key, `u32::MAX` where there is none yet. True if it is certain that none is unknown.
    pub(crate) fn find_all(&self, keys: &[u64], indices: &mut Vec<u32>) -> bool {
        match self {
            Posted::Nothing => false,
            Posted::Ids(table) => table.find_all(keys, indices),
            Posted::Names(table) => {
                table.find_all(keys, indices);
                false
            }
        }
    }
}

/// Where the newest table hangs.
#[derive(Debug, Default)]
pub struct Directory {
    newest: Mutex<Posted>,
}

impl Directory {
    pub(crate) fn post(&self, table: Posted) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = table;
    }

    /// The table to look keys up in.
    pub(crate) fn newest(&self) -> Posted {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::UNKNOWN;

    #[test]
    fn readers_see_nothing_or_the_index() {
        let (mut table, directory) = (Table::default(), Arc::new(Directory::default()));
        assert!(directory.newest().is_nothing(), "there is no table yet");
        table.lengthen(1 << 12);
        directory.post(Posted::Ids(table.clone()));
        let reader = directory.clone();
        let looking = std::thread::spawn(move || {
            let (ids, mut indices): (Vec<u64>, _) = ((0..1 << 12).collect(), Vec::new());
            while indices.last() != Some(&((1 << 13) - 2)) {
                indices.clear();
                reader.newest().find_all(&ids, &mut indices);
                let right = |(id, &index): (usize, &u32)| index == UNKNOWN || index == 2 * id as u32;
                assert!(indices.iter().enumerate().all(right));
            }
        });
        (0..1 << 12).for_each(|id| assert!(table.insert(id, 2 * id as u32)));
        looking.join().unwrap();
        assert!(!table.insert(1 << 12, 1) && !table.holds(1 << 12) && table.holds(5));
        assert_eq!((table.find(5), table.find(1 << 12), table.find(u64::MAX)), (Some(10), None, None));
    }

    #[test]
    fn a_longer_table_keeps_what_was_there() {
        let mut table = Table::default();
        table.lengthen(4);
        assert!(table.insert(3, 0));
        table.lengthen(8);
        let mut indices = Vec::new();
        table.find_all(&[3, 7, 8], &mut indices);
        assert_eq!(indices, [0, UNKNOWN, UNKNOWN]);
    }
}
