//! Names side by side in one arena.

use std::borrow::Cow;

use super::check_count;
use surefoot_core::state::{State, Tensor, damaged};

const BYTES: &str = "space.names";
const ENDS: &str = "space.ends";

/// A list of names.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    /// Where each name ends; it begins where the one before ends.
    ends: Vec<u64>,
}

impl Names {
    pub(super) fn push(&mut self, name: &[u8]) {
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len() as u64);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&[u8]> {
        let end = *self.ends.get(at)? as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        Some(&self.bytes[start..end])
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// Puts borrowed arrays into the state.
    pub(super) fn export<'a>(&'a self, state: &mut State<'a>) {
        state.put(BYTES, Tensor::U8(Cow::Borrowed(&self.bytes)));
        state.put(ENDS, Tensor::U64(Cow::Borrowed(&self.ends)));
    }

    /// Puts the arrays themselves into the state.
    pub(super) fn export_owned(self, state: &mut State<'_>) {
        state.put(BYTES, Tensor::U8(Cow::Owned(self.bytes)));
        state.put(ENDS, Tensor::U64(Cow::Owned(self.ends)));
    }

    pub(super) fn import(state: &mut State<'_>) -> surefoot_core::Result<Self> {
        let names = Names { bytes: state.take_u8(BYTES)?, ends: state.take_u64(ENDS)? };
        check_count(ENDS, names.len())?;
        let last = names.ends.last().copied().unwrap_or(0);
        if !names.ends.is_sorted() || last != names.bytes.len() as u64 {
            return Err(damaged(ENDS, "the names do not end where the text ends"));
        }
        if names.iter().any(|name| std::str::from_utf8(name).is_err()) {
            return Err(damaged(BYTES, "a name is not valid UTF-8"));
        }
        Ok(names)
    }
}
