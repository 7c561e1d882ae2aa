//! The Cholesky factor of I + WᵀD⁻¹W: it grows by a row a column of W and never has to be inverted.

use super::matrix::Matrix;
use crate::simd::{add_scaled, dot};

/// A lower triangle L with a positive diagonal, row by row without the zeros.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Cholesky {
    size: usize,
    data: Vec<f64>,
}

impl Cholesky {
    /// L with LLᵀ = `matrix`; `None` if the matrix is not positive definite.
    pub(super) fn of(matrix: &Matrix) -> Option<Self> {
        Self::of_rows((0..matrix.cols()).map(|i| &matrix.row(i)[..=i]))
    }

    /// The same from the rows of the matrix, each up to its diagonal.
    pub(crate) fn of_rows<'a>(rows: impl Iterator<Item = &'a [f64]>) -> Option<Self> {
        let mut factor = Self::default();
        for row in rows {
            let (row, pivot) = factor.next(row);
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            factor.border(&row, 1.0, pivot.sqrt());
        }
        Some(factor)
    }

    /// Becomes L with LLᵀ = the matrix of these rows, each up to its diagonal, plus so much on the diagonal; in memory that is
    /// there already. False if that is not positive definite.
    pub(in crate::store) fn assign<'a>(
        &mut self,
        rows: impl Iterator<Item = &'a [f64]>,
        on_diagonal: f64,
    ) -> bool {
        self.size = 0;
        self.data.clear();
        for row in rows {
            let (i, start) = (self.size, self.data.len());
            self.data.extend_from_slice(row);
            let (known, own) = self.data.split_at_mut(start);
            for k in 0..i {
                let above = &known[k * (k + 1) / 2..][..=k];
                own[k] = (own[k] - dot(&above[..k], &own[..k])) / above[k];
            }
            let pivot = own[i] + on_diagonal - dot(&own[..i], &own[..i]);
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            own[i] = pivot.sqrt();
            self.size += 1;
        }
        true
    }

    /// ln det LLᵀ.
    pub(crate) fn log_det(&self) -> f64 {
        (0..self.size).map(|i| 2.0 * libm::log(self.row(i)[i])).sum()
    }

    /// z ← (LLᵀ)⁻¹z.
    pub(in crate::store) fn solve(&self, z: &mut [f64]) {
        self.forward(z);
        self.backward(z);
    }

    /// The lower triangle of (LLᵀ)⁻¹ = L⁻ᵀL⁻¹, row by row, from the rows of L⁻¹.
    pub(in crate::store) fn inverse(&self) -> Vec<f64> {
        let start = |i: usize| i * (i + 1) / 2;
        let mut rows: Vec<f64> = Vec::with_capacity(self.data.len());
        let mut out = vec![0.0; self.data.len()];
        for k in 0..self.size {
            let own = self.row(k);
            let mut fresh = vec![0.0; k + 1];
            fresh[k] = 1.0;
            for (j, l) in own[..k].iter().enumerate() {
                add_scaled(&mut fresh, -l, &rows[start(j)..=start(j) + j]);
            }
            fresh.iter_mut().for_each(|x| *x /= own[k]);
            for (i, x) in fresh.iter().enumerate() {
                add_scaled(&mut out[start(i)..=start(i) + i], *x, &fresh);
            }
            rows.extend_from_slice(&fresh);
        }
        out
    }

    /// L with LLᵀ = I + G for a Gram matrix G. Its pivots are at least 1; rounding does not take that away.
    pub(super) fn of_identity_plus(gram: &Matrix) -> Self {
        let mut factor = Self::default();
        for i in 0..gram.cols() {
            let (row, pivot) = factor.next(&gram.row(i)[..=i]);
            factor.border(&row, 1.0, (1.0 + pivot).max(1.0).sqrt());
        }
        factor
    }

    /// The row that a row of the matrix adds to L, and the square of its corner.
    fn next(&self, matrix_row: &[f64]) -> (Vec<f64>, f64) {
        let i = self.size;
        let mut row = matrix_row[..i].to_vec();
        self.forward(&mut row);
        let pivot = matrix_row[i] - dot(&row, &row);
        (row, pivot)
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Adds the row [scale·row, corner].
    pub(super) fn border(&mut self, row: &[f64], scale: f64, corner: f64) {
        self.data.extend(row.iter().map(|x| scale * x));
        self.data.push(corner);
        self.size += 1;
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.data[i * (i + 1) / 2..][..=i]
    }

    /// z ← L⁻¹z.
    pub(in crate::store) fn forward(&self, z: &mut [f64]) {
        for i in 0..z.len() {
            let row = self.row(i);
            z[i] = (z[i] - dot(&row[..i], &z[..i])) / row[i];
        }
    }

    /// z ← L⁻ᵀz.
    pub(super) fn backward(&self, z: &mut [f64]) {
        for i in (0..z.len()).rev() {
            let row = self.row(i);
            z[i] /= row[i];
            let known = z[i];
            z[..i].iter_mut().zip(row).for_each(|(z, l)| *z -= known * l);
        }
    }

    /// Takes the first row and column out of LLᵀ: what is left of L takes up the first column as a rank-one update.
    pub(super) fn drop_first(&mut self) {
        let mut column: Vec<f64> = (1..self.size).map(|i| self.row(i)[0]).collect();
        let mut rest = Self { size: self.size - 1, data: Vec::with_capacity(self.data.len()) };
        (1..self.size).for_each(|i| rest.data.extend_from_slice(&self.row(i)[1..]));
        for j in 0..rest.size {
            let corner = rest.row(j)[j];
            let radius = corner.hypot(column[j]);
            let (cosine, sine) = (corner / radius, column[j] / radius);
            for (i, below) in column.iter_mut().enumerate().skip(j) {
                let entry = &mut rest.data[i * (i + 1) / 2 + j];
                (*entry, *below) = (cosine * *entry + sine * *below, cosine * *below - sine * *entry);
            }
        }
        *self = rest;
    }

    /// Lᵀz.
    pub(super) fn transposed_times(&self, z: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.size];
        for (i, z) in z.iter().enumerate() {
            product.iter_mut().zip(self.row(i)).for_each(|(p, l)| *p += z * l);
        }
        product
    }

    /// The first `size` rows and columns of LLᵀ.
    pub(super) fn square(&self, size: usize) -> Matrix {
        let mut square = Matrix::zero(size, size);
        for i in 0..size {
            for j in 0..=i {
                let entry = dot(self.row(i), self.row(j));
                square.row_mut(i)[j] = entry;
                square.row_mut(j)[i] = entry;
            }
        }
        square
    }

    /// The triangle's numbers, row by row.
    pub(super) fn data(&self) -> &[f64] {
        &self.data
    }

    /// From the numbers of a triangle of that size; `None` if its diagonal is not positive.
    pub(super) fn from_data(size: usize, data: Vec<f64>) -> Option<Self> {
        let factor = Self { size, data };
        (0..size).all(|i| factor.row(i)[i] > 0.0).then_some(factor)
    }
}
