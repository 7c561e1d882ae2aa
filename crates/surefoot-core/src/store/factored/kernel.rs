//! The inner loops over rows of W. They are written once, for any length of a row, and compiled once more for each of the
//! usual ranks, where the length is known to the compiler and the sums stay in registers.

use std::ops::Range;

/// Sums that stay in registers; a length that the compiler knows is at most twice that.
const TILE: usize = 8;

/// The length of a row.
pub(super) trait Length: Copy {
    /// Whether the compiler knows it.
    const KNOWN: bool;

    fn get(self) -> usize;
}

/// A length known to the compiler.
#[derive(Clone, Copy)]
pub(super) struct Fixed<const N: usize>;

impl<const N: usize> Length for Fixed<N> {
    const KNOWN: bool = N <= 2 * TILE;

    #[inline(always)]
    fn get(self) -> usize {
        N
    }
}

/// One more than a length: β before a row of R.
#[derive(Clone, Copy)]
pub(super) struct OneMore<L>(pub(super) L);

impl<L: Length> Length for OneMore<L> {
    const KNOWN: bool = L::KNOWN;

    #[inline(always)]
    fn get(self) -> usize {
        self.0.get() + 1
    }
}

/// Any length.
impl Length for usize {
    const KNOWN: bool = false;

    #[inline(always)]
    fn get(self) -> usize {
        self
    }
}

/// Runs a body with a [`Length`]: one of the usual ranks as a constant, any other as it is.
macro_rules! with_length {
    ($length:expr, $name:ident => $body:expr) => {
        match $length {
            2 => with_length!(@ 2, $name => $body),
            4 => with_length!(@ 4, $name => $body),
            8 => with_length!(@ 8, $name => $body),
            16 => with_length!(@ 16, $name => $body),
            $name => $body,
        }
    };
    (@ $length:literal, $name:ident => $body:expr) => {{
        let $name = $crate::store::factored::kernel::Fixed::<$length>;
        $body
    }};
}
pub(super) use with_length;

/// out += k · row.
#[inline(always)]
pub(super) fn add_row(length: impl Length, out: &mut [f64], k: f64, row: &[f64]) {
    let (out, row) = (&mut out[..length.get()], &row[..length.get()]);
    (0..length.get()).for_each(|j| out[j] += k * row[j]);
}

/// a · b.
#[inline(always)]
pub(super) fn dot(length: impl Length, a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (&a[..length.get()], &b[..length.get()]);
    (0..length.get()).map(|j| a[j] * b[j]).sum()
}

/// out += w · rows, with rows back to back.
#[inline(always)]
pub(super) fn combine<L: Length>(length: L, out: &mut [f64], w: &[f64], rows: &[f64]) {
    if !L::KNOWN {
        let rows = rows.chunks_exact(length.get()).zip(w);
        return rows.for_each(|(row, &w)| add_row(length, out, w, row));
    }
    // Up to nine sums fit into the registers.
    let split = if length.get() > TILE + 1 { TILE } else { 0 };
    combine_columns(length, 0..split, out, w, rows);
    combine_columns(length, split..length.get(), out, w, rows);
}

/// Some of the columns of [`combine`], summed in a copy that the compiler can keep in registers.
#[inline(always)]
fn combine_columns(length: impl Length, columns: Range<usize>, out: &mut [f64], w: &[f64], rows: &[f64]) {
    let (out, mut sum) = (&mut out[columns.clone()], [0.0; TILE + 1]);
    let sum = &mut sum[..columns.len()];
    sum.copy_from_slice(out);
    for (row, &w) in rows.chunks_exact(length.get()).zip(w) {
        add_row(columns.len(), sum, w, &row[columns.clone()]);
    }
    out.copy_from_slice(sum);
}

/// The same where w is mostly zeros, which cost nothing.
#[inline(always)]
pub(super) fn combine_sparse(length: impl Length, out: &mut [f64], w: &[f64], rows: &[f64]) {
    for (row, &w) in rows.chunks_exact(length.get()).zip(w) {
        if w != 0.0 {
            add_row(length, out, w, row);
        }
    }
}

/// rows += k · aᵀb, with rows of b's length back to back; zeros of a cost nothing.
#[inline(always)]
pub(super) fn add_outer(length: impl Length, rows: &mut [f64], k: f64, a: &[f64], b: &[f64]) {
    for (row, &a) in rows.chunks_exact_mut(length.get()).zip(a) {
        if a != 0.0 {
            add_row(length, row, k * a, b);
        }
    }
}

/// gram += Σ kᵢ · rowᵢᵀrowᵢ, with rows back to back: a row of the sum at a time, so that it stays in registers.
#[inline(always)]
pub(super) fn add_gram(length: impl Length, gram: &mut [f64], k: &[f64], rows: &[f64]) {
    let mut weights = vec![0.0; k.len()];
    for (j, out) in gram.chunks_exact_mut(length.get()).enumerate() {
        let rows_with_k = rows.chunks_exact(length.get()).zip(k);
        weights.iter_mut().zip(rows_with_k).for_each(|(weight, (row, k))| *weight = k * row[j]);
        combine(length, out, &weights, rows);
    }
}
