//! The full store: a mean and the whole covariance, one triangle of it. For up to some thousand features.

use super::lanes::{add_scaled, dot_sparse};
use super::limit::{MOST_NUMBERS, check_limit};
use super::triangle::{Triangle, TriangleView, packed};
use super::{
    FLOOR, NaturalParams, PRIOR, PROJECTION, Projection, Store, StoreSpec, Weight, check_blocks, shrunk,
};
use crate::rule::Step;
use crate::state::State;
use crate::{Result, SparseVec};

mod block;
mod natural;
mod saved;
#[cfg(test)]
mod tests;

use block::FullBlock;

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
}

impl Full {
    /// An empty store.
    #[must_use]
    pub fn new(blocks: usize, prior: f64) -> Self {
        Self { blocks: vec![FullBlock::default(); blocks], prior, delay: None }
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

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        let Some(own) = self.blocks.get(block).filter(|own| feature < own.dimension()) else {
            return Some(Weight { mean: 0.0, variance: self.prior, prior: self.prior });
        };
        let (mean, variance) = (own.mean[feature], own.variance_of(feature).max(0.0));
        Some(Weight { mean, variance, prior: self.prior })
    }

    fn natural_params(&self, block: usize, _: f64) -> Result<NaturalParams> {
        natural::natural_params(self.blocks.get(block), self.prior)
    }

    fn from_natural(&mut self, block: usize, params: NaturalParams) -> Result<()> {
        if let Some(last) = params.shift.len().checked_sub(1) {
            self.reserve(SparseVec::new(&[last.min(u32::MAX as usize) as u32], &[1.0])?, block)?;
        }
        self.blocks[block] = natural::block(params, self.prior)?;
        Ok(())
    }

    fn save(&self) -> State<'_> {
        saved::save(&self.blocks)
    }

    fn restore(&mut self, state: State<'_>, blocks: usize) -> Result<()> {
        self.blocks = saved::restore(state)?;
        check_blocks(self.blocks.len(), blocks)
    }
}

/// The entry in the list of stores.
pub static SPEC: StoreSpec = StoreSpec {
    name: "full",
    title: "A mean and the whole covariance; for up to some thousand correlated features",
    params: &[PRIOR, FLOOR, PROJECTION],
    learns_covariance: true,
    side_by_side: None,
    takes_gaps: false,
    build: |params, shape| Ok(Box::new(Full::new(shape.blocks, params.number(PRIOR.name)))),
};
