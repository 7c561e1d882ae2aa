//! One block of the kernel store: support examples x_p with μ = Σ ν_p x_p and Σ = a·I + Σ π_pq x_p x_qᵀ.

use super::super::beta;
use super::super::lanes::{add_scaled, dot, sum};
use super::super::triangle::{Triangle, View};
use super::support::Support;
use super::{Kernel, Settings};
use crate::Features;
use crate::rule::Step;

/// Buffers of an update.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    order: Vec<usize>,
    similarities: Vec<f64>,
    direction: Vec<f64>,
    /// The support forgotten last, for its memory.
    spare: Support,
}

/// N(μ, Σ) in the dual form.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Block {
    /// Oldest first.
    pub(super) supports: Vec<Support>,
    pub(super) nu: Vec<f64>,
    pub(super) pi: Triangle,
}

impl Block {
    /// k_p = K(x_p, x) for every support.
    fn similarities(&self, x: Features<'_>, kernel: Kernel) -> impl Iterator<Item = f64> {
        let xx = x.squared_norm();
        self.supports.iter().map(move |s| kernel.of(s.product(x.ids(), x.values()), xx, s.squared_norm()))
    }

    /// μ·x.
    pub(super) fn mean(&self, x: Features<'_>, kernel: Kernel) -> f64 {
        sum(self.nu.iter().zip(self.similarities(x, kernel)).map(|(nu, k)| nu * k)) // [ECCW] Eq. 16
    }

    /// k ← K(x_p, x); returns μ·x with the bits of [`Block::mean`].
    pub(super) fn compare(&self, x: Features<'_>, kernel: Kernel, k: &mut Vec<f64>) -> f64 {
        k.clear();
        k.extend(self.similarities(x, kernel));
        dot(&self.nu, k)
    }

    /// kᵀπk, which is what the variance of x lost.
    pub(super) fn lost(&self, k: &[f64]) -> f64 {
        self.pi.quadratic(View::Dense(k))
    }

    /// μ ← μ + alpha·Σx, Σ⁻¹ ← Σ⁻¹ + gain·xxᵀ. `c` holds πk; with a for x itself it is Σx in the supports.
    pub(super) fn absorb(
        &mut self,
        x: Features<'_>,
        c: &mut Vec<f64>,
        v: f64,
        step: Step,
        settings: &Settings,
        scratch: &mut Scratch,
    ) {
        let known = self.supports.iter().position(|s| s.is(x));
        match known {
            Some(p) => c[p] += settings.prior,
            None => {
                c.push(settings.prior);
                self.enlist(x, scratch);
            }
        }
        add_scaled(&mut self.nu, step.alpha, c); // [ECCW] Eq. 20
        let beta = beta(v, step.gain);
        if beta > 0.0 {
            self.pi.subtract(&[beta], std::slice::from_ref(c)); // [ECCW] Eq. 21
        }
        if self.supports.len() > settings.budget {
            self.forget(self.least(settings.kernel), settings, scratch);
        }
    }

    fn enlist(&mut self, x: Features<'_>, scratch: &mut Scratch) {
        let mut support = std::mem::take(&mut scratch.spare);
        support.assign(x, &mut scratch.order);
        self.supports.push(support);
        self.nu.push(0.0);
        self.pi.grow(self.nu.len(), 0.0);
    }

    /// The support with the smallest part of the mean, the oldest of several; never the newest.
    fn least(&self, kernel: Kernel) -> usize {
        let part = |p: usize| self.nu[p].abs() * kernel.own(self.supports[p].squared_norm()).max(0.0).sqrt();
        let older = 0..self.supports.len().saturating_sub(1);
        older.min_by(|&p, &q| part(p).total_cmp(&part(q))).unwrap_or(0)
    }

    /// Takes a support out as if it had never been learned from.
    ///
    /// An example adds h·x to Σ⁻¹μ and gain·xxᵀ to Σ⁻¹. Without both, π is the Schur complement, and the mean moves
    /// along Σx_p to where ν_p is 0; Σx_p is column p of π up to its scale. To drop ν_p alone would move the mean
    /// along x_p, where the variance may be tiny, and later steps would answer with ever larger ones.
    fn forget(&mut self, p: usize, settings: &Settings, scratch: &mut Scratch) {
        let Scratch { direction, similarities, .. } = scratch;
        self.pi.column(p, direction);
        let weight = 1.0 / direction[p];
        if weight < 0.0 && weight.is_finite() {
            self.pi.subtract(&[weight], std::slice::from_ref(direction));
        } else {
            // It gained nothing, so its column is 0: Σx_p by its definition.
            self.compare_support(p, settings.kernel, similarities);
            self.pi.image(View::Dense(similarities), direction);
            direction[p] = settings.prior;
        }
        let scale = -self.nu[p] / direction[p];
        add_scaled(&mut self.nu, scale, direction);
        self.nu.remove(p);
        self.pi.remove(p);
        scratch.spare = self.supports.remove(p);
    }

    fn compare_support(&self, p: usize, kernel: Kernel, k: &mut Vec<f64>) {
        let x = &self.supports[p];
        let of = |s: &Support| kernel.of(s.product(x.ids(), x.values()), x.squared_norm(), s.squared_norm());
        k.clear();
        k.extend(self.supports.iter().map(of));
    }
}
