//! Rows of the features ever touched: (D, β, R₁ … R_m) side by side, in the order in which features came.

use super::places::Places;
use crate::gaussian::cells::MOST_FEATURES;
use crate::{Error, Features, Result};

/// Where each feature's row is, and the rows.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// Numbers a row: 2 + m.
    stride: usize,
    /// What D is before anything was learned.
    precision: f64,
    places: Places,
    /// One more than the largest feature id.
    dimension: usize,
    /// The feature id of each row.
    ids: Vec<u32>,
    data: Vec<f64>,
    /// How many lazy transforms each row has met.
    epochs: Vec<u32>,
}

impl Table {
    pub(super) fn new(rank: usize, precision: f64) -> Self {
        let (places, ids, data, epochs) = Default::default();
        Self { stride: rank + 2, precision, places, dimension: 0, ids, data, epochs }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// One more than the largest feature id with a row.
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The row of a feature.
    #[inline]
    pub(super) fn find(&self, id: usize) -> Option<usize> {
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
    pub(super) fn epoch(&self, place: usize) -> usize {
        self.epochs[place] as usize
    }

    pub(super) fn set_epoch(&mut self, place: usize, epoch: usize) {
        self.epochs[place] = epoch as u32;
    }

    /// Makes rows for every feature of an example; refuses ids beyond the limit before it allocates.
    pub(super) fn reserve(&mut self, x: Features<'_>, epoch: usize) -> Result<()> {
        let needed = x.dimension();
        if needed > MOST_FEATURES {
            return Err(Error::TooLarge {
                what: "the table of rows",
                needed: needed as u64,
                limit: MOST_FEATURES as u64,
                hint: "feature ids are positions: map them to small numbers or hash them",
            });
        }
        for (id, _) in x.iter() {
            if self.find(id).is_none() {
                self.register(id);
                self.epochs.push(epoch as u32);
                self.data.push(self.precision);
                self.data.resize(self.data.len() + self.stride - 1, 0.0);
            }
        }
        Ok(())
    }

    fn register(&mut self, id: usize) {
        self.places.set(id, self.ids.len());
        self.ids.push(id as u32);
        self.dimension = self.dimension.max(id + 1);
    }

    /// Ids, epochs and numbers, row after row.
    pub(super) fn parts(&self) -> (&[u32], &[u32], &[f64]) {
        (&self.ids, &self.epochs, &self.data)
    }

    /// Fills an empty table with what [`Table::parts`] gave; `now` is the epoch of rows that are up to date.
    pub(super) fn refill(&mut self, ids: &[u32], epochs: Vec<u32>, data: Vec<f64>, now: usize) -> Result<()> {
        let wrong = |what: String| Err(Error::State(what));
        for &id in ids {
            if id as usize >= MOST_FEATURES || self.find(id as usize).is_some() {
                return wrong(format!("feature {id} is too large or has two rows"));
            }
            self.register(id as usize);
        }
        if let Some(epoch) = epochs.iter().find(|&&epoch| epoch as usize > now) {
            return wrong(format!("a row of epoch {epoch} when there are {now} transforms"));
        }
        (self.epochs, self.data) = (epochs, data);
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
