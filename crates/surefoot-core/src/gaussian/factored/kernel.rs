//! The inner loops, unrolled for the usual ranks: the length of a row is known to the compiler there.

use crate::gaussian::lanes::add_scaled;

/// Calls a function of a row length with that length as a constant, where it is one of the usual ranks or one more.
macro_rules! by_length {
    ($length:expr, $fixed:ident($($argument:expr),*), $general:expr) => {
        match $length {
            2 => $fixed::<2>($($argument),*),
            3 => $fixed::<3>($($argument),*),
            4 => $fixed::<4>($($argument),*),
            5 => $fixed::<5>($($argument),*),
            8 => $fixed::<8>($($argument),*),
            9 => $fixed::<9>($($argument),*),
            16 => $fixed::<16>($($argument),*),
            17 => $fixed::<17>($($argument),*),
            _ => $general,
        }
    };
}

/// out += k · row.
#[inline]
pub(super) fn add_row(out: &mut [f64], k: f64, row: &[f64]) {
    by_length!(row.len(), add_fixed(out, k, row), add_scaled(out, k, row));
}

#[inline]
fn add_fixed<const N: usize>(out: &mut [f64], k: f64, row: &[f64]) {
    if let (Some(out), Some(row)) = (out.first_chunk_mut::<N>(), row.first_chunk::<N>()) {
        (0..N).for_each(|j| out[j] += k * row[j]);
    }
}

/// out += w · rows, with rows of `cols` numbers back to back; zeros of w cost nothing.
#[inline]
pub(super) fn combine(out: &mut [f64], w: &[f64], rows: &[f64], cols: usize) {
    by_length!(cols, combine_fixed(out, w, rows), combine_any(out, w, rows, cols));
}

fn combine_fixed<const N: usize>(out: &mut [f64], w: &[f64], rows: &[f64]) {
    let Some(out) = out.first_chunk_mut::<N>() else { return };
    let mut sum = *out;
    for (row, &w) in rows.as_chunks::<N>().0.iter().zip(w) {
        if w != 0.0 {
            (0..N).for_each(|j| sum[j] += w * row[j]);
        }
    }
    *out = sum;
}

fn combine_any(out: &mut [f64], w: &[f64], rows: &[f64], cols: usize) {
    for (row, &w) in rows.chunks_exact(cols).zip(w) {
        if w != 0.0 {
            add_scaled(out, w, row);
        }
    }
}

/// rows += k · aᵀb, with rows of b's length back to back; zeros of a cost nothing.
#[inline]
pub(super) fn add_outer(rows: &mut [f64], k: f64, a: &[f64], b: &[f64]) {
    by_length!(b.len(), outer_fixed(rows, k, a, b), outer_any(rows, k, a, b));
}

fn outer_fixed<const N: usize>(rows: &mut [f64], k: f64, a: &[f64], b: &[f64]) {
    let Some(b) = b.first_chunk::<N>() else { return };
    for (row, &a) in rows.as_chunks_mut::<N>().0.iter_mut().zip(a) {
        if a != 0.0 {
            let ka = k * a;
            (0..N).for_each(|j| row[j] += ka * b[j]);
        }
    }
}

fn outer_any(rows: &mut [f64], k: f64, a: &[f64], b: &[f64]) {
    for (row, &a) in rows.chunks_exact_mut(b.len()).zip(a) {
        if a != 0.0 {
            add_scaled(row, k * a, b);
        }
    }
}
