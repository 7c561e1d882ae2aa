//! Mean 0 and standard deviation 1 for dense columns.
//!
//! A zero is a value like any other here, so an example gets an entry for every column that was met so far, and each
//! round costs the number of columns.

use std::borrow::Cow;

use super::{LARGEST, ratio, take_sizes};
use crate::encode::Row;
use surefoot_core::state::{State, Tensor, check_length, damaged};

const MEANS: &str = "scale.means";
const VARIANCES: &str = "scale.variances";
const ROUNDS: &str = "scale.rounds";

/// Columns that can be standardised: more would make every round slow and every vector large.
pub const COLUMN_LIMIT: usize = 1 << 16;

/// By index: mean and variance over all rounds so far. A column met late had zeros before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standardize {
    means: Vec<f64>,
    variances: Vec<f64>,
    rounds: u64,
}

impl Standardize {
    pub(super) fn learn(&mut self, bound: usize, example: &mut Row) {
        spread(example, bound);
        self.rounds += 1;
        self.means.resize(bound, 0.0);
        self.variances.resize(bound, 0.0);
        for ((x, mean), variance) in example.dense.iter().zip(&mut self.means).zip(&mut self.variances) {
            // Welford's recurrence, for the variance instead of the sum so that it stays bounded.
            let x = x.clamp(-LARGEST, LARGEST);
            let before = x - *mean;
            *mean += before / self.rounds as f64;
            *variance += (before * (x - *mean) - *variance) / self.rounds as f64;
        }
    }

    /// Replaces the example by one with an entry for every column that varies, in order of index.
    pub(super) fn apply(&self, bias: Option<u32>, example: &mut Row) {
        spread(example, self.means.len());
        example.ids.clear();
        example.values.clear();
        for (id, &x) in example.dense.iter().enumerate() {
            let value = ratio(x - self.means[id], self.variances[id].sqrt());
            if value != 0.0 && bias != Some(id as u32) {
                example.ids.push(id as u32);
                example.values.push(value);
            }
        }
    }

    /// Adds the rounds of another one, so many times; its column i is `features[i]` here. Columns that it never met had
    /// zeros there.
    pub(super) fn add(&mut self, other: &Standardize, features: &[u32], times: f64) {
        let columns = features.iter().map(|&f| f as usize + 1).max().unwrap_or(0).max(self.means.len());
        self.means.resize(columns, 0.0);
        self.variances.resize(columns, 0.0);
        let (mut means, mut variances) = (vec![0.0; columns], vec![0.0; columns]);
        for ((&mean, &variance), &feature) in other.means.iter().zip(&other.variances).zip(features) {
            (means[feature as usize], variances[feature as usize]) = (mean, variance);
        }
        let (own, more) = (self.rounds as f64, times * other.rounds as f64);
        let total = (own + more).max(0.0);
        self.rounds = total as u64;
        for at in 0..columns {
            if total == 0.0 {
                (self.means[at], self.variances[at]) = (0.0, 0.0);
                continue;
            }
            // Variances about the common mean: each part's own, and the spread of the parts' means.
            let (share, rest) = (more / total, own / total);
            let apart = means[at] - self.means[at];
            let spread = rest * self.variances[at] + share * variances[at] + rest * share * apart * apart;
            self.means[at] += share * apart;
            self.variances[at] = spread.max(0.0);
        }
    }

    pub(super) fn export<'a>(&'a self, state: &mut State<'a>) {
        state.put(MEANS, Tensor::F64(Cow::Borrowed(&self.means)));
        state.put(VARIANCES, Tensor::F64(Cow::Borrowed(&self.variances)));
        state.put(ROUNDS, Tensor::U64(Cow::Owned(vec![self.rounds])));
    }

    pub(super) fn import(bound: usize, state: &mut State<'_>) -> surefoot_core::Result<Self> {
        let variances = take_sizes(state, VARIANCES, bound)?;
        let means = state.take_f64(MEANS)?;
        let rounds = state.take_u64(ROUNDS)?;
        check_length(MEANS, means.len(), variances.len())?;
        check_length(ROUNDS, rounds.len(), 1)?;
        if means.iter().any(|mean| !mean.is_finite()) {
            return Err(damaged(MEANS, "a mean is not finite"));
        }
        Ok(Standardize { means, variances, rounds: rounds[0] })
    }
}

/// Lays the values out by index, for columns `0..columns`.
fn spread(row: &mut Row, columns: usize) {
    row.dense.clear();
    row.dense.resize(columns, 0.0);
    for (&id, &value) in row.ids.iter().zip(&row.values) {
        if let Some(column) = row.dense.get_mut(id as usize) {
            *column = value;
        }
    }
}
