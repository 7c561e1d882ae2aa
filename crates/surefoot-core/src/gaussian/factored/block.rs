//! One block of the store: Σ⁻¹ = D + WWᵀ, W = [R B], and the mean, at a cost of the non-zeros times the columns.
//!
//! With K = I + WᵀD⁻¹W = LLᵀ, z = WᵀD⁻¹x and h = L⁻¹z, Woodbury's identity gives xᵀΣx = xᵀD⁻¹x − h·h. The mean is
//! kept lazily as μ = D⁻¹(β + Wc), so that a step along Σx = D⁻¹(x − WK⁻¹z) is β += alpha·x, c −= alpha·K⁻¹z:
//! nothing of size d moves. Keeping s = Lᵀc instead of c, the score is D⁻¹β·x + s·h and the step s −= alpha·h, and a
//! new column of W borders L by the row (√gain·h, √(1 + gain·v)) and s by 0.

use super::buffer::Buffer;
use super::cholesky::Cholesky;
use super::lazy::Transforms;
use super::table::Table;
use super::{Compression, Settings};
use crate::gaussian::Projection;
use crate::gaussian::lanes::{add_scaled, dot};
use crate::rule::Step;
use crate::{Features, Result};

/// Below this share of xᵀD⁻¹x the difference of two large numbers is no longer trusted alone.
const CANCELLED: f64 = 1e-8;

/// Below this share of xᵀD⁻¹x no more precision is taken in along x: L could not tell it from rounding.
const SATURATED: f64 = 1e-11;

/// The Gaussian of one class.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) settings: Settings,
    pub(super) table: Table,
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

impl Block {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            table: Table::new(settings.rank, 1.0 / settings.prior),
            buffer: Buffer::default(),
            factor: Cholesky::default(),
            shift: Vec::new(),
            lazy: Transforms::default(),
            worked: 0,
        }
    }

    /// Columns of W in use.
    pub(super) fn columns(&self) -> usize {
        self.factor.size()
    }

    /// Mean and variance of the score; the image is (xᵀD⁻¹x, h).
    pub(super) fn project(&self, x: Features<'_>, out: &mut Projection) {
        let spread = self.gather(x, &mut out.image, &mut out.scratch);
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

    /// (D⁻¹β·x, z) into `sums`; returns xᵀD⁻¹x.
    fn gather(&self, x: Features<'_>, sums: &mut Vec<f64>, row: &mut Vec<f64>) -> f64 {
        let rank = self.settings.rank;
        sums.clear();
        sums.resize(1 + rank + self.buffer.columns(), 0.0);
        let mut spread = 0.0;
        for (id, value) in x.iter() {
            let Some(place) = self.table.find(id) else {
                spread += value * value * self.settings.prior;
                continue;
            };
            let (d, own) = self.table.row(place);
            let k = value / d;
            spread += value * k;
            if self.table.epoch(place) == self.lazy.now() {
                add_scaled(sums, k, own);
            } else {
                row.clear();
                row.extend_from_slice(own);
                self.lazy.catch_up(row, self.table.epoch(place));
                add_scaled(sums, k, row);
            }
            add_scaled(&mut sums[1 + rank..], k, self.buffer.row(place));
        }
        spread
    }

    /// A lower bound of xᵀΣx that is a sum of squares, and so cannot cancel.
    ///
    /// xᵀΣx is the minimum over t of (x − Wt)ᵀD⁻¹(x − Wt) + ‖t‖², reached at t = K⁻¹z, where an error of t hardly
    /// matters. Leaving out the rows outside x makes it a bound; where cancellation is severe they are few.
    fn least_variance(&self, x: Features<'_>, h: &[f64]) -> f64 {
        let mut t = h.to_vec();
        self.factor.backward(&mut t);
        let mut row = Vec::new();
        let mut sum = dot(&t, &t);
        for (id, value) in x.iter() {
            let Some(place) = self.table.find(id) else {
                sum += value * value * self.settings.prior;
                continue;
            };
            let left = value - self.w_dot(place, &t, &mut row);
            sum += left * (left / self.table.row(place).0);
        }
        sum
    }

    /// W_p · t, bringing a copy of the row up to date.
    pub(super) fn w_dot(&self, place: usize, t: &[f64], row: &mut Vec<f64>) -> f64 {
        row.clear();
        row.extend_from_slice(self.table.row(place).1);
        self.lazy.catch_up(row, self.table.epoch(place));
        let rank = self.settings.rank.min(t.len());
        dot(&row[1..], &t[..rank]) + dot(self.buffer.row(place), &t[rank..])
    }

    /// Calls `each` with every feature that has a row, its D, its mean and its row of W.
    pub(super) fn visit_rows(&self, mut each: impl FnMut(u32, f64, f64, &[f64])) {
        let mut c = self.shift.clone();
        self.factor.backward(&mut c);
        let mut row = Vec::new();
        for (place, &feature) in self.table.parts().0.iter().enumerate() {
            let moved = self.w_dot(place, &c, &mut row);
            let (d, mean) = (self.table.row(place).0, (row[0] + moved) / self.table.row(place).0);
            row.extend_from_slice(self.buffer.row(place));
            each(feature, d, mean, &row[1..]);
        }
    }

    /// Makes rows for the features of x and adds a gain to the D of each, by feature id.
    pub(super) fn set_diagonal(&mut self, x: Features<'_>, gains: &[f64]) -> Result<()> {
        self.table.reserve(x, self.lazy.now())?;
        for (id, _) in x.iter() {
            if let (Some(place), Some(gain)) = (self.table.find(id), gains.get(id)) {
                *self.table.row_mut(place).0 += gain.max(0.0);
            }
        }
        Ok(())
    }

    /// μ ← μ + alpha·Σx, Σ⁻¹ ← Σ⁻¹ + gain·xxᵀ.
    pub(super) fn absorb(&mut self, x: Features<'_>, p: &mut Projection, step: Step) -> Result<()> {
        self.table.reserve(x, self.lazy.now())?;
        if !p.ready {
            self.project(x, p);
        }
        p.ready = false;
        for (id, value) in x.iter() {
            if let Some(place) = self.table.find(id) {
                self.table.row_mut(place).1[0] += step.alpha * value;
            }
        }
        let (spread, h) = (p.image[0], &p.image[1..]);
        add_scaled(&mut self.shift, -step.alpha, h);
        let corner = (1.0 + step.gain * p.variance).sqrt();
        if step.gain > 0.0 && corner.is_finite() && p.variance > SATURATED * spread {
            self.append(x, step.gain.sqrt());
            self.factor.border(h, step.gain.sqrt(), corner);
            self.shift.push(0.0);
            if self.columns() == self.settings.most_columns() {
                self.compress();
            }
        }
        Ok(())
    }

    /// A new column √gain·x of W: of R while R is not full, of B after that.
    fn append(&mut self, x: Features<'_>, root: f64) {
        let column = self.columns();
        let in_r = column < self.settings.rank;
        if !in_r {
            self.buffer.begin();
        }
        for (id, value) in x.iter() {
            let Some(place) = self.table.find(id) else { continue };
            if in_r {
                self.table.row_mut(place).1[1 + column] = root * value; // [FACT] §3.2
            } else {
                self.buffer.put(place, root * value); // [FACT] Eq. 12
            }
        }
    }

    /// Makes room for further columns, in the way that the settings say.
    pub(super) fn compress(&mut self) {
        match self.settings.compression {
            Compression::Em => self.compress_by_em(),
            Compression::Rows => self.compress_rows(),
            Compression::Drop => self.drop_oldest(),
        }
    }
}
