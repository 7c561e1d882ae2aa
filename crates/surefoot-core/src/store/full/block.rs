//! One block of the full store: a mean, a triangle, and updates that wait to be written into it.
//!
//! Σ = Σ₀ − S·diag(β)·Sᵀ. An update appends the column Σx to S, which costs d; only every k-th update pays for a
//! pass over the triangle, where all k columns are subtracted at once.

use super::super::beta;
use super::super::lanes::add_scaled;
use super::super::triangle::{Triangle, TriangleView};
use crate::SparseVec;

/// The most columns that wait. More columns save no arithmetic, only passes over memory.
const MOST_PENDING: usize = 16;
/// Features for each column that waits: every score pays for the columns, so small blocks keep few.
const FEATURES_A_COLUMN: usize = 16;
/// Waiting updates may shrink no variance by more than this, so that Σ₀ − SβSᵀ loses at most six digits.
const MOST_SHRINK: f64 = 1e6;
/// x counts as dense from one feature in so many on: its image is then built at once, in order of memory.
const DENSE_FROM: usize = 4;

/// N(μ, Σ) over the features of one block.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FullBlock {
    pub(super) mean: Vec<f64>,
    /// Σ₀.
    pub(super) covariance: Triangle,
    /// β of each waiting column.
    pub(super) betas: Vec<f64>,
    /// S: one column for each β, then spare ones that keep their memory.
    pub(super) columns: Vec<Vec<f64>>,
    /// Σ gain·xᵀΣ₀x over the waiting updates: no direction's variance shrank by more than 1 + this.
    pub(super) shrink: f64,
}

impl FullBlock {
    pub(super) fn dimension(&self) -> usize {
        self.mean.len()
    }

    /// Makes room for features, at the prior: their rows of Σ are a·I.
    pub(super) fn grow(&mut self, dimension: usize, prior: f64) {
        if dimension > self.dimension() {
            self.mean.resize(dimension, 0.0);
            self.covariance.grow(dimension, prior);
            self.columns.iter_mut().for_each(|column| column.resize(dimension, 0.0));
        }
    }

    /// x in the form that is cheaper to read; a dense copy goes to `buffer`.
    pub(super) fn view<'a>(&self, x: SparseVec<'a>, buffer: &'a mut Vec<f64>) -> TriangleView<'a> {
        if x.len() * DENSE_FROM < self.dimension() {
            return TriangleView::Sparse(x);
        }
        buffer.clear();
        buffer.resize(self.dimension(), 0.0);
        for (id, value) in x.iter() {
            if let Some(place) = buffer.get_mut(id) {
                *place = value;
            }
        }
        TriangleView::Dense(buffer)
    }

    /// xᵀΣx over the features that have a row; for a sparse x nothing of size d is touched.
    pub(super) fn variance(&self, x: TriangleView<'_>) -> f64 {
        self.covariance.quadratic(x) - self.taken(x)
    }

    /// What the waiting columns take from the variance of x.
    fn taken(&self, x: TriangleView<'_>) -> f64 {
        self.pending().map(|(beta, column)| beta * x.dot(column).powi(2)).sum()
    }

    fn pending(&self) -> impl Iterator<Item = (f64, &[f64])> {
        self.betas.iter().copied().zip(self.columns.iter().map(Vec::as_slice))
    }

    /// out ← Σx.
    pub(super) fn image(&self, x: TriangleView<'_>, out: &mut Vec<f64>) {
        self.covariance.image(x, out);
        self.correct(x, out);
    }

    /// out ← Σx for a dense x; returns xᵀΣx with the bits of [`FullBlock::variance`].
    pub(super) fn image_dense(&self, x: &[f64], out: &mut Vec<f64>) -> f64 {
        let quadratic = self.covariance.image_dense(x, out);
        quadratic - self.correct(TriangleView::Dense(x), out)
    }

    /// Takes the waiting columns off Σ₀x; returns what they take from the variance of x.
    fn correct(&self, x: TriangleView<'_>, out: &mut [f64]) -> f64 {
        let take = |(beta, column): (f64, &[f64])| {
            let along = x.dot(column);
            add_scaled(out, -beta * along, column);
            beta * along.powi(2)
        };
        self.pending().map(take).sum()
    }

    /// Σ ← Σ − β·image·imageᵀ with β = gain/(1 + gain·v), written to the triangle with the updates after it.
    pub(super) fn narrow(
        &mut self,
        x: TriangleView<'_>,
        image: &[f64],
        v: f64,
        gain: f64,
        delay: Option<usize>,
    ) {
        let beta = beta(v, gain);
        if beta == 0.0 {
            return;
        }
        self.shrink += gain * (v + self.taken(x));
        let place = self.betas.len();
        if self.columns.len() == place {
            self.columns.push(Vec::new());
        }
        self.columns[place].clear();
        self.columns[place].extend_from_slice(image);
        self.betas.push(beta); // [ECCW] Eq. 10
        let room = (self.dimension() / FEATURES_A_COLUMN).clamp(1, MOST_PENDING);
        if self.betas.len() >= delay.unwrap_or(room) || self.shrink > MOST_SHRINK {
            self.flush();
        }
    }

    /// Writes what waits to the triangle.
    pub(super) fn flush(&mut self) {
        self.covariance.subtract(&self.betas, &self.columns[..self.betas.len()]);
        self.betas.clear();
        self.shrink = 0.0;
    }

    /// The diagonal of Σ at a feature that has a row.
    pub(super) fn variance_of(&self, feature: usize) -> f64 {
        let taken: f64 = self.pending().map(|(beta, column)| beta * column[feature].powi(2)).sum();
        self.covariance.diagonal(feature) - taken
    }
}
