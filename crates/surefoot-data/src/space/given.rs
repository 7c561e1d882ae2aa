//! Integers as the file gives them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use super::remap::Remap;
use super::{Directory, FeatureName, Space, check_count};
use crate::key::BIAS_KEY;
use crate::state::{State, StateProblem, Tensor};

const IDS: &str = "space.ids";

/// Integer features, each with an index by first appearance.
#[derive(Debug, Default)]
pub struct AsGiven {
    ids: Vec<u64>,
    remap: Remap,
}

impl AsGiven {
    pub(super) fn import(state: &mut State<'_>) -> Result<Self, StateProblem> {
        let mut space = AsGiven::default();
        let ids = state.take_u64(IDS)?;
        check_count(IDS, ids.len())?;
        for id in ids {
            if space.lookup(id).is_some() {
                return Err(StateProblem::damaged(IDS, format!("feature {id} occurs twice")));
            }
            space.index(id, b"");
        }
        Ok(space)
    }

    fn insert(&mut self, id: u64) -> u32 {
        let index = self.ids.len() as u32;
        self.ids.push(id);
        self.remap.insert(id, index);
        index
    }
}

impl Space for AsGiven {
    #[inline]
    fn index(&mut self, id: u64, _name: &[u8]) -> u32 {
        match self.remap.find(id) {
            Some(index) => index,
            None => self.insert(id),
        }
    }

    #[inline]
    fn lookup(&self, id: u64) -> Option<u32> {
        self.remap.find(id)
    }

    fn directory(&self) -> Option<Arc<Directory>> {
        Some(self.remap.directory())
    }

    fn lookup_all(&self, ids: &[u64], indices: &mut Vec<u32>) {
        self.remap.find_all(ids, indices);
    }

    fn name(&self, index: u32) -> FeatureName<'_> {
        match self.key(index) {
            BIAS_KEY => FeatureName::Bias,
            id => FeatureName::Id(id),
        }
    }

    fn key(&self, index: u32) -> u64 {
        self.ids[index as usize]
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn compare(&self, one: u32, other: u32) -> Ordering {
        // The bias has the largest id of all and so comes last.
        self.key(one).cmp(&self.key(other))
    }

    fn export<'a>(&'a self, state: &mut State<'a>) {
        state.put(IDS, Tensor::U64(Cow::Borrowed(&self.ids)));
    }
}
