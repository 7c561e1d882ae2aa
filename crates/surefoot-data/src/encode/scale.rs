//! Running scales: features of any unit to a size that learners can work with.
//!
//! Learning first takes the example into the statistics and then scales it, so that the first value of a feature is
//! already of size 1 and no value can be larger than the root of the number of examples. Labels play no part in it, so
//! a progressive prediction made from the scaled example is still an honest one. Prediction leaves the statistics alone.

use surefoot_core::state::{State, damaged};
use surefoot_core::transform::{SCALINGS, Scaling, SeenRow, Segments};
use surefoot_core::{SparseVec, Target};

use super::Row;
use crate::recipe::Scale;

/// What the tensors of the statistics are called.
const PREFIX: &str = "scale";

/// The statistics of a [`Scale`], if there is one.
#[derive(Clone, Debug)]
pub(crate) struct Scaler(Option<Box<dyn Scaling>>);

impl Scaler {
    pub(crate) fn new(scale: Scale) -> Self {
        let name = match scale {
            Scale::None => "",
            Scale::Rms => "rms",
            Scale::Standardize => "std",
        };
        Self(SCALINGS.iter().find(|spec| spec.name == name).map(|spec| (spec.build)(None)))
    }

    /// Whether values stay as they are.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Takes an example into the statistics, and scales it.
    pub(crate) fn learn(&mut self, row: &mut Row) -> surefoot_core::Result<()> {
        let Some(scaling) = &mut self.0 else { return Ok(()) };
        let x = SparseVec::of_finite(&row.ids, &row.values);
        scaling.see(x, true, &mut row.scaled);
        scaling.learn(x, Target::Class(0))?;
        take(row);
        Ok(())
    }

    /// Scales an example by the statistics.
    pub(crate) fn apply(&self, row: &mut Row) {
        let Some(scaling) = &self.0 else { return };
        scaling.see(SparseVec::of_finite(&row.ids, &row.values), false, &mut row.scaled);
        take(row);
    }

    /// Adds the statistics of another scaler of the same kind, so many times.
    pub(crate) fn add(&mut self, other: &Scaler, features: &[u32], times: f64) {
        if let (Some(sum), Some(own)) = (&mut self.0, &other.0) {
            sum.add(&**own, features, &[], times);
        }
    }

    /// Puts the statistics into `state`, under names that begin with `scale.`.
    pub(crate) fn export<'a>(&'a self, state: &mut State<'a>) {
        self.0.iter().for_each(|scaling| state.join(PREFIX, scaling.save()));
    }

    /// Takes the statistics out of `state`, for indices below `bound`.
    pub(crate) fn import(scale: Scale, bound: usize, state: &mut State<'_>) -> surefoot_core::Result<Self> {
        let mut scaler = Self::new(scale);
        if let Some(scaling) = &mut scaler.0 {
            scaling.restore(state.split(PREFIX))?;
            let found = scaling.features();
            if found > bound {
                return Err(damaged(
                    PREFIX,
                    format!("statistics of {found} features, of which there are {bound}"),
                ));
            }
        }
        Ok(scaler)
    }
}

/// The row becomes what the scaling saw.
fn take(row: &mut Row) {
    let SeenRow { ids, own_ids, values, .. } = &mut row.scaled;
    std::mem::swap(&mut row.values, values);
    if *own_ids {
        std::mem::swap(&mut row.ids, ids);
        row.segments = Segments::default();
    }
}
