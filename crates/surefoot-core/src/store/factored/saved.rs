//! The factored store as tensors: blocks one after the other, the buffer and the lazy transforms as they are.

use super::FactoredSettings;
use super::block::FactoredBlock;
use super::cholesky::Cholesky;
use super::table::NONE;
use crate::state::{State, Tensor};
use crate::store::parts::{Parts, take_sizes};
use crate::{Error, Result};

pub(super) fn save(blocks: &[FactoredBlock]) -> State<'_> {
    let mut state = State::default();
    let counts = |of: fn(&FactoredBlock) -> usize| blocks.iter().map(|b| of(b) as u64).collect::<Vec<_>>();
    state.put_counts("rows", &counts(|b| b.table.len()));
    state.put_counts("columns", &counts(FactoredBlock::columns));
    state.put_counts("buffered", &counts(|b| b.buffer.touched().len()));
    state.put_counts("transforms", &counts(|b| b.lazy.now()));
    state.put_counts("worked", &counts(|b| b.worked));
    let indices =
        |of: fn(&FactoredBlock) -> &[u32]| Tensor::U32(blocks.iter().flat_map(of).copied().collect());
    state.put("feature", indices(|b| b.table.ids()));
    state.put("epoch", Tensor::U32(blocks.iter().flat_map(|b| b.table.epochs()).collect()));
    state.put("touched", indices(|b| b.buffer.touched()));
    let numbers =
        |of: fn(&FactoredBlock) -> &[f64]| Tensor::F64(blocks.iter().flat_map(of).copied().collect());
    state.put("row", numbers(|b| b.table.data()));
    state.put("factor", numbers(|b| b.factor.data()));
    state.put("shift", numbers(|b| &b.shift));
    state.put("transform", numbers(|b| b.lazy.data()));
    let entries =
        blocks.iter().flat_map(|b| (0..b.buffer.touched().len() as u32).map(|own| b.buffer.row(own)));
    state.put("buffer", Tensor::F64(entries.flatten().copied().collect()));
    state
}

pub(super) fn restore(settings: FactoredSettings, mut state: State<'_>) -> Result<Vec<FactoredBlock>> {
    let sizes = take_sizes(&mut state, ["rows", "columns", "buffered", "transforms", "worked"])?;
    let numbers = ["row", "factor", "shift", "transform", "buffer"];
    Parts::new(state, &numbers, &["feature", "epoch", "touched"])?
        .blocks(sizes, |parts, sizes| block(parts, sizes, settings))
}

fn block(parts: &mut Parts, sizes: [u64; 5], settings: FactoredSettings) -> Result<FactoredBlock> {
    let ([rows, columns, buffered, transforms, worked], rank) = (sizes, settings.rank);
    let mut block = FactoredBlock::new(settings);
    let most = settings.most_columns() as u64;
    if columns >= most {
        return Err(Error::State(format!("{columns} columns where fewer than {most} fit")));
    }
    for _ in 0..transforms {
        block.lazy.push(&parts.numbers("transform", (rank * (rank + 1)) as u64)?);
    }
    let ids = parts.indices("feature", rows)?;
    let data = parts.numbers("row", rows.saturating_mul(block.table.stride() as u64))?;
    block.table.refill(&ids, &parts.indices("epoch", rows)?, data, block.lazy.now())?;
    block.factor =
        Cholesky::from_data(columns as usize, parts.numbers("factor", columns * (columns + 1) / 2)?)
            .ok_or_else(|| Error::State("`factor` has a diagonal that is not positive".into()))?;
    block.shift = parts.numbers("shift", columns)?;
    block.worked = usize::try_from(worked).unwrap_or(usize::MAX);
    fill_buffer(parts, &mut block, buffered)?;
    Ok(block)
}

fn fill_buffer(parts: &mut Parts, block: &mut FactoredBlock, buffered: u64) -> Result<()> {
    let columns = block.columns().saturating_sub(block.settings.rank);
    if columns == 0 && buffered > 0 {
        return Err(Error::State(format!("{buffered} rows in a buffer without columns")));
    }
    let touched = parts.indices("touched", buffered)?;
    let entries = parts.numbers("buffer", buffered.saturating_mul(columns as u64))?;
    for (own, &place) in touched.iter().enumerate() {
        if place as usize >= block.table.len() || block.table.mark(place as usize).buffered != NONE {
            return Err(Error::State(format!(
                "`touched` names row {place}, which is not there or comes twice"
            )));
        }
        block.table.mark_mut(place as usize).buffered = own as u32;
    }
    block.buffer.refill(columns, touched, &entries);
    Ok(())
}
