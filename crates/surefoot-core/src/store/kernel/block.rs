//! One block of the kernel store: support examples x_p with μ = Σ ν_p x_p and Σ = a·I + Σ π_pq x_p x_qᵀ.
//!
//! An inverse of K over the supports says how to write an example in them: the nearest point of their span is
//! Σ w_p x_p with w = K⁻¹k, and its squared distance is K(x, x) − kᵀw.

use super::super::triangle::{Triangle, TriangleView};
use super::super::{Projection, beta};
use super::{Kernel, KernelSettings, too_far_apart};
use crate::rule::Step;
use crate::simd::{add_scaled, dot};
use crate::store::forget::Share;
use crate::{Result, SparseVec};

/// What is added to the diagonal of K, relative to it, before it is inverted: supports may depend on each other, and
/// with less than this learners were seen to break.
const RIDGE: f64 = 1e-6;

/// No step and no new support changes a number by more than this. Far below, rounding has long made the numbers
/// meaningless; beyond, they would stop being numbers.
const LARGEST_CHANGE: f64 = 1e200;

/// The largest size in a list, infinite if one is not a number.
fn largest(numbers: &[f64]) -> f64 {
    numbers
        .iter()
        .fold(0.0, |most, number| if number.is_nan() { f64::INFINITY } else { number.abs().max(most) })
}

/// Buffers of an update.
#[derive(Debug, Clone, Default)]
pub(super) struct KernelScratch {
    order: Vec<usize>,
    /// w: what an example is in the supports.
    parts: Vec<f64>,
    column: Vec<f64>,
    /// The support forgotten last, for its memory.
    spare: Support,
}

/// N(μ, Σ) in the dual form.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct KernelBlock {
    /// Oldest first.
    pub(super) supports: Vec<Support>,
    pub(super) nu: Vec<f64>,
    pub(super) pi: Triangle,
    /// (K + ridge)⁻¹.
    pub(super) inverse: Triangle,
}

impl KernelBlock {
    /// k ← K(x_p, x); returns μ·x.
    pub(super) fn compare(&self, x: SparseVec<'_>, kernel: Kernel, k: &mut Vec<f64>) -> f64 {
        k.clear();
        let xx = x.squared_norm();
        k.extend(self.supports.iter().map(|s| kernel.of(s.product(x), xx, s.squared_norm)));
        dot(&self.nu, k) // [ECCW] Eq. 16
    }

    /// kᵀπk, which is what the variance of x lost.
    pub(super) fn lost(&self, k: &[f64]) -> f64 {
        self.pi.quadratic(TriangleView::Dense(k))
    }

    /// μ ← μ + alpha·Σx, Σ⁻¹ ← Σ⁻¹ + gain·xxᵀ for an x that was projected: k is in the scratch, πk is the image.
    pub(super) fn absorb(
        &mut self,
        x: SparseVec<'_>,
        p: &mut Projection,
        step: Step,
        settings: &KernelSettings,
        scratch: &mut KernelScratch,
    ) -> Result<()> {
        let Projection { scratch: k, image: c, variance, .. } = p;
        let known = self.supports.iter().position(|s| s.is(x));
        match known {
            Some(known) => c[known] += settings.prior,
            None => c.push(settings.prior),
        }
        let beta = beta(*variance, step.gain);
        let most = largest(c);
        let change = (step.alpha.abs() * most).max(beta * most * most);
        if most.is_infinite() || change.is_nan() || change > LARGEST_CHANGE {
            return Err(too_far_apart());
        }
        if known.is_none() {
            self.enlist(x, k, settings.kernel, scratch)?;
        }
        add_scaled(&mut self.nu, step.alpha, c); // [ECCW] Eq. 20
        if beta > 0.0 {
            self.pi.subtract(&[beta], std::slice::from_ref(c)); // [ECCW] Eq. 21
        }
        if self.supports.len() > settings.budget {
            self.forget(self.least(), scratch);
        }
        Ok(())
    }

    /// Every support is a round older.
    pub(super) fn fade(&mut self, share: Share) {
        if !share.keeps_means {
            self.nu.iter_mut().for_each(|nu| *nu *= share.left);
        }
        self.pi.scale(share.left);
    }

    /// Makes x, with similarities k, a support.
    fn enlist(
        &mut self,
        x: SparseVec<'_>,
        k: &[f64],
        kernel: Kernel,
        scratch: &mut KernelScratch,
    ) -> Result<()> {
        let own = kernel.own(x.squared_norm());
        let inside = self.inverse.image_dense(k, &mut scratch.parts);
        let outside = (own - inside).max(0.0) + RIDGE * own;
        let most = largest(&scratch.parts);
        let change = most * most / outside;
        if change.is_nan() || change > LARGEST_CHANGE {
            return Err(too_far_apart());
        }
        let mut support = std::mem::take(&mut scratch.spare);
        support.assign(x, &mut scratch.order);
        self.supports.push(support);
        let n = self.supports.len();
        self.nu.push(0.0);
        self.pi.grow(n, 0.0);
        // The inverse of a bordered matrix is that of the old one plus (w, −1)(w, −1)ᵀ/outside.
        self.inverse.grow(n, 0.0);
        scratch.parts.push(-1.0);
        self.inverse.subtract(&[-1.0 / outside], std::slice::from_ref(&scratch.parts));
        Ok(())
    }

    /// The support without which the mean changes least, by |ν_p| times its distance to the others; the oldest of
    /// several.
    fn least(&self) -> usize {
        let change = |p: usize| self.nu[p] * self.nu[p] / self.inverse.diagonal(p);
        (0..self.supports.len()).min_by(|&p, &q| change(p).total_cmp(&change(q))).unwrap_or(0)
    }

    /// Takes a support out, with the nearest point of the others' span in its place.
    ///
    /// With P the projection on that span, μ becomes Pμ and Σ becomes PΣP + a(I − P).
    fn forget(&mut self, p: usize, scratch: &mut KernelScratch) {
        let KernelScratch { parts, column, .. } = scratch;
        self.inverse.column(p, column);
        let (pivot, most) = (column[p], largest(column));
        parts.clear();
        if pivot > 0.0 && most * most / pivot <= LARGEST_CHANGE && most / pivot <= LARGEST_CHANGE.sqrt() {
            self.inverse.subtract(&[1.0 / pivot], std::slice::from_ref(column));
            self.inverse.lift_diagonal(f64::MIN_POSITIVE);
            parts.extend(column.iter().map(|q| -q / pivot));
        } else {
            // Rounding has left nothing that could be said of the others' span: the support goes as it is.
            parts.resize(column.len(), 0.0);
        }
        parts[p] = 0.0;
        let nu = self.nu[p];
        add_scaled(&mut self.nu, nu, parts);
        // x_p = Σ w_q x_q turns π into π + wπ_pᵀ + π_pwᵀ + π_pp·wwᵀ.
        self.pi.column(p, column);
        let half = column[p] / 2.0;
        add_scaled(column, half, parts);
        self.pi.add_pair(parts, column);
        self.nu.remove(p);
        self.pi.remove(p);
        self.inverse.remove(p);
        scratch.spare = self.supports.remove(p);
    }
}

/// A support example: the features of an example that made a step, with ascending ids.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Support {
    ids: Vec<u32>,
    values: Vec<f64>,
    squared_norm: f64,
}

impl Support {
    /// Takes over an example, reusing memory; `order` is scratch.
    pub(super) fn assign(&mut self, x: SparseVec<'_>, order: &mut Vec<usize>) {
        order.clear();
        order.extend(0..x.len());
        if !x.ids().is_sorted() {
            order.sort_unstable_by_key(|&i| x.ids()[i]);
        }
        self.ids.clear();
        self.ids.extend(order.iter().map(|&i| x.ids()[i]));
        self.values.clear();
        self.values.extend(order.iter().map(|&i| x.values()[i]));
        self.squared_norm = dot(&self.values, &self.values);
    }

    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Whether this is the example x, written the same way.
    pub(super) fn is(&self, x: SparseVec<'_>) -> bool {
        self.ids == x.ids() && self.values == x.values()
    }

    /// The value of a feature, 0 if it has none.
    pub(super) fn value(&self, feature: usize) -> f64 {
        let place = u32::try_from(feature).ok().and_then(|id| self.ids.binary_search(&id).ok());
        place.map_or(0.0, |i| self.values[i])
    }

    /// The inner product with an example whose ids may come in any order; ascending ids take one walk.
    pub(super) fn product(&self, x: SparseVec<'_>) -> f64 {
        if self.ids == x.ids() {
            return dot(&self.values, x.values());
        }
        let (mut sum, mut at, mut last) = (0.0, 0, 0);
        for (&id, value) in x.ids().iter().zip(x.values()) {
            if id < last {
                at = self.ids.partition_point(|&own| own < id);
            }
            last = id;
            while self.ids.get(at).is_some_and(|&own| own < id) {
                at += 1;
            }
            if self.ids.get(at) == Some(&id) {
                sum += self.values[at] * value;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn products_do_not_depend_on_the_order(
            a in prop::collection::btree_map(0..30_u32, -3..4, 0..20),
            b in prop::collection::btree_map(0..30_u32, -3..4, 0..20),
            turn in 0..20_usize,
        ) {
            let expected: i32 = a.iter().map(|(id, x)| x * b.get(id).unwrap_or(&0)).sum();
            let unzip = |m: &std::collections::BTreeMap<u32, i32>| {
                m.iter().map(|(id, x)| (*id, f64::from(*x))).unzip::<u32, f64, Vec<_>, Vec<_>>()
            };
            let ((mut ids, mut values), (others, other_values)) = (unzip(&a), unzip(&b));
            let turn = turn.min(ids.len());
            ids.rotate_left(turn);
            values.rotate_left(turn);
            let x = SparseVec::new(&ids, &values).unwrap();
            let z = SparseVec::new(&others, &other_values).unwrap();
            let mut support = Support::default();
            support.assign(z, &mut Vec::new());
            prop_assert_eq!(support.product(x), f64::from(expected));
            support.assign(x, &mut Vec::new());
            prop_assert!(support.ids().is_sorted());
            prop_assert_eq!(support.product(z), f64::from(expected));
        }
    }
}
