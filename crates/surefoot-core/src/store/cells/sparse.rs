//! A row that lists only the blocks which were touched, by ascending block.

use crate::simd::Number;
use crate::{Error, Result, SparseVec};

/// One touched block of a sparse row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SparseCell<const N: usize, T> {
    pub(super) block: u32,
    pub(super) cell: [T; N],
}

/// The cell of a block; the origin if it was never touched.
pub(super) fn sparse_cell<const N: usize, T: Copy>(
    rows: &[Vec<SparseCell<N, T>>],
    feature: usize,
    block: usize,
    origin: [T; N],
) -> [T; N] {
    let row = rows.get(feature).map_or(&[][..], Vec::as_slice);
    row.binary_search_by_key(&(block as u32), |e| e.block).map_or(origin, |i| row[i].cell)
}

/// The cell of a block, made now if it was never touched.
pub(super) fn entry<const N: usize, T>(
    row: &mut Vec<SparseCell<N, T>>,
    block: usize,
    origin: [T; N],
) -> &mut [T; N] {
    let block = block as u32;
    let i = row.binary_search_by_key(&block, |e| e.block).unwrap_or_else(|i| {
        row.insert(i, SparseCell { block, cell: origin });
        i
    });
    &mut row[i].cell
}

/// out[b] += Σ over the example of factor(value) · number n of the cell: every block as if it were at the origin, then what
/// those that were touched differ by.
pub(super) fn scan<const N: usize, T: Number>(
    rows: &[Vec<SparseCell<N, T>>],
    x: SparseVec<'_>,
    factor: impl Fn(f64) -> f64,
    n: usize,
    origin: f64,
    out: &mut [f64],
) {
    let untouched: f64 = x.iter().map(|(_, value)| factor(value) * origin).sum();
    out.iter_mut().for_each(|sum| *sum += untouched);
    for (f, value) in x.iter() {
        let factor = factor(value);
        for e in rows.get(f).into_iter().flatten() {
            out[e.block as usize] += factor * e.cell[n].wide() - factor * origin;
        }
    }
}

/// Rows from the tensors that were saved, checked against each other.
pub(super) fn unpack<const N: usize, T: Copy>(
    features: usize,
    blocks: usize,
    lengths: &[u32],
    owners: &[u32],
    cells: &[T],
) -> Result<Vec<Vec<SparseCell<N, T>>>> {
    let total: u64 = lengths.iter().map(|&n| u64::from(n)).sum();
    if lengths.len() != features || total != owners.len() as u64 || owners.len() * N != cells.len() {
        return Err(Error::State("`row`, `block` and `cells` do not fit together".into()));
    }
    let mut rest = owners.iter().zip(cells.as_chunks::<N>().0);
    let rows = lengths
        .iter()
        .map(|&n| rest.by_ref().take(n as usize).map(|(&block, &cell)| SparseCell { block, cell }).collect())
        .collect::<Vec<Vec<SparseCell<N, T>>>>();
    let sorted = |row: &Vec<SparseCell<N, T>>| {
        row.is_sorted_by(|a, b| a.block < b.block) && row.last().is_none_or(|e| (e.block as usize) < blocks)
    };
    if rows.iter().all(sorted) { Ok(rows) } else { Err(Error::State("`block` is out of order".into())) }
}
