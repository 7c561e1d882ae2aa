//! Small dense matrices: the m × m and r × m algebra of a compression.

use super::cholesky::Cholesky;
use super::kernel::{self, with_length};

/// A dense matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matrix {
    cols: usize,
    data: Vec<f64>,
}

impl Matrix {
    pub(super) fn zero(rows: usize, cols: usize) -> Self {
        Self { cols, data: vec![0.0; rows * cols] }
    }

    pub(super) fn identity(n: usize) -> Self {
        let mut one = Self::zero(n, n);
        (0..n).for_each(|i| one.row_mut(i)[i] = 1.0);
        one
    }

    /// From numbers row by row.
    pub(super) fn from_rows(cols: usize, data: Vec<f64>) -> Self {
        Self { cols, data }
    }

    pub(super) fn rows(&self) -> usize {
        self.data.len().checked_div(self.cols).unwrap_or(0)
    }

    pub(super) fn cols(&self) -> usize {
        self.cols
    }

    pub(super) fn data(&self) -> &[f64] {
        &self.data
    }

    pub(super) fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.cols..][..self.cols]
    }

    pub(super) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.cols..][..self.cols]
    }

    /// The first rows as a matrix of their own.
    pub(super) fn top(&self, rows: usize) -> Self {
        Self { cols: self.cols, data: self.data[..rows * self.cols].to_vec() }
    }

    /// self += other; `other` may have fewer rows.
    pub(super) fn add(&mut self, other: &Self) {
        self.data.iter_mut().zip(&other.data).for_each(|(a, b)| *a += b);
    }

    /// self += k · aᵀb for two rows; zeros of `a` cost nothing.
    pub(super) fn add_outer(&mut self, k: f64, a: &[f64], b: &[f64]) {
        self.add_outer_below(0, k, a, b);
    }

    /// As [`Matrix::add_outer`], on the rows from `first` on.
    pub(super) fn add_outer_below(&mut self, first: usize, k: f64, a: &[f64], b: &[f64]) {
        let rows = &mut self.data[first * self.cols..];
        with_length!(self.cols, length => kernel::add_outer(length, rows, k, a, b));
    }

    /// self · other.
    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.rows(), other.cols);
        for i in 0..self.rows() {
            other.combine(self.row(i), product.row_mut(i));
        }
        product
    }

    /// selfᵀ · other.
    pub(super) fn transposed_times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.cols, other.cols);
        for i in 0..self.rows() {
            product.add_outer(1.0, self.row(i), other.row(i));
        }
        product
    }

    /// out += w · self for a row w; zeros of w cost nothing.
    pub(super) fn combine(&self, w: &[f64], out: &mut [f64]) {
        self.combine_below(0, w, out);
    }

    /// As [`Matrix::combine`], with the rows from `first` on.
    pub(super) fn combine_below(&self, first: usize, w: &[f64], out: &mut [f64]) {
        let rows = &self.data[first * self.cols..];
        with_length!(self.cols, length => kernel::combine_sparse(length, out, w, rows));
    }

    /// Turns rows i and i + 1 in their plane.
    pub(super) fn rotate_rows(&mut self, i: usize, cosine: f64, sine: f64) {
        let (upper, lower) = self.data[i * self.cols..][..2 * self.cols].split_at_mut(self.cols);
        for (x, y) in upper.iter_mut().zip(lower) {
            (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
        }
    }

    /// The inverse of a symmetric positive definite matrix; `None` if it is not one.
    pub(super) fn inverse(&self) -> Option<Self> {
        let factor = Cholesky::of(self)?;
        let mut inverse = Self::identity(self.cols);
        for i in 0..self.cols {
            factor.solve(inverse.row_mut(i));
        }
        Some(inverse)
    }
}
