//! The kernel store as tensors: the supports of all blocks one after the other.

use super::super::parts::Parts;
use super::super::triangle::{Triangle, packed};
use super::block::KernelBlock;
use super::support::Support;
use crate::state::{State, Tensor};
use crate::{Error, Result, SparseVec};

pub(super) fn save(blocks: &[KernelBlock]) -> State<'_> {
    let mut state = State::default();
    let supports = || blocks.iter().flat_map(|b| &b.supports);
    state.put("supports", Tensor::U64(blocks.iter().map(|b| b.supports.len() as u64).collect()));
    state.put("length", Tensor::U32(supports().map(|s| s.ids().len() as u32).collect()));
    state.put("id", Tensor::U32(supports().flat_map(Support::ids).copied().collect()));
    state.put("value", Tensor::F64(supports().flat_map(Support::values).copied().collect()));
    state.put("nu", Tensor::F64(blocks.iter().flat_map(|b| &b.nu).copied().collect()));
    state.put("inverse", Tensor::F64(blocks.iter().flat_map(|b| b.inverse.packed()).copied().collect()));
    state.put("pi", Tensor::F64(blocks.iter().flat_map(|b| b.pi.packed()).copied().collect()));
    state
}

pub(super) fn restore(mut state: State<'_>, budget: usize) -> Result<Vec<KernelBlock>> {
    let counts = state.take_u64("supports")?;
    let mut saved = SavedKernel {
        length: Parts::indices(&mut state, "length")?,
        id: Parts::indices(&mut state, "id")?,
        value: Parts::numbers(&mut state, "value")?,
        nu: Parts::numbers(&mut state, "nu")?,
        pi: Parts::numbers(&mut state, "pi")?,
        inverse: Parts::numbers(&mut state, "inverse")?,
    };
    state.finish()?;
    let blocks = counts.iter().map(|&count| saved.block(count, budget)).collect::<Result<_>>()?;
    saved.finish()?;
    Ok(blocks)
}

/// What is left of the tensors.
struct SavedKernel {
    length: Parts<u32>,
    id: Parts<u32>,
    value: Parts<f64>,
    nu: Parts<f64>,
    pi: Parts<f64>,
    inverse: Parts<f64>,
}

impl SavedKernel {
    fn block(&mut self, count: u64, budget: usize) -> Result<KernelBlock> {
        if count > budget as u64 {
            return Err(Error::State(format!("{count} support examples in a budget of {budget}")));
        }
        let lengths = self.length.take(count)?;
        let inverse = triangle(&mut self.inverse, count as usize)?;
        if (0..count as usize).any(|p| inverse.diagonal(p) <= 0.0) {
            return Err(Error::State("`inverse` is not positive on its diagonal".into()));
        }
        Ok(KernelBlock {
            supports: lengths.into_iter().map(|n| self.support(n)).collect::<Result<_>>()?,
            nu: self.nu.take(count)?,
            pi: triangle(&mut self.pi, count as usize)?,
            inverse,
        })
    }

    fn support(&mut self, length: u32) -> Result<Support> {
        let (ids, values) = (self.id.take(length.into())?, self.value.take(length.into())?);
        if !ids.is_sorted_by(|a, b| a < b) {
            return Err(Error::State("`id` of a support example is out of order".into()));
        }
        let mut support = Support::default();
        support.assign(SparseVec::new(&ids, &values)?, &mut Vec::new());
        Ok(support)
    }

    fn finish(&self) -> Result<()> {
        [&self.length, &self.id].into_iter().try_for_each(Parts::finish)?;
        [&self.value, &self.nu, &self.pi, &self.inverse].into_iter().try_for_each(Parts::finish)
    }
}

fn triangle(parts: &mut Parts<f64>, dimension: usize) -> Result<Triangle> {
    Ok(Triangle::new(parts.take(packed(dimension) as u64)?, dimension))
}
