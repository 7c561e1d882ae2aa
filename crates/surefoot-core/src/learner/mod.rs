//! Learners: a rule and a store brought together, round by round.
//!
//! A round has two halves. The [`Learner`] scores the example and moves its weights; the [`Head`] turns the scores into a
//! prediction and learns how far to trust them.

use dyn_clone::DynClone;

use crate::probability::Voter;
use crate::state::State;
use crate::store::{Store, Weight};
use crate::{Result, SparseVec};

mod binary;
mod calibration;
mod ensemble;
mod head;
mod merge;
pub mod multiclass;
mod recalibrate;
mod restart;
mod round;
mod row_unit;
mod trial;

pub use binary::Binary;
pub use calibration::Calibration;
pub use ensemble::{Ensemble, MemberTable, RowMap};
pub use head::{F1Average, Head, HeadPart, MemberStats};
pub use merge::{LearnerPart, LearnerSum, Merging, PartRole};
pub use multiclass::Multiclass;
pub use recalibrate::{LabelledRow, recalibrate};
pub(crate) use restart::RESTART;
pub use restart::TRIAL;
pub(crate) use round::labels_loss;
pub use round::{LARGEST_WEIGHT, LabelLink, Prediction, Scores, Target, check_weight, held};
pub(crate) use row_unit::PER_ROW;

/// A classifier that learns one example at a time: it scores examples and moves its weights. Probabilities and labels are
/// for its [`Head`].
pub trait Learner: std::fmt::Debug + Send + Sync + DynClone {
    /// How many classes it tells apart.
    fn classes(&self) -> usize;

    /// Makes room for `classes` classes; `ranks[k]` is the place of class k among the labels (ties go to the smaller).
    /// They may rank a class that comes to life only in the next round.
    fn set_classes(&mut self, classes: usize, ranks: &[u32]) -> Result<()>;

    /// The scores of an example; changes nothing.
    fn scores(&self, x: SparseVec<'_>, out: &mut Scores);

    /// The first half of a round: the scores as [`Learner::scores`] gives them, then the weights move. A weight of 0 moves
    /// nothing, but makes the class known.
    fn update(
        &mut self,
        x: SparseVec<'_>,
        target: Target<'_>,
        weight: f64,
        scores: &mut Scores,
    ) -> Result<()>;

    /// Hint that an example with these features comes soon: asks for the memory of their weights.
    fn prefetch(&self, ids: &[u32]);

    /// The papers' label distribution: how often weights drawn from the Gaussian predict each class. Those of an ensemble's
    /// members are mixed by `shares` ([`Head::shares`]).
    fn votes(&self, x: SparseVec<'_>, shares: &[f64], voter: &mut Voter, votes: &mut Vec<f64>);

    /// Lets what was learned count less at once ([`Store::discount`]): all of it with a share of 1, nothing of it with 0.
    fn discount(&mut self, share: f64);

    /// A member's weight of a feature in a block; the prior for a feature never met. None where weights have no single
    /// feature (non-linear kernels). A learner that is no ensemble has the one member 0.
    fn weight(&self, member: usize, feature: usize, block: usize) -> Option<Weight>;

    /// The store of a learner that is no ensemble.
    fn store(&self) -> Option<&dyn Store> {
        None
    }

    /// The ensemble, if this is one.
    fn as_ensemble(&self) -> Option<&Ensemble> {
        None
    }

    /// Adds what it has learned to what others of the same SPEC have, which learned apart: first what all began with
    /// ([`PartRole::Base`]), if anything, then every part, then the base once more ([`PartRole::Last`]).
    fn add_to(&self, sum: &mut LearnerSum, part: &LearnerPart<'_>) -> Result<()>;

    /// Becomes what was summed; `self` is at the start of its stream and knows the classes of all parts.
    fn take(&mut self, sum: LearnerSum) -> Result<()>;

    /// Moves the mean of one weight of a member, and nothing else.
    fn move_mean(&mut self, member: usize, feature: usize, block: usize, by: f64) -> Result<()>;

    /// Everything learned, as named tensors.
    fn save(&self) -> State<'_>;

    /// Takes over a saved state; `self` was built from the same SPEC.
    fn restore(&mut self, state: State<'_>) -> Result<()>;
}

dyn_clone::clone_trait_object!(Learner);
