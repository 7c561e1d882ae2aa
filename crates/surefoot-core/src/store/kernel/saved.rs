//! The kernel store as tensors: the supports of all blocks one after the other.

use super::super::parts::{Parts, take_sizes};
use super::super::triangle::{Triangle, packed};
use super::block::{KernelBlock, Support};
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
    let counts = take_sizes(&mut state, ["supports"])?;
    let parts = Parts::new(state, &["value", "nu", "pi", "inverse"], &["length", "id"])?;
    parts.blocks(counts, |parts, [count]| block(parts, count, budget))
}

fn block(parts: &mut Parts, count: u64, budget: usize) -> Result<KernelBlock> {
    if count > budget as u64 {
        return Err(Error::State(format!("{count} support examples in a budget of {budget}")));
    }
    let lengths = parts.indices("length", count)?;
    let inverse = triangle(parts, "inverse", count as usize)?;
    if (0..count as usize).any(|p| inverse.diagonal(p) <= 0.0) {
        return Err(Error::State("`inverse` is not positive on its diagonal".into()));
    }
    Ok(KernelBlock {
        supports: lengths.into_iter().map(|n| support(parts, n)).collect::<Result<_>>()?,
        nu: parts.numbers("nu", count)?,
        pi: triangle(parts, "pi", count as usize)?,
        inverse,
    })
}

fn support(parts: &mut Parts, length: u32) -> Result<Support> {
    let (ids, values) = (parts.indices("id", length.into())?, parts.numbers("value", length.into())?);
    if !ids.is_sorted_by(|a, b| a < b) {
        return Err(Error::State("`id` of a support example is out of order".into()));
    }
    let mut support = Support::default();
    support.assign(SparseVec::new(&ids, &values)?, &mut Vec::new());
    Ok(support)
}

fn triangle(parts: &mut Parts, name: &str, dimension: usize) -> Result<Triangle> {
    Ok(Triangle::new(parts.numbers(name, packed(dimension) as u64)?, dimension))
}
