//! The diagonal store: mean and variance of each weight side by side. For millions of sparse features.

use std::ops::{Add, Div, Mul, Sub};

use wide::f64x2;

use super::cells::Cells;
use super::{
    FLOOR, FORGET, Fade, FadeGaussian, Forgetting, HALF_LIFE, LearnedWeight, PRIOR, PROJECTION, Precision,
    Projection, Shape, Share, Store, StoreSpec, Weight,
};
use crate::param::Params;
use crate::rule::Step;
use crate::simd::{Number, dot};
use crate::state::State;
use crate::{Result, SparseVec};

/// Which off-diagonals of the rank-one update are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Projected {
    /// Those of Σ⁻¹: σ' = σ/(1 + gain·σx²).
    Precision,
    /// Those of Σ: σ' = σ − βσ²x², β = gain/(1 + gain·v).
    Covariance,
}

/// One (mean, variance) a weight, kept as numbers of type `T` and reckoned with in f64.
///
/// ```
/// use surefoot_core::store::{Diagonal, Store, Projected, Projection};
/// use surefoot_core::{Vector, rule::Step};
/// let (mut store, mut p) = (Diagonal::new(1, 1.0, Projected::Precision), Projection::default());
/// let x = Vector::from_pairs([(0, 1.0), (5, 1.0)])?;
/// store.project(x.features(), 0, &mut p);
/// store.absorb(x.features(), 0, &mut p, Step { alpha: 0.5, gain: 1.0 })?;
/// let weight = store.weight(5, 0).unwrap();
/// assert_eq!((weight.mean, weight.variance), (0.5, 0.5));
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Diagonal<T: Number = f64> {
    cells: Cells<2, T>,
    prior: f64,
    projected: Projected,
}

impl Diagonal {
    /// An empty store.
    #[must_use]
    pub fn new(blocks: usize, prior: f64, projected: Projected) -> Self {
        Self::build(blocks, prior, projected, false)
    }
}

impl<T: Number> Diagonal<T> {
    fn build(blocks: usize, prior: f64, projected: Projected, always_dense: bool) -> Self {
        let origin = [T::mean(0.0), T::variance(prior)];
        // The prior is what an untouched cell holds.
        Self { cells: Cells::new(blocks, origin, always_dense), prior: origin[1].wide(), projected }
    }
}

impl<T: Number> Store for Diagonal<T> {
    forward_to_cells!();

    fn scores(&self, x: SparseVec<'_>, means: &mut [f64], variances: Option<&mut [f64]>, _: &mut Projection) {
        let Some(variances) = variances else {
            return self.cells.scan(x, [0], [means], |value| [value]);
        };
        self.cells.scan(x, [0, 1], [means, &mut *variances], |value| [value, value * value]);
        // Sparse rows are summed as differences from the prior, which may end a hair below zero.
        variances.iter_mut().for_each(|v| *v = v.max(0.0));
    }

    fn project(&self, x: SparseVec<'_>, block: usize, out: &mut Projection) {
        let term = |value: f64, cell: [T; 2]| terms(value, cell.map(T::wide));
        ([out.mean, out.variance], out.known) = self.cells.sum(x, block, term);
    }

    fn absorb(&mut self, x: SparseVec<'_>, block: usize, p: &mut Projection, step: Step) -> Result<()> {
        if !p.known {
            self.cells.reserve(x)?;
            p.known = true;
        }
        let Step { alpha, gain } = step;
        match self.projected {
            Projected::Precision => {
                self.cells.update_two(
                    x,
                    block,
                    |value, cell| *cell = moved(value, *cell, alpha, gain),
                    |values, one, other| moved_two(values, one, other, [alpha, gain]),
                );
            }
            Projected::Covariance => {
                let v = p.variance;
                let whole = 1.0 / (1.0 + gain * v);
                self.cells.update(x, block, |value, [mean, variance]| {
                    let image = variance.wide() * value;
                    *mean = T::mean(mean.wide() + alpha * image);
                    *variance = T::variance(variance.wide() * kept([gain, 1.0], v, whole, image * value));
                });
            }
        }
        Ok(())
    }

    fn absorb_all(
        &mut self,
        x: SparseVec<'_>,
        variances: &[f64],
        steps: &[Option<Step>],
        p: &mut Projection,
    ) -> Result<()> {
        // A block without a step takes part with one of 0, which leaves it as it is, if every number is finite.
        let most = 2 * steps.iter().flatten().count() > steps.len();
        let finite = variances.iter().all(|variance| variance.is_finite());
        if !most || !finite || !self.cells.is_dense() || self.projected == Projected::Covariance {
            return super::absorb_each(self, x, variances, steps, p);
        }
        self.cells.reserve(x)?;
        let Projection { image: alphas, scratch: gains, ready, .. } = p;
        *ready = false;
        let fill = |out: &mut Vec<f64>, of: fn(&Step) -> f64| {
            out.clear();
            out.extend(steps.iter().map(|step| step.as_ref().map_or(0.0, of)));
        };
        fill(alphas, |step| step.alpha);
        fill(gains, |step| step.gain);
        self.cells.update_rows(x, |value, [means, variances]| {
            let cells = means.iter_mut().zip(variances);
            for ((mean, variance), (&alpha, &gain)) in cells.zip(alphas.iter().zip(&*gains)) {
                [*mean, *variance] = moved(value, [*mean, *variance], alpha, gain);
            }
        });
        Ok(())
    }

    fn variance_after(&self, x: SparseVec<'_>, block: usize, p: &Projection, gain: f64) -> f64 {
        let whole = 1.0 / (1.0 + gain * p.variance);
        let precision = self.projected == Projected::Precision;
        let ([variance], _) = self.cells.sum(x, block, |value, [_, variance]| {
            let part = value * value * variance.wide();
            [if precision {
                part / (1.0 + gain * part)
            } else {
                part * kept([gain, 1.0], p.variance, whole, part)
            }]
        });
        variance
    }

    fn prior_variance(&self, x: SparseVec<'_>) -> f64 {
        // Only compared with a share of itself, so the order of its terms may be the fast one.
        self.prior * dot(x.values(), x.values())
    }

    fn end_round(&mut self) {
        self.cells.end_round();
    }

    fn discount(&mut self, share: f64) {
        let Some(share) = Share::at_once(share) else { return };
        self.cells.change_all(|cell, origin| FadeGaussian::fade(share, cell, origin));
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        let [mean, variance] = self.cells.get(feature, block);
        Some(Weight { mean: mean.wide(), variance: variance.wide(), prior: self.prior })
    }

    fn learned_rows(&self) -> Option<usize> {
        Some(self.cells.features())
    }

    fn learned(&self, feature: usize, row: &mut Vec<LearnedWeight>) {
        self.cells.each_touched(feature, |block, cell| {
            let [mean, variance] = self.cells.now(feature, block, cell).map(T::wide);
            row.push(LearnedWeight { block, mean, gain: 1.0 / variance - 1.0 / self.prior });
        });
    }

    fn put_learned(&mut self, feature: usize, row: &[LearnedWeight]) -> Result<()> {
        self.cells.reserve_rows(feature + 1)?;
        for &LearnedWeight { block, mean, gain } in row {
            // A base taken off again may leave a gain a hair below zero.
            let variance = if gain > 0.0 { 1.0 / (1.0 / self.prior + gain) } else { self.prior };
            self.cells.put(feature, block, [T::mean(mean), T::variance(variance)]);
        }
        Ok(())
    }

    fn move_mean(&mut self, feature: usize, block: usize, by: f64) -> Result<()> {
        self.cells.change(feature, block, |[mean, _]| *mean = T::mean(mean.wide() + by))
    }

    fn save(&self) -> State<'_> {
        self.cells.save()
    }

    fn restore(&mut self, mut state: State<'_>, blocks: usize) -> Result<()> {
        self.cells.restore_gaussian(&mut state, blocks)?;
        state.finish()
    }
}

/// One number, or several side by side.
pub(crate) trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}

impl<L> Real for L where L: Copy + Add<Output = L> + Sub<Output = L> + Mul<Output = L> + Div<Output = L> {}

/// What a weight adds to the mean and to the variance of a score.
#[inline(always)]
pub(crate) fn terms<L: Real>(value: L, [mean, variance]: [L; 2]) -> [L; 2] {
    [value * mean, value * value * variance]
}

/// A mean and a variance after a step with the precision projection.
#[inline(always)]
pub(crate) fn step_along<L: Real>(value: L, [mean, variance]: [L; 2], [alpha, gain, one]: [L; 3]) -> [L; 2] {
    let image = variance * value;
    let share = one + gain * (image * value);
    [mean + alpha * image, variance / share] // [ECCW] Eq. 15
}

/// A cell after such a step.
#[inline(always)]
fn moved<T: Number>(value: f64, cell: [T; 2], alpha: f64, gain: f64) -> [T; 2] {
    let [mean, variance] = step_along(value, cell.map(T::wide), [alpha, gain, 1.0]);
    [T::mean(mean), T::variance(variance)]
}

/// Two cells after such a step, which divide at once.
#[inline(always)]
fn moved_two<T: Number>(
    values: [f64; 2],
    [mean, variance]: &[T; 2],
    [other_mean, other_variance]: &[T; 2],
    [alpha, gain]: [f64; 2],
) -> ([T; 2], [T; 2]) {
    let means = f64x2::new([mean.wide(), other_mean.wide()]);
    let variances = f64x2::new([variance.wide(), other_variance.wide()]);
    let step = [f64x2::splat(alpha), f64x2::splat(gain), f64x2::ONE];
    let [means, variances] = step_along(f64x2::new(values), [means, variances], step);
    let ([mean, other_mean], [variance, other_variance]) = (means.to_array(), variances.to_array());
    ([T::mean(mean), T::variance(variance)], [T::mean(other_mean), T::variance(other_variance)])
}

/// The share 1 − β·part of a variance that survives, β = gain/(1 + gain·v), `whole` = 1/(1 + gain·v).
///
/// Written so that it does not cancel when one feature makes up nearly all of v.
#[inline(always)]
pub(crate) fn kept<L: Real>([gain, one]: [L; 2], v: L, whole: L, part: L) -> L {
    (one + gain * (v - part)) * whole // the diagonal of [ECCW] Eq. 10
}

/// The store that such parameters ask for.
pub(super) fn build<T: Number>(params: &Params, shape: Shape) -> Result<Box<dyn Store>> {
    let projected = match params.word(PROJECTION.name) {
        "covariance" => Projected::Covariance,
        _ => Projected::Precision,
    };
    let prior = params.number(PRIOR.name);
    let mut store = Diagonal::<T>::build(shape.blocks, prior, projected, shape.all_touched);
    store.cells = store.cells.forgetting::<FadeGaussian>(vec![Forgetting::new(params)]);
    Ok(Box::new(store))
}

/// The entry in the list of stores.
pub const SPEC: StoreSpec = StoreSpec {
    name: "diagonal",
    title: "A mean and a variance a weight; for millions of sparse features",
    params: &[PRIOR, FLOOR, PROJECTION, HALF_LIFE, FORGET],
    learns_covariance: true,
    side_by_side: Some(Precision::Double),
    takes_gaps: true,
    build: build::<f64>,
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn agree<T: Number>(values: [f64; 2], cells: [[f64; 2]; 2], alpha: f64, gain: f64) {
        let [one, other] = cells.map(|[mean, variance]| [T::mean(mean), T::variance(variance)]);
        let two = moved_two(values, &one, &other, [alpha, gain]);
        assert_eq!(two, (moved(values[0], one, alpha, gain), moved(values[1], other, alpha, gain)));
    }

    proptest! {
        #[test]
        fn two_cells_at_once_become_what_each_would(
            values in prop::array::uniform2(-1e3f64..1e3),
            cells in prop::array::uniform2((-1e6f64..1e6, 0.0f64..10.0)),
            (alpha, gain) in (-1e3f64..1e3, 0.0f64..1e6),
        ) {
            let cells = cells.map(|(mean, variance)| [mean, variance]);
            agree::<f64>(values, cells, alpha, gain);
            agree::<f32>(values, cells, alpha, gain);
        }
    }
}
