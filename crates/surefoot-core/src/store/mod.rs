//! Gaussian stores: how N(μ, Σ) over the weights is kept. One file a store.
//!
//! A store holds one block of weights a class (binary problems have one block). It never sees a label, a loss
//! or a rule's parameter. A new store is one file with a `SPEC`, and one line in the list below.

use std::fmt::Debug;

use dyn_clone::DynClone;

use crate::param::{Param, Params, Range};
use crate::rule::Step;
use crate::state::State;
use crate::{Error, Result, SparseVec};

/// What every store made of cells does alike.
macro_rules! forward_to_cells {
    () => {
        fn grow(&mut self, blocks: usize) -> Result<()> {
            self.cells.grow(blocks);
            Ok(())
        }

        fn prefetch(&self, ids: &[u32]) {
            self.cells.prefetch(ids);
        }

        fn begin_round(&mut self, x: SparseVec<'_>) {
            self.cells.catch_up(x);
        }
    };
}

mod cells;
mod compact;
mod diagonal;
mod factored;
mod forget;
mod full;
mod identity;
mod kernel;
mod natural;
mod parts;
mod triangle;

pub(crate) use cells::{Cells, MOST_FEATURES, positions};
pub use compact::Compact;
pub use diagonal::{Diagonal, Projected};
pub(crate) use diagonal::{kept, step_along, terms};
pub(crate) use factored::Cholesky;
pub use factored::Factored;
pub(crate) use forget::{Fade, FadeGaussian, Forgetting, Share};
pub use full::Full;
pub use identity::{Averaged, Identity};
pub use kernel::{Dual, Kernel};
pub use natural::{Gain, NaturalParams};

/// What a store says of one example in one block, and the caller's reusable scratch.
///
/// [`Store::project`] fills mean and variance; the image of x (what the store needs to move) is made then or
/// in [`Store::absorb`], so that a round without a step stays cheap. It is valid for the same example and
/// block until that block absorbs.
#[derive(Debug, Default, Clone)]
pub struct Projection {
    /// μ·x.
    pub mean: f64,
    /// xᵀΣx.
    pub variance: f64,
    /// Σx in the store's own coordinates, once `ready`.
    pub image: Vec<f64>,
    /// Further scratch of the store.
    pub scratch: Vec<f64>,
    /// Where the store keeps the features of x, if it looks them up.
    pub places: Vec<u32>,
    /// Whether `image` belongs to this example.
    pub ready: bool,
    /// Whether the store has found a row for every feature of x, so that it need not look again.
    pub known: bool,
}

/// One weight as inspection shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight {
    /// Its mean.
    pub mean: f64,
    /// Its variance (the diagonal of Σ).
    pub variance: f64,
    /// The variance it started from.
    pub prior: f64,
}

/// What a weight has learned: its mean, and what its precision gained over the prior's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnedWeight {
    /// Its block.
    pub block: usize,
    /// Its mean.
    pub mean: f64,
    /// The gain in precision.
    pub gain: f64,
}

/// The place of a feature that has none.
pub const NOWHERE: u32 = u32::MAX;

/// A Gaussian over the weights of one or more blocks.
pub trait Store: Debug + Send + Sync + DynClone {
    /// Adds blocks, at the prior, until there are `blocks` of them.
    fn grow(&mut self, blocks: usize) -> Result<()>;

    /// The mean of the score of every block with the weights that predict, and its variance if that is asked for; one
    /// place a block. `scratch` is the caller's, so that a round does not allocate.
    fn scores(
        &self,
        x: SparseVec<'_>,
        means: &mut [f64],
        mut variances: Option<&mut [f64]>,
        scratch: &mut Projection,
    ) {
        for (block, mean) in means.iter_mut().enumerate() {
            scratch.ready = false;
            self.project(x, block, scratch);
            *mean = scratch.mean;
            if let Some(variances) = &mut variances {
                variances[block] = scratch.variance;
            }
        }
    }

    /// Whether [`Store::scores`] predicts with the very weights that learn (averaged stores do not).
    fn predicts_as_it_learns(&self) -> bool {
        true
    }

    /// Mean and variance of the score in one block, with the weights that learn.
    fn project(&self, x: SparseVec<'_>, block: usize, out: &mut Projection);

    /// μ ← μ + alpha·Σx, Σ⁻¹ ← Σ⁻¹ + gain·xxᵀ in one block, for an example that was projected before.
    /// A negative alpha moves away from x. An error leaves the store as it was.
    fn absorb(&mut self, x: SparseVec<'_>, block: usize, p: &mut Projection, step: Step) -> Result<()>;

    /// [`Store::absorb`] of every block that has a step; `variances` are what [`Store::scores`] gave.
    fn absorb_all(
        &mut self,
        x: SparseVec<'_>,
        variances: &[f64],
        steps: &[Option<Step>],
        p: &mut Projection,
    ) -> Result<()> {
        absorb_each(self, x, variances, steps, p)
    }

    /// xᵀΣx as it would be after absorbing a gain; reads only.
    fn variance_after(&self, x: SparseVec<'_>, block: usize, p: &Projection, gain: f64) -> f64;

    /// xᵀΣ₁x, the variance of the score before anything was learned.
    fn prior_variance(&self, x: SparseVec<'_>) -> f64;

    /// Asks for the memory of these features, which an example to come will need.
    fn prefetch(&self, _ids: &[u32]) {}

    /// Begins a round of positive weight: brings what the store keeps of these features up to date, if it forgets.
    fn begin_round(&mut self, _x: SparseVec<'_>) {}

    /// Ends a round of positive weight, whether or not it changed anything: what was learned is now one round older.
    fn end_round(&mut self) {}

    /// Lets what was learned count less at once: natural parameters go back towards the prior, Λ ← Λ₀ + share·(Λ − Λ₀) and
    /// η ← share·η. Nothing changes with a share of 1, and with 0 nothing was ever learned.
    fn discount(&mut self, share: f64);

    /// The weight of a feature in a block, as predictions use it; the prior for what was never absorbed.
    /// `None` where weights have no single feature (non-linear kernels).
    fn weight(&self, feature: usize, block: usize) -> Option<Weight>;

    /// How many features have rows of a mean and a variance a weight; none for stores of another form.
    fn learned_rows(&self) -> Option<usize> {
        None
    }

    /// Appends what such a store has learned of a feature, block by block that may have been touched.
    fn learned(&self, _feature: usize, _row: &mut Vec<LearnedWeight>) {}

    /// Makes weights that have learned nothing those that have learned this.
    fn put_learned(&mut self, _feature: usize, _row: &[LearnedWeight]) -> Result<()> {
        Err(unmergeable())
    }

    /// Moves the mean of one weight, and nothing else.
    fn move_mean(&mut self, _feature: usize, _block: usize, _by: f64) -> Result<()> {
        Err(unmergeable())
    }

    /// What a block has learned from so many examples, in natural parameters less those of the prior. A block that is
    /// not there has learned nothing.
    fn natural_params(&self, _block: usize, _examples: f64) -> Result<NaturalParams> {
        Err(unmergeable())
    }

    /// Makes a block that has learned nothing the one that such natural parameters leave.
    #[allow(clippy::wrong_self_convention)] // it makes a block from parameters, not a store
    fn from_natural(&mut self, _block: usize, _params: NaturalParams) -> Result<()> {
        Err(unmergeable())
    }

    /// Everything the store knows, as named tensors, trimmed of spare room.
    fn save(&self) -> State<'_>;

    /// Takes over a saved state of so many blocks; `self` was built with the same parameters.
    fn restore(&mut self, state: State<'_>, blocks: usize) -> Result<()>;
}

dyn_clone::clone_trait_object!(Store);

/// What a learner tells a store about the problem when it is built.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Blocks at the start.
    pub blocks: usize,
    /// Whether every block is touched in every round (one-vs-rest).
    pub all_touched: bool,
}

/// A store's entry in the list: everything the rest of the product knows of it.
pub struct StoreSpec {
    /// The name that users type (`covariance`).
    pub name: &'static str,
    /// One line for people.
    pub title: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// Whether it keeps a covariance that learns (and so takes `floor` and `projection`).
    pub learns_covariance: bool,
    /// How exactly it keeps its numbers, if they are a mean and a variance a weight and nothing else: an ensemble can lay
    /// such members side by side.
    pub side_by_side: Option<Precision>,
    /// Whether ids may have gaps: an id that no feature has costs no more than a row at the prior.
    pub takes_gaps: bool,
    /// Builds an empty store from checked parameters.
    pub build: fn(&Params, Shape) -> Result<Box<dyn Store>>,
}

/// How exactly numbers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 64 bits each.
    Double,
    /// 32 bits each.
    Single,
}

/// The prior variance of each weight.
pub const PRIOR: Param = Param {
    name: "prior",
    range: Range::Positive,
    default: "1",
    help: "prior variance a of each weight: Σ starts at a·I",
};

/// Below which share of the prior's a variance no longer shrinks.
pub const FLOOR: Param = Param {
    name: "floor",
    range: Range::FromOr(0.0, 1.0, "auto"),
    default: "0.0001",
    help: "once v < floor · (prior variance of the margin), only the mean moves; 0 = the papers' letter; auto = 0.0001, \
           and those moves shrink with their number unless schedule=exact",
};

/// The number that `floor=auto` stands for.
const AUTO_FLOOR: f64 = 1e-4;

/// The floor as a number, and whether it is `auto`; 0 where there is no such parameter.
pub(crate) fn floor(params: &Params) -> (f64, bool) {
    match params.word(FLOOR.name) {
        "" => (params.number(FLOOR.name).max(0.0), false),
        _ => (AUTO_FLOOR, true),
    }
}

/// The half-life in examples, if there is one.
pub(crate) fn half_life(params: &Params) -> Option<f64> {
    Some(params.number(HALF_LIFE.name)).filter(|half_life| half_life.is_finite())
}

/// What is dropped to keep Σ in the store's family.
pub const PROJECTION: Param = Param {
    name: "projection",
    range: Range::Word(&["precision", "covariance"]),
    default: "precision",
    help: "which off-diagonals are dropped: those of the precision or those of the covariance",
};

/// In how many examples what was learned comes to count half.
pub const HALF_LIFE: Param = Param {
    name: "half-life",
    range: Range::CountOr(1, "none"),
    default: "none",
    help: "for data that change: after so many examples what was learned counts half; none = never forgets",
};

/// What fades with a half-life.
pub const FORGET: Param = Param {
    name: "forget",
    range: Range::Word(&["discount", "inflate"]),
    default: "discount",
    help: "with half-life: discount lets weights and certainty fade towards the start, inflate the certainty alone",
};

/// The parameters that say how a store forgets; without a half-life they say nothing.
pub(crate) const FORGETTING: [&str; 2] = [HALF_LIFE.name, FORGET.name];

/// Every store, in the order in which help pages show them.
pub static STORES: &[&StoreSpec] =
    &[&diagonal::SPEC, &compact::SPEC, &factored::SPEC, &full::SPEC, &kernel::SPEC, &identity::SPEC];

/// Looks a store up by name.
pub fn find(name: &str) -> Result<&'static StoreSpec> {
    STORES.iter().copied().find(|s| s.name == name).ok_or_else(|| Error::Unknown {
        what: "store",
        found: name.to_string(),
        known: STORES.iter().map(|s| s.name).collect::<Vec<_>>().join(", "),
    })
}

/// Absorbs block after block.
fn absorb_each<G: Store + ?Sized>(
    store: &mut G,
    x: SparseVec<'_>,
    variances: &[f64],
    steps: &[Option<Step>],
    p: &mut Projection,
) -> Result<()> {
    p.known = false;
    for (block, (step, &variance)) in steps.iter().zip(variances).enumerate() {
        if let Some(step) = *step {
            (p.variance, p.ready) = (variance, false);
            store.absorb(x, block, p, step)?;
        }
    }
    Ok(())
}

/// Refuses a saved state of another number of blocks.
fn check_blocks(found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::State(format!("{found} blocks of weights where {expected} are needed")))
}

/// Numbers that the triangles of all blocks may take together: 4 GiB.
const MOST_NUMBERS: usize = 1 << 29;

/// Refuses what would be larger than its limit.
fn check_limit(what: &'static str, needed: usize, limit: usize, hint: &'static str) -> Result<()> {
    if needed <= limit {
        return Ok(());
    }
    Err(Error::TooLarge { what, needed: needed as u64, limit: limit as u64, hint })
}

/// Refuses a table with a row for each of so many features.
fn check_rows(what: &'static str, needed: usize) -> Result<()> {
    let hint = "feature ids are positions: map them to small numbers or hash them";
    check_limit(what, needed, MOST_FEATURES, hint)
}

/// Why stores without natural parameters refuse.
pub(crate) fn unmergeable() -> Error {
    Error::Conflict(
        "models of this store cannot be merged: what they have learned is tied to their own support examples; train \
         one model on all of the data"
            .into(),
    )
}

/// β = gain/(1 + gain·v), which takes β·Σx(Σx)ᵀ off the covariance; finite where gain·v is not.
fn beta(v: f64, gain: f64) -> f64 {
    1.0 / (1.0 / gain + v) // [ECCW] Eq. 22
}

/// The variance v/(1 + gain·v) of a score after its direction gained precision; exact where gain·v overflows.
fn shrunk(v: f64, gain: f64) -> f64 {
    let ratio = gain * v;
    if ratio.is_finite() { v / (1.0 + ratio) } else { 1.0 / gain }
}
