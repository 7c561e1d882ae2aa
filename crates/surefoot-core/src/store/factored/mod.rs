//! The factored store ([FACT]): Σ⁻¹ = D + RRᵀ + BBᵀ, feature correlations for millions of features.
//!
//! D is diagonal, R has `rank` columns, B holds the last `buffer` updates as they were. When B is full, R and B are
//! compressed into D and R. A round costs the non-zeros times the columns, whatever the number of features.

use super::forget::{Intervals, Share};
use super::{
    FLOOR, FORGET, HALF_LIFE, NaturalParams, PRIOR, PROJECTION, Projection, Shape, Store, StoreSpec, Weight,
    check_blocks,
};
use crate::param::{Param, Params, Range};
use crate::rule::Step;
use crate::state::State;
use crate::{Error, Result, SparseVec};

mod block;
mod buffer;
mod cholesky;
mod compress;
mod eigen;
mod fade;
mod kernel;
mod lazy;
mod matrix;
mod natural;
mod saved;
mod sweep;
mod table;
#[cfg(test)]
mod tests;

use block::FactoredBlock;
pub(crate) use cholesky::Cholesky;

/// How a full buffer is emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompressionMethod {
    /// EM on every active row, as in the paper.
    Em,
    /// EM with a new D only on the rows that the buffer touched; the other rows follow lazily.
    Rows,
    /// The oldest update is thrown away.
    Drop,
}

/// The checked settings of a store.
#[derive(Debug, Clone, Copy)]
struct FactoredSettings {
    rank: usize,
    buffer: usize,
    compression: CompressionMethod,
    sweeps: usize,
    /// `rows`: whether a buffer that touched every one of few rows is compressed as `em` does.
    textbook: bool,
    prior: f64,
    floor: f64,
    /// `rows`: every row is brought up to date after so many times its number were worked on.
    patience: usize,
}

impl FactoredSettings {
    /// With so many columns W is compressed.
    fn most_columns(&self) -> usize {
        match self.compression {
            CompressionMethod::Drop => self.buffer + 1,
            _ => self.rank + self.buffer.max(1),
        }
    }

    /// No compression takes D below this. Every update adds to the precision, so the prior's is never unlearned;
    /// `em` keeps the paper's letter, but for the floor that the user asked for.
    fn least_d(&self) -> f64 {
        match self.compression {
            CompressionMethod::Em => self.floor / self.prior,
            _ => self.prior.recip(),
        }
    }
}

/// A low-rank plus diagonal precision, one block a class.
///
/// ```
/// use surefoot_core::{Scores, Spec, Target, Task, Vector};
/// let spec = Spec::parse("cw-stdev/factored:rank=4,buffer=8")?;
/// let mut learner = spec.build(Task::Binary, 2)?;
/// let x = Vector::from_pairs([(3, 1.0), (900_000, -2.0)])?;
/// learner.update(x.features(), Target::Class(1), 1.0, &mut Scores::default())?;
/// let weight = learner.weight(0, 900_000, 0).unwrap();
/// assert!(weight.mean < 0.0 && weight.variance < 1.0);
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Factored {
    settings: FactoredSettings,
    blocks: Vec<FactoredBlock>,
    forgetting: Option<Intervals>,
}

impl Factored {
    fn new(settings: FactoredSettings, blocks: usize, forgetting: Option<Intervals>) -> Self {
        Self { settings, blocks: vec![FactoredBlock::new(settings); blocks], forgetting }
    }
}

impl Store for Factored {
    fn grow(&mut self, blocks: usize) -> Result<()> {
        if blocks > self.blocks.len() {
            self.blocks.resize_with(blocks, || FactoredBlock::new(self.settings));
        }
        Ok(())
    }

    fn project(&self, x: SparseVec<'_>, block: usize, out: &mut Projection) {
        self.blocks[block].project(x, out);
    }

    fn absorb(&mut self, x: SparseVec<'_>, block: usize, p: &mut Projection, step: Step) -> Result<()> {
        self.blocks[block].absorb(x, p, step)
    }

    fn variance_after(&self, _: SparseVec<'_>, _: usize, p: &Projection, gain: f64) -> f64 {
        p.variance / (1.0 + gain * p.variance)
    }

    fn prior_variance(&self, x: SparseVec<'_>) -> f64 {
        self.settings.prior * x.squared_norm()
    }

    fn end_round(&mut self) {
        let Some(share) = self.forgetting.as_mut().and_then(Intervals::tick) else { return };
        self.blocks.iter_mut().for_each(|block| block.fade(share));
    }

    fn discount(&mut self, share: f64) {
        let Some(share) = Share::at_once(share) else { return };
        for block in &mut self.blocks {
            if share.left == 0.0 {
                *block = FactoredBlock::new(self.settings);
            } else {
                block.fade(share);
            }
        }
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        let (id, prior) = ([u32::try_from(feature).ok()?], self.settings.prior);
        let Some(own) = self.blocks.get(block) else {
            return Some(Weight { mean: 0.0, variance: prior, prior });
        };
        let mut p = Projection::default();
        own.project(SparseVec::new(&id, &[1.0]).ok()?, &mut p);
        Some(Weight { mean: p.mean, variance: p.variance, prior })
    }

    fn move_mean(&mut self, feature: usize, block: usize, by: f64) -> Result<()> {
        natural::move_mean(&mut self.blocks[block], u32::try_from(feature).unwrap_or(u32::MAX), by)
    }

    fn natural_params(&self, block: usize, _: f64) -> Result<NaturalParams> {
        Ok(natural::natural_params(self.blocks.get(block), self.settings))
    }

    fn from_natural(&mut self, block: usize, params: NaturalParams) -> Result<()> {
        self.blocks[block] = natural::block(params, self.settings)?;
        Ok(())
    }

    fn save(&self) -> State<'_> {
        let mut state = saved::save(&self.blocks);
        Intervals::save(self.forgetting.as_ref(), &mut state);
        state
    }

    fn restore(&mut self, mut state: State<'_>, blocks: usize) -> Result<()> {
        Intervals::restore(self.forgetting.as_mut(), &mut state)?;
        self.blocks = saved::restore(self.settings, state)?;
        check_blocks(self.blocks.len(), blocks)
    }
}

const RANK: Param = Param {
    name: "rank",
    range: Range::Count(1),
    default: "8",
    help: "columns of R: how many directions of correlation are kept",
};

const BUFFER: Param = Param {
    name: "buffer",
    range: Range::CountOr(0, "rank"),
    default: "rank",
    help: "updates kept as they were between compressions; 0 compresses at every update",
};

const COMPRESSION: Param = Param {
    name: "compression",
    range: Range::Word(&["rows", "em", "drop"]),
    default: "rows",
    help: "how a full buffer is emptied: em as in the paper, rows at the cost of the rows touched, drop the oldest",
};

const SWEEPS: Param = Param {
    name: "sweeps",
    range: Range::CountOr(1, "auto"),
    default: "auto",
    help: "EM sweeps of a compression; auto is 10 for em, and for rows 1, or 10 where the buffer touched every one of few rows",
};

/// What `sweeps=auto` is for `em`.
const EM_SWEEPS: usize = 10;

fn settings(params: &Params) -> Result<FactoredSettings> {
    let compression = match params.word(COMPRESSION.name) {
        "em" => CompressionMethod::Em,
        "drop" => CompressionMethod::Drop,
        _ => CompressionMethod::Rows,
    };
    let rank = params.count(RANK.name);
    let buffer = if params.word(BUFFER.name) == "rank" { rank } else { params.count(BUFFER.name) };
    if compression == CompressionMethod::Drop && buffer == 0 {
        return Err(Error::Conflict(
            "compression=drop keeps nothing but the buffer, so it needs a buffer of at least 1".into(),
        ));
    }
    let sweeps = match (params.word(SWEEPS.name), compression) {
        ("auto", CompressionMethod::Em) => EM_SWEEPS,
        ("auto", _) => 1,
        _ => params.count(SWEEPS.name),
    };
    // Without compression there is no R.
    let rank = if compression == CompressionMethod::Drop { 0 } else { rank };
    let (prior, floor) = (params.number(PRIOR.name), super::floor(params).0);
    let textbook = params.word(SWEEPS.name) == "auto" && compression == CompressionMethod::Rows;
    Ok(FactoredSettings { rank, buffer, compression, sweeps, textbook, prior, floor, patience: 4 })
}

/// The entry in the list of stores.
pub static SPEC: StoreSpec = StoreSpec {
    name: "factored",
    title: "Low-rank plus diagonal precision; for millions of correlated features",
    params: &[RANK, BUFFER, COMPRESSION, SWEEPS, PRIOR, FLOOR, PROJECTION, HALF_LIFE, FORGET],
    learns_covariance: true,
    side_by_side: None,
    takes_gaps: false,
    build: |params, shape: Shape| {
        Ok(Box::new(Factored::new(settings(params)?, shape.blocks, Intervals::new(params))))
    },
};
