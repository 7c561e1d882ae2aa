//! The full store: a mean and the whole covariance, one triangle of it. For up to some thousand features.

use super::forget::{Intervals, Share};
use super::triangle::{Triangle, TriangleView, packed};
use super::{
    Cholesky, FLOOR, FORGET, Gain, HALF_LIFE, MOST_NUMBERS, NaturalParams, PRIOR, PROJECTION, Projection,
    Store, StoreSpec, Weight, beta, check_blocks, check_limit, shrunk, unmergeable,
};
use crate::rule::Step;
use crate::simd::{add_scaled, dot, dot_sparse};
use crate::state::State;
use crate::{Error, Result, SparseVec};

mod saved;
#[cfg(test)]
mod tests;

/// Features a block may have: its covariance then takes 256 MiB.
pub const MOST_FEATURES: usize = 8192;

const HINT: &str = "use the factored or the diagonal store";

/// μ and Σ, without approximation.
///
/// A round reads nnz² entries of Σ; only a step touches more: d·nnz for Σx, and a pass over the triangle every few
/// steps. Dense examples read the triangle once a round.
///
/// ```
/// use surefoot_core::store::{Full, Store, Projection};
/// use surefoot_core::{Vector, rule::Step};
/// let (mut store, mut p) = (Full::new(1, 1.0), Projection::default());
/// let both = Vector::from_pairs([(0, 1.0), (1, 1.0)])?;
/// store.project(both.features(), 0, &mut p);
/// store.absorb(both.features(), 0, &mut p, Step { alpha: 0.5, gain: 1.0 })?;
/// // The two weights are now known to move against each other: their difference is as uncertain as before.
/// let difference = Vector::from_pairs([(0, 1.0), (1, -1.0)])?;
/// store.project(difference.features(), 0, &mut p);
/// assert!((p.variance - 2.0).abs() < 1e-12);
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Full {
    blocks: Vec<FullBlock>,
    prior: f64,
    delay: Option<usize>,
    forgetting: Option<Intervals>,
    scratch: FadeScratch,
}

impl Full {
    /// An empty store.
    #[must_use]
    pub fn new(blocks: usize, prior: f64) -> Self {
        let (blocks, scratch) = (vec![FullBlock::default(); blocks], FadeScratch::default());
        Self { blocks, prior, delay: None, forgetting: None, scratch }
    }

    /// An empty store that writes its updates to the triangle `delay` at a time, instead of choosing by size.
    #[must_use]
    pub fn with_delay(blocks: usize, prior: f64, delay: usize) -> Self {
        Self { delay: Some(delay), ..Self::new(blocks, prior) }
    }

    /// Gives a block rows for every feature of x, or refuses before anything is allocated.
    fn reserve(&mut self, x: SparseVec<'_>, block: usize) -> Result<()> {
        let dimension = x.dimension();
        if dimension <= self.blocks[block].dimension() {
            return Ok(());
        }
        check_limit("the features of a full covariance", dimension, MOST_FEATURES, HINT)?;
        let others = self.blocks.iter().enumerate().filter(|(b, _)| *b != block);
        let numbers: usize = others.map(|(_, b)| packed(b.dimension())).sum();
        check_limit("the full covariances of all classes", numbers + packed(dimension), MOST_NUMBERS, HINT)?;
        self.blocks[block].grow(dimension, self.prior);
        Ok(())
    }

    /// xᵀΣx of a view of x in a block; features without a row are at the prior.
    fn variance(&self, x: SparseVec<'_>, view: TriangleView<'_>, block: usize) -> f64 {
        let block = &self.blocks[block];
        (block.variance(view) + self.unseen(x, block)).max(0.0)
    }

    fn unseen(&self, x: SparseVec<'_>, block: &FullBlock) -> f64 {
        let unseen = x.iter().filter(|(id, _)| *id >= block.dimension());
        self.prior * unseen.map(|(_, value)| value * value).sum::<f64>()
    }
}

impl Store for Full {
    fn grow(&mut self, blocks: usize) -> Result<()> {
        self.blocks.resize_with(blocks.max(self.blocks.len()), FullBlock::default);
        Ok(())
    }

    fn scores(
        &self,
        x: SparseVec<'_>,
        means: &mut [f64],
        variances: Option<&mut [f64]>,
        scratch: &mut Projection,
    ) {
        for (mean, block) in means.iter_mut().zip(&self.blocks) {
            *mean = dot_sparse(&block.mean, x);
        }
        for (b, variance) in variances.into_iter().flatten().enumerate().take(self.blocks.len()) {
            *variance = self.variance(x, self.blocks[b].view(x, &mut scratch.scratch), b);
        }
    }

    fn project(&self, x: SparseVec<'_>, block: usize, out: &mut Projection) {
        let Projection { image, scratch, .. } = out;
        let own = &self.blocks[block];
        out.mean = dot_sparse(&own.mean, x);
        match own.view(x, scratch) {
            TriangleView::Dense(dense) => {
                out.variance = (own.image_dense(dense, image) + self.unseen(x, own)).max(0.0);
                out.ready = true;
            }
            sparse => {
                out.variance = self.variance(x, sparse, block);
                out.ready = false;
            }
        }
    }

    fn absorb(&mut self, x: SparseVec<'_>, block: usize, p: &mut Projection, step: Step) -> Result<()> {
        self.reserve(x, block)?;
        let own = &mut self.blocks[block];
        let view = own.view(x, &mut p.scratch);
        if !p.ready || p.image.len() != own.dimension() {
            own.image(view, &mut p.image);
        }
        p.ready = false;
        add_scaled(&mut own.mean, step.alpha, &p.image); // [ECCW] Eq. 6
        own.narrow(view, &p.image, p.variance, step.gain, self.delay);
        Ok(())
    }

    fn variance_after(&self, _: SparseVec<'_>, _: usize, p: &Projection, gain: f64) -> f64 {
        shrunk(p.variance, gain)
    }

    fn prior_variance(&self, x: SparseVec<'_>) -> f64 {
        self.prior * x.squared_norm()
    }

    fn end_round(&mut self) {
        let Some(share) = self.forgetting.as_mut().and_then(Intervals::tick) else { return };
        self.blocks.iter_mut().for_each(|block| block.fade(share, self.prior, &mut self.scratch));
    }

    fn discount(&mut self, share: f64) {
        let Some(share) = Share::at_once(share) else { return };
        for block in &mut self.blocks {
            if share.left == 0.0 {
                *block = FullBlock::default();
            } else {
                block.fade(share, self.prior, &mut self.scratch);
            }
        }
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        let Some(own) = self.blocks.get(block).filter(|own| feature < own.dimension()) else {
            return Some(Weight { mean: 0.0, variance: self.prior, prior: self.prior });
        };
        let (mean, variance) = (own.mean[feature], own.variance_of(feature).max(0.0));
        Some(Weight { mean, variance, prior: self.prior })
    }

    fn move_mean(&mut self, feature: usize, block: usize, by: f64) -> Result<()> {
        let id = [u32::try_from(feature).unwrap_or(u32::MAX)];
        self.reserve(SparseVec::new(&id, &[1.0])?, block)?;
        self.blocks[block].mean[feature] += by;
        Ok(())
    }

    fn natural_params(&self, block: usize, _: f64) -> Result<NaturalParams> {
        let nothing = || NaturalParams { shift: Vec::new(), gain: Gain::Full(Vec::new()) };
        self.blocks.get(block).map_or_else(|| Ok(nothing()), |own| own.natural_params(self.prior))
    }

    fn from_natural(&mut self, block: usize, params: NaturalParams) -> Result<()> {
        if let Some(last) = params.shift.len().checked_sub(1) {
            self.reserve(SparseVec::new(&[last.min(u32::MAX as usize) as u32], &[1.0])?, block)?;
        }
        self.blocks[block] = FullBlock::from_natural(params, self.prior)?;
        Ok(())
    }

    fn save(&self) -> State<'_> {
        let mut state = saved::save(&self.blocks);
        Intervals::save(self.forgetting.as_ref(), &mut state);
        state
    }

    fn restore(&mut self, mut state: State<'_>, blocks: usize) -> Result<()> {
        Intervals::restore(self.forgetting.as_mut(), &mut state)?;
        self.blocks = saved::restore(state)?;
        check_blocks(self.blocks.len(), blocks)
    }
}

/// Buffers of forgetting.
#[derive(Debug, Clone, Default)]
struct FadeScratch {
    factor: Cholesky,
    columns: Vec<Vec<f64>>,
    away: Vec<f64>,
}

/// The most columns that wait. More columns save no arithmetic, only passes over memory.
const MOST_PENDING: usize = 16;
/// Features for each column that waits: every score pays for the columns, so small blocks keep few.
const FEATURES_A_COLUMN: usize = 16;
/// Waiting updates may shrink no variance by more than this, so that Σ₀ − SβSᵀ loses at most six digits.
const MOST_SHRINK: f64 = 1e6;
/// x counts as dense from one feature in so many on: its image is then built at once, in order of memory.
const DENSE_FROM: usize = 4;

/// N(μ, Σ) over the features of one block: a mean, a triangle, and updates that wait to be written into it.
///
/// Σ = Σ₀ − S·diag(β)·Sᵀ. An update appends the column Σx to S, which costs d; only every k-th update pays for a
/// pass over the triangle, where all k columns are subtracted at once.
#[derive(Debug, Clone, Default, PartialEq)]
struct FullBlock {
    mean: Vec<f64>,
    /// Σ₀.
    covariance: Triangle,
    /// β of each waiting column.
    betas: Vec<f64>,
    /// S: one column for each β, then spare ones that keep their memory.
    columns: Vec<Vec<f64>>,
    /// Σ gain·xᵀΣ₀x over the waiting updates: no direction's variance shrank by more than 1 + this.
    shrink: f64,
}

impl FullBlock {
    fn dimension(&self) -> usize {
        self.mean.len()
    }

    /// Makes room for features, at the prior: their rows of Σ are a·I.
    fn grow(&mut self, dimension: usize, prior: f64) {
        if dimension > self.dimension() {
            self.mean.resize(dimension, 0.0);
            self.covariance.grow(dimension, prior);
            self.columns.iter_mut().for_each(|column| column.resize(dimension, 0.0));
        }
    }

    /// x in the form that is cheaper to read; a dense copy goes to `buffer`.
    fn view<'a>(&self, x: SparseVec<'a>, buffer: &'a mut Vec<f64>) -> TriangleView<'a> {
        if x.len() * DENSE_FROM < self.dimension() {
            return TriangleView::Sparse(x);
        }
        buffer.clear();
        buffer.resize(self.dimension(), 0.0);
        for (id, value) in x.iter() {
            if let Some(place) = buffer.get_mut(id) {
                *place = value;
            }
        }
        TriangleView::Dense(buffer)
    }

    /// xᵀΣx over the features that have a row; for a sparse x nothing of size d is touched.
    fn variance(&self, x: TriangleView<'_>) -> f64 {
        self.covariance.quadratic(x) - self.taken(x)
    }

    /// What the waiting columns take from the variance of x.
    fn taken(&self, x: TriangleView<'_>) -> f64 {
        self.pending().map(|(beta, column)| beta * x.dot(column).powi(2)).sum()
    }

    fn pending(&self) -> impl Iterator<Item = (f64, &[f64])> {
        self.betas.iter().copied().zip(self.columns.iter().map(Vec::as_slice))
    }

    /// out ← Σx.
    fn image(&self, x: TriangleView<'_>, out: &mut Vec<f64>) {
        self.covariance.image(x, out);
        self.correct(x, out);
    }

    /// out ← Σx for a dense x; returns xᵀΣx with the bits of [`FullBlock::variance`].
    fn image_dense(&self, x: &[f64], out: &mut Vec<f64>) -> f64 {
        let quadratic = self.covariance.image_dense(x, out);
        quadratic - self.correct(TriangleView::Dense(x), out)
    }

    /// Takes the waiting columns off Σ₀x; returns what they take from the variance of x.
    fn correct(&self, x: TriangleView<'_>, out: &mut [f64]) -> f64 {
        let take = |(beta, column): (f64, &[f64])| {
            let along = x.dot(column);
            add_scaled(out, -beta * along, column);
            beta * along.powi(2)
        };
        self.pending().map(take).sum()
    }

    /// Σ ← Σ − β·image·imageᵀ with β = gain/(1 + gain·v), written to the triangle with the updates after it.
    fn narrow(&mut self, x: TriangleView<'_>, image: &[f64], v: f64, gain: f64, delay: Option<usize>) {
        let beta = beta(v, gain);
        if beta == 0.0 {
            return;
        }
        self.shrink += gain * (v + self.taken(x));
        let place = self.betas.len();
        if self.columns.len() == place {
            self.columns.push(Vec::new());
        }
        self.columns[place].clear();
        self.columns[place].extend_from_slice(image);
        self.betas.push(beta); // [ECCW] Eq. 10
        let room = (self.dimension() / FEATURES_A_COLUMN).clamp(1, MOST_PENDING);
        if self.betas.len() >= delay.unwrap_or(room) || self.shrink > MOST_SHRINK {
            self.flush();
        }
    }

    /// Writes what waits to the triangle.
    fn flush(&mut self) {
        self.covariance.subtract(&self.betas, &self.columns[..self.betas.len()]);
        // Where values of wild sizes meet, the rounding of a large entry is more than what is left of a small variance.
        self.covariance.lift_diagonal(0.0);
        self.betas.clear();
        self.shrink = 0.0;
    }

    /// Forgets: with f the share that is left, Λ becomes fΛ + (1−f)/a·I, in a form that inverts no covariance that may be next to
    /// singular. With M = Σ + f·a/(1−f)·I, whose eigenvalues lie within a factor of 1/f of each other,
    /// Σ becomes (Σ − ΣM⁻¹Σ)/f, and a mean that is discounted μ − ΣM⁻¹μ.
    fn fade(&mut self, share: Share, prior: f64, work: &mut FadeScratch) {
        self.flush();
        let FadeScratch { factor, columns, away } = work;
        let (dimension, left) = (self.dimension(), share.left);
        let rows = (0..dimension).map(|i| self.covariance.row(i));
        if !factor.assign(rows, prior * left / (1.0 - left)) {
            // Numbers that have left their range have nothing that could be forgotten.
            return;
        }
        columns.resize_with(dimension.max(columns.len()), Vec::new);
        if let (false, Some(solved)) = (share.keeps_means, columns.first_mut()) {
            solved.clone_from(&self.mean);
            factor.solve(solved);
            self.covariance.image(TriangleView::Dense(solved), away);
            add_scaled(&mut self.mean, -1.0, away);
        }
        // ΣM⁻¹Σ = HᵀH for H = L⁻¹Σ, column by column.
        for (i, column) in columns[..dimension].iter_mut().enumerate() {
            self.covariance.column(i, column);
            factor.forward(column);
        }
        for i in 0..dimension {
            for (j, entry) in self.covariance.row_mut(i).iter_mut().enumerate() {
                *entry = (*entry - dot(&columns[i], &columns[j])) / left;
            }
        }
    }

    /// The diagonal of Σ at a feature that has a row.
    fn variance_of(&self, feature: usize) -> f64 {
        let taken: f64 = self.pending().map(|(beta, column)| beta * column[feature].powi(2)).sum();
        self.covariance.diagonal(feature) - taken
    }

    /// What it has learned in natural parameters, by Cholesky factors.
    fn natural_params(&self, prior: f64) -> Result<NaturalParams> {
        let (mut block, dimension) = (self.clone(), self.dimension());
        block.flush();
        let factor = factor(block.covariance.packed(), dimension)?;
        factor.solve(&mut block.mean);
        let mut gain = factor.inverse();
        (0..dimension).for_each(|i| gain[packed(i) + i] -= 1.0 / prior);
        Ok(NaturalParams { shift: block.mean, gain: Gain::Full(gain) })
    }

    /// The block that such natural parameters leave.
    fn from_natural(params: NaturalParams, prior: f64) -> Result<Self> {
        let NaturalParams { shift: mut mean, gain: Gain::Full(mut precision) } = params else {
            return Err(unmergeable());
        };
        let dimension = mean.len();
        precision.resize(packed(dimension), 0.0);
        (0..dimension).for_each(|i| precision[packed(i) + i] += 1.0 / prior);
        let factor = factor(&precision, dimension)?;
        factor.solve(&mut mean);
        Ok(Self { mean, covariance: Triangle::new(factor.inverse(), dimension), ..Self::default() })
    }
}

fn factor(triangle: &[f64], dimension: usize) -> Result<Cholesky> {
    let rows = (0..dimension).map(|i| &triangle[packed(i)..=packed(i) + i]);
    Cholesky::of_rows(rows).ok_or_else(|| {
        Error::Conflict(
            "a covariance is too close to singular to be inverted, so the models cannot be merged".into(),
        )
    })
}

/// The entry in the list of stores.
pub static SPEC: StoreSpec = StoreSpec {
    name: "full",
    title: "A mean and the whole covariance; for up to some thousand correlated features",
    params: &[PRIOR, FLOOR, PROJECTION, HALF_LIFE, FORGET],
    learns_covariance: true,
    side_by_side: None,
    takes_gaps: false,
    build: |params, shape| {
        let full = Full::new(shape.blocks, params.number(PRIOR.name));
        Ok(Box::new(Full { forgetting: Intervals::new(params), ..full }))
    },
};
