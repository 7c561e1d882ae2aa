//! SCW-II, soft confidence-weighted learning (Wang, Zhao, Hoi 2012): CW-Stdev with a squared price for missing
//! the confidence asked for.

use super::cw_stdev::CwStdev;
use super::{C, CONFIDENCE, Rule, RuleSpec, Step, phi};

/// With n = v + 1/(2C), the larger root of the quadratic in alpha; an importance weight multiplies C.
///
/// ```
/// use surefoot_core::rule::{Rule, cw_stdev::CwStdev, scw2::Scw2};
/// let hard = CwStdev { phi: 1.0 }.step(-1.0, 1.0, 1.0).unwrap();
/// let soft = Scw2 { hard: CwStdev { phi: 1.0 }, c: 1e9 }.step(-1.0, 1.0, 1.0).unwrap();
/// assert!((hard.alpha - soft.alpha).abs() < 1e-8);
/// ```
#[derive(Debug, Clone)]
pub struct Scw2 {
    /// The rule without a price.
    pub hard: CwStdev,
    /// The price.
    pub c: f64,
}

impl Rule for Scw2 {
    fn step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        let phi = self.hard.phi;
        let deviation = phi * v.sqrt();
        if m >= deviation {
            return None;
        }
        let n = v + 0.5 / (self.c * weight);
        let inner = n + v * phi * phi;
        let b = n + inner;
        let s = phi * ((phi * m * v).powi(2) + 4.0 * n * v * inner).sqrt();
        // The conjugate form where the printed one cancels (m → φ√v).
        let alpha = if m > 0.0 {
            2.0 * (deviation - m) * (deviation + m) / (m * b + s) // [SCW] Prop. 2
        } else {
            (s - m * b) / (2.0 * n * inner)
        };
        Some(Step { alpha, gain: self.hard.gain(alpha, v) })
    }
}

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "scw2",
    title: "Soft confidence-weighted, squared slack (SCW-II)",
    paper: "Wang, Zhao, Hoi 2012",
    params: &[CONFIDENCE, C],
    store: "diagonal",
    defaults: &[("projection", "covariance")],
    weighted: true,
    build: |params| Box::new(Scw2 { hard: CwStdev { phi: phi(params) }, c: params.number(C.name) }),
};
