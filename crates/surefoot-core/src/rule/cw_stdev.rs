//! CW-Stdev (Crammer, Dredze, Pereira 2008): exact convex confidence-weighted learning.
//!
//! The smallest KL change after which a weight vector drawn from the Gaussian classifies the example correctly
//! with probability η, that is m ≥ φ·√v with φ = Φ⁻¹(η). It sees neither the prior variance nor the norm of an
//! example (Lemma 3).

use super::{CONFIDENCE, Confidence, Demand, Rule, RuleSpec, Step, phi};

/// Meets m + alpha·v = φ·√u, u = v/(1 + gain·v), whenever m < φ·√v.
///
/// ```
/// use surefoot_core::rule::{Rule, cw_stdev::CwStdev};
/// let rule = CwStdev { phi: 1.0 };
/// let step = rule.step(-0.5, 2.0, 1.0).unwrap();
/// let (margin, variance) = (-0.5 + step.alpha * 2.0, 2.0 / (1.0 + step.gain * 2.0));
/// assert!((margin - variance.sqrt()).abs() < 1e-12);
/// assert!(rule.step(1.5, 2.0, 1.0).is_none());
/// ```
#[derive(Debug, Clone)]
pub struct CwStdev {
    /// φ = Φ⁻¹(confidence).
    pub phi: f64,
}

impl CwStdev {
    /// The mean's step, or none if the constraint holds already.
    #[must_use]
    pub fn alpha(&self, m: f64, v: f64) -> Option<f64> {
        let phi = self.phi;
        let deviation = phi * v.sqrt();
        if m >= deviation {
            return None;
        }
        let (psi, xi) = (1.0 + phi * phi / 2.0, 1.0 + phi * phi);
        let s = ((m * phi * phi / 2.0).powi(2) + v * phi * phi * xi).sqrt();
        // The conjugate form where the printed one cancels (m → φ√v).
        Some(if m > 0.0 {
            (deviation - m) * (deviation + m) / (v * (m * psi + s)) // [ECCW] Eq. 14
        } else {
            (s - m * psi) / (v * xi)
        })
    }

    /// The precision gained by a step of `alpha`: ζ = αφ/√u.
    #[must_use]
    pub fn gain(&self, alpha: f64, v: f64) -> f64 {
        let t = alpha * v * self.phi;
        let root_u = 2.0 * v / (t + (t * t + 4.0 * v).sqrt()); // [ECCW] Eq. 12
        alpha * self.phi / root_u // [ECCW] Eq. 9
    }
}

impl Rule for CwStdev {
    fn step(&self, m: f64, v: f64, _weight: f64) -> Option<Step> {
        self.alpha(m, v).map(|alpha| Step { alpha, gain: self.gain(alpha, v) })
    }

    fn demand(&self, _weight: f64) -> Option<Demand<'_>> {
        Some(Demand::Confidence(self))
    }
}

impl Confidence for CwStdev {
    fn required(&self, u: f64) -> f64 {
        self.phi * u.sqrt()
    }

    fn alpha(&self, gain: f64, u: f64) -> f64 {
        gain * u.sqrt() / self.phi
    }
}

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "cw-stdev",
    title: "Confidence-weighted, exact convex form",
    paper: "Crammer, Dredze, Pereira 2008",
    params: &[CONFIDENCE],
    store: "diagonal",
    // Dropping the off-diagonals of the precision collapses the variances of this rule on dense data.
    defaults: &[("projection", "covariance"), ("floor", "auto")],
    weighted: false,
    build: |params| Box::new(CwStdev { phi: phi(params) }),
};
