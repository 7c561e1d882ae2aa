//! What a learner sees of an example: a sparse vector.

use crate::transform::Segments;
use crate::{Error, Result};

/// The features of one example, borrowed: distinct ids with finite values.
///
/// The order of the pairs is the order in which sums are taken, so the same pairs in the same order give
/// the same bits everywhere.
#[derive(Debug, Clone, Copy)]
pub struct SparseVec<'a> {
    ids: &'a [u32],
    values: &'a [f64],
    segments: Segments,
}

/// Whether no number is NaN or infinite.
///
/// No early exit: nearly everything passes, and a loop without branches is the faster one. The top bit of the distance
/// to infinity, the sign left out, says what comparing would, and can be gathered several at a time.
pub fn all_finite(numbers: impl Iterator<Item = f64>) -> bool {
    const INFINITE: u64 = f64::INFINITY.to_bits();
    let beyond = |x: f64| (INFINITE - 1).wrapping_sub(x.to_bits() & (u64::MAX >> 1));
    numbers.fold(0, |tops, x| tops | beyond(x)) >> 63 == 0
}

impl<'a> SparseVec<'a> {
    /// Pairs ids with values; refuses lengths that differ and values that are NaN or infinite.
    ///
    /// Ids must be distinct ([`Vector::from_pairs`] sums repeated ones).
    ///
    /// ```
    /// use surefoot_core::SparseVec;
    /// let x = SparseVec::new(&[0, 3], &[1.0, -0.5])?;
    /// assert_eq!(x.squared_norm(), 1.25);
    /// assert!(SparseVec::new(&[0], &[f64::NAN]).is_err());
    /// # Ok::<(), surefoot_core::Error>(())
    /// ```
    pub fn new(ids: &'a [u32], values: &'a [f64]) -> Result<Self> {
        if ids.len() != values.len() {
            return Err(Error::Example(format!("{} ids but {} values", ids.len(), values.len())));
        }
        if !all_finite(values.iter().copied()) {
            let (id, x) = ids.iter().zip(values).find(|(_, x)| !x.is_finite()).unwrap_or((&0, &f64::NAN));
            return Err(Error::Example(format!("feature {id} has the value {x}; values must be finite")));
        }
        Ok(Self { ids, values, segments: Segments::default() })
    }

    /// As [`SparseVec::new`], of values that were found to be finite before: no second look at them.
    ///
    /// # Panics
    /// If the lengths differ; in builds for tests also if a value is NaN or infinite.
    #[must_use]
    pub fn of_finite(ids: &'a [u32], values: &'a [f64]) -> Self {
        assert_eq!(ids.len(), values.len(), "a value for every id");
        debug_assert!(all_finite(values.iter().copied()), "values are finite");
        Self { ids, values, segments: Segments::default() }
    }

    /// The same features, of which so many were cut from text in each way.
    #[must_use]
    pub fn with_segments(self, segments: Segments) -> Self {
        Self { segments, ..self }
    }

    /// How many of the features were cut from text in each way.
    #[must_use]
    pub fn segments(&self) -> Segments {
        self.segments
    }

    /// The ids, in order.
    #[must_use]
    pub fn ids(&self) -> &'a [u32] {
        self.ids
    }

    /// The values, in the order of the ids.
    #[must_use]
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// How many features there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether the example has no feature at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The pairs (id as an index, value).
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        self.ids.iter().map(|&i| i as usize).zip(self.values.iter().copied())
    }

    /// ‖x‖².
    #[must_use]
    pub fn squared_norm(&self) -> f64 {
        // Not `sum`, which is −0 of nothing.
        self.values.iter().fold(0.0, |sum, x| sum + x * x)
    }

    /// One more than the largest id, 0 if empty.
    #[must_use]
    pub fn dimension(&self) -> usize {
        // Not `max`, which would choose between two places at every id.
        let largest = self.ids.iter().fold(0, |largest, &id| largest.max(id));
        if self.ids.is_empty() { 0 } else { largest as usize + 1 }
    }
}

/// An owned sparse vector.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vector {
    ids: Vec<u32>,
    values: Vec<f64>,
}

impl Vector {
    /// From pairs in any order: sorts by id, sums repeated ids, drops zeros, refuses NaN and infinities.
    ///
    /// ```
    /// use surefoot_core::Vector;
    /// let x = Vector::from_pairs([(7, 1.0), (2, 3.0), (7, 0.5), (4, 0.0)])?;
    /// assert_eq!(x.features().ids(), [2, 7]);
    /// assert_eq!(x.features().values(), [3.0, 1.5]);
    /// # Ok::<(), surefoot_core::Error>(())
    /// ```
    pub fn from_pairs(pairs: impl IntoIterator<Item = (u32, f64)>) -> Result<Self> {
        let mut pairs: Vec<(u32, f64)> = pairs.into_iter().collect();
        pairs.sort_by_key(|p| p.0);
        pairs.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        pairs.retain(|p| p.1 != 0.0);
        let (ids, values): (Vec<u32>, Vec<f64>) = pairs.into_iter().unzip();
        SparseVec::new(&ids, &values)?;
        Ok(Self { ids, values })
    }

    /// From a dense slice: the position is the id, zeros are dropped.
    pub fn from_dense(values: &[f64]) -> Result<Self> {
        Self::from_pairs((0u32..).zip(values.iter().copied()))
    }

    /// A copy of borrowed features, in their order.
    #[must_use]
    pub fn from_features(x: SparseVec<'_>) -> Self {
        Self { ids: x.ids().to_vec(), values: x.values().to_vec() }
    }

    /// The borrowed view that learners take.
    #[must_use]
    pub fn features(&self) -> SparseVec<'_> {
        SparseVec::of_finite(&self.ids, &self.values)
    }
}
