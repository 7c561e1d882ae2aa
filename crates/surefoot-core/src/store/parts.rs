//! Tensors that hold the parts of several blocks one after the other, taken apart with every size checked.

use crate::state::{State, check_finite};
use crate::{Error, Result};

/// A tensor that is handed out from its start.
#[derive(Debug)]
pub(super) struct Parts<T> {
    name: &'static str,
    rest: std::vec::IntoIter<T>,
}

impl Parts<f64> {
    /// Finite real numbers.
    pub(super) fn numbers(state: &mut State<'_>, name: &'static str) -> Result<Self> {
        let data = state.take_f64(name)?;
        check_finite(name, &data)?;
        Ok(Self { name, rest: data.into_iter() })
    }
}

impl Parts<u32> {
    /// Indices.
    pub(super) fn indices(state: &mut State<'_>, name: &'static str) -> Result<Self> {
        Ok(Self { name, rest: state.take_u32(name)?.into_iter() })
    }
}

impl<T> Parts<T> {
    /// The next `count` entries.
    pub(super) fn take(&mut self, count: u64) -> Result<Vec<T>> {
        if count > self.rest.len() as u64 {
            return Err(Error::State(format!("tensor `{}` ends too early", self.name)));
        }
        Ok(self.rest.by_ref().take(count as usize).collect())
    }

    /// Refuses entries that were not taken.
    pub(super) fn finish(&self) -> Result<()> {
        match self.rest.len() {
            0 => Ok(()),
            more => Err(Error::State(format!("tensor `{}` has {more} entries too many", self.name))),
        }
    }
}
