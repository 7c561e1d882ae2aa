//! Regularisers in units of the row: one number then fits rows of any length.
//!
//! A feature's part of a row of unit length is 1/(features of the row), and so is what it adds to a precision in one step of
//! gain 1. With `per-row=true` a rule's `r` counts in the running mean of that: r = r · mean(1/features). For a rule of an
//! importance weight that is the same as dividing the weight, which is what happens here; the rule never sees the row.

use crate::param::{Param, Params, Range};
use crate::state::{State, Tensor, check_finite, damaged};
use crate::{Result, SparseVec};

/// Whether `r` counts in units of the row.
pub(crate) const PER_ROW: Param = Param {
    name: "per-row",
    range: Range::Flag,
    default: "false",
    help: "count r in units of 1/(features of a row), in the mean of all rows so far: one r then fits short and long rows",
};

/// The running mean of 1/(features of a row).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RowUnit {
    rows: f64,
    /// The sum of 1/(features of each).
    sum: f64,
}

const ROWS: &str = "rows";

impl RowUnit {
    /// What the parameters ask for; none where `r` is a number of its own.
    pub(super) fn new(params: &Params) -> Option<Self> {
        params.flag(PER_ROW.name).then(Self::default)
    }

    /// The importance weight of an example in units of the row.
    pub(super) fn weigh(own: &mut Option<Self>, x: SparseVec<'_>, weight: f64) -> f64 {
        let Some(own) = own.as_mut().filter(|_| weight > 0.0) else { return weight };
        own.rows += 1.0;
        own.sum += 1.0 / x.len().max(1) as f64;
        weight * own.rows / own.sum
    }

    /// Adds what another learner has seen, counted so many times.
    pub(super) fn add(&mut self, other: Self, times: f64) {
        self.rows += times * other.rows;
        self.sum += times * other.sum;
    }

    /// The sum of several; nothing where no row is left.
    pub(super) fn or_none(self) -> Self {
        if self.sum > 0.0 { self } else { Self::default() }
    }

    /// Adds it to a learner's state.
    pub(super) fn save(own: Option<Self>, state: &mut State<'_>) {
        own.iter().for_each(|own| state.put(ROWS, Tensor::F64(vec![own.rows, own.sum].into())));
    }

    /// Takes it out of a learner's state.
    pub(super) fn restore(own: &mut Option<Self>, state: &mut State<'_>) -> Result<()> {
        let Some(own) = own else { return Ok(()) };
        let numbers = state.take_f64(ROWS)?;
        check_finite(ROWS, &numbers)?;
        match numbers[..] {
            [rows, sum] if (0.0..=rows).contains(&sum) && (sum > 0.0 || rows == 0.0) => {
                *own = Self { rows, sum };
                Ok(())
            }
            _ => Err(damaged(ROWS, "no rows can have had such lengths")),
        }
    }
}
