//! Cells of many blocks: rows that grow by blocks, and walks over all blocks of an example's features at once.

use super::sparse::{SparseCell, entry, scan};
use super::{Cells, Lines, RowStorage, SPARSE_FROM, blank, positions};
use crate::simd::{Number, Vectorized, vectored};
use crate::{Result, SparseVec};

impl<const N: usize, T: Number> Cells<N, T> {
    /// Adds blocks. Dense rows are laid out anew with half as much room again, so that one more label seldom copies.
    pub fn grow(&mut self, blocks: usize) {
        if blocks <= self.blocks {
            return;
        }
        if let RowStorage::Dense { room, .. } = &self.rows {
            if !self.always_dense && blocks >= SPARSE_FROM {
                self.make_sparse();
            } else if blocks > *room {
                self.relayout(blocks.max((*room * 3 / 2).next_multiple_of(4)));
            }
        }
        self.blocks = blocks;
    }

    /// Gives dense rows room for so many blocks.
    pub(super) fn relayout(&mut self, wider: usize) {
        let RowStorage::Dense { data, room } = &mut self.rows else { return };
        self.blank = blank(&self.origins, wider);
        if wider == *room {
            return;
        }
        let mut fresh = Lines::with_capacity(data.len() / *room * wider);
        for (plane, blank) in data.chunks_exact(*room).zip(self.blank.chunks_exact(wider).cycle()) {
            fresh.extend_from_slice(plane);
            fresh.extend_from_slice(&blank[*room..]);
        }
        *data = fresh;
        *room = wider;
    }

    fn make_sparse(&mut self) {
        let rows = (0..self.features)
            .map(|f| {
                (0..self.blocks)
                    .map(|b| SparseCell { block: b as u32, cell: self.stored(f, b) })
                    .filter(|e| e.cell != self.origin(e.block as usize))
                    .collect()
            })
            .collect();
        self.rows = RowStorage::Sparse(rows);
    }

    /// Every block of a feature that may have been touched, with its cell as it was when the row was last up to date.
    #[inline]
    pub(crate) fn each_touched(&self, feature: usize, mut see: impl FnMut(usize, [T; N])) {
        match &self.rows {
            RowStorage::Dense { data, room } if feature < self.features => {
                let row = &data[feature * N * *room..][..N * *room];
                (0..self.blocks)
                    .for_each(|block| see(block, std::array::from_fn(|n| row[n * *room + block])));
            }
            RowStorage::Sparse(rows) => {
                rows.get(feature).into_iter().flatten().for_each(|own| see(own.block as usize, own.cell));
            }
            RowStorage::Dense { .. } => {}
        }
    }

    /// The cells of one block as they are now, feature by feature; none for a block that is not there.
    pub fn block(&self, block: usize) -> impl Iterator<Item = [T; N]> + '_ {
        let features = if block < self.blocks { self.features } else { 0 };
        (0..features).map(move |feature| self.get(feature, block))
    }

    /// The cells of one block as they were when their rows were last up to date.
    pub(crate) fn stored_block(&self, block: usize) -> impl Iterator<Item = [T; N]> + '_ {
        (0..self.features).map(move |feature| self.stored(feature, block))
    }

    /// Makes rows for so many features.
    pub(crate) fn reserve_rows(&mut self, features: usize) -> Result<()> {
        let Some(last) = features.checked_sub(1) else { return Ok(()) };
        self.reserve(SparseVec::new(&[last.min(u32::MAX as usize) as u32], &[1.0])?)
    }

    /// Writes a cell of a feature that has a row, in a table that does not forget or whose clock has not begun.
    #[inline]
    pub(crate) fn put(&mut self, feature: usize, block: usize, cell: [T; N]) {
        let origin = self.origin(block);
        match &mut self.rows {
            RowStorage::Dense { data, room } => {
                let start = feature * N * *room + block;
                for (n, number) in cell.into_iter().enumerate() {
                    data[start + n * *room] = number;
                }
            }
            RowStorage::Sparse(rows) => *entry(&mut rows[feature], block, origin) = cell,
        }
    }

    /// Changes one cell, brought up to date.
    pub(crate) fn change(
        &mut self,
        feature: usize,
        block: usize,
        change: impl FnOnce(&mut [T; N]),
    ) -> Result<()> {
        let id = [u32::try_from(feature).unwrap_or(u32::MAX)];
        let x = SparseVec::new(&id, &[1.0])?;
        self.reserve(x)?;
        self.catch_up(x);
        let mut cell = self.stored(feature, block);
        change(&mut cell);
        self.put(feature, block, cell);
        Ok(())
    }

    /// Writes the cells of one block, feature by feature; what is at the origin takes no room in sparse rows.
    pub fn put_block(&mut self, block: usize, cells: impl ExactSizeIterator<Item = [T; N]>) -> Result<()> {
        self.reserve_rows(cells.len())?;
        for (feature, cell) in cells.enumerate() {
            if self.is_dense() || cell != self.origin(block) {
                let id = [feature as u32];
                let x = SparseVec::new(&id, &[1.0])?;
                self.catch_up(x);
                self.update(x, block, |_, own| *own = cell);
            }
        }
        Ok(())
    }

    /// Changes the cells of all blocks for every feature of an example, a plane of each number at a time (dense rows only,
    /// after [`Cells::reserve`]).
    #[inline]
    pub fn update_rows(&mut self, x: SparseVec<'_>, mut change: impl FnMut(f64, [&mut [T]; N])) {
        let RowStorage::Dense { data, room } = &mut self.rows else { return };
        let (data, room) = (&mut data[..], *room);
        for (f, value) in x.iter() {
            let mut planes = data[f * N * room..].chunks_exact_mut(room);
            change(value, std::array::from_fn(|_| planes.next().unwrap_or_default()));
        }
    }

    /// For every block b and each of these planes n: `out[b]` = Σ over the example of factor(value) · number n of the cell,
    /// in one walk through dense rows.
    pub fn scan<const M: usize>(
        &self,
        x: SparseVec<'_>,
        planes: [usize; M],
        outs: [&mut [f64]; M],
        factors: impl Fn(f64) -> [f64; M],
    ) {
        if self.is_behind(x) {
            let ids = positions(x);
            return self.copy_of(x).scan(SparseVec::of_finite(&ids, x.values()), planes, outs, factors);
        }
        let mut outs = outs.map(|out| {
            let blocks = self.blocks.min(out.len());
            &mut out[..blocks]
        });
        outs.iter_mut().for_each(|out| out.fill(0.0));
        match &self.rows {
            RowStorage::Dense { data, room } => {
                vectored(Sums { data, room: *room, blank: &self.blank, x, planes, outs, factors });
            }
            RowStorage::Sparse(rows) => {
                for (m, (out, n)) in outs.into_iter().zip(planes).enumerate() {
                    scan(rows, x, |value| factors(value)[m], n, self.origin(0)[n].wide(), out);
                }
            }
        }
    }
}

/// Rows whose numbers are added before a sum is put back: each takes its terms in the order of the features all the same.
const TOGETHER: usize = 4;

/// `outs[m][b]` += Σ over the example of factor m of the value · number `planes[m]` of block b.
struct Sums<'a, const M: usize, T, F> {
    /// Dense rows with room for so many blocks.
    data: &'a [T],
    room: usize,
    /// The row of a feature that has none.
    blank: &'a [T],
    x: SparseVec<'a>,
    planes: [usize; M],
    outs: [&'a mut [f64]; M],
    factors: F,
}

impl<const M: usize, T: Number, F: Fn(f64) -> [f64; M]> Vectorized for Sums<'_, M, T, F> {
    type Found = ();

    #[inline(always)]
    fn walk(self) {
        let Self { data, room, blank, x, planes, mut outs, factors } = self;
        // Number n of the first blocks of a feature.
        let plane = |id: u32, n: usize, blocks: usize| {
            let start = id as usize * blank.len() + n * room;
            data.get(start..start + blocks).unwrap_or_else(|| &blank[n * room..][..blocks])
        };
        let (ids, ids_left) = x.ids().as_chunks::<TOGETHER>();
        let (values, values_left) = x.values().as_chunks::<TOGETHER>();
        for (ids, values) in ids.iter().zip(values) {
            let factors = values.map(&factors);
            for (m, (out, n)) in outs.iter_mut().zip(planes).enumerate() {
                let rows = ids.map(|id| plane(id, n, out.len()));
                add_four(out, factors.map(|factors| factors[m]), rows);
            }
        }
        for (&id, &value) in ids_left.iter().zip(values_left) {
            for ((out, n), factor) in outs.iter_mut().zip(planes).zip(factors(value)) {
                add(out, factor, plane(id, n, out.len()));
            }
        }
    }
}

#[inline(always)]
fn add<T: Number>(out: &mut [f64], factor: f64, row: &[T]) {
    for (sum, number) in out.iter_mut().zip(row) {
        *sum += factor * number.wide();
    }
}

#[inline(always)]
fn add_four<T: Number>(out: &mut [f64], [f, g, h, i]: [f64; TOGETHER], rows: [&[T]; TOGETHER]) {
    let [a, b, c, d] = rows.map(|row| &row[..out.len()]);
    for (at, sum) in out.iter_mut().enumerate() {
        *sum = *sum + f * a[at].wide() + g * b[at].wide() + h * c[at].wide() + i * d[at].wide();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;

    #[test]
    fn four_at_a_time_is_one_by_one() {
        let (room, blocks, features, origin) = (5, 3, 9, [0.25, 1.5]);
        let data: Vec<f64> = (0..features * 2 * room).map(|i| (i as f64 * 0.37).sin()).collect();
        for length in 0..14_u32 {
            // The last ones have no row.
            let x = Vector::from_pairs((0..length).map(|i| (i, 0.3 + f64::from(i).cos()))).unwrap();
            let (mut means, mut variances) = ([0.5; 3], [0.0; 3]);
            let outs = [&mut means[..], &mut variances];
            let factors = |value: f64| [value, value * value];
            let blank = &[origin[0]; 5].into_iter().chain([origin[1]; 5]).collect::<Vec<_>>();
            vectored(Sums { data: &data, room, blank, x: x.features(), planes: [0, 1], outs, factors });
            let (mut own_means, mut own_variances) = ([0.5; 3], [0.0; 3]);
            for (id, value) in x.features().iter() {
                for b in 0..blocks {
                    let number =
                        |n: usize| if id < features { data[(id * 2 + n) * room + b] } else { origin[n] };
                    own_means[b] += value * number(0);
                    own_variances[b] += value * value * number(1);
                }
            }
            assert_eq!((means, variances), (own_means, own_variances));
        }
    }
}
