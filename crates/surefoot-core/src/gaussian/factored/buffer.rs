//! The buffer B: the last updates as they were, kept on the rows that they touched.

use super::places::NONE;

/// Columns of scaled examples, row by row.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffer {
    /// Columns in use.
    columns: usize,
    /// Room for columns in each row.
    width: usize,
    /// The buffer's row for each row of the table.
    places: Vec<u32>,
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

    /// The entries of a row of the table, a column each; empty if no column touches it.
    #[inline]
    pub(super) fn row(&self, place: usize) -> &[f64] {
        match self.places.get(place) {
            Some(&own) if own != NONE => &self.data[own as usize * self.width..][..self.columns],
            _ => &[],
        }
    }

    /// Begins a column: entries put from now on belong to it.
    pub(super) fn begin(&mut self) {
        if self.columns == self.width {
            self.widen((2 * self.width).max(8));
        }
        self.columns += 1;
    }

    /// An entry of the newest column.
    #[inline]
    pub(super) fn put(&mut self, place: usize, entry: f64) {
        if self.places.len() <= place {
            self.places.resize(place + 1, NONE);
        }
        if self.places[place] == NONE {
            self.places[place] = self.touched.len() as u32;
            self.touched.push(place as u32);
            self.data.resize(self.data.len() + self.width, 0.0);
        }
        self.data[self.places[place] as usize * self.width + self.columns - 1] = entry;
    }

    /// Throws the oldest column away, and the rows that only it touched.
    pub(super) fn drop_oldest(&mut self) {
        let old = std::mem::take(self);
        self.places = vec![NONE; old.places.len()];
        (self.width, self.columns) = (old.width, old.columns - 1);
        for (&place, row) in old.touched.iter().zip(old.data.chunks_exact(old.width)) {
            let kept = &row[1..old.columns];
            if kept.iter().any(|&entry| entry != 0.0) {
                self.places[place as usize] = self.touched.len() as u32;
                self.touched.push(place);
                self.data.extend_from_slice(kept);
                self.data.resize(self.data.len() + self.width - kept.len(), 0.0);
            }
        }
    }

    /// Forgets every column.
    pub(super) fn clear(&mut self) {
        for &place in &self.touched {
            self.places[place as usize] = NONE;
        }
        self.touched.clear();
        self.data.clear();
        self.columns = 0;
    }

    /// Fills an empty buffer with the rows of another; false if a row comes twice.
    pub(super) fn refill(&mut self, columns: usize, touched: &[u32], entries: &[f64]) -> bool {
        (0..columns).for_each(|_| self.begin());
        for (i, &place) in touched.iter().enumerate() {
            self.put(place as usize, 0.0);
            if self.touched.len() != i + 1 {
                return false;
            }
            self.data[i * self.width..][..columns].copy_from_slice(&entries[i * columns..][..columns]);
        }
        true
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
