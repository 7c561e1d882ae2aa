//! The buffer B: the last updates as they were, kept on the rows that they touched.

use super::table::NONE;

/// Columns of scaled examples, row by row. Which row is whose is marked in the table.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffer {
    /// Columns in use.
    columns: usize,
    /// Room for columns in each row.
    width: usize,
    /// The table's row for each row of the buffer.
    touched: Vec<u32>,
    data: Vec<f64>,
}

impl Buffer {
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The table's rows that a column touches, in the order in which they came.
    pub(super) fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// A row by its mark in the table, an entry a column; empty if no column touches it.
    #[inline]
    pub(super) fn row(&self, mark: u32) -> &[f64] {
        if mark == NONE { &[] } else { &self.data[mark as usize * self.width..][..self.columns] }
    }

    /// The same, to be changed.
    pub(super) fn row_mut(&mut self, mark: u32) -> &mut [f64] {
        if mark == NONE { &mut [] } else { &mut self.data[mark as usize * self.width..][..self.columns] }
    }

    /// Begins a column: entries put from now on belong to it.
    pub(super) fn begin(&mut self) {
        if self.columns == self.width {
            self.widen((2 * self.width).max(8));
        }
        self.columns += 1;
    }

    /// An entry of the newest column for a row of the table, whose mark may change.
    #[inline]
    pub(super) fn put(&mut self, place: usize, mark: &mut u32, entry: f64) {
        if *mark == NONE {
            *mark = self.touched.len() as u32;
            self.touched.push(place as u32);
            self.data.resize(self.data.len() + self.width, 0.0);
        }
        self.data[*mark as usize * self.width + self.columns - 1] = entry;
    }

    /// Throws the oldest column away, and the rows that only it touched: `mark` tells each row its new mark.
    pub(super) fn drop_oldest(&mut self, mut mark: impl FnMut(u32, u32)) {
        let old = std::mem::take(self);
        (self.width, self.columns) = (old.width, old.columns - 1);
        for (&place, row) in old.touched.iter().zip(old.data.chunks_exact(old.width)) {
            let kept = &row[1..old.columns];
            if kept.iter().all(|&entry| entry == 0.0) {
                mark(place, NONE);
                continue;
            }
            mark(place, self.touched.len() as u32);
            self.touched.push(place);
            self.data.extend_from_slice(kept);
            self.data.resize(self.data.len() + self.width - kept.len(), 0.0);
        }
    }

    /// Forgets every column; the marks are the caller's to clear.
    pub(super) fn clear(&mut self) {
        self.touched.clear();
        self.data.clear();
        self.columns = 0;
    }

    /// Fills an empty buffer, row by row.
    pub(super) fn refill(&mut self, columns: usize, touched: Vec<u32>, entries: &[f64]) {
        (0..columns).for_each(|_| self.begin());
        for row in entries.chunks_exact(columns.max(1)) {
            self.data.extend_from_slice(row);
            self.data.resize(self.data.len() + self.width - columns, 0.0);
        }
        self.touched = touched;
    }

    fn widen(&mut self, width: usize) {
        let mut data = Vec::with_capacity(self.touched.len() * width);
        for row in self.data.chunks_exact(self.width.max(1)) {
            data.extend_from_slice(row);
            data.resize(data.len() + width - self.width, 0.0);
        }
        (self.data, self.width) = (data, width);
    }
}
