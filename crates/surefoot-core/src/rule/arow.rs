//! AROW, adaptive regularisation of weights (Crammer, Kulesza, Dredze 2009): confidence-weighted learning that
//! survives label noise, because it does not insist on classifying each example.
//!
//! Minimises KL + λ₁·(1 − m)₊² + λ₂·v with λ₁ = λ₂ = 1/(2r).

use super::{Rule, RuleSpec, Step};
use crate::learner::PER_ROW;
use crate::param::{Param, Range};

/// alpha = (1 − m)/(v + r), gain = 1/r when m < 1; an importance weight w divides r.
///
/// ```
/// use surefoot_core::rule::{Rule, arow::Arow};
/// let step = Arow { r: 1.0 }.step(0.0, 3.0, 1.0).unwrap();
/// assert_eq!((step.alpha, step.gain), (0.25, 1.0));
/// ```
#[derive(Debug, Clone)]
pub struct Arow {
    /// Smaller follows single examples more.
    pub r: f64,
}

impl Rule for Arow {
    fn step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        let r = self.r / weight;
        (m < 1.0).then(|| Step { alpha: (1.0 - m) / (v + r), gain: r.recip() }) // [AROW] Eqs. 7, 9, Fig. 1
    }

    /// Every update adds yx/r to Λμ, whatever the mean is: the sum is what one machine would have.
    fn prior_share(&self) -> f64 {
        1.0
    }
}

const R: Param = Param {
    name: "r",
    range: Range::Positive,
    default: "0.1",
    help: "regulariser r: larger trusts single examples less",
};

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "arow",
    title: "AROW: robust to label noise, the place to start",
    paper: "Crammer, Kulesza, Dredze 2009",
    params: &[R, PER_ROW],
    store: "diagonal",
    // One-vs-rest: docs/defaults.md.
    defaults: &[("projection", "precision"), ("floor", "0"), ("schedule", "one-vs-rest")],
    weighted: true,
    build: |params| Box::new(Arow { r: params.number(R.name) }),
};
