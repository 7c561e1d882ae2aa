//! Online Bayesian logistic regression: a Laplace step on the likelihood σ(m/s) of each example.
//!
//! The new mean is the mode of prior × likelihood along Σz, the gain is the curvature of the log-likelihood there.

use super::{Rule, RuleSpec, Step};
use crate::param::{Param, Range};

/// Solves alpha = w·σ(−(m + alpha·v)/s)/s; the gain is w·σ(1 − σ)/s² at that margin.
///
/// ```
/// use surefoot_core::rule::{Rule, logistic::Logistic};
/// let step = Logistic { scale: 1.0 }.step(0.0, 1.0, 1.0).unwrap();
/// assert!((step.alpha - 1.0 / (1.0 + step.alpha.exp())).abs() < 1e-15);
/// ```
#[derive(Debug)]
pub struct Logistic {
    /// The scale s of the link: larger trusts single examples less.
    pub scale: f64,
}

impl Logistic {
    /// The margin t after the update: the root of t − m − c·s·σ(−t/s), c = v·w/s².
    ///
    /// Newton from the inflection point 0 (or from the end of the bracket nearest to it) approaches the root
    /// from one side, so it needs no safeguard.
    fn margin_after(&self, m: f64, c: f64) -> f64 {
        let s = self.scale;
        let highest = (m + c * s).min(m.max(0.0) + s * libm::log1p(c));
        let mut t = 0.0f64.max(m).min(highest);
        for _ in 0..MOST_NEWTON_STEPS {
            let tail = sigmoid(-t / s);
            let change = (t - m - c * s * tail) / (1.0 + c * tail * (1.0 - tail));
            t -= change;
            if change.abs() <= 2.0 * f64::EPSILON * t.abs() {
                break;
            }
        }
        t
    }
}

/// Enough for v up to 1e100: far out on the exponential tail each step gains one scale.
const MOST_NEWTON_STEPS: usize = 400;

fn sigmoid(t: f64) -> f64 {
    if t >= 0.0 {
        1.0 / (1.0 + libm::exp(-t))
    } else {
        let e = libm::exp(t);
        e / (1.0 + e)
    }
}

impl Rule for Logistic {
    fn step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        let s = self.scale;
        let t = self.margin_after(m, v * weight / (s * s));
        let tail = sigmoid(-t / s);
        Some(Step { alpha: weight * tail / s, gain: weight * tail * sigmoid(t / s) / (s * s) })
    }
}

const SCALE: Param = Param {
    name: "scale",
    range: Range::Positive,
    default: "1",
    help: "scale s of the logistic link: larger trusts single examples less",
};

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "logistic",
    title: "Bayesian logistic regression, a Laplace step an example",
    paper: "Spiegelhalter, Lauritzen 1990; MacKay 1992",
    params: &[SCALE],
    store: "diagonal",
    // One-vs-rest: docs/defaults.md.
    defaults: &[("projection", "precision"), ("floor", "0"), ("schedule", "one-vs-rest")],
    weighted: true,
    build: |params| Box::new(Logistic { scale: params.number(SCALE.name) }),
};
