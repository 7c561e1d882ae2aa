//! The definitions written out with dense matrices and direct inverses: slow, obvious, the judge of the stores.

use nalgebra::{Cholesky, DMatrix, DVector};
use surefoot_core::Vector;
use surefoot_core::analysis::Covariance;
use surefoot_core::rule::Step;
use surefoot_core::store::Store;

use crate::common::Random;

/// N(μ, Σ).
#[derive(Debug, Clone)]
pub struct Dense {
    pub mean: DVector<f64>,
    pub covariance: DMatrix<f64>,
}

impl Dense {
    /// The prior N(0, a·I).
    pub fn prior(d: usize, a: f64) -> Self {
        Self { mean: DVector::zeros(d), covariance: DMatrix::identity(d, d) * a }
    }

    /// A random Gaussian with a well-conditioned covariance.
    pub fn random(random: &mut Random, d: usize) -> Self {
        let root = DMatrix::from_fn(d, d, |_, _| random.normal());
        let covariance = &root * root.transpose() / d as f64 + DMatrix::identity(d, d) * 0.2;
        Self { mean: DVector::from_fn(d, |_, _| random.normal()), covariance }
    }

    /// One block of a store, with every feature below `d`.
    pub fn of(store: &dyn Store, block: usize, d: usize) -> Self {
        let covariance = Covariance::of(store, block, d);
        let mean = DVector::from_fn(d, |i, _| store.weight(i, block).unwrap().mean);
        Self { mean, covariance: DMatrix::from_fn(d, d, |i, j| covariance.entry(i, j)) }
    }

    /// Mean and variance of the margin of z.
    pub fn margin(&self, z: &DVector<f64>) -> (f64, f64) {
        (self.mean.dot(z), z.dot(&(&self.covariance * z)))
    }

    /// μ + α·Σz and (Σ⁻¹ + gain·zzᵀ)⁻¹, by inverting twice.
    pub fn after(&self, z: &DVector<f64>, step: Step) -> Self {
        let mean = &self.mean + &self.covariance * z * step.alpha;
        let precision = inverse(&self.covariance) + z * z.transpose() * step.gain;
        Self { mean, covariance: inverse(&precision) }
    }

    /// KL(self ‖ from), the size of an update.
    pub fn kl(&self, from: &Dense) -> f64 {
        let precision = inverse(&from.covariance);
        let shift = &self.mean - &from.mean;
        0.5 * (ln_det(&from.covariance) - ln_det(&self.covariance) + (&precision * &self.covariance).trace()
            - self.mean.len() as f64
            + shift.dot(&(&precision * &shift)))
    }
}

pub fn inverse(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    cholesky(matrix).inverse()
}

pub fn ln_det(matrix: &DMatrix<f64>) -> f64 {
    cholesky(matrix).ln_determinant()
}

fn cholesky(matrix: &DMatrix<f64>) -> Cholesky<f64, nalgebra::Dyn> {
    Cholesky::new(matrix.clone()).expect("positive definite")
}

/// An example as a dense vector.
pub fn dense(x: &Vector, d: usize) -> DVector<f64> {
    let mut out = DVector::zeros(d);
    for (feature, value) in x.features().iter() {
        out[feature] = value;
    }
    out
}

/// A random positive definite matrix near another one: (I + E)·Σ·(I + E)ᵀ, E of size `scale`.
pub fn nearby(random: &mut Random, matrix: &DMatrix<f64>, scale: f64) -> DMatrix<f64> {
    let d = matrix.nrows();
    let change = DMatrix::from_fn(d, d, |_, _| scale * random.normal()) + DMatrix::identity(d, d);
    let moved = &change * matrix * change.transpose();
    (&moved + moved.transpose()) / 2.0
}

pub fn sign(class: usize) -> f64 {
    if class == 1 { 1.0 } else { -1.0 }
}
