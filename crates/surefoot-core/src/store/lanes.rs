//! Sums and updates over slices in a fixed number of lanes: fast on any processor, the same bits on every one.
//!
//! Eight independent sums let the compiler use vector instructions without changing the order of additions. An
//! entry's lane is its index modulo eight, in sparse sums too, so that a sparse vector with ascending ids and its
//! dense copy give the same bits.

use crate::SparseVec;
use crate::simd::{Vectorized, vectored};

const LANES: usize = 8;

#[inline(always)]
fn total(sums: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// a·b over the shorter of the two.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    vectored(Dot(&a[..n], &b[..n]))
}

/// Two slices of one length.
struct Dot<'a>(&'a [f64], &'a [f64]);

impl Vectorized for Dot<'_> {
    type Found = f64;

    #[inline(always)]
    fn walk(self) -> f64 {
        let ((a, a_rest), (b, b_rest)) = (self.0.as_chunks::<LANES>(), self.1.as_chunks::<LANES>());
        let mut sums = [0.0; LANES];
        for (x, y) in a.iter().zip(b) {
            for lane in 0..LANES {
                sums[lane] += x[lane] * y[lane];
            }
        }
        for (sum, (x, y)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
            *sum += x * y;
        }
        total(sums)
    }
}

/// row·x over the features that have a place in the row.
pub(super) fn dot_sparse(row: &[f64], x: SparseVec<'_>) -> f64 {
    let mut sums = [0.0; LANES];
    for (id, value) in x.iter() {
        if let Some(entry) = row.get(id) {
            sums[id % LANES] += entry * value;
        }
    }
    total(sums)
}

/// out ← out + scale·row over the shorter of the two.
pub(super) fn add_scaled(out: &mut [f64], scale: f64, row: &[f64]) {
    for (sum, entry) in out.iter_mut().zip(row) {
        *sum += scale * entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;

    #[test]
    fn sparse_and_dense_sums_have_the_same_bits() {
        for n in 0..40_usize {
            let row: Vec<f64> = (0..n).map(|i| (i as f64 + 0.3).sqrt()).collect();
            let dense: Vec<f64> =
                (0..n).map(|i| if i % 3 == 1 { 0.0 } else { 1.0 / (i as f64 + 0.7) }).collect();
            let sparse = Vector::from_dense(&dense).unwrap();
            assert_eq!(dot(&row, &dense), dot_sparse(&row, sparse.features()));
            let plain: f64 = row.iter().zip(&dense).map(|(a, b)| a * b).sum();
            assert!((dot(&row, &dense) - plain).abs() <= 1e-13);
        }
    }
}
