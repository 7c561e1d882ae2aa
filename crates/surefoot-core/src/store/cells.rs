//! Rows of cells: for each feature the numbers of all its blocks side by side.
//!
//! A cell has `N` numbers (mean and variance, or weight and running sum). With one block a row is one cell. With
//! several, a row holds the first number of every block, then the second of every block, so that scoring all
//! classes reads only means, and reads them in order. Rows are dense up to [`SPARSE_FROM`] blocks; beyond, a row
//! lists only the blocks that were touched, so thousands of labels cost what they use.

mod aging;
mod blocks;
mod file;
mod sparse;

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;

use aging::Aging;
pub(crate) use aging::positions;
use sparse::{SparseCell, entry, sparse_cell};

use super::check_rows;
use crate::prefetch;
use crate::simd::Number;
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
    /// None if nothing is ever forgotten.
    aging: Option<Box<Aging<N, T>>>,
}

impl<const N: usize, T: Number> Cells<N, T> {
    /// No rows yet; an untouched cell reads as `origin`.
    #[must_use]
    pub fn new(blocks: usize, origin: [T; N], always_dense: bool) -> Self {
        Self::with_origins(blocks, vec![origin], 1, always_dense)
    }

    /// No rows yet; one block an origin, always dense, each row with room for so many blocks.
    #[must_use]
    pub(crate) fn side_by_side(origins: Vec<[T; N]>, room: usize) -> Self {
        Self::with_origins(origins.len(), origins, room, true)
    }

    fn with_origins(blocks: usize, origins: Vec<[T; N]>, least_room: usize, always_dense: bool) -> Self {
        let room = blocks.max(least_room);
        let rows = if always_dense || blocks < SPARSE_FROM {
            RowStorage::Dense { data: Lines::with_capacity(0), room }
        } else {
            RowStorage::Sparse(Vec::new())
        };
        let blank = blank(&origins, room);
        Self { rows, blocks, features: 0, origins, blank, least_room, always_dense, aging: None }
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

    /// A cell as it is now; the origin where nothing was written.
    #[inline]
    #[must_use]
    pub fn get(&self, feature: usize, block: usize) -> [T; N] {
        self.now(feature, block, self.stored(feature, block))
    }

    /// A cell as it was when its row was last up to date.
    #[inline]
    fn stored(&self, feature: usize, block: usize) -> [T; N] {
        match &self.rows {
            RowStorage::Dense { data, room } => dense_cell(data, *room, feature, block, self.origin(block)),
            RowStorage::Sparse(rows) => sparse_cell(rows, feature, block, self.origin(block)),
        }
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
        if let Some(aging) = &mut self.aging {
            aging.reserve(needed);
        }
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

    /// Asks for the memory of each feature: its first numbers, which scores are made of, or its whole row where every block is
    /// touched anyway.
    pub fn prefetch(&self, ids: &[u32]) {
        match &self.rows {
            RowStorage::Dense { data, .. } if size_of_val(&data[..]) < prefetch::WORTH_IT => {}
            RowStorage::Dense { data, room: 1 } => {
                let cells = data.as_chunks::<N>().0;
                ids.iter().for_each(|&id| prefetch::item(cells, id));
            }
            RowStorage::Dense { room: 4, .. } if self.always_dense => {
                let rows = self.rows::<4>();
                ids.iter().for_each(|&id| prefetch::item(rows, id));
            }
            RowStorage::Dense { data, room } => {
                let count = if self.always_dense { N * room } else { self.blocks };
                ids.iter().for_each(|&id| prefetch::rows(data, id as usize * N * room, count));
            }
            RowStorage::Sparse(_) => {}
        }
    }

    /// The rows of all known features, each `N` planes of `ROOM` blocks; none unless rows are dense with that room.
    #[inline]
    pub(crate) fn rows<const ROOM: usize>(&self) -> &[[[T; ROOM]; N]] {
        match &self.rows {
            RowStorage::Dense { data, room } if *room == ROOM => {
                &data.as_chunks::<ROOM>().0.as_chunks::<N>().0[..self.features]
            }
            _ => &[],
        }
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn rows_mut<const ROOM: usize>(&mut self) -> &mut [[[T; ROOM]; N]] {
        match &mut self.rows {
            RowStorage::Dense { data, room } if *room == ROOM => {
                &mut data.as_chunks_mut::<ROOM>().0.as_chunks_mut::<N>().0[..self.features]
            }
            _ => &mut [],
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
        if self.is_behind(x) {
            let ids = positions(x);
            return (self.copy_of(x).sum(SparseVec::of_finite(&ids, x.values()), block, term).0, false);
        }
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

/// Bytes of a cache line.
const LINE: usize = 64;

/// A growing list of numbers that begins with a cache line, so that a row of 64 or 32 bytes never lies in two of them.
///
/// A `Vec` of a type with that alignment would do, but the system cannot enlarge such memory in place: every time a table
/// grows, all of it would be copied, and be there twice meanwhile.
#[derive(Debug)]
struct Lines<T> {
    numbers: Vec<T>,
    /// Where the first cache line begins.
    start: usize,
}

impl<T: Pod> Lines<T> {
    /// No numbers; room for so many.
    fn with_capacity(numbers: usize) -> Self {
        let mut lines = Self { numbers: Vec::new(), start: 0 };
        lines.reserve(numbers);
        lines
    }

    /// Makes room for so many numbers more.
    fn reserve(&mut self, more: usize) {
        self.numbers.reserve(more + LINE / size_of::<T>());
        let (start, length) = (self.numbers.as_ptr().align_offset(LINE), self.len());
        if start != self.start {
            // Memory that has moved begins elsewhere in its cache line, if it was small.
            let old = self.start..self.start + length;
            self.numbers.resize(length + start.max(self.start), T::zeroed());
            self.numbers.copy_within(old, start);
            self.numbers.truncate(start + length);
            self.start = start;
        }
    }

    /// Appends numbers.
    fn extend_from_slice(&mut self, numbers: &[T]) {
        self.reserve(numbers.len());
        self.numbers.extend_from_slice(numbers);
    }
}

impl<T: Pod> Clone for Lines<T> {
    fn clone(&self) -> Self {
        Self::from(&self[..])
    }
}

impl<T: Pod> From<&[T]> for Lines<T> {
    fn from(numbers: &[T]) -> Self {
        let mut lines = Self::with_capacity(numbers.len());
        lines.extend_from_slice(numbers);
        lines
    }
}

impl<T> Deref for Lines<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.numbers[self.start..]
    }
}

impl<T> DerefMut for Lines<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;

    #[test]
    fn numbers_stay_and_the_first_begins_a_cache_line() {
        let (mut lines, mut plain) = (Lines::<f32>::with_capacity(0), Vec::new());
        for length in [0, 1, 15, 16, 17, 3, 1000] {
            let more: Vec<f32> = (0..length).map(|i| i as f32 + 0.5).collect();
            lines.reserve(length);
            lines.extend_from_slice(&more);
            plain.extend_from_slice(&more);
            assert_eq!(lines[..], plain[..]);
            assert_eq!(lines.as_ptr().addr() % 64, 0);
        }
        assert_eq!(Lines::from(&plain[..])[..], plain[..]);
    }

    #[test]
    fn blocks_side_by_side_have_origins_of_their_own() -> Result<()> {
        let (one, other) = ([0.0, 1.0], [0.0, 2.0]);
        let mut cells = Cells::side_by_side(vec![one, other], 4);
        let x = Vector::from_pairs([(0, 2.0), (70, 1.0)])?;
        let mut means = [0.0; 2];
        cells.scan(x.features(), [1], [&mut means], |value| [value]);
        assert_eq!(means, [3.0, 6.0]);
        cells.reserve(x.features())?;
        cells.update(x.features(), 1, |value, cell| cell[0] = value);
        assert_eq!((cells.get(0, 1), cells.get(70, 0), cells.get(71, 1)), ([2.0, 2.0], one, other));
        assert_eq!(cells.rows::<4>()[70], [[0.0, 1.0, 0.0, 0.0], [1.0, 2.0, 2.0, 2.0]]);
        let mut again = Cells::side_by_side(vec![one, other], 4);
        again.restore(&mut cells.save(), 2)?;
        assert_eq!(again.rows::<4>(), cells.rows::<4>());
        assert_eq!(again.rows::<4>().as_ptr().addr() % 64, 0);
        assert!(again.restore(&mut cells.save(), 3).is_err());
        Ok(())
    }

    #[test]
    fn sparse_rows_and_rows_of_no_block_are_refused() -> Result<()> {
        let mut sparse = Cells::new(200, [0.0, 1.0], false);
        let x = Vector::from_pairs([(3, 1.0)])?;
        sparse.reserve(x.features())?;
        sparse.update(x.features(), 7, |_, cell| cell[0] = 1.0);
        let mut dense = Cells::side_by_side(vec![[0.0, 1.0]; 200], 200);
        assert!(dense.restore(&mut sparse.save(), 200).is_err_and(|e| e.to_string().contains("sparse")));
        let mut hollow = Cells::new(0, [0.0, 1.0], false).save().into_owned();
        hollow.put_counts("shape", &[1 << 40, 0]);
        assert!(Cells::new(0, [0.0, 1.0], false).restore(&mut hollow, 0).is_err());
        Ok(())
    }
}
