//! Rules: from a margin and its variance to a step. One file a rule.
//!
//! A new rule is one file with a `SPEC`, and one word in the list at the end of this file. The command line,
//! its help, Python, the reference and the contract tests read that list.

use std::fmt::Debug;

use dyn_clone::DynClone;

use crate::Result;
use crate::param::{Param, Params, Range};

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
}

/// Below this variance of the margin there is no step: 1/v would leave the numbers.
pub const SMALLEST_VARIANCE: f64 = 1e-100;

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
    /// The step with the conventions that hold for every rule: no step for tiny or overflowing variances or zero weight, and
    /// none that is not finite.
    #[must_use]
    pub fn checked_step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        if v < SMALLEST_VARIANCE || !v.is_finite() || weight <= 0.0 {
            return None;
        }
        self.step(m, v, weight).filter(|step| step.is_finite())
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
    RULES.iter().copied().find(|r| r.name == name).ok_or_else(|| crate::Error::Unknown {
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
