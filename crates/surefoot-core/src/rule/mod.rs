//! Rules: from a margin and its variance to a step, and the floor below which variances stay. One file a rule.
//!
//! A new rule is one file with a `SPEC`, and one word in the list at the end of this file. The command line,
//! its help, Python, the reference and the contract tests read that list.

use std::fmt::Debug;

use dyn_clone::DynClone;

use crate::param::{Param, Params, Range};
use crate::state::{State, check_counts};
use crate::{Error, Result};

/// How far to move: μ ← μ + alpha·Σz, Σ⁻¹ ← Σ⁻¹ + gain·zzᵀ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The mean's step along Σz.
    pub alpha: f64,
    /// What is added to the precision along z. The papers' β is gain / (1 + gain·v).
    pub gain: f64,
}

impl Step {
    /// Whether both numbers are finite: a step that is not finite is no step.
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.alpha.is_finite() && self.gain.is_finite()
    }

    /// Whether it is finite and leaves every weight so, along a margin of variance `v`.
    pub(crate) fn keeps_numbers_finite(self, v: f64) -> bool {
        self.is_finite() && self.alpha * self.alpha * v <= LONGEST_MOVE_SQUARED
    }
}

/// Below this variance of the margin there is no step: 1/v would leave the numbers.
pub const SMALLEST_VARIANCE: f64 = 1e-100;

/// Above this variance of the margin there is no step: its square would leave the numbers. Values of 1e50 reach it at a prior
/// of 1.
pub const LARGEST_VARIANCE: f64 = 1e100;

/// The square of the furthest that a step may move the score of its own example, in standard deviations. No weight moves
/// further than that times the root of its prior variance, so no stream is long enough to take one out of the numbers.
const LONGEST_MOVE_SQUARED: f64 = 1e200;

/// Whether a margin of this variance can be learned from.
pub(crate) fn can_step(v: f64) -> bool {
    (SMALLEST_VARIANCE..=LARGEST_VARIANCE).contains(&v)
}

/// A scalar update rule. It never sees a vector.
pub trait Rule: Debug + Send + Sync + DynClone {
    /// The step for a margin of mean `m` and variance `v` > 0 at importance `weight` > 0, or none.
    fn step(&self, m: f64, v: f64, weight: f64) -> Option<Step>;

    /// What this rule demands of a margin, if it is a constraint: the many-class `exact` schedule solves for it.
    fn demand(&self, _weight: f64) -> Option<Demand<'_>> {
        None
    }

    /// How much of the prior's precision holds a mean back when diagonal models that learned apart are merged; 1 is the
    /// exact product. A rule whose steps depend on what its mean already explains finds the same thing in every shard,
    /// and the product would add it up as if each had found another part of it. A tenth measured best: docs/merging.md.
    fn prior_share(&self) -> f64 {
        0.1
    }
}

dyn_clone::clone_trait_object!(Rule);

impl dyn Rule + '_ {
    /// The step with the conventions that hold for every rule: no step for tiny or huge variances or zero weight, and none that
    /// is not finite or would not leave the weights so.
    #[must_use]
    pub fn checked_step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        if !can_step(v) || weight <= 0.0 {
            return None;
        }
        self.step(m, v, weight).filter(|step| step.keeps_numbers_finite(v))
    }
}

/// Moves below the floor after which they have shrunk to √½. Smaller settles earlier, larger forgets a bad start sooner; between
/// 30 and 300 it hardly matters (docs/guides/which-rule-which-store.md).
const SETTLE: f64 = 100.0;

/// The name of the counts in a saved state.
const HELD: &str = "held";

/// The parameter `floor`, below which variances do not collapse.
///
/// On noisy data CW rules shrink the variance along the examples without bound until the learner is dead. Once
/// the variance of a margin has fallen below `floor` times what it was before anything was learned, the mean
/// still moves and the covariance stays. Relative to the prior, so it does not see the scale of the data.
///
/// A covariance that stays is a learning rate that stays, and a rule that puts every noisy example right is pulled to
/// and fro for ever. So with `floor=auto` the mean's moves shrink with the number n of those made below the floor before, by
/// √(SETTLE/(SETTLE + n)): the rate at which averages settle. The exact schedule solves all constraints together, where a
/// shorter move for one would break the others: it asks whether a margin is below the floor, and shrinks nothing. With a
/// half-life no more than that many moves are remembered, or a stream that changes would find the rate of one that never did.
#[derive(Debug, Clone)]
pub struct VarianceFloor {
    floor: f64,
    settles: bool,
    /// How many steps lost their gain, a count a block; only kept if it matters.
    held: Vec<u64>,
    /// So many of them are remembered.
    most: u64,
}

impl VarianceFloor {
    /// Acts below `floor` times the prior variance; 0 (or no such parameter) never acts.
    #[must_use]
    pub fn new(params: &Params) -> Self {
        let (floor, settles) = crate::store::floor(params);
        let most = crate::store::half_life(params).map_or(u64::MAX, |half_life| half_life as u64);
        Self { floor, settles, held: vec![0; usize::from(settles)], most }
    }

    /// Whether a margin of variance `v` may no longer shrink; `prior` is asked only when it matters.
    #[must_use]
    pub fn is_below(&self, v: f64, prior: impl FnOnce() -> f64) -> bool {
        self.floor > 0.0 && v < self.floor * prior()
    }

    /// Makes room for so many blocks.
    pub fn grow(&mut self, blocks: usize) {
        if self.settles && blocks > self.held.len() {
            self.held.resize(blocks, 0);
        }
    }

    /// What is left of a step in a block whose margin is below the floor.
    #[must_use]
    pub fn clamp(&mut self, step: Step, block: usize) -> Step {
        if !self.settles {
            return Step { gain: 0.0, ..step };
        }
        self.grow(block + 1);
        let shrink = (SETTLE / (SETTLE + self.held[block] as f64)).sqrt();
        self.held[block] = (self.held[block] + 1).min(self.most);
        Step { alpha: shrink * step.alpha, gain: 0.0 }
    }

    /// Lets a share of the steps that it counted count.
    pub(crate) fn discount(&mut self, share: f64) {
        self.held.iter_mut().for_each(|count| *count = (share * *count as f64) as u64);
    }

    /// The counts, if there are any.
    pub(crate) fn save(&self) -> State<'_> {
        let mut state = State::default();
        if self.held.iter().any(|&count| count > 0) {
            state.put_counts(HELD, &self.held);
        }
        state
    }

    /// Takes the counts back; a model without them has held nothing.
    pub(crate) fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        let blocks = self.held.len();
        self.held = if state.has(HELD) { state.take_u64(HELD)? } else { Vec::new() };
        self.grow(blocks);
        check_counts(HELD, &self.held)?;
        if !self.settles && !self.held.is_empty() {
            return Err(Error::State(format!("`{HELD}` has an impossible count")));
        }
        state.finish()
    }
}

/// A rule for two classes that respects the floor of the variances: what a learner is besides its store.
#[derive(Debug, Clone)]
pub(crate) struct FlooredRule {
    pub(crate) rule: Box<dyn Rule>,
    pub(crate) floor: VarianceFloor,
}

impl FlooredRule {
    pub(crate) fn new(rule: &RuleSpec, params: &Params) -> Self {
        Self { rule: (rule.build)(params), floor: VarianceFloor::new(params) }
    }

    /// The step along x for a label y = ±1, or none.
    pub(crate) fn step(
        &mut self,
        y: f64,
        mean: f64,
        variance: f64,
        weight: f64,
        prior: impl FnOnce() -> f64,
    ) -> Option<Step> {
        let step = self.rule.checked_step(y * mean, variance, weight)?;
        let step = if self.floor.is_below(variance, prior) { self.floor.clamp(step, 0) } else { step };
        Some(Step { alpha: y * step.alpha, gain: step.gain })
    }
}

/// What a rule demands of each margin of a round.
pub enum Demand<'a> {
    /// A margin that depends on the variance after the update; the precision grows with alpha.
    Confidence(&'a dyn Confidence),
    /// A fixed margin; the sum of the alphas is at most `cap` (one slack shared by all constraints).
    Margin {
        /// The margin asked for.
        required: f64,
        /// The price of the slack, infinite for hard constraints.
        cap: f64,
    },
}

/// A confidence constraint, as the exact update of many classes needs it.
pub trait Confidence {
    /// The margin required when the variance after the update is `u`.
    fn required(&self, u: f64) -> f64;
    /// The alpha that belongs to a gain when the variance after the update is `u`.
    fn alpha(&self, gain: f64, u: f64) -> f64;
}

/// A rule's entry in the list: everything the rest of the product knows of it.
pub struct RuleSpec {
    /// The name that users type.
    pub name: &'static str,
    /// One line for people.
    pub title: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// The store it runs on when none is named.
    pub store: &'static str,
    /// Defaults of other parameters (of store or learner) that measured better for this rule.
    pub defaults: &'static [(&'static str, &'static str)],
    /// Whether importance weights change its step.
    pub weighted: bool,
    /// Builds the rule from checked parameters.
    pub build: fn(&Params) -> Box<dyn Rule>,
}

/// The parameter of the CW rules: the confidence η asked for.
pub const CONFIDENCE: Param = Param {
    name: "confidence",
    range: Range::Between(0.5, 1.0),
    default: "0.9",
    help: "probability η with which the updated weights classify the example correctly",
};

/// The aggressiveness parameter C of the passive-aggressive kind.
pub const C: Param = Param {
    name: "c",
    range: Range::Positive,
    default: "1",
    help: "aggressiveness C: larger follows single examples more",
};

/// φ = Φ⁻¹(η), from the tail so that nothing is lost near 1.
#[must_use]
pub fn phi(params: &Params) -> f64 {
    crate::normal::phi_of_confidence(params.number(CONFIDENCE.name))
}

/// Looks a rule up by name.
pub fn find(name: &str) -> Result<&'static RuleSpec> {
    RULES.iter().copied().find(|r| r.name == name).ok_or_else(|| Error::Unknown {
        what: "rule",
        found: name.to_string(),
        known: RULES.iter().map(|r| r.name).collect::<Vec<_>>().join(", "),
    })
}

macro_rules! rules {
    ($($file:ident),* $(,)?) => {
        $(pub mod $file;)*
        /// Every rule, in the order in which help pages show them.
        pub static RULES: &[&RuleSpec] = &[$(&$file::SPEC),*];
    };
}

rules! { arow, cw_stdev, cw_var, scw1, scw2, nherd, logistic, sop, pa, pa1, pa2, perceptron }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

    fn floor(spec: &str) -> VarianceFloor {
        VarianceFloor::new(&Spec::parse(spec).unwrap().params().unwrap())
    }

    const STEP: Step = Step { alpha: 2.0, gain: 3.0 };

    #[test]
    fn a_number_only_withholds_the_gain() {
        let mut own = floor("cw-stdev:floor=0.01");
        assert!(own.is_below(0.9, || 100.0) && !own.is_below(1.1, || 100.0));
        for _ in 0..1000 {
            assert_eq!(own.clamp(STEP, 0), Step { alpha: 2.0, gain: 0.0 });
        }
        assert!(own.save().iter().next().is_none());
    }

    #[test]
    fn auto_shrinks_the_moves_of_each_block_by_their_number() {
        let mut own = floor("cw-stdev");
        assert_eq!(own.clamp(STEP, 1), Step { alpha: 2.0, gain: 0.0 });
        (0..299).for_each(|_| assert!(own.clamp(STEP, 1).alpha <= 2.0));
        assert_eq!(own.clamp(STEP, 1).alpha, 1.0);
        assert_eq!(own.clamp(STEP, 0).alpha, 2.0);
        let mut again = super::tests::floor("cw-stdev");
        again.restore(own.save()).unwrap();
        assert_eq!(again.clamp(STEP, 1), own.clamp(STEP, 1));
        assert!(super::tests::floor("cw-stdev:floor=0.1").restore(own.save()).is_err());
    }

    #[test]
    fn zero_never_acts() {
        assert!(!floor("cw-stdev:floor=0").is_below(0.0, || 1.0));
        assert!(!floor("arow").is_below(0.0, || 1.0));
    }
}
