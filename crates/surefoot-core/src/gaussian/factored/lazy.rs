//! Transforms that rows have not met yet.
//!
//! A `rows` compression maps every row it does not touch in the same way, (β, R) ← (β + R·c, R·T), so the map is
//! kept once and a row catches up when it is next needed. A row written at epoch e needs the product of all
//! transforms since. Products are kept by powers of [`RADIX`]: entry i of level k leads from epoch i·RADIXᵏ to the
//! end of its block of RADIXᵏ⁺¹ epochs, or to now while that block is open. So a row meets at most one product a
//! level, and a new transform multiplies at most RADIX − 1 products a level.

use super::matrix::Matrix;

/// Larger makes old rows cheaper and compressions dearer.
const RADIX: usize = 16;

/// The transforms since epoch 0, each a matrix of m rows (cᵢ, Tᵢ).
#[derive(Debug, Clone, Default)]
pub(super) struct Transforms {
    now: usize,
    levels: Vec<Vec<Matrix>>,
    /// The transforms one by one: what is saved.
    single: Vec<f64>,
}

impl Transforms {
    /// How many transforms there are: the epoch of a row that is up to date.
    pub(super) fn now(&self) -> usize {
        self.now
    }

    /// The transforms one by one, row by row.
    pub(super) fn data(&self) -> &[f64] {
        &self.single
    }

    /// Adds a transform.
    pub(super) fn push(&mut self, transform: &Matrix) {
        self.single.extend_from_slice(transform.data());
        let (mut level, mut width) = (0, 1);
        while level == 0 || self.now >= width {
            if self.levels.len() <= level {
                self.levels.push(Vec::new());
            }
            let entries = &mut self.levels[level];
            let open = self.now / (width * RADIX) * RADIX;
            // Level 0 starts at epoch 0; on the others nobody arrives before the end of the first block.
            let skipped = usize::from(level > 0);
            for entry in &mut entries[open.saturating_sub(skipped)..] {
                (0..entry.rows()).for_each(|i| transform_row(entry.row_mut(i), transform));
            }
            if self.now.is_multiple_of(width) {
                entries.push(transform.clone());
            }
            (level, width) = (level + 1, width * RADIX);
        }
        self.now += 1;
    }

    /// Brings a row (β, R) written at `epoch` up to date.
    pub(super) fn catch_up(&self, row: &mut [f64], epoch: usize) {
        let (mut i, mut width, mut level) = (epoch, 1, 0);
        while i * width < self.now {
            transform_row(row, &self.levels[level][i - usize::from(level > 0)]);
            let end = (i / RADIX + 1) * RADIX * width;
            if end > self.now {
                return;
            }
            (i, width, level) = (i / RADIX + 1, width * RADIX, level + 1);
        }
    }
}

/// (β, R) ← (β + R·c, R·T).
fn transform_row(row: &mut [f64], transform: &Matrix) {
    let mut room = [0.0; STACK];
    let mut heap = Vec::new();
    let image = match room.get_mut(..row.len()) {
        Some(image) => image,
        None => {
            heap.resize(row.len(), 0.0);
            &mut heap[..]
        }
    };
    image[0] = row[0];
    transform.combine(&row[1..], image);
    row.copy_from_slice(image);
}

/// Rows up to this long are transformed without allocating.
const STACK: usize = 33;
