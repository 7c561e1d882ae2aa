//! Rows of the features ever touched: (D, β, R₁ … R_m) side by side, in the order in which features came.

use crate::store::cells::MOST_FEATURES;
use crate::store::check_rows;
use crate::{Error, Result, SparseVec, prefetch};

/// Where each feature's row is, and the rows.
#[derive(Debug, Clone)]
pub(super) struct FactorTable {
    /// Numbers a row: 2 + m.
    stride: usize,
    /// What D is before anything was learned.
    precision: f64,
    places: PlaceMap,
    /// One more than the largest feature id.
    dimension: usize,
    /// The feature id of each row.
    ids: Vec<u32>,
    data: Vec<f64>,
    marks: Vec<RowMark>,
}

/// What is known of a row besides its numbers, side by side because both are read together.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowMark {
    /// How many lazy transforms the row has met.
    pub(super) epoch: u32,
    /// Its row in the buffer.
    pub(super) buffered: u32,
}

impl FactorTable {
    pub(super) fn new(rank: usize, precision: f64) -> Self {
        let (places, ids, data, marks) = Default::default();
        Self { stride: rank + 2, precision, places, dimension: 0, ids, data, marks }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// One more than the largest feature id with a row.
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The row of a feature, or [`NONE`].
    #[inline]
    pub(super) fn find(&self, id: usize) -> u32 {
        self.places.find(id)
    }

    /// D, and (β, R).
    #[inline]
    pub(super) fn row(&self, place: usize) -> (f64, &[f64]) {
        let row = &self.data[place * self.stride..][..self.stride];
        (row[0], &row[1..])
    }

    #[inline]
    pub(super) fn row_mut(&mut self, place: usize) -> (&mut f64, &mut [f64]) {
        let (d, rest) = self.data[place * self.stride..][..self.stride].split_at_mut(1);
        (&mut d[0], rest)
    }

    #[inline]
    pub(super) fn mark(&self, place: usize) -> RowMark {
        self.marks[place]
    }

    #[inline]
    pub(super) fn mark_mut(&mut self, place: usize) -> &mut RowMark {
        &mut self.marks[place]
    }

    /// Refuses an example with ids beyond the limit.
    pub(super) fn check(x: SparseVec<'_>) -> Result<()> {
        check_rows("the table of rows", x.dimension())
    }

    /// Asks for the memory of a row.
    #[inline]
    pub(super) fn prefetch(&self, place: usize) {
        prefetch::rows(&self.data, place * self.stride, self.stride);
        prefetch::rows(&self.marks, place, 1);
    }

    /// A row for a feature that has none; `now` is its epoch.
    pub(super) fn make(&mut self, id: usize, now: usize) -> usize {
        self.register(id);
        self.marks.push(RowMark { epoch: now as u32, buffered: NONE });
        self.data.push(self.precision);
        self.data.resize(self.data.len() + self.stride - 1, 0.0);
        self.len() - 1
    }

    fn register(&mut self, id: usize) {
        self.places.set(id, self.ids.len());
        self.ids.push(id as u32);
        self.dimension = self.dimension.max(id + 1);
    }

    /// The feature id of each row.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The epoch of each row.
    pub(super) fn epochs(&self) -> impl Iterator<Item = u32> {
        self.marks.iter().map(|mark| mark.epoch)
    }

    /// The numbers of each row.
    pub(super) fn data(&self) -> &[f64] {
        &self.data
    }

    /// Fills an empty table, row by row; `now` is the epoch of rows that are up to date.
    pub(super) fn refill(&mut self, ids: &[u32], epochs: &[u32], data: Vec<f64>, now: usize) -> Result<()> {
        let wrong = |what: String| Err(Error::State(what));
        for &id in ids {
            if id as usize >= MOST_FEATURES || self.find(id as usize) != NONE {
                return wrong(format!("feature {id} is too large or has two rows"));
            }
            self.register(id as usize);
        }
        if let Some(epoch) = epochs.iter().find(|&&epoch| epoch as usize > now) {
            return wrong(format!("a row of epoch {epoch} when there are {now} transforms"));
        }
        self.marks = epochs.iter().map(|&epoch| RowMark { epoch, buffered: NONE }).collect();
        self.data = data;
        match (0..self.len()).map(|place| self.row(place).0).find(|&d| d <= 0.0) {
            Some(d) => wrong(format!("a precision of {d}; it must be positive")),
            None => Ok(()),
        }
    }

    /// Numbers a row.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }
}

/// Marks an id without a row.
pub(super) const NONE: u32 = u32::MAX;

/// Ids a page.
const PAGE: usize = 256;

/// A sparse map from ids to rows, in pages made when first needed: one far id costs a page, not a table.
#[derive(Debug, Clone, Default)]
struct PlaceMap {
    /// Which page holds the ids from i·PAGE on.
    pages: Vec<u32>,
    data: Vec<u32>,
}

impl PlaceMap {
    /// The row of an id, or [`NONE`].
    #[inline]
    fn find(&self, id: usize) -> u32 {
        match self.pages.get(id / PAGE) {
            Some(&page) if page != NONE => self.data[page as usize * PAGE + id % PAGE],
            _ => NONE,
        }
    }

    /// Gives an id a row.
    fn set(&mut self, id: usize, row: usize) {
        if self.pages.len() <= id / PAGE {
            self.pages.resize(id / PAGE + 1, NONE);
        }
        let page = &mut self.pages[id / PAGE];
        if *page == NONE {
            *page = (self.data.len() / PAGE) as u32;
            self.data.resize(self.data.len() + PAGE, NONE);
        }
        self.data[*page as usize * PAGE + id % PAGE] = row as u32;
    }
}
