//! Forgetting: Λ = D + WWᵀ becomes fΛ + (1−f)Λ₀, which is D ← fD + (1−f)Λ₀ and W ← √f·W.
//!
//! D does not move by one factor, so K = I + WᵀD⁻¹W has to be summed afresh, over every row; transforms that rows have not met
//! are met on the way. It costs what it costs to bring every row up to date.

use super::block::FactoredBlock;
use super::cholesky::Cholesky;
use super::matrix::Matrix;
use crate::simd::dot;
use crate::store::forget::Share;

impl FactoredBlock {
    /// Forgets all but a share.
    pub(super) fn fade(&mut self, share: Share) {
        let columns = self.columns();
        let (precision, left, root) = (1.0 / self.settings.prior, share.left, share.left.sqrt());
        let mut means = vec![0.0; self.table.len()];
        let mut along = vec![0.0; columns]; // Wᵀμ
        let mut place = 0;
        self.visit_rows(|_, _, mean, row| {
            means[place] = mean;
            along.iter_mut().zip(row).for_each(|(sum, w)| *sum += w * mean);
            place += 1;
        });
        let mut gram = Matrix::zero(columns, columns);
        let mut shift = vec![0.0; columns]; // WᵀD⁻¹η, of what is left
        let mut row = Vec::new();
        for (place, &mean) in means.iter().enumerate() {
            self.row_of_w(place, &mut row);
            let d = self.table.row(place).0;
            // η = Dμ + W·Wᵀμ
            let eta = left * (d * mean + dot(&row, &along));
            let fresh = precision + left * (d - precision);
            row.iter_mut().for_each(|w| *w *= root);
            if columns > 0 {
                gram.add_outer(1.0 / fresh, &row, &row);
            }
            let beta = if share.keeps_means { fresh * mean } else { eta };
            shift.iter_mut().zip(&row).for_each(|(sum, w)| *sum += w * (beta / fresh));
            self.put_row(place, fresh, beta, &row);
        }
        let factor = Cholesky::of_identity_plus(&gram);
        self.lazy.clear();
        self.worked = 0;
        // μ = D⁻¹(β + Wc): with β = η the correction is c = −K⁻¹WᵀD⁻¹η, and s = Lᵀc = −L⁻¹WᵀD⁻¹η; a mean that stays needs none.
        if share.keeps_means {
            shift.fill(0.0);
        } else {
            factor.forward(&mut shift);
            shift.iter_mut().for_each(|s| *s = -*s);
        }
        (self.factor, self.shift) = (factor, shift);
    }

    /// The row of W = [R B] as it is now, a number a column in use.
    fn row_of_w(&self, place: usize, out: &mut Vec<f64>) {
        let mark = self.table.mark(place);
        out.clear();
        out.extend_from_slice(self.table.row(place).1);
        self.lazy.catch_up(out, mark.epoch as usize);
        out.remove(0);
        let columns = self.columns();
        if columns <= self.settings.rank {
            out.truncate(columns);
            return;
        }
        out.extend_from_slice(self.buffer.row(mark.buffered));
        out.resize(columns, 0.0);
    }

    /// Writes D, β and the row of W, which is up to date from now on.
    fn put_row(&mut self, place: usize, d: f64, beta: f64, w: &[f64]) {
        let rank = self.settings.rank.min(w.len());
        let mark = self.table.mark_mut(place);
        mark.epoch = 0;
        let buffered = mark.buffered;
        let (own_d, row) = self.table.row_mut(place);
        (*own_d, row[0]) = (d, beta);
        row[1..=rank].copy_from_slice(&w[..rank]);
        let entries = self.buffer.row_mut(buffered);
        entries.copy_from_slice(&w[w.len() - entries.len()..]);
    }
}
