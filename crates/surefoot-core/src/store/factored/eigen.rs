//! Eigenvectors of a small symmetric matrix: Householder's tridiagonal form, then the QL algorithm with implicit shifts.
//!
//! At the sizes of a compression this is a tenth of the work of Jacobi's rotations. Whatever rounding does, the vectors
//! are orthonormal, being a product of reflections and rotations.

use super::matrix::Matrix;
use crate::simd::{add_scaled, dot};

/// Shifts tried for one eigenvalue; two are usual.
const MOST_SHIFTS: usize = 60;

/// The largest eigenvalues of a symmetric matrix and their vectors.
pub(super) struct Spectrum {
    /// Largest first.
    pub(super) values: Vec<f64>,
    /// The eigenvectors as columns.
    pub(super) vectors: Matrix,
}

impl Spectrum {
    /// The `count` largest eigenvalues of a symmetric matrix.
    pub(super) fn top(mut matrix: Matrix, count: usize) -> Self {
        let n = matrix.cols();
        // Entries of at most about 1: no square overflows.
        let scale = (0..n).map(|i| matrix.row(i)[i]).fold(f64::MIN_POSITIVE, f64::max);
        matrix.data_mut().iter_mut().for_each(|entry| *entry /= scale);
        let mut form = Tridiagonal::of(matrix);
        (0..n).for_each(|l| form.isolate(l));
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| form.diagonal[j].total_cmp(&form.diagonal[i]));
        order.truncate(count);
        let mut vectors = Matrix::zero(n, order.len());
        for (place, &i) in order.iter().enumerate() {
            (0..n).for_each(|j| vectors.row_mut(j)[place] = form.basis.row(i)[j]);
        }
        Self { values: order.iter().map(|&i| scale * form.diagonal[i]).collect(), vectors }
    }
}

/// A symmetric matrix A = QᵀTQ, T tridiagonal, on its way to a diagonal one.
struct Tridiagonal {
    diagonal: Vec<f64>,
    /// Entry i couples i and i + 1; the last is 0.
    beside: Vec<f64>,
    /// Q: row i becomes the i-th eigenvector.
    basis: Matrix,
}

impl Tridiagonal {
    /// Reflects column after column onto its first entry below the diagonal.
    fn of(mut a: Matrix) -> Self {
        let n = a.cols();
        let mut reflections = Vec::with_capacity(n);
        for k in 0..n.saturating_sub(2) {
            reflections.push(reflect(&mut a, k));
        }
        let mut basis = Matrix::identity(n);
        for i in 0..n {
            for v in reflections.iter().rev() {
                let row = &mut basis.row_mut(i)[n - v.len()..];
                add_scaled(row, -2.0 * dot(v, row), v);
            }
        }
        let beside = (0..n).map(|i| if i + 1 < n { a.row(i + 1)[i] } else { 0.0 }).collect();
        Self { diagonal: (0..n).map(|i| a.row(i)[i]).collect(), beside, basis }
    }

    /// Rotates until entry l of the diagonal is an eigenvalue; those before it already are.
    fn isolate(&mut self, l: usize) {
        for _ in 0..MOST_SHIFTS {
            let last = (l..self.diagonal.len()).find(|&m| self.is_split_after(m));
            match last {
                Some(m) if m > l => self.chase(l, m),
                _ => return,
            }
        }
    }

    /// Whether the coupling after an entry is lost in the rounding of its neighbours.
    fn is_split_after(&self, m: usize) -> bool {
        let scale = self.diagonal[m].abs() + self.diagonal.get(m + 1).map_or(0.0, |d| d.abs());
        self.beside[m].abs() <= 0.5 * f64::EPSILON * scale
    }

    /// One QL step with an implicit shift on the entries from l to m.
    fn chase(&mut self, l: usize, m: usize) {
        let (d, e) = (&mut self.diagonal, &mut self.beside);
        let half = (d[l + 1] - d[l]) / (2.0 * e[l]);
        let mut g = d[m] - d[l] + e[l] / (half + (1.0 + half * half).sqrt().copysign(half));
        let (mut sine, mut cosine, mut shift) = (1.0, 1.0, 0.0);
        for i in (l..m).rev() {
            let (f, b) = (sine * e[i], cosine * e[i]);
            let radius = (f * f + g * g).sqrt();
            e[i + 1] = radius;
            if radius == 0.0 {
                d[i + 1] -= shift;
                e[m] = 0.0;
                return;
            }
            (sine, cosine) = (f / radius, g / radius);
            let base = d[i + 1] - shift;
            let turned = (d[i] - base) * sine + 2.0 * cosine * b;
            shift = sine * turned;
            d[i + 1] = base + shift;
            g = cosine * turned - b;
            self.basis.rotate_rows(i, cosine, sine);
        }
        d[l] -= shift;
        e[l] = g;
        e[m] = 0.0;
    }
}

/// Reflects the entries of column k below the diagonal onto the first of them, from both sides; returns the unit
/// vector across which it does, without its k + 1 zeros, or zeros if there is nothing to do.
fn reflect(a: &mut Matrix, k: usize) -> Vec<f64> {
    let n = a.cols();
    let first = k + 1;
    let mut v: Vec<f64> = (first..n).map(|i| a.row(i)[k]).collect();
    let length = dot(&v, &v).sqrt().copysign(v[0]);
    v[0] += length;
    let norm = dot(&v, &v).sqrt();
    if norm == 0.0 || !norm.is_finite() {
        v.fill(0.0);
        return v;
    }
    v.iter_mut().for_each(|x| *x /= norm);
    a.row_mut(first)[k] = -length;
    // HAH = A − vwᵀ − wvᵀ, w = 2(Av − (vᵀAv)v)
    let mut w: Vec<f64> = (first..n).map(|i| 2.0 * dot(&a.row(i)[first..], &v)).collect();
    let along = dot(&v, &w);
    add_scaled(&mut w, -along, &v);
    for i in first..n {
        let row = &mut a.row_mut(i)[first..];
        let (v_i, w_i) = (v[i - first], w[i - first]);
        (0..n - first).for_each(|j| row[j] -= v_i * w[j] + w_i * v[j]);
    }
    v
}
