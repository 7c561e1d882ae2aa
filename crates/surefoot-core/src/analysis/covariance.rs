//! A dense look at the covariance of a store: trace, log-determinant, effective dimension.

use crate::SparseVec;
use crate::store::{Cholesky, Projection, Store};

/// A symmetric matrix, one triangle stored by rows.
///
/// ```
/// use surefoot_core::analysis::Covariance;
/// let squashed = Covariance::from_fn(2, |i, j| if i == j { 2.0 } else { 1.0 }); // eigenvalues 3 and 1
/// assert_eq!(squashed.trace(), 4.0);
/// assert!((squashed.log_det().unwrap() - 3.0f64.ln()).abs() < 1e-15);
/// assert!((squashed.effective_dimension() - 4.0 / 3.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    dimension: usize,
    lower: Vec<f64>,
}

impl Covariance {
    /// From its entries; `entry` is asked for i ≥ j only.
    pub fn from_fn(dimension: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let lower =
            (0..dimension).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect();
        Self { dimension, lower }
    }

    /// The covariance of one block of a store whose weights belong to features, over the features below `dimension`.
    ///
    /// Stores only tell variances of scores, so an entry is a quarter of the difference between those of
    /// e_i + e_j and e_i − e_j.
    #[must_use]
    pub fn of(store: &dyn Store, block: usize, dimension: usize) -> Self {
        let mut p = Projection::default();
        let mut variance = |ids: &[u32], values: &[f64]| {
            let Ok(x) = SparseVec::new(ids, values) else { return f64::NAN };
            p.ready = false;
            store.project(x, block, &mut p);
            p.variance
        };
        Self::from_fn(dimension, |i, j| {
            let (i, j) = (i as u32, j as u32);
            if i == j {
                return variance(&[i], &[1.0]);
            }
            (variance(&[j, i], &[1.0, 1.0]) - variance(&[j, i], &[1.0, -1.0])) / 4.0
        })
    }

    /// One entry.
    #[must_use]
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let (row, column) = (i.max(j), i.min(j));
        self.lower[row * (row + 1) / 2 + column]
    }

    /// The sum of the diagonal.
    #[must_use]
    pub fn trace(&self) -> f64 {
        (0..self.dimension).map(|i| self.entry(i, i)).sum()
    }

    /// ln det, by Cholesky; none if the matrix is not (numerically) positive definite.
    #[must_use]
    pub fn log_det(&self) -> Option<f64> {
        let rows = (0..self.dimension).map(|i| &self.lower[i * (i + 1) / 2..][..=i]);
        Cholesky::of_rows(rows).map(|factor| factor.log_det())
    }

    /// λ₁, by power iteration from a fixed start; where λ₂ is close to it the error is at most some 1e-6 of it.
    #[must_use]
    pub fn largest_eigenvalue(&self) -> f64 {
        let mut vector = scattered_start(self.dimension);
        let mut found = 0.0;
        for _ in 0..MOST_ITERATIONS {
            let image = self.times(&vector);
            let quotient = dot(&image, &vector) / dot(&vector, &vector);
            let length = dot(&image, &image).sqrt();
            if (quotient - found).abs() <= 1e-14 * quotient || length == 0.0 {
                return quotient;
            }
            (found, vector) = (quotient, image.iter().map(|x| x / length).collect());
        }
        found
    }

    /// Tr Σ/λ₁: d for a sphere, 1 for a needle. The fewer, the fewer directions a learner is still free to move in.
    #[must_use]
    pub fn effective_dimension(&self) -> f64 {
        self.trace() / self.largest_eigenvalue() // [FACT] §2.2
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.dimension];
        for i in 0..self.dimension {
            let row = &self.lower[i * (i + 1) / 2..][..i];
            out[i] += dot(row, x) + self.entry(i, i) * x[i];
            out.iter_mut().zip(row).for_each(|(sum, entry)| *sum += entry * x[i]);
        }
        out
    }
}

const MOST_ITERATIONS: usize = 10_000;

/// Multiples of the golden ratio modulo 1, away from 0: orthogonal to no eigenvector one meets in practice.
fn scattered_start(dimension: usize) -> Vec<f64> {
    (1..=dimension).map(|i| 0.1 + (i as f64 * 0.618_033_988_749_894_9).fract()).collect()
}

/// The inner product over the shorter of the two.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
