//! The variant that FACT §3.4 tried and rejected: Σ = D + RRᵀ − BBᵀ instead of its inverse.
//!
//! Updates subtract from Σ, so they cannot start R; it starts with small random columns (R = 0 is a fixed point of EM).
//! Dense and straightforward: it is here to be seen failing.

use nalgebra::{DMatrix, DVector};
use surefoot_core::rule::Step;
use surefoot_core::state::State;
use surefoot_core::store::{Projection, Store, Weight};
use surefoot_core::{Result, SparseVec};
use surefoot_data::Random;

/// EM sweeps a compression, as on the Σ⁻¹ side.
const SWEEPS: usize = 10;

/// The size of the random columns that R starts with.
const START: f64 = 0.01;

/// The smallest D, where EM leaves nothing: the variant's failure must not end the run.
const LEAST: f64 = 1e-9;

/// Σ = D + RRᵀ − BBᵀ over a fixed number of features, for two classes.
#[derive(Debug, Clone)]
pub struct SigmaSide {
    mean: DVector<f64>,
    d: DVector<f64>,
    r: DMatrix<f64>,
    b: Vec<DVector<f64>>,
}

impl SigmaSide {
    /// At the prior Σ = I, but for the random start of R.
    pub fn new(features: usize, rank: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        Self {
            mean: DVector::zeros(features),
            d: DVector::from_element(features, 1.0),
            r: DMatrix::from_fn(features, rank, |_, _| START * random.normal()),
            b: Vec::new(),
        }
    }

    /// Σ times each column.
    fn apply(&self, columns: &DMatrix<f64>) -> DMatrix<f64> {
        let mut image = &self.r * (self.r.transpose() * columns);
        for (mut row, (d, x)) in image.row_iter_mut().zip(self.d.iter().zip(columns.row_iter())) {
            row += x * *d;
        }
        for b in &self.b {
            image -= b * (b.transpose() * columns);
        }
        image
    }

    /// Fits D + RRᵀ to Σ and empties B: FACT §3.1 with Σ as the target.
    fn compress(&mut self) {
        let mut whole: DVector<f64> =
            DVector::from_iterator(self.d.len(), self.r.row_iter().map(|row| row.norm_squared()));
        whole += &self.d;
        self.b.iter().for_each(|b| whole -= b.component_mul(b));
        let (mut d, mut r) = (self.d.clone(), self.r.clone());
        for _ in 0..SWEEPS {
            let mut upsilon = r.clone(); // transposed
            upsilon.row_iter_mut().zip(d.iter()).for_each(|(mut row, d)| row /= *d);
            let inner = DMatrix::identity(r.ncols(), r.ncols()) + r.transpose() * &upsilon;
            let Some(phi) = inner.try_inverse() else { return };
            upsilon *= &phi;
            let image = self.apply(&upsilon);
            let Some(inverse) = (&phi + upsilon.transpose() * &image).try_inverse() else { return };
            r = &image * inverse;
            for (p, d) in d.iter_mut().enumerate() {
                *d = (whole[p] - r.row(p).dot(&image.row(p))).max(LEAST);
            }
        }
        (self.d, self.r) = (d, r);
        self.b.clear();
    }

    fn dense(&self, x: SparseVec<'_>) -> DMatrix<f64> {
        let mut column = DMatrix::zeros(self.d.len(), 1);
        x.iter().for_each(|(id, value)| column[(id, 0)] = value);
        column
    }
}

impl Store for SigmaSide {
    fn grow(&mut self, _blocks: usize) -> Result<()> {
        Ok(())
    }

    fn project(&self, x: SparseVec<'_>, _block: usize, out: &mut Projection) {
        let image = self.apply(&self.dense(x));
        out.mean = x.iter().map(|(id, value)| self.mean[id] * value).sum();
        out.variance = x.iter().map(|(id, value)| image[(id, 0)] * value).sum();
        out.image = image.as_slice().to_vec();
        out.ready = true;
    }

    fn absorb(&mut self, x: SparseVec<'_>, block: usize, p: &mut Projection, step: Step) -> Result<()> {
        if !p.ready {
            self.project(x, block, p);
        }
        p.ready = false;
        let image = DVector::from_column_slice(&p.image);
        self.mean += &image * step.alpha;
        if step.gain > 0.0 {
            let beta = step.gain / (1.0 + step.gain * p.variance);
            self.b.push(image * beta.sqrt());
            if self.b.len() >= self.r.ncols() {
                self.compress();
            }
        }
        Ok(())
    }

    fn variance_after(&self, _: SparseVec<'_>, _: usize, p: &Projection, gain: f64) -> f64 {
        p.variance / (1.0 + gain * p.variance)
    }

    fn prior_variance(&self, x: SparseVec<'_>) -> f64 {
        x.squared_norm()
    }

    /// What was learned of mean and covariance fades, Σ ← share·Σ + (1 − share)·I: there is no precision here.
    fn discount(&mut self, share: f64) {
        self.mean *= share;
        self.d.iter_mut().for_each(|d| *d = share * *d + 1.0 - share);
        self.r *= share.sqrt();
        self.b.iter_mut().for_each(|b| *b *= share.sqrt());
    }

    fn weight(&self, feature: usize, _block: usize) -> Option<Weight> {
        let removed: f64 = self.b.iter().map(|b| b[feature] * b[feature]).sum();
        let variance = self.d[feature] + self.r.row(feature).norm_squared() - removed;
        Some(Weight { mean: self.mean[feature], variance, prior: 1.0 })
    }

    fn save(&self) -> State<'_> {
        State::default()
    }

    fn restore(&mut self, state: State<'_>, _blocks: usize) -> Result<()> {
        state.finish()
    }
}
