//! One block of the store: Σ⁻¹ = D + WWᵀ, W = [R B], and the mean, at a cost of the non-zeros times the columns.
//!
//! With K = I + WᵀD⁻¹W = LLᵀ, z = WᵀD⁻¹x and h = L⁻¹z, Woodbury's identity gives xᵀΣx = xᵀD⁻¹x − h·h. The mean is
//! kept lazily as μ = D⁻¹(β + Wc), so that a step along Σx = D⁻¹(x − WK⁻¹z) is β += alpha·x, c −= alpha·K⁻¹z:
//! nothing of size d moves. Keeping s = Lᵀc instead of c, the score is D⁻¹β·x + s·h and the step s −= alpha·h, and a
//! new column of W borders L by the row (√gain·h, √(1 + gain·v)) and s by 0.

use super::buffer::Buffer;
use super::cholesky::Cholesky;
use super::kernel::{Length, OneMore, add_row, with_length};
use super::lazy::Transforms;
use super::table::FactorTable;
use super::table::NONE;
use super::{CompressionMethod, FactoredSettings};
use crate::rule::Step;
use crate::simd::{add_scaled, dot};
use crate::store::Projection;
use crate::{Result, SparseVec};

/// Below this share of xᵀD⁻¹x the difference of two large numbers is no longer trusted alone.
const CANCELLED: f64 = 1e-8;

/// Below this share of xᵀD⁻¹x no more precision is taken in along x: L could not tell it from rounding.
const SATURATED: f64 = 1e-11;

/// How many rows ahead their transforms are asked for.
const AHEAD: usize = 3;

/// The Gaussian of one class.
#[derive(Debug, Clone)]
pub(super) struct FactoredBlock {
    pub(super) settings: FactoredSettings,
    pub(super) table: FactorTable,
    pub(super) buffer: Buffer,
    /// L, one row a column of W.
    pub(super) factor: Cholesky,
    /// s = Lᵀc.
    pub(super) shift: Vec<f64>,
    /// What rows outside the last compressions have not met yet.
    pub(super) lazy: Transforms,
    /// Rows that compressions worked on since every row was last brought up to date.
    pub(super) worked: usize,
}

impl FactoredBlock {
    pub(super) fn new(settings: FactoredSettings) -> Self {
        Self {
            settings,
            table: FactorTable::new(settings.rank, 1.0 / settings.prior),
            buffer: Buffer::default(),
            factor: Cholesky::default(),
            shift: Vec::new(),
            lazy: Transforms::new(settings.rank),
            worked: 0,
        }
    }

    /// Columns of W in use.
    pub(super) fn columns(&self) -> usize {
        self.factor.size()
    }

    /// Mean and variance of the score; the image is (xᵀD⁻¹x, h).
    pub(super) fn project(&self, x: SparseVec<'_>, out: &mut Projection) {
        let spread = with_length!(self.settings.rank, rank => self.gather(rank, x, out));
        out.image.truncate(1 + self.columns());
        let h = &mut out.image[1..];
        self.factor.forward(h);
        out.variance = spread - dot(h, h);
        if out.variance <= CANCELLED * spread {
            out.variance = out.variance.max(self.least_variance(x, h));
        }
        out.mean = dot(&self.shift, h) + out.image[0];
        out.image[0] = spread;
        out.ready = true;
    }

    /// (D⁻¹β·x, z) into the image, and the rows that were not up to date, as they are now, into the scratch; returns
    /// xᵀD⁻¹x.
    fn gather(&self, rank: impl Length, x: SparseVec<'_>, out: &mut Projection) -> f64 {
        let (length, now) = (OneMore(rank), self.lazy.now());
        let (sums, stale) = (&mut out.image, &mut out.scratch);
        sums.clear();
        sums.resize(length.get() + self.buffer.columns(), 0.0);
        let (sums, buffered) = sums.split_at_mut(length.get());
        stale.clear();
        let mut spread = self.look_up(x, &mut out.places);
        let mut ahead = out.places.iter().skip(AHEAD).filter(|place| **place != NONE);
        for (&place, &value) in out.places.iter().zip(x.values()).filter(|(place, _)| **place != NONE) {
            if let Some(&next) = ahead.next() {
                self.lazy.prefetch(self.table.mark(next as usize).epoch as usize);
            }
            let (mark, (d, own)) = (self.table.mark(place as usize), self.table.row(place as usize));
            let k = value / d;
            spread += value * k;
            if mark.epoch as usize == now {
                add_row(length, sums, k, own);
            } else {
                let start = stale.len();
                stale.extend_from_slice(&own[..length.get()]);
                self.lazy.catch_up_by(rank, &mut stale[start..], mark.epoch as usize);
                add_row(length, sums, k, &stale[start..]);
            }
            add_scaled(buffered, k, self.buffer.row(mark.buffered));
        }
        spread
    }

    /// The rows of an example's features; returns the variance of those that have none.
    ///
    /// A pass of its own: it does so little that the processor waits for many rows at once instead of one by one.
    fn look_up(&self, x: SparseVec<'_>, places: &mut Vec<u32>) -> f64 {
        places.clear();
        places.extend(x.ids().iter().map(|&id| self.table.find(id as usize)));
        let mut spread = 0.0;
        for (&place, value) in places.iter().zip(x.values()) {
            if place == NONE {
                spread += value * value * self.settings.prior;
            } else {
                self.table.prefetch(place as usize);
            }
        }
        spread
    }

    /// A lower bound of xᵀΣx that is a sum of squares, and so cannot cancel.
    ///
    /// xᵀΣx is the minimum over t of (x − Wt)ᵀD⁻¹(x − Wt) + ‖t‖², reached at t = K⁻¹z, where an error of t hardly
    /// matters. Leaving out the rows outside x makes it a bound; where cancellation is severe they are few.
    fn least_variance(&self, x: SparseVec<'_>, h: &[f64]) -> f64 {
        let mut t = h.to_vec();
        self.factor.backward(&mut t);
        let mut row = Vec::new();
        let mut sum = dot(&t, &t);
        for (id, value) in x.iter() {
            let place = self.table.find(id);
            if place == NONE {
                sum += value * value * self.settings.prior;
                continue;
            }
            let place = place as usize;
            let left = value - self.w_dot(place, &t, &mut row);
            sum += left * (left / self.table.row(place).0);
        }
        sum
    }

    /// W_p · t, bringing a copy of the row up to date.
    pub(super) fn w_dot(&self, place: usize, t: &[f64], row: &mut Vec<f64>) -> f64 {
        let mark = self.table.mark(place);
        row.clear();
        row.extend_from_slice(self.table.row(place).1);
        self.lazy.catch_up(row, mark.epoch as usize);
        let rank = self.settings.rank.min(t.len());
        dot(&row[1..], &t[..rank]) + dot(self.buffer.row(mark.buffered), &t[rank..])
    }

    /// Calls `each` with every feature that has a row, its D, its mean and its row of W.
    pub(super) fn visit_rows(&self, mut each: impl FnMut(u32, f64, f64, &[f64])) {
        let mut c = self.shift.clone();
        self.factor.backward(&mut c);
        let mut row = Vec::new();
        for (place, &feature) in self.table.ids().iter().enumerate() {
            let moved = self.w_dot(place, &c, &mut row);
            let (d, mean) = (self.table.row(place).0, (row[0] + moved) / self.table.row(place).0);
            row.extend_from_slice(self.buffer.row(self.table.mark(place).buffered));
            each(feature, d, mean, &row[1..]);
        }
    }

    /// Makes rows for the features of x and adds a gain to the D of each, by feature id.
    pub(super) fn set_diagonal(&mut self, x: SparseVec<'_>, gains: &[f64]) -> Result<()> {
        FactorTable::check(x)?;
        for (id, _) in x.iter() {
            let place = match self.table.find(id) {
                NONE => self.table.make(id, self.lazy.now()),
                place => place as usize,
            };
            if let Some(gain) = gains.get(id) {
                *self.table.row_mut(place).0 += gain.max(0.0);
            }
        }
        Ok(())
    }

    /// μ ← μ + alpha·Σx, Σ⁻¹ ← Σ⁻¹ + gain·xxᵀ.
    pub(super) fn absorb(&mut self, x: SparseVec<'_>, p: &mut Projection, step: Step) -> Result<()> {
        FactorTable::check(x)?;
        if !p.ready {
            self.project(x, p);
        }
        p.ready = false;
        let (spread, h) = (p.image[0], &p.image[1..]);
        let corner = (1.0 + step.gain * p.variance).sqrt();
        let gains = step.gain > 0.0 && corner.is_finite() && p.variance > SATURATED * spread;
        let root = if gains { step.gain.sqrt() } else { 0.0 };
        self.move_rows(x, p, step.alpha, root);
        add_scaled(&mut self.shift, -step.alpha, h);
        if gains {
            self.factor.border(h, root, corner);
            self.shift.push(0.0);
            if self.columns() == self.settings.most_columns() {
                self.compress();
            }
        }
        Ok(())
    }

    /// β += alpha·x, and the column root·x of W if root > 0: in R while R is not full, in B after that.
    ///
    /// Rows that were not up to date become so: the projection has them.
    fn move_rows(&mut self, x: SparseVec<'_>, p: &Projection, alpha: f64, root: f64) {
        let (rank, now, column) = (self.settings.rank, self.lazy.now(), self.columns());
        if root > 0.0 && column >= rank {
            self.buffer.begin();
        }
        let mut stale = p.scratch.chunks_exact(1 + rank);
        for ((id, value), &place) in x.iter().zip(&p.places) {
            let place = if place == NONE { self.table.make(id, now) } else { place as usize };
            let mark = self.table.mark(place);
            let row = self.table.row_mut(place).1;
            if mark.epoch as usize != now {
                match stale.next() {
                    Some(fresh) => row.copy_from_slice(fresh),
                    None => self.lazy.catch_up(row, mark.epoch as usize),
                }
            }
            row[0] += alpha * value;
            if root > 0.0 && column < rank {
                row[1 + column] = root * value; // [FACT] §3.2
            }
            let mark = self.table.mark_mut(place);
            mark.epoch = now as u32;
            if root > 0.0 && column >= rank {
                self.buffer.put(place, &mut mark.buffered, root * value); // [FACT] Eq. 12
            }
        }
    }

    /// Makes room for further columns, in the way that the settings say.
    pub(super) fn compress(&mut self) {
        match self.settings.compression {
            CompressionMethod::Em => self.compress_by_em(self.settings.sweeps),
            CompressionMethod::Rows => self.compress_rows(),
            CompressionMethod::Drop => self.drop_oldest(),
        }
    }
}
