//! Compression of W = [R B] back to m columns, when the buffer is full ([FACT] §3.2). The mean does not move.

use super::EM_SWEEPS;
use super::block::FactoredBlock;
use super::cholesky::Cholesky;
use super::eigen::Spectrum;
use super::kernel::{Length, add_outer, dot, with_length};
use super::matrix::Matrix;
use super::sweep::{Fit, RowTarget};
use super::table::NONE;

/// With up to so many rows a column EM costs no more than the eigenvectors do.
const FEW: usize = 4;

impl FactoredBlock {
    /// Rows as a target of EM.
    fn targets(&self, places: &[u32]) -> Vec<RowTarget<'_>> {
        let target = |&place: &u32| {
            let (d, row) = self.table.row(place as usize);
            RowTarget { d, r: &row[1..], b: self.buffer.row(self.table.mark(place as usize).buffered) }
        };
        places.iter().map(target).collect()
    }

    /// EM on every active row, started at the old D and R.
    pub(super) fn compress_by_em(&mut self, sweeps: usize) {
        let active = |&place: &u32| {
            let row = self.table.row(place as usize).1;
            self.table.mark(place as usize).buffered != NONE || row[1..].iter().any(|&r| r != 0.0)
        };
        let places: Vec<u32> = (0..self.table.len() as u32).filter(active).collect();
        let rows = self.targets(&places);
        let others = Matrix::zero(self.settings.rank, self.settings.rank);
        let mut fit = Fit::warm(&rows, others, self.columns(), self.settings.least_d());
        let fine = (0..sweeps).all(|_| fit.sweep(&rows)) && fit.is_finite();
        if !fine {
            fit = self.unchanged(&places);
        }
        self.replace(&places, &fit);
    }

    /// What is left where numbers have left their range: D and R as they were, without the buffer.
    fn unchanged(&self, places: &[u32]) -> Fit {
        Fit::warm(&self.targets(places), self.gram_outside(places), self.columns(), self.settings.least_d())
    }

    /// Generalised EM: only the buffer's rows get a new D, the others follow lazily.
    ///
    /// Where there are no others and few rows, `sweeps=auto` does what the paper does: on noise in few dimensions ten
    /// sweeps from the old D and R follow the last examples less than the best fit does, and make fewer mistakes.
    pub(super) fn compress_rows(&mut self) {
        let few = self.table.len() <= FEW * self.columns();
        if self.settings.textbook && few && self.buffer.touched().len() == self.table.len() {
            return self.compress_by_em(EM_SWEEPS);
        }
        let places = self.buffer.touched().to_vec();
        let rows = self.targets(&places);
        let others = if self.settings.sweeps > 1 {
            self.gram_outside(&places)
        } else {
            Matrix::zero(self.settings.rank, self.settings.rank)
        };
        let mut fit = Fit::spectral(&rows, others, &self.spectrum(), self.settings.least_d());
        if places.len() == self.table.len() {
            fit.sum_gram(); // there is nothing that would have to be taken apart
        }
        let fine = (1..self.settings.sweeps).all(|_| fit.sweep(&rows)) && fit.is_finite();
        if !fine {
            fit = self.unchanged(&places);
        }
        let c = self.replace(&places, &fit);
        // The count may come from a file, which can say anything.
        self.worked = self.worked.saturating_add(places.len());
        self.lazy.push(affine(&c, &fit.t).data());
        places.iter().for_each(|&place| self.table.mark_mut(place as usize).epoch = self.lazy.now() as u32);
        if self.worked >= self.table.len() * self.settings.patience {
            self.catch_up_all();
        }
    }

    /// The largest eigenvalues of WᵀD⁻¹W = LLᵀ − I, one for each column of R.
    fn spectrum(&self) -> Spectrum {
        let mut spectrum = Spectrum::top(self.factor.square(self.columns()), self.settings.rank);
        spectrum.values.iter_mut().for_each(|value| *value = (*value - 1.0).max(0.0));
        spectrum
    }

    /// RᵀD⁻¹R over the rows that are not listed: that of all rows, which L knows, less that of the listed ones.
    fn gram_outside(&self, listed: &[u32]) -> Matrix {
        let rank = self.settings.rank;
        if listed.len() == self.table.len() {
            return Matrix::zero(rank, rank);
        }
        let mut gram = self.factor.square(rank);
        (0..rank).for_each(|i| gram.row_mut(i)[i] -= 1.0);
        for &place in listed {
            let (d, row) = self.table.row(place as usize);
            gram.add_outer(-1.0 / d, &row[1..], &row[1..]);
        }
        gram
    }

    /// Puts the fit in the place of D, R and B on the listed rows; returns c, with which the others must move.
    fn replace(&mut self, places: &[u32], fit: &Fit) -> Vec<f64> {
        let mut c = self.shift.clone();
        self.factor.backward(&mut c);
        with_length!(self.settings.rank, rank => self.replace_rows(rank, places, fit, &c));
        self.buffer.clear();
        self.refactor(&fit.gram);
        c
    }

    fn replace_rows(&mut self, rank: impl Length, places: &[u32], fit: &Fit, c: &[f64]) {
        let (along, buffered) = c.split_at(rank.get());
        let fitted = fit.r.data().chunks_exact(rank.get()).zip(&fit.d);
        for (&place, (fitted, &fitted_d)) in places.iter().zip(fitted) {
            let mark = std::mem::replace(&mut self.table.mark_mut(place as usize).buffered, NONE);
            let entries = self.buffer.row(mark);
            let moved = dot(entries.len(), entries, buffered);
            let (d, row) = self.table.row_mut(place as usize);
            let mean = row[0] + dot(rank, &row[1..], along) + moved;
            row[0] = mean * (fitted_d / *d);
            row[1..=rank.get()].copy_from_slice(fitted);
            *d = fitted_d;
        }
    }

    /// L of I + RᵀD⁻¹R and no shift: what holds right after a compression.
    fn refactor(&mut self, gram: &Matrix) {
        self.factor = Cholesky::of_identity_plus(gram);
        self.shift.clear();
        self.shift.resize(self.factor.size(), 0.0);
    }

    /// Brings every row up to date and sums the Gram matrix afresh. Paid for by the rows worked on since last time.
    fn catch_up_all(&mut self) {
        let mut gram = Matrix::zero(self.settings.rank, self.settings.rank);
        with_length!(self.settings.rank, rank => {
            for place in 0..self.table.len() {
                let epoch = std::mem::take(&mut self.table.mark_mut(place).epoch);
                let (d, row) = self.table.row_mut(place);
                self.lazy.catch_up_by(rank, row, epoch as usize);
                add_outer(rank, gram.data_mut(), 1.0 / *d, &row[1..], &row[1..]);
            }
        });
        self.refactor(&gram);
        self.lazy.clear();
        self.worked = 0;
    }

    /// Throws the oldest update away ([FACT] §3.4); its share of the mean stays.
    pub(super) fn drop_oldest(&mut self) {
        let mut c = self.shift.clone();
        self.factor.backward(&mut c);
        for &place in self.buffer.touched() {
            let oldest = self.buffer.row(self.table.mark(place as usize).buffered)[0];
            self.table.row_mut(place as usize).1[0] += oldest * c[0];
        }
        let table = &mut self.table;
        self.buffer.drop_oldest(|place, mark| table.mark_mut(place as usize).buffered = mark); // [FACT] §3.4
        self.factor.drop_first();
        self.shift = self.factor.transposed_times(&c[1..]);
    }
}

/// The lazy transform (β, R) ← (β + R·c, R·T) as rows (cᵢ, Tᵢ).
fn affine(c: &[f64], t: &Matrix) -> Matrix {
    let rows = (0..t.rows()).flat_map(|i| std::iter::once(c[i]).chain(t.row(i).iter().copied()));
    Matrix::from_rows(t.cols() + 1, rows.collect())
}
