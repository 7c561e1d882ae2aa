//! Tensors that hold the parts of several blocks one after the other, taken apart with every size checked.

use std::vec::IntoIter;

use crate::state::{State, check_finite};
use crate::{Error, Result};

/// Tensors that are handed out from their starts.
pub(super) struct Parts {
    numbers: Vec<(&'static str, IntoIter<f64>)>,
    indices: Vec<(&'static str, IntoIter<u32>)>,
}

impl Parts {
    /// Takes finite numbers and indices of these names, and nothing else, out of a state.
    pub(super) fn new(
        mut state: State<'_>,
        numbers: &[&'static str],
        indices: &[&'static str],
    ) -> Result<Self> {
        let number = |&name: &&'static str| {
            let data = state.take_f64(name)?;
            check_finite(name, &data)?;
            Ok((name, data.into_iter()))
        };
        let numbers = numbers.iter().map(number).collect::<Result<_>>()?;
        let index = |&name: &&'static str| Ok((name, state.take_u32(name)?.into_iter()));
        let indices = indices.iter().map(index).collect::<Result<_>>()?;
        state.finish()?;
        Ok(Self { numbers, indices })
    }

    /// The next `count` numbers of a tensor.
    pub(super) fn numbers(&mut self, name: &str, count: u64) -> Result<Vec<f64>> {
        take(&mut self.numbers, name, count)
    }

    /// The next `count` indices of a tensor.
    pub(super) fn indices(&mut self, name: &str, count: u64) -> Result<Vec<u32>> {
        take(&mut self.indices, name, count)
    }

    /// Every block, made of its sizes and the next entries; refuses entries that were not taken.
    pub(super) fn blocks<const N: usize, B>(
        mut self,
        sizes: Vec<[u64; N]>,
        mut block: impl FnMut(&mut Self, [u64; N]) -> Result<B>,
    ) -> Result<Vec<B>> {
        let blocks = sizes.into_iter().map(|sizes| block(&mut self, sizes)).collect::<Result<_>>()?;
        let numbers = self.numbers.iter().map(|(name, rest)| (name, rest.len()));
        let indices = self.indices.iter().map(|(name, rest)| (name, rest.len()));
        match numbers.chain(indices).find(|(_, more)| *more > 0) {
            Some((name, more)) => Err(Error::State(format!("tensor `{name}` has {more} entries too many"))),
            None => Ok(blocks),
        }
    }
}

fn take<T>(parts: &mut [(&'static str, IntoIter<T>)], name: &str, count: u64) -> Result<Vec<T>> {
    match parts.iter_mut().find(|(known, _)| *known == name) {
        Some((_, rest)) if count <= rest.len() as u64 => Ok(rest.take(count as usize).collect()),
        _ => Err(Error::State(format!("tensor `{name}` ends too early"))),
    }
}

/// Takes sizes out of a state, one of each name for every block.
pub(super) fn take_sizes<const N: usize>(state: &mut State<'_>, names: [&str; N]) -> Result<Vec<[u64; N]>> {
    let mut blocks = Vec::new();
    for (i, name) in names.into_iter().enumerate() {
        let sizes = state.take_u64(name)?;
        if i == 0 {
            blocks.resize(sizes.len(), [0; N]);
        }
        if sizes.len() != blocks.len() {
            return Err(Error::State(format!(
                "{} differ in size",
                names.map(|n| format!("`{n}`")).join(", ")
            )));
        }
        blocks.iter_mut().zip(sizes).for_each(|(own, size)| own[i] = size);
    }
    Ok(blocks)
}
