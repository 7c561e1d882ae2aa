//! One triangle of a symmetric matrix, packed by rows: row i has i + 1 entries, so new rows append.
//!
//! Storing entry ij once keeps the matrix symmetric: an antisymmetric residue of rounding would never shrink
//! again and would dominate once the variances have fallen.

use crate::SparseVec;
use crate::simd::{add_scaled, dot, dot_sparse};

/// A vector to multiply with, whichever form is cheaper to read.
#[derive(Debug, Clone, Copy)]
pub(super) enum TriangleView<'a> {
    /// Few features.
    Sparse(SparseVec<'a>),
    /// A value for every row.
    Dense(&'a [f64]),
}

impl TriangleView<'_> {
    /// row·x.
    pub(super) fn dot(&self, row: &[f64]) -> f64 {
        match self {
            Self::Sparse(x) => dot_sparse(row, *x),
            Self::Dense(x) => dot(row, x),
        }
    }
}

/// The lower triangle of a symmetric matrix that grows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Triangle {
    entries: Vec<f64>,
    dimension: usize,
}

/// How many numbers a triangle of so many rows has.
pub(super) fn packed(dimension: usize) -> usize {
    dimension * (dimension + 1) / 2
}

impl Triangle {
    /// From its packed rows: `packed(dimension)` entries.
    pub(super) fn new(entries: Vec<f64>, dimension: usize) -> Self {
        debug_assert_eq!(entries.len(), packed(dimension));
        Self { entries, dimension }
    }

    /// The packed rows.
    pub(super) fn packed(&self) -> &[f64] {
        &self.entries
    }

    /// Appends rows that are zero but for the diagonal, until there are `dimension` rows.
    pub(super) fn grow(&mut self, dimension: usize, diagonal: f64) {
        self.entries.reserve(packed(dimension).saturating_sub(self.entries.len()));
        for i in self.dimension..dimension {
            self.entries.resize(packed(i) + i, 0.0);
            self.entries.push(diagonal);
        }
        self.dimension = self.dimension.max(dimension);
    }

    /// Row i up to the diagonal.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.entries[packed(i)..=packed(i) + i]
    }

    /// The same, to be changed.
    pub(super) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[packed(i)..=packed(i) + i]
    }

    /// Row i below the diagonal, and the diagonal.
    fn split(&self, i: usize) -> (&[f64], f64) {
        let row = self.row(i);
        (&row[..i], row[i])
    }

    /// The diagonal entry of row i.
    pub(super) fn diagonal(&self, i: usize) -> f64 {
        self.entries[packed(i) + i]
    }

    /// xᵀAx. A sparse x reads nnz² entries; features without a row count for nothing.
    pub(super) fn quadratic(&self, x: TriangleView<'_>) -> f64 {
        let term = |(i, value): (usize, f64)| {
            let (below, diagonal) = self.split(i);
            share(x.dot(below), diagonal, value)
        };
        let known = |&(i, value): &(usize, f64)| i < self.dimension && value != 0.0;
        match x {
            TriangleView::Sparse(x) => x.iter().filter(known).map(term).sum(),
            TriangleView::Dense(x) => x.iter().copied().enumerate().filter(known).map(term).sum(),
        }
    }

    /// out ← Ax, at one dot product and (for features of x) one scaled addition a row.
    pub(super) fn image(&self, x: TriangleView<'_>, out: &mut Vec<f64>) {
        match x {
            TriangleView::Sparse(x) => self.image_sparse(x, out),
            TriangleView::Dense(x) => drop(self.image_dense(x, out)),
        }
    }

    fn image_sparse(&self, x: SparseVec<'_>, out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.dimension).map(|i| dot_sparse(self.split(i).0, x)));
        for (i, value) in x.iter().filter(|(i, _)| *i < self.dimension) {
            let (below, diagonal) = self.split(i);
            out[i] += diagonal * value;
            add_scaled(&mut out[..i], value, below);
        }
    }

    /// out ← Ax for an x with a value for every row, reading the triangle once. Returns xᵀAx, with the bits of
    /// [`Triangle::quadratic`].
    pub(super) fn image_dense(&self, x: &[f64], out: &mut Vec<f64>) -> f64 {
        out.clear();
        let mut quadratic = 0.0;
        for (i, &value) in x[..self.dimension].iter().enumerate() {
            let (below, diagonal) = self.split(i);
            let half = dot(below, x);
            quadratic += share(half, diagonal, value);
            if value != 0.0 {
                add_scaled(out, value, below);
            }
            out.push(half + diagonal * value);
        }
        quadratic
    }

    /// A ← A − Σ weight·column·columnᵀ over the pairs, in one pass over the triangle.
    pub(super) fn subtract(&mut self, weights: &[f64], columns: &[Vec<f64>]) {
        for i in 0..self.dimension {
            let row = self.row_mut(i);
            let ((fours, ones), (four_weights, one_weights)) =
                (columns.as_chunks::<4>(), weights.as_chunks::<4>());
            for (four, weights) in fours.iter().zip(four_weights) {
                let scales: [f64; 4] = std::array::from_fn(|k| -weights[k] * four[k][i]);
                add_four(row, scales, four.each_ref().map(|column| &column[..=i]));
            }
            for (column, weight) in ones.iter().zip(one_weights) {
                add_scaled(row, -weight * column[i], column);
            }
        }
    }

    /// No entry of the diagonal is below `least`.
    pub(super) fn lift_diagonal(&mut self, least: f64) {
        for i in 0..self.dimension {
            let entry = &mut self.entries[packed(i) + i];
            if *entry < least {
                *entry = least;
            }
        }
    }

    /// A ← factor·A.
    pub(super) fn scale(&mut self, factor: f64) {
        self.entries.iter_mut().for_each(|entry| *entry *= factor);
    }

    /// A ← A + abᵀ + baᵀ.
    pub(super) fn add_pair(&mut self, a: &[f64], b: &[f64]) {
        for i in 0..self.dimension {
            let row = self.row_mut(i);
            add_scaled(row, a[i], b);
            add_scaled(row, b[i], a);
        }
    }

    /// out ← column p.
    pub(super) fn column(&self, p: usize, out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.dimension).map(|q| self.entries[packed(p.max(q)) + p.min(q)]));
    }

    /// Takes row and column p out.
    pub(super) fn remove(&mut self, p: usize) {
        let mut end = packed(p);
        for i in p + 1..self.dimension {
            let start = packed(i);
            self.entries.copy_within(start..start + p, end);
            self.entries.copy_within(start + p + 1..=start + i, end + p);
            end += i;
        }
        self.entries.truncate(end);
        self.dimension -= 1;
    }
}

/// Four scaled additions that read and write `out` once; the same bits as one after the other.
fn add_four(out: &mut [f64], scales: [f64; 4], [a, b, c, d]: [&[f64]; 4]) {
    for ((((sum, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *sum = (((*sum + scales[0] * a) + scales[1] * b) + scales[2] * c) + scales[3] * d;
    }
}

/// What row i adds to xᵀAx, given its product with x below the diagonal.
fn share(half: f64, diagonal: f64, value: f64) -> f64 {
    value * (2.0 * half + diagonal * value)
}
