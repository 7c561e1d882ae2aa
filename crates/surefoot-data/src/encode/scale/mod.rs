//! Running scales: features of any unit to a size that learners can work with.
//!
//! Learning first takes the example into the statistics and then scales it, so that the first value of a feature is
//! already of size 1 and no value can be larger than the root of the number of examples. Labels play no part in it, so
//! a progressive prediction made from the scaled example is still an honest one. Prediction leaves the statistics alone.

mod rms;
mod standardize;

use rms::Rms;
pub use standardize::COLUMN_LIMIT;
use standardize::Standardize;

use super::Row;
use crate::recipe::Scale;
use surefoot_core::state::{State, check_length, damaged};

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
