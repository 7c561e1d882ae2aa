//! SCW-I, soft confidence-weighted learning (Wang, Zhao, Hoi 2012): CW-Stdev with a linear price C for missing
//! the confidence asked for.

use super::cw_stdev::CwStdev;
use super::{C, CONFIDENCE, Rule, RuleSpec, Step, phi};

/// CW-Stdev's alpha, capped at C; the gain follows from the capped alpha. An importance weight multiplies C.
///
/// ```
/// use surefoot_core::rule::{Rule, cw_stdev::CwStdev, scw1::Scw1};
/// let soft = Scw1 { hard: CwStdev { phi: 1.0 }, c: 0.01 };
/// assert_eq!(soft.step(-1.0, 1.0, 1.0).unwrap().alpha, 0.01);
/// ```
#[derive(Debug, Clone)]
pub struct Scw1 {
    /// The rule without a price.
    pub hard: CwStdev,
    /// The price.
    pub c: f64,
}

impl Rule for Scw1 {
    fn step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        let alpha = self.hard.alpha(m, v)?.min(self.c * weight); // [SCW] Prop. 1
        Some(Step { alpha, gain: self.hard.gain(alpha, v) })
    }
}

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "scw1",
    title: "Soft confidence-weighted, linear slack (SCW-I)",
    paper: "Wang, Zhao, Hoi 2012",
    params: &[CONFIDENCE, C],
    store: "diagonal",
    defaults: &[("projection", "covariance")],
    weighted: true,
    build: |params| Box::new(Scw1 { hard: CwStdev { phi: phi(params) }, c: params.number(C.name) }),
};
