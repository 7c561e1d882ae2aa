//! Transforms that rows have not met yet.
//!
//! A `rows` compression maps every row it does not touch in the same way, (β, R) ← (β + R·c, R·T), so the map is
//! kept once and a row catches up when it is next needed. A row written at epoch e needs the product of all
//! transforms since. Products are kept by powers of [`RADIX`]: entry i of level k leads from epoch i·RADIXᵏ to the
//! end of its block of RADIXᵏ⁺¹ epochs, or to now while that block is open. So a row meets at most one product a
//! level, and a new transform multiplies at most RADIX − 1 products a level.

use super::kernel::{Length, OneMore, combine, with_length};
use crate::prefetch;

/// Larger makes old rows cheaper and compressions dearer.
const RADIX: usize = 16;

/// The transforms since epoch 0, each m rows (cᵢ, Tᵢ) back to back.
#[derive(Debug, Clone)]
pub(super) struct Transforms {
    /// m, the length of a row of R.
    rank: usize,
    now: usize,
    levels: Vec<Vec<f64>>,
    /// The transforms one by one: what is saved.
    single: Vec<f64>,
}

impl Transforms {
    pub(super) fn new(rank: usize) -> Self {
        Self { rank, now: 0, levels: Vec::new(), single: Vec::new() }
    }

    /// How many transforms there are: the epoch of a row that is up to date.
    pub(super) fn now(&self) -> usize {
        self.now
    }

    /// The transforms one by one, row by row.
    pub(super) fn data(&self) -> &[f64] {
        &self.single
    }

    /// Forgets every transform.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.rank);
    }

    /// Adds a transform.
    pub(super) fn push(&mut self, transform: &[f64]) {
        self.single.extend_from_slice(transform);
        let (mut level, mut width) = (0, 1);
        while level == 0 || self.now >= width {
            if self.levels.len() <= level {
                self.levels.push(Vec::new());
            }
            let entries = &mut self.levels[level];
            let open = self.now / (width * RADIX) * RADIX;
            // Level 0 starts at epoch 0; on the others no row arrives before the end of the first block.
            let first = open.saturating_sub(usize::from(level > 0)) * transform.len();
            with_length!(self.rank, rank => {
                let rows = entries[first..].chunks_exact_mut(OneMore(rank).get());
                rows.for_each(|row| transform_row(OneMore(rank), row, transform));
            });
            if self.now.is_multiple_of(width) {
                entries.extend_from_slice(transform);
            }
            (level, width) = (level + 1, width * RADIX);
        }
        self.now += 1;
    }

    /// Asks for the first product that a row written at `epoch` needs.
    #[inline]
    pub(super) fn prefetch(&self, epoch: usize) {
        if epoch < self.now {
            let size = self.rank * (self.rank + 1);
            prefetch::rows(&self.levels[0], epoch * size, size);
        }
    }

    /// Brings a row (β, R) written at `epoch` up to date.
    pub(super) fn catch_up(&self, row: &mut [f64], epoch: usize) {
        with_length!(self.rank, rank => self.catch_up_by(rank, row, epoch));
    }

    /// The same for a caller that knows the rank.
    #[inline(always)]
    pub(super) fn catch_up_by(&self, rank: impl Length, row: &mut [f64], epoch: usize) {
        let size = rank.get() * OneMore(rank).get();
        let (mut i, mut width, mut level) = (epoch, 1, 0);
        while i * width < self.now {
            let entry = (i - usize::from(level > 0)) * size;
            transform_row(OneMore(rank), row, &self.levels[level][entry..][..size]);
            let end = (i / RADIX + 1) * RADIX * width;
            if end > self.now {
                return;
            }
            (i, width, level) = (i / RADIX + 1, width * RADIX, level + 1);
        }
    }
}

/// (β, R) ← (β + R·c, R·T).
#[inline(always)]
fn transform_row(length: impl Length, row: &mut [f64], transform: &[f64]) {
    let mut room = [0.0; STACK];
    let mut heap = Vec::new();
    let image = if length.get() <= STACK {
        &mut room[..length.get()]
    } else {
        heap.resize(length.get(), 0.0);
        &mut heap[..]
    };
    image[0] = row[0];
    combine(length, image, &row[1..], transform);
    row[..length.get()].copy_from_slice(image);
}

/// Rows up to this long are transformed without allocating.
const STACK: usize = 33;
