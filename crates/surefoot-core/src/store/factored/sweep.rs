//! EM sweeps of factor analysis: fit D + RRᵀ to P = D₀ + WWᵀ, W = [R₀ B], without ever forming P ([FACT] §3.1).
//!
//! Rows of the fit fall in two kinds. *Listed* rows are worked on one by one. The others keep their D, so their R
//! moves by one common matrix, R_p = R₀_p·T, and all that is needed of them is their share of R₀ᵀD₀⁻¹R₀. With every
//! active row listed this is EM as the paper has it; with only the buffer's rows listed it is a generalised EM,
//! whose cost does not depend on how many rows there are. Both never increase the divergence of [FACT] Eq. 7.

use super::eigen::Spectrum;
use super::kernel::{self, Length, add_gram, combine, with_length};
use super::matrix::Matrix;
use crate::simd::{add_scaled, dot};

/// One listed row of the target P.
pub(super) struct RowTarget<'a> {
    /// Its entry of D₀.
    pub(super) d: f64,
    /// Its row of R₀.
    pub(super) r: &'a [f64],
    /// Its row of B, empty if the buffer does not know it.
    pub(super) b: &'a [f64],
}

impl RowTarget<'_> {
    /// The entry of P's diagonal.
    #[inline(always)]
    fn diagonal(&self, rank: impl Length) -> f64 {
        self.d + kernel::dot(rank, self.r, self.r) + kernel::dot(self.b.len(), self.b, self.b)
    }

    /// out += W_p · matrix.
    fn combine(&self, matrix: &Matrix, out: &mut [f64]) {
        matrix.combine(self.r, out);
        matrix.combine_below(self.r.len(), self.b, out);
    }
}

/// The approximation D + RRᵀ while it is fitted.
#[derive(Debug)]
pub(super) struct Fit {
    /// D of the listed rows.
    pub(super) d: Vec<f64>,
    /// R of the listed rows.
    pub(super) r: Matrix,
    /// How the other rows move: R_p = R₀_p · T.
    pub(super) t: Matrix,
    /// RᵀD⁻¹R over all rows.
    pub(super) gram: Matrix,
    /// Σ R₀_pᵀR₀_p/D_p over the other rows.
    others: Matrix,
    /// How many columns W has.
    columns: usize,
    /// No D falls below this.
    least: f64,
}

impl Fit {
    /// Starts at the old D and R.
    pub(super) fn warm(rows: &[RowTarget<'_>], others: Matrix, columns: usize, least: f64) -> Self {
        let m = others.cols();
        let d = rows.iter().map(|target| target.d).collect();
        let r = Matrix::from_rows(m, rows.iter().flat_map(|target| target.r).copied().collect());
        let mut fit = Self { d, r, t: Matrix::identity(m), gram: Matrix::zero(m, m), others, columns, least };
        fit.sum_gram();
        fit
    }

    /// Starts after a first sweep from the best R there is for the old D: R = WV, V the eigenvectors of the largest
    /// eigenvalues λ of WᵀD₀⁻¹W. Eqs. 8–10 leave such an R as it is, so only Eq. 11 is left of that sweep.
    ///
    /// RᵀD₀⁻¹R is the diagonal of λ, so that RᵀD⁻¹R takes the listed rows only.
    pub(super) fn spectral(rows: &[RowTarget<'_>], others: Matrix, spectrum: &Spectrum, least: f64) -> Self {
        let (v, m) = (&spectrum.vectors, spectrum.vectors.cols());
        let mut fit = Self {
            d: Vec::with_capacity(rows.len()),
            r: Matrix::zero(rows.len(), m),
            t: v.top(m),
            gram: Matrix::zero(m, m),
            others,
            columns: v.rows(),
            least,
        };
        (0..m).for_each(|i| fit.gram.row_mut(i)[i] = spectrum.values[i]);
        with_length!(m, length => fit.project(length, rows, v));
        fit
    }

    /// R = WV on the listed rows, D by what it leaves of P's diagonal, and the change of D in RᵀD⁻¹R.
    fn project(&mut self, length: impl Length, rows: &[RowTarget<'_>], v: &Matrix) {
        let (top, below) = v.data().split_at(length.get() * length.get());
        let mut change = Vec::with_capacity(rows.len());
        for (target, fitted) in rows.iter().zip(self.r.data_mut().chunks_exact_mut(length.get())) {
            combine(length, fitted, target.r, top);
            combine(length, fitted, target.b, below);
            let d = (target.diagonal(length) - kernel::dot(length, fitted, fitted)).max(target.d); // [FACT] Eq. 11
            change.push((target.d - d) / (d * target.d));
            self.d.push(d);
        }
        add_gram(length, self.gram.data_mut(), &change, self.r.data());
    }

    /// One EM sweep; false, and nothing changes, if the numbers have left their range.
    pub(super) fn sweep(&mut self, rows: &[RowTarget<'_>]) -> bool {
        let Some((h, phi, x)) = self.shorthand(rows) else { return false };
        let m = self.t.cols();
        let (mut u, mut y, mut fresh) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
        for (i, target) in rows.iter().enumerate() {
            // u = (PD⁻¹R)_p
            u.fill(0.0);
            add_scaled(&mut u, target.d / self.d[i], self.r.row(i));
            target.combine(&h, &mut u);
            y.fill(0.0);
            phi.combine(&u, &mut y); // [FACT] Eq. 9
            fresh.fill(0.0);
            x.combine(&y, &mut fresh); // [FACT] Eq. 10
            self.r.row_mut(i).copy_from_slice(&fresh);
            let whole = target.diagonal(m);
            // What rounding leaves of P's diagonal is no measure of D; nor is what lies below the floor.
            let least = self.least.max(f64::EPSILON * whole);
            self.d[i] = (whole - dot(&fresh, &y)).max(least); // [FACT] Eq. 11
        }
        self.t.add(&h);
        self.t = self.t.times(&phi).times(&x); // Eqs. 9, 10 for the rows that are not listed
        self.sum_gram();
        true
    }

    /// H = WᵀD⁻¹R, Φ, and (Φ + ΥPΥᵀ)⁻¹.
    fn shorthand(&self, rows: &[RowTarget<'_>]) -> Option<(Matrix, Matrix, Matrix)> {
        let m = self.t.cols();
        let unlisted = self.others.times(&self.t);
        let mut h = Matrix::zero(self.columns, m);
        h.add(&unlisted);
        let mut moved = self.t.transposed_times(&unlisted); // RᵀD⁻¹D₀D⁻¹R
        for (i, target) in rows.iter().enumerate() {
            let (r, k) = (self.r.row(i), 1.0 / self.d[i]);
            moved.add_outer(target.d * k * k, r, r);
            h.add_outer(k, target.r, r);
            h.add_outer_below(m, k, target.b, r);
        }
        let mut square = Matrix::identity(m);
        square.add(&self.gram);
        let phi = square.inverse()?; // [FACT] Eq. 8
        moved.add(&h.transposed_times(&h));
        let mut inner = phi.times(&moved).times(&phi); // ΥPΥᵀ
        inner.add(&phi);
        let x = inner.inverse()?;
        Some((h, phi, x))
    }

    /// RᵀD⁻¹R over all rows, afresh.
    pub(super) fn sum_gram(&mut self) {
        self.gram = self.t.transposed_times(&self.others.times(&self.t));
        let k: Vec<f64> = self.d.iter().map(|d| 1.0 / d).collect();
        with_length!(self.t.cols(), rank => add_gram(rank, self.gram.data_mut(), &k, self.r.data()));
    }

    /// Whether every number is finite; an R that is not leaves its trace in RᵀD⁻¹R.
    pub(super) fn is_finite(&self) -> bool {
        let mut numbers = self.d.iter().chain(self.gram.data()).chain(self.t.data());
        numbers.all(|x| x.is_finite())
    }
}
