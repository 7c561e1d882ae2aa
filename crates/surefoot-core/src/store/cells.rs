//! Rows of cells: for each feature the numbers of all its blocks side by side.
//!
//! A cell has `N` numbers (mean and variance, or weight and running sum). With one block a row is one cell. With
//! several, a row holds the first number of every block, then the second of every block, so that scoring all
//! classes reads only means, and reads them in order. Rows are dense up to [`SPARSE_FROM`] blocks; beyond, a row
//! lists only the blocks that were touched, so thousands of labels cost what they use.

mod file;
mod lines;
mod side_by_side;
mod sparse;
mod walk;

use lines::Lines;
use sparse::{SparseCell, entry, scan, sparse_cell};
use walk::Sums;

use super::limit::check_rows;
use super::number::Number;
use crate::prefetch;
use crate::simd::vectored;
use crate::{Result, SparseVec};

/// From so many blocks on rows are sparse (measured in benches/README.md), unless every block is touched anyway.
pub const SPARSE_FROM: usize = 129;

/// Numbers that are made ahead of need, at most.
const SPARE: usize = 1 << 14;

/// Numbers of new rows that are written together.
const TOGETHER: usize = 1 << 9;

/// Feature ids at and above this are refused: ids are positions, so they decide the memory.
pub const MOST_FEATURES: usize = 1 << 28;

#[derive(Debug, Clone)]
enum RowStorage<const N: usize, T: Number> {
    /// Rows behind those of the known features hold origin cells.
    Dense {
        data: Lines<T>,
        room: usize,
    },
    Sparse(Vec<Vec<SparseCell<N, T>>>),
}

/// Rows of cells of `N` numbers for a growing number of features and blocks.
#[derive(Debug, Clone)]
pub struct Cells<const N: usize, T: Number = f64> {
    rows: RowStorage<N, T>,
    blocks: usize,
    features: usize,
    /// What an untouched cell of each block holds; blocks beyond hold what the last of these does.
    origins: Vec<[T; N]>,
    /// An untouched dense row.
    blank: Vec<T>,
    /// Blocks that a dense row has room for at least.
    least_room: usize,
    always_dense: bool,
}

impl<const N: usize, T: Number> Cells<N, T> {
    /// No rows yet; an untouched cell reads as `origin`.
    #[must_use]
    pub fn new(blocks: usize, origin: [T; N], always_dense: bool) -> Self {
        let sparse = !always_dense && blocks >= SPARSE_FROM;
        let rows = if sparse {
            RowStorage::Sparse(Vec::new())
        } else {
            RowStorage::Dense { data: Lines::with_capacity(0), room: blocks.max(1) }
        };
        let blank = blank(&[origin], blocks.max(1));
        Self { rows, blocks, features: 0, origins: vec![origin], blank, least_room: 1, always_dense }
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Whether every feature has a cell for every block.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        matches!(self.rows, RowStorage::Dense { .. })
    }

    /// How many features have a row.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features
    }

    /// What an untouched cell of a block holds.
    #[must_use]
    pub fn origin(&self, block: usize) -> [T; N] {
        self.origins[block.min(self.origins.len() - 1)]
    }

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
    fn relayout(&mut self, wider: usize) {
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
                    .map(|b| SparseCell { block: b as u32, cell: self.get(f, b) })
                    .filter(|e| e.cell != self.origin(e.block as usize))
                    .collect()
            })
            .collect();
        self.rows = RowStorage::Sparse(rows);
    }

    /// A cell; the origin where nothing was written.
    #[inline]
    #[must_use]
    pub fn get(&self, feature: usize, block: usize) -> [T; N] {
        match &self.rows {
            RowStorage::Dense { data, room } => dense_cell(data, *room, feature, block, self.origin(block)),
            RowStorage::Sparse(rows) => sparse_cell(rows, feature, block, self.origin(block)),
        }
    }

    /// The cells of one block, feature by feature; none for a block that is not there.
    pub fn block(&self, block: usize) -> impl Iterator<Item = [T; N]> + '_ {
        let features = if block < self.blocks { self.features } else { 0 };
        (0..features).map(move |feature| self.get(feature, block))
    }

    /// Writes the cells of one block, feature by feature; what is at the origin takes no room in sparse rows.
    pub fn put_block(&mut self, block: usize, cells: impl ExactSizeIterator<Item = [T; N]>) -> Result<()> {
        let Some(last) = cells.len().checked_sub(1) else { return Ok(()) };
        self.reserve(SparseVec::new(&[last.min(u32::MAX as usize) as u32], &[1.0])?)?;
        for (feature, cell) in cells.enumerate() {
            if self.is_dense() || cell != self.origin(block) {
                let id = [feature as u32];
                self.update(SparseVec::new(&id, &[1.0])?, block, |_, own| *own = cell);
            }
        }
        Ok(())
    }

    /// Makes rows for every feature of an example; refuses ids beyond the limit before it allocates.
    pub fn reserve(&mut self, x: SparseVec<'_>) -> Result<()> {
        let needed = x.dimension();
        if needed <= self.features {
            return Ok(());
        }
        check_rows("the table of weights", needed)?;
        match &mut self.rows {
            RowStorage::Dense { data, room } => extend(data, needed * N * *room, &self.blank),
            RowStorage::Sparse(rows) => rows.resize_with(needed, Vec::new),
        }
        self.features = needed;
        Ok(())
    }

    /// Changes the cells of one block for every feature of an example (after [`Cells::reserve`]).
    #[inline]
    pub fn update(&mut self, x: SparseVec<'_>, block: usize, mut change: impl FnMut(f64, &mut [T; N])) {
        let origin = self.origin(block);
        match &mut self.rows {
            // One block: cells lie back to back, and the loop has nothing to work out.
            RowStorage::Dense { data, room: 1 } => {
                let cells = data.as_chunks_mut::<N>().0;
                for (f, value) in x.iter() {
                    change(value, &mut cells[f]);
                }
            }
            RowStorage::Dense { data, room } => {
                let (data, room) = (&mut data[..], *room);
                for (f, value) in x.iter() {
                    let start = f * N * room + block;
                    let mut cell = std::array::from_fn(|n| data[start + n * room]);
                    change(value, &mut cell);
                    for (n, number) in cell.into_iter().enumerate() {
                        data[start + n * room] = number;
                    }
                }
            }
            RowStorage::Sparse(rows) => {
                for (f, value) in x.iter() {
                    change(value, entry(&mut rows[f], block, origin));
                }
            }
        }
    }

    /// As [`Cells::update`], two features at a time where that is easy: `both` gets two cells and returns what becomes of them.
    #[inline]
    pub fn update_two(
        &mut self,
        x: SparseVec<'_>,
        block: usize,
        mut change: impl FnMut(f64, &mut [T; N]),
        mut both: impl FnMut([f64; 2], &[T; N], &[T; N]) -> ([T; N], [T; N]),
    ) {
        let RowStorage::Dense { data, room: 1 } = &mut self.rows else {
            return self.update(x, block, change);
        };
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
    pub fn update_rows(&mut self, x: SparseVec<'_>, mut change: impl FnMut(f64, [&mut [T]; N])) {
        let RowStorage::Dense { data, room } = &mut self.rows else { return };
        let (data, room) = (&mut data[..], *room);
        for (f, value) in x.iter() {
            let mut planes = data[f * N * room..].chunks_exact_mut(room);
            change(value, std::array::from_fn(|_| planes.next().unwrap_or_default()));
        }
    }

    /// Ends a round of positive weight: the one place where weights of all cell stores would forget, which they do not yet.
    pub fn end_round(&mut self) {}

    /// Asks for the memory of each feature: its first numbers, which scores are made of, or its whole row where every block is
    /// touched anyway.
    pub fn prefetch(&self, ids: &[u32]) {
        match &self.rows {
            RowStorage::Dense { data, .. } if !prefetch::pays(data) => {}
            RowStorage::Dense { data, room: 1 } => prefetch::each(data.as_chunks::<N>().0, ids),
            RowStorage::Dense { room: 4, .. } if self.always_dense => prefetch::each(self.rows::<4>(), ids),
            RowStorage::Dense { data, room } => {
                let count = if self.always_dense { N * room } else { self.blocks };
                ids.iter().for_each(|&id| prefetch::rows(data, id as usize * N * room, count));
            }
            RowStorage::Sparse(_) => {}
        }
    }

    /// Sums `term(value, cell)` over the features of an example, one block. Also says whether all of them have a row.
    #[inline]
    pub fn sum<const M: usize>(
        &self,
        x: SparseVec<'_>,
        block: usize,
        term: impl Fn(f64, [T; N]) -> [f64; M],
    ) -> ([f64; M], bool) {
        let RowStorage::Dense { data, room: 1 } = &self.rows else {
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
        x: SparseVec<'_>,
        block: usize,
        from: usize,
        sums: [f64; M],
        term: impl Fn(f64, [T; N]) -> [f64; M],
    ) -> [f64; M] {
        let (rest, origin) = (x.iter().skip(from), self.origin(block));
        let add = |sums, value, cell| plus(sums, term(value, cell));
        match &self.rows {
            RowStorage::Dense { data, room } => {
                let (data, room) = (&data[..], *room);
                rest.fold(sums, |sums, (f, value)| add(sums, value, dense_cell(data, room, f, block, origin)))
            }
            RowStorage::Sparse(rows) => {
                rest.fold(sums, |sums, (f, value)| add(sums, value, sparse_cell(rows, f, block, origin)))
            }
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

/// A cell of dense rows; the origin where there is none.
#[inline(always)]
fn dense_cell<const N: usize, T: Copy>(
    data: &[T],
    room: usize,
    feature: usize,
    block: usize,
    origin: [T; N],
) -> [T; N] {
    let start = feature * N * room + block;
    if start + (N - 1) * room < data.len() && block < room {
        std::array::from_fn(|n| data[start + n * room])
    } else {
        origin
    }
}

#[inline(always)]
fn plus<const M: usize>(sums: [f64; M], terms: [f64; M]) -> [f64; M] {
    std::array::from_fn(|m| sums[m] + terms[m])
}

/// An untouched row with room for so many blocks: the first number of every block, then the second of every block.
fn blank<const N: usize, T: Copy>(origins: &[[T; N]], room: usize) -> Vec<T> {
    let origin = |block: usize| origins[block.min(origins.len() - 1)];
    (0..N).flat_map(|n| (0..room).map(move |block| origin(block)[n])).collect()
}

/// Blank rows up to `length` numbers at least. Some rows more than are needed, so that a stream of new features does not
/// come here with each of them.
fn extend<T: Number>(data: &mut Lines<T>, length: usize, blank: &[T]) {
    let old = data.len();
    if length <= old {
        return;
    }
    let spare = (length / 8).min(SPARE);
    let length = length + spare - spare % blank.len();
    let rows = blank.repeat((TOGETHER / blank.len()).max(1));
    data.reserve(length - old);
    while data.len() < length {
        data.extend_from_slice(&rows[..rows.len().min(length - data.len())]);
    }
}
