//! The second-order perceptron (Cesa-Bianchi, Conconi, Gentile 2005): a perceptron whitened by the examples on
//! which it erred.
//!
//! The textbook keeps A = aI + Σ xxᵀ and b = Σ yx over its mistakes and predicts with (A + xxᵀ)⁻¹b. That score
//! is μ·x/(1 + v) with μ = A⁻¹b and v = xᵀA⁻¹x, so the sign is that of μ·x, and the update of (μ, A⁻¹) is the
//! step below.

use super::{Rule, RuleSpec, Step};

/// alpha = (1 − m)/(1 + v), gain = 1 when m ≤ 0. An importance weight w counts the mistake w times.
///
/// ```
/// use surefoot_core::rule::{Rule, sop::Sop};
/// let step = Sop.step(0.0, 1.0, 1.0).unwrap();
/// assert_eq!((step.alpha, step.gain), (0.5, 1.0));
/// ```
#[derive(Debug, Clone)]
pub struct Sop;

impl Rule for Sop {
    fn step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        (m <= 0.0).then(|| Step { alpha: (1.0 - m) / (weight.recip() + v), gain: weight }) // [SOP] Fig. 1
    }
}

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "sop",
    title: "Second-order perceptron",
    paper: "Cesa-Bianchi, Conconi, Gentile 2005",
    params: &[],
    store: "diagonal",
    defaults: &[],
    weighted: true,
    build: |_| Box::new(Sop),
};
