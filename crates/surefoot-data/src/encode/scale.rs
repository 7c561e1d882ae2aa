//! Running scales: features of any unit to a size that learners can work with.
//!
//! Learning first takes the example into the statistics and then scales it, so that the first value of a feature is
//! already of size 1 and no value can be larger than the root of the number of examples. Labels play no part in it, so
//! a progressive prediction made from the scaled example is still an honest one. Prediction leaves the statistics alone.

use std::borrow::Cow;

use surefoot_core::state::{State, Tensor, check_length, damaged};

use super::Row;
use super::index::UNKNOWN;
use crate::recipe::Scale;

/// Values count as at most this large in the statistics, whose squares then stay finite.
const LARGEST: f64 = 1e150;

/// The statistics of a [`Scale`].
#[derive(Clone, Debug)]
pub(crate) enum Scaler {
    None,
    Rms(Rms),
    Standardize(Standardize),
}

impl Scaler {
    pub(crate) fn new(scale: Scale) -> Self {
        match scale {
            Scale::None => Scaler::None,
            Scale::Rms => Scaler::Rms(Rms::default()),
            Scale::Standardize => Scaler::Standardize(Standardize::default()),
        }
    }

    /// Takes an example into the statistics. `bound` is one past the largest index by now.
    pub(crate) fn learn(&mut self, bound: usize, example: &mut Row) {
        match self {
            Scaler::None => {}
            Scaler::Rms(rms) => rms.learn(bound, example),
            Scaler::Standardize(standardize) => standardize.learn(bound, example),
        }
    }

    /// Scales an example by the statistics. `bias` is never scaled.
    pub(crate) fn apply(&self, bias: Option<u32>, example: &mut Row) {
        match self {
            Scaler::None => {}
            Scaler::Rms(rms) => rms.apply(example),
            Scaler::Standardize(standardize) => standardize.apply(bias, example),
        }
    }

    /// Adds the statistics of another scaler of the same kind, so many times.
    pub(crate) fn add(&mut self, other: &Scaler, features: &[u32], times: f64) {
        match (self, other) {
            (Scaler::Rms(sum), Scaler::Rms(own)) => sum.add(own, features, times),
            (Scaler::Standardize(sum), Scaler::Standardize(own)) => sum.add(own, features, times),
            _ => {}
        }
    }

    /// Puts the statistics into `state`, under names that begin with `scale.`.
    pub(crate) fn export<'a>(&'a self, state: &mut State<'a>) {
        match self {
            Scaler::None => {}
            Scaler::Rms(rms) => rms.export(state),
            Scaler::Standardize(standardize) => standardize.export(state),
        }
    }

    /// Takes the statistics out of `state`, for indices below `bound`.
    pub(crate) fn import(scale: Scale, bound: usize, state: &mut State<'_>) -> surefoot_core::Result<Self> {
        Ok(match scale {
            Scale::None => Scaler::None,
            Scale::Rms => Scaler::Rms(Rms::import(bound, state)?),
            Scale::Standardize => Scaler::Standardize(Standardize::import(bound, state)?),
        })
    }
}

/// `x / size`, finite whatever the numbers; 0 if nothing sensible comes out.
fn ratio(x: f64, size: f64) -> f64 {
    let ratio = x / size;
    if ratio.is_finite() { ratio } else { 0.0 }
}

/// Takes an array out that has a finite, non-negative number for some or all indices below `bound`.
fn take_sizes(state: &mut State<'_>, name: &str, bound: usize) -> surefoot_core::Result<Vec<f64>> {
    let sizes = state.take_f64(name)?;
    if sizes.len() > bound {
        check_length(name, sizes.len(), bound)?;
    }
    match sizes.iter().find(|size| !(size.is_finite() && **size >= 0.0)) {
        Some(size) => Err(damaged(name, format!("{size} is not a size"))),
        None => Ok(sizes),
    }
}

const SQUARES: &str = "scale.squares";
const COUNTS: &str = "scale.counts";

/// What is known of one feature's values.
#[derive(Clone, Copy, Debug, Default)]
struct RmsSizes {
    /// Mean of their squares.
    square: f64,
    /// How many there were.
    count: f64,
}

/// Root mean square of each feature's non-zero values, by index.
///
/// Zeros do not count: an example then costs its non-zeros and nothing more, rare features are not blown up, and binary
/// features stay as they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rms {
    sizes: Vec<RmsSizes>,
}

impl Rms {
    fn learn(&mut self, bound: usize, example: &Row) {
        self.sizes.resize(bound, RmsSizes::default());
        for (&id, value) in example.ids.iter().zip(&example.values) {
            let value = value.abs().min(LARGEST);
            let sizes = &mut self.sizes[id as usize];
            sizes.count += 1.0;
            sizes.square += (value * value - sizes.square) / sizes.count;
        }
    }

    fn apply(&self, example: &mut Row) {
        for (&id, value) in example.ids.iter().zip(&mut example.values) {
            // Squares of tiny values vanish; such a value is of the size of its past, as the first one is.
            let square = self.sizes.get(id as usize).map_or(0.0, |sizes| sizes.square);
            *value = if square > 0.0 { ratio(*value, square.sqrt()) } else { 1f64.copysign(*value) };
        }
    }

    /// Adds the values that another one met, so many times; its feature i is `features[i]` here.
    fn add(&mut self, other: &Rms, features: &[u32], times: f64) {
        for (sizes, &feature) in other.sizes.iter().zip(features).filter(|(_, at)| **at != UNKNOWN) {
            let at = feature as usize;
            self.sizes.resize(self.sizes.len().max(at + 1), RmsSizes::default());
            let (own, more) = (&mut self.sizes[at], times * sizes.count);
            let count = own.count + more;
            own.square =
                if count > 0.0 { (own.square * own.count + sizes.square * more) / count } else { 0.0 };
            (own.square, own.count) = (own.square.max(0.0), count.max(0.0));
        }
    }

    fn export(&self, state: &mut State<'_>) {
        state.put(SQUARES, Tensor::F64(self.sizes.iter().map(|sizes| sizes.square).collect()));
        state.put(COUNTS, Tensor::F64(self.sizes.iter().map(|sizes| sizes.count).collect()));
    }

    fn import(bound: usize, state: &mut State<'_>) -> surefoot_core::Result<Self> {
        let squares = take_sizes(state, SQUARES, bound)?;
        let counts = take_sizes(state, COUNTS, bound)?;
        check_length(COUNTS, counts.len(), squares.len())?;
        let sizes = squares.into_iter().zip(counts).map(|(square, count)| RmsSizes { square, count });
        Ok(Rms { sizes: sizes.collect() })
    }
}

const MEANS: &str = "scale.means";
const VARIANCES: &str = "scale.variances";
const ROUNDS: &str = "scale.rounds";

/// Columns that can be standardised: more would make every round slow and every vector large.
pub(super) const COLUMN_LIMIT: usize = 1 << 16;

/// Mean 0 and standard deviation 1 for dense columns. By index: mean and variance over all rounds so far; a column met late had
/// zeros before.
///
/// A zero is a value like any other here, so an example gets an entry for every column that was met so far, and each
/// round costs the number of columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standardize {
    means: Vec<f64>,
    variances: Vec<f64>,
    rounds: u64,
}

impl Standardize {
    fn learn(&mut self, bound: usize, example: &mut Row) {
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
    fn apply(&self, bias: Option<u32>, example: &mut Row) {
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
    fn add(&mut self, other: &Standardize, features: &[u32], times: f64) {
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

    fn export<'a>(&'a self, state: &mut State<'a>) {
        state.put(MEANS, Tensor::F64(Cow::Borrowed(&self.means)));
        state.put(VARIANCES, Tensor::F64(Cow::Borrowed(&self.variances)));
        state.put(ROUNDS, Tensor::U64(Cow::Owned(vec![self.rounds])));
    }

    fn import(bound: usize, state: &mut State<'_>) -> surefoot_core::Result<Self> {
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
