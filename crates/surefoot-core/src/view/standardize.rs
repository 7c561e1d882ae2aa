//! Mean 0 and standard deviation 1 for dense columns: mean and variance over all rows so far; a column met late had zeros
//! before.
//!
//! A zero is a value like any other here, so an example gets an entry for every column that was met so far, and each
//! round costs the number of columns.

use std::any::Any;

use super::{COLUMN_LIMIT, LARGEST, Scaling, ScalingSpec, SeenRow, ratio, take_sizes};
use crate::state::{State, Tensor, check_finite, check_length, damaged};
use crate::store::NOWHERE;
use crate::{Error, Result, SparseVec, Target};

/// The entry in the list of scalings.
pub(super) static SPEC: ScalingSpec = ScalingSpec {
    name: "std",
    title: "less the column's mean, divided by its standard deviation so far; for dense columns",
    every_column: true,
    forgets: false,
    build: |_| Box::new(Standardize::default()),
};

/// What is known of one column.
#[derive(Clone, Copy, Debug, Default)]
struct ColumnStats {
    mean: f64,
    variance: f64,
}

impl ColumnStats {
    /// With a value more, the last of so many.
    fn with(self, x: f64, rounds: f64) -> Self {
        // Welford's recurrence, for the variance instead of the sum so that it stays bounded.
        let x = x.clamp(-LARGEST, LARGEST);
        let before = x - self.mean;
        let mean = self.mean + before / rounds;
        Self { mean, variance: self.variance + (before * (x - mean) - self.variance) / rounds }
    }
}

#[derive(Clone, Debug, Default)]
struct Standardize {
    columns: Vec<ColumnStats>,
    rounds: f64,
    /// A row with a value a column; reused.
    spread: Vec<f64>,
}

impl Scaling for Standardize {
    fn see(&self, x: SparseVec<'_>, with_itself: bool, out: &mut SeenRow) {
        let columns = self.columns.len().max(x.dimension().min(COLUMN_LIMIT));
        out.own_ids = true;
        let SeenRow { ids, values, spread, .. } = out;
        lay_out(x, columns, spread);
        ids.clear();
        values.clear();
        for (id, &x) in spread.iter().enumerate() {
            let own = self.columns.get(id).copied().unwrap_or_default();
            let own = if with_itself { own.with(x, self.rounds + 1.0) } else { own };
            let value = ratio(x - own.mean, own.variance.sqrt());
            if value != 0.0 {
                ids.push(id as u32);
                values.push(value);
            }
        }
    }

    fn learn(&mut self, x: SparseVec<'_>, _: Target<'_>) -> Result<()> {
        let needed = x.dimension();
        if needed > COLUMN_LIMIT {
            return Err(Error::TooLarge {
                what: "columns that are standardised",
                needed: needed as u64,
                limit: COLUMN_LIMIT as u64,
                hint: "every round costs all columns; sparse rows are for the view rms",
            });
        }
        let columns = self.columns.len().max(needed);
        self.columns.resize(columns, ColumnStats::default());
        lay_out(x, columns, &mut self.spread);
        self.rounds += 1.0;
        for (x, column) in self.spread.iter().zip(&mut self.columns) {
            *column = column.with(*x, self.rounds);
        }
        Ok(())
    }

    fn discount(&mut self, share: f64) {
        self.rounds *= share.clamp(0.0, 1.0);
    }

    /// Columns that the other one never met had zeros there.
    fn add(&mut self, other: &dyn Scaling, features: &[u32], _: &[usize], times: f64) {
        let Some(other) = (other as &dyn Any).downcast_ref::<Self>() else { return };
        let known = || features.iter().filter(|&&place| place != NOWHERE);
        let columns = known().map(|&place| place as usize + 1).max().unwrap_or(0).max(self.columns.len());
        self.columns.resize(columns, ColumnStats::default());
        let mut theirs = vec![ColumnStats::default(); columns];
        for (column, &place) in other.columns.iter().zip(features).filter(|(_, place)| **place != NOWHERE) {
            theirs[place as usize] = *column;
        }
        let (before, more) = (self.rounds, times * other.rounds);
        self.rounds = (before + more).max(0.0);
        for (own, other) in self.columns.iter_mut().zip(theirs) {
            if self.rounds == 0.0 {
                *own = ColumnStats::default();
                continue;
            }
            // Variances about the common mean: each part's own, and the spread of the parts' means.
            let (share, rest) = (more / self.rounds, before / self.rounds);
            let apart = other.mean - own.mean;
            let variance = rest * own.variance + share * other.variance + rest * share * apart * apart;
            *own = ColumnStats { mean: own.mean + share * apart, variance: variance.max(0.0) };
        }
    }

    fn features(&self) -> usize {
        self.columns.len()
    }

    fn save(&self) -> State<'_> {
        let mut state = State::new();
        state.put("means", Tensor::F64(self.columns.iter().map(|column| column.mean).collect()));
        state.put("variances", Tensor::F64(self.columns.iter().map(|column| column.variance).collect()));
        state.put("rounds", Tensor::F64(vec![self.rounds].into()));
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        let variances = take_sizes(&mut state, "variances")?;
        let (means, rounds) = (state.take_f64("means")?, take_sizes(&mut state, "rounds")?);
        check_length("means", means.len(), variances.len())?;
        check_length("rounds", rounds.len(), 1)?;
        check_finite("means", &means)?;
        if means.len() > COLUMN_LIMIT {
            return Err(damaged("means", format!("{} columns; at most {COLUMN_LIMIT}", means.len())));
        }
        let columns = means.into_iter().zip(variances).map(|(mean, variance)| ColumnStats { mean, variance });
        (self.columns, self.rounds) = (columns.collect(), rounds[0]);
        state.finish()
    }
}

/// Lays the values out by index, for so many columns.
fn lay_out(x: SparseVec<'_>, columns: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(columns, 0.0);
    for (id, value) in x.iter() {
        if let Some(column) = out.get_mut(id) {
            *column = value;
        }
    }
}
