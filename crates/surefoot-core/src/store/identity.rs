//! The identity store: a mean vector and Σ = a·I for ever. For first-order rules.

use super::cells::Cells;
use super::{Averaged, Gain, NaturalParams, PRIOR, Projection, Shape, Store, StoreSpec, Weight};
use crate::param::{Param, Params, Range};
use crate::rule::Step;
use crate::state::State;
use crate::{Result, SparseVec};

/// μ only; the covariance stays at the prior and gains are ignored.
///
/// ```
/// use surefoot_core::store::{Store, Identity, Projection};
/// use surefoot_core::{Vector, rule::Step};
/// let (mut store, mut p) = (Identity::new(1, 1.0), Projection::default());
/// let x = Vector::from_pairs([(0, 2.0)])?;
/// store.project(x.features(), 0, &mut p);
/// assert_eq!((p.mean, p.variance), (0.0, 4.0));
/// store.absorb(x.features(), 0, &mut p, Step { alpha: 0.5, gain: 0.0 })?;
/// assert_eq!(store.weight(0, 0).unwrap().mean, 1.0);
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Identity {
    cells: Cells<1>,
    prior: f64,
}

impl Identity {
    /// An empty store.
    #[must_use]
    pub fn new(blocks: usize, prior: f64) -> Self {
        Self { cells: Cells::new(blocks, [0.0], false), prior }
    }
}

impl Store for Identity {
    fn grow(&mut self, blocks: usize) -> Result<()> {
        self.cells.grow(blocks);
        Ok(())
    }

    fn scores(&self, x: SparseVec<'_>, means: &mut [f64], variances: Option<&mut [f64]>, _: &mut Projection) {
        self.cells.scan(x, [0], [means], |value| [value]);
        if let Some(variances) = variances {
            variances.fill(self.prior_variance(x));
        }
    }

    fn project(&self, x: SparseVec<'_>, block: usize, out: &mut Projection) {
        ([out.mean], out.known) = self.cells.sum(x, block, |value, [mean]| [value * mean]);
        out.variance = self.prior_variance(x);
    }

    fn absorb(&mut self, x: SparseVec<'_>, block: usize, p: &mut Projection, step: Step) -> Result<()> {
        if !p.known {
            self.cells.reserve(x)?;
        }
        let rate = step.alpha * self.prior;
        self.cells.update(x, block, |value, [mean]| *mean += rate * value);
        Ok(())
    }

    fn variance_after(&self, _: SparseVec<'_>, _: usize, p: &Projection, _: f64) -> f64 {
        p.variance
    }

    fn prior_variance(&self, x: SparseVec<'_>) -> f64 {
        self.prior * x.squared_norm()
    }

    fn end_round(&mut self) {
        self.cells.end_round();
    }

    fn prefetch(&self, ids: &[u32]) {
        self.cells.prefetch(ids);
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        let [mean] = self.cells.get(feature, block);
        Some(Weight { mean, variance: self.prior, prior: self.prior })
    }

    fn natural_params(&self, block: usize, examples: f64) -> Result<NaturalParams> {
        let shift = self.cells.block(block).map(|[mean]| examples * mean).collect();
        Ok(NaturalParams { shift, gain: Gain::Examples(examples) })
    }

    fn from_natural(&mut self, block: usize, params: NaturalParams) -> Result<()> {
        let Gain::Examples(examples) = params.gain else { return Err(super::unmergeable()) };
        self.cells.put_block(block, params.shift.into_iter().map(|sum| [mean_of(sum, examples)]))
    }

    fn save(&self) -> State<'_> {
        self.cells.save()
    }

    fn restore(&mut self, mut state: State<'_>, blocks: usize) -> Result<()> {
        self.cells.restore(&mut state, blocks)?;
        state.finish()
    }
}

/// A weight from the examples times the weight; nothing was learned from no examples.
pub(super) fn mean_of(sum: f64, examples: f64) -> f64 {
    if examples > 0.0 { sum / examples } else { 0.0 }
}

const AVERAGE: Param = Param {
    name: "average",
    range: Range::Flag,
    default: "false",
    help: "predict with the mean of the weights over all past rounds",
};

fn build(params: &Params, shape: Shape) -> Result<Box<dyn Store>> {
    let prior = params.number(PRIOR.name);
    Ok(if params.flag(AVERAGE.name) {
        Box::new(Averaged::new(shape.blocks, prior))
    } else {
        Box::new(Identity::new(shape.blocks, prior))
    })
}

/// The entry in the list of stores.
pub static SPEC: StoreSpec = StoreSpec {
    name: "identity",
    title: "Means only; for first-order rules",
    params: &[PRIOR, AVERAGE],
    learns_covariance: false,
    side_by_side: None,
    takes_gaps: true,
    build,
};
