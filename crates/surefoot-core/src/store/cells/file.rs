//! Rows as a model file has them.

use std::borrow::Cow;

use super::sparse::unpack;
use super::{Cells, Lines, RowStorage};
use crate::simd::Number;
use crate::state::{State, Tensor, check_finite, negative_variance};
use crate::store::check_blocks;
use crate::{Error, Result};

impl<const N: usize, T: Number> Cells<N, T> {
    /// How many rows there are up to the last that is not at the origin, whatever features were called in between.
    fn touched(&self) -> usize {
        let last = match &self.rows {
            RowStorage::Sparse(rows) => rows.iter().rposition(|row| !row.is_empty()),
            RowStorage::Dense { data, room } => {
                let rows = data[..self.features * N * room].chunks_exact(N * room);
                rows.rev()
                    .position(|row| !same_bits(row, &self.blank))
                    .map(|behind| self.features - behind - 1)
            }
        };
        last.map_or(0, |last| last + 1)
    }

    /// Everything as tensors, without spare room, so that the bytes do not depend on how the rows grew.
    #[must_use]
    pub fn save(&self) -> State<'_> {
        let (mut state, features) = (State::default(), self.touched());
        state.put_counts("shape", &[features as u64, self.blocks as u64]);
        match &self.rows {
            RowStorage::Dense { data, room } => {
                let rows = &data[..features * N * room];
                // Rows without spare room lie as the file wants them, and need no copy.
                let cells = if *room == self.blocks {
                    Cow::Borrowed(rows)
                } else {
                    rows.chunks_exact(*room).flat_map(|plane| &plane[..self.blocks]).copied().collect()
                };
                state.put("cells", T::tensor(cells));
                let row = |row: usize| &rows[row * N * room..][..N * room];
                self.save_ages(&mut state, features, |at| same_bits(row(at), &self.blank));
            }
            RowStorage::Sparse(rows) => {
                let rows = &rows[..features];
                let entries = || rows.iter().flatten();
                state.put("row", Tensor::U32(rows.iter().map(|r| r.len() as u32).collect()));
                state.put("block", Tensor::U32(entries().map(|e| e.block).collect()));
                state.put("cells", T::tensor(entries().flat_map(|e| e.cell).collect()));
                self.save_ages(&mut state, features, |row| rows[row].is_empty());
            }
        }
        state
    }

    /// Takes over what [`Cells::save`] gave, checking every size.
    pub fn restore(&mut self, state: &mut State<'_>, expected: usize) -> Result<()> {
        let [features, blocks] = state.take_counts("shape")?;
        let cells = T::take(state, "cells")?;
        check_finite("cells", &cells)?;
        let (features, blocks) = (size(features)?, size(blocks)?);
        check_blocks(blocks, expected)?;
        let rows = if state.has("row") {
            if self.always_dense {
                return Err(Error::State("`row` lists sparse rows where only dense ones are made".into()));
            }
            let (lengths, owners) = (state.take_u32("row")?, state.take_u32("block")?);
            RowStorage::Sparse(unpack(features, blocks, &lengths, &owners, &cells)?)
        } else {
            if features.checked_mul(blocks.max(1)).and_then(|n| n.checked_mul(N)) != Some(cells.len()) {
                return Err(Error::State("`cells` has another size than `shape` says".into()));
            }
            RowStorage::Dense { data: Lines::from(&cells[..]), room: blocks.max(1) }
        };
        (self.rows, self.features, self.blocks) = (rows, features, blocks);
        self.relayout(self.least_room.max(blocks));
        self.restore_ages(state)
    }
}

impl<T: Number> Cells<2, T> {
    /// As [`Cells::restore`], of means and variances: refuses a negative variance.
    pub(crate) fn restore_gaussian(&mut self, state: &mut State<'_>, expected: usize) -> Result<()> {
        self.restore(state, expected)?;
        let negative = |variance: T| variance.wide() < 0.0;
        let any = match &self.rows {
            // Planes of means and variances alternate.
            RowStorage::Dense { data, room } => {
                data.chunks(*room).skip(1).step_by(2).flatten().any(|&variance| negative(variance))
            }
            RowStorage::Sparse(rows) => rows.iter().flatten().any(|entry| negative(entry.cell[1])),
        };
        if any { Err(negative_variance("cells")) } else { Ok(()) }
    }
}

/// Whether numbers are the same to the last bit.
fn same_bits<T: bytemuck::Pod>(one: &[T], other: &[T]) -> bool {
    bytemuck::cast_slice::<T, u8>(one) == bytemuck::cast_slice::<T, u8>(other)
}

fn size(count: u64) -> Result<usize> {
    usize::try_from(count).map_err(|_| Error::State(format!("a size of {count} is out of range")))
}
