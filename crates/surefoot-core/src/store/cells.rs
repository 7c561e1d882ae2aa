//! Rows of cells: for each feature the numbers of all its blocks side by side.
//!
//! A cell has `N` numbers (mean and variance, or weight and running sum). With one block a row is one cell. With
//! several, a row holds the first number of every block, then the second of every block, so that scoring all
//! classes reads only means, and reads them in order. Rows are dense up to [`SPARSE_FROM`] blocks; beyond, a row
//! lists only the blocks that were touched, so thousands of labels cost what they use.

mod file;
mod sparse;
mod walk;

pub(crate) use file::same_bits;
use sparse::{Entry, entry, find, scan};
use walk::Sums;

use std::iter::repeat_n;

use super::limit::check_rows;
use super::number::Number;
use crate::prefetch;
use crate::simd::vectored;
use crate::{Features, Result};

/// From so many blocks on rows are sparse (measured in benches/README.md), unless every block is touched anyway.
pub const SPARSE_FROM: usize = 129;

/// Numbers that are made ahead of need, at most.
const SPARE: usize = 1 << 14;

/// Numbers of new rows that are written together.
const TOGETHER: usize = 1 << 9;

/// Feature ids at and above this are refused: ids are positions, so they decide the memory.
pub const MOST_FEATURES: usize = 1 << 28;

#[derive(Debug, Clone)]
enum Rows<const N: usize, T> {
    /// Rows behind those of the known features hold origin cells.
    Dense {
        data: Vec<T>,
        room: usize,
    },
    Sparse(Vec<Vec<Entry<N, T>>>),
}

/// Rows of cells of `N` numbers for a growing number of features and blocks.
#[derive(Debug, Clone)]
pub struct Cells<const N: usize, T = f64> {
    rows: Rows<N, T>,
    blocks: usize,
    features: usize,
    /// What an untouched cell holds.
    origin: [T; N],
    always_dense: bool,
}

impl<const N: usize, T: Number> Cells<N, T> {
    /// No rows yet; an untouched cell reads as `origin`.
    #[must_use]
    pub fn new(blocks: usize, origin: [T; N], always_dense: bool) -> Self {
        let sparse = !always_dense && blocks >= SPARSE_FROM;
        let rows = if sparse {
            Rows::Sparse(Vec::new())
        } else {
            Rows::Dense { data: Vec::new(), room: blocks.max(1) }
        };
        Self { rows, blocks, features: 0, origin, always_dense }
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Whether every feature has a cell for every block.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        matches!(self.rows, Rows::Dense { .. })
    }

    /// How many features have a row.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features
    }

    /// What an untouched cell holds.
    #[must_use]
    pub fn origin(&self) -> [T; N] {
        self.origin
    }

    /// Adds blocks. Dense rows are laid out anew with half as much room again, so that one more label seldom copies.
    pub fn grow(&mut self, blocks: usize) {
        if blocks <= self.blocks {
            return;
        }
        if let Rows::Dense { room, .. } = &self.rows {
            if !self.always_dense && blocks >= SPARSE_FROM {
                self.make_sparse();
            } else if blocks > *room {
                self.relayout(blocks.max((*room * 3 / 2).next_multiple_of(4)));
            }
        }
        self.blocks = blocks;
    }

    fn relayout(&mut self, wider: usize) {
        let Rows::Dense { data, room } = &mut self.rows else { return };
        let mut fresh = Vec::with_capacity(data.len() / *room * wider);
        for plane in data.chunks_exact(*room).enumerate().map(|(i, plane)| (i % N, plane)) {
            fresh.extend_from_slice(plane.1);
            fresh.resize(fresh.len() + wider - *room, self.origin[plane.0]);
        }
        *data = fresh;
        *room = wider;
    }

    fn make_sparse(&mut self) {
        let rows = (0..self.features)
            .map(|f| {
                (0..self.blocks)
                    .map(|b| Entry { block: b as u32, cell: self.get(f, b) })
                    .filter(|e| e.cell != self.origin)
                    .collect()
            })
            .collect();
        self.rows = Rows::Sparse(rows);
    }

    /// A cell; the origin where nothing was written.
    #[inline]
    #[must_use]
    pub fn get(&self, feature: usize, block: usize) -> [T; N] {
        match &self.rows {
            Rows::Dense { data, room } => {
                let start = feature * N * room + block;
                if start + (N - 1) * room < data.len() && block < *room {
                    std::array::from_fn(|n| data[start + n * room])
                } else {
                    self.origin
                }
            }
            Rows::Sparse(rows) => rows.get(feature).map_or(self.origin, |row| find(row, block, self.origin)),
        }
    }

    /// The cells of one block, feature by feature; none for a block that is not there.
    pub fn block(&self, block: usize) -> impl Iterator<Item = [T; N]> + '_ {
        let features = if block < self.blocks { self.features } else { 0 };
        (0..features).map(move |feature| self.get(feature, block))
    }

    /// Writes the cells of one block, feature by feature; what stays at the origin takes no room.
    pub fn put_block(&mut self, block: usize, cells: impl ExactSizeIterator<Item = [T; N]>) -> Result<()> {
        let Some(last) = cells.len().checked_sub(1) else { return Ok(()) };
        self.reserve(Features::new(&[last.min(u32::MAX as usize) as u32], &[1.0])?)?;
        for (feature, cell) in cells.enumerate() {
            if cell != self.origin {
                let id = [feature as u32];
                self.update(Features::new(&id, &[1.0])?, block, |_, own| *own = cell);
            }
        }
        Ok(())
    }

    /// Makes rows for every feature of an example; refuses ids beyond the limit before it allocates.
    pub fn reserve(&mut self, x: Features<'_>) -> Result<()> {
        let needed = x.dimension();
        if needed <= self.features {
            return Ok(());
        }
        check_rows("the table of weights", needed)?;
        match &mut self.rows {
            Rows::Dense { data, room } => extend(data, needed * N * *room, *room, self.origin),
            Rows::Sparse(rows) => rows.resize_with(needed, Vec::new),
        }
        self.features = needed;
        Ok(())
    }

    /// Changes the cells of one block for every feature of an example (after [`Cells::reserve`]).
    #[inline]
    pub fn update(&mut self, x: Features<'_>, block: usize, mut change: impl FnMut(f64, &mut [T; N])) {
        match &mut self.rows {
            // One block: cells lie back to back, and the loop has nothing to work out.
            Rows::Dense { data, room: 1 } => {
                let cells = data.as_chunks_mut::<N>().0;
                for (f, value) in x.iter() {
                    change(value, &mut cells[f]);
                }
            }
            Rows::Dense { data, room } => {
                for (f, value) in x.iter() {
                    let start = f * N * *room + block;
                    let mut cell = std::array::from_fn(|n| data[start + n * *room]);
                    change(value, &mut cell);
                    for (n, number) in cell.into_iter().enumerate() {
                        data[start + n * *room] = number;
                    }
                }
            }
            Rows::Sparse(rows) => {
                for (f, value) in x.iter() {
                    change(value, entry(&mut rows[f], block, self.origin));
                }
            }
        }
    }

    /// As [`Cells::update`], two features at a time where that is easy: `both` gets two cells and returns what becomes of them.
    #[inline]
    pub fn update_two(
        &mut self,
        x: Features<'_>,
        block: usize,
        mut change: impl FnMut(f64, &mut [T; N]),
        mut both: impl FnMut([f64; 2], &[T; N], &[T; N]) -> ([T; N], [T; N]),
    ) {
        let Rows::Dense { data, room: 1 } = &mut self.rows else { return self.update(x, block, change) };
        let cells = data.as_chunks_mut::<N>().0;
        let ((pairs, last), (twos, rest)) = (x.ids().as_chunks::<2>(), x.values().as_chunks::<2>());
        for (ids, &values) in pairs.iter().zip(twos) {
            let [one, other] = ids.map(|id| id as usize);
            (cells[one], cells[other]) = both(values, &cells[one], &cells[other]);
        }
        for (&id, &value) in last.iter().zip(rest) {
            change(value, &mut cells[id as usize]);
        }
    }

    /// Changes the cells of all blocks for every feature of an example, a plane of each number at a time (dense rows only,
    /// after [`Cells::reserve`]).
    #[inline]
    pub fn update_rows(&mut self, x: Features<'_>, mut change: impl FnMut(f64, [&mut [T]; N])) {
        let Rows::Dense { data, room } = &mut self.rows else { return };
        for (f, value) in x.iter() {
            let mut planes = data[f * N * *room..].chunks_exact_mut(*room);
            change(value, std::array::from_fn(|_| planes.next().unwrap_or_default()));
        }
    }

    /// Ends a round of positive weight: the one place where weights of all cell stores would forget, which they do not yet.
    pub fn end_round(&mut self) {}

    /// Asks for the memory of each feature: its first numbers, which scores are made of, or its whole row where every block is
    /// touched anyway.
    pub fn prefetch(&self, ids: &[u32]) {
        match &self.rows {
            Rows::Dense { data, .. } if !prefetch::pays(data) => {}
            Rows::Dense { data, room: 1 } => prefetch::each(data.as_chunks::<N>().0, ids),
            Rows::Dense { data, room } => {
                let count = if self.always_dense { N * room } else { self.blocks };
                ids.iter().for_each(|&id| prefetch::rows(data, id as usize * N * room, count));
            }
            Rows::Sparse(_) => {}
        }
    }

    /// Sums `term(value, cell)` over the features of an example, one block. Also says whether all of them have a row.
    #[inline]
    pub fn sum<const M: usize>(
        &self,
        x: Features<'_>,
        block: usize,
        term: impl Fn(f64, [T; N]) -> [f64; M],
    ) -> ([f64; M], bool) {
        let Rows::Dense { data, room: 1 } = &self.rows else {
            return (self.sum_rest(x, block, 0, [0.0; M], term), false);
        };
        let cells = &data.as_chunks::<N>().0[..self.features];
        let mut sums = [0.0; M];
        for (at, (f, value)) in x.iter().enumerate() {
            // Out of here with the first feature that has no row, so that nothing in the loop depends on whether one comes.
            let Some(cell) = cells.get(f) else { return (self.sum_rest(x, block, at, sums, term), false) };
            sums = plus(sums, term(value, *cell));
        }
        (sums, true)
    }

    /// The rest of [`Cells::sum`] from a feature on, whatever the rows are like.
    fn sum_rest<const M: usize>(
        &self,
        x: Features<'_>,
        block: usize,
        from: usize,
        sums: [f64; M],
        term: impl Fn(f64, [T; N]) -> [f64; M],
    ) -> [f64; M] {
        x.iter().skip(from).fold(sums, |sums, (f, value)| plus(sums, term(value, self.get(f, block))))
    }

    /// For every block b and each of these planes n: `out[b]` = Σ over the example of factor(value) · number n of the cell,
    /// in one walk through dense rows.
    pub fn scan<const M: usize>(
        &self,
        x: Features<'_>,
        planes: [usize; M],
        outs: [&mut [f64]; M],
        factors: impl Fn(f64) -> [f64; M],
    ) {
        let mut outs = outs.map(|out| {
            let blocks = self.blocks.min(out.len());
            &mut out[..blocks]
        });
        outs.iter_mut().for_each(|out| out.fill(0.0));
        match &self.rows {
            Rows::Dense { data, room } => {
                vectored(Sums { data, room: *room, origin: self.origin, x, planes, outs, factors });
            }
            Rows::Sparse(rows) => {
                for (m, (out, n)) in outs.into_iter().zip(planes).enumerate() {
                    scan(rows, x, |value| factors(value)[m], n, self.origin[n].wide(), out);
                }
            }
        }
    }
}

#[inline(always)]
fn plus<const M: usize>(sums: [f64; M], terms: [f64; M]) -> [f64; M] {
    std::array::from_fn(|m| sums[m] + terms[m])
}

/// Rows of origin cells up to `length` numbers at least; planes of `room` numbers alternate. Some rows more than are
/// needed, so that a stream of new features does not come here with each of them.
fn extend<const N: usize, T: Number>(data: &mut Vec<T>, length: usize, room: usize, origin: [T; N]) {
    let old = data.len();
    if length <= old {
        return;
    }
    let spare = (length / 8).min(SPARE);
    let length = length + spare - spare % (N * room);
    let row: Vec<T> = origin.iter().flat_map(|&number| repeat_n(number, room)).collect();
    let rows = row.repeat((TOGETHER / row.len()).max(1));
    data.reserve(length - old);
    while data.len() < length {
        data.extend_from_slice(&rows[..rows.len().min(length - data.len())]);
    }
}
