//! CW-Var (Dredze, Crammer, Pereira 2008; in the exact form of Crammer, Dredze, Kulesza 2009, §5.1): the
//! smallest KL change for which m ≥ φ·v, with the variance in place of the standard deviation.

use super::{CONFIDENCE, Confidence, Demand, Rule, RuleSpec, Step, phi};

/// Meets m + alpha·v = φ·v/(1 + 2·alpha·φ·v) whenever m < φ·v.
///
/// ```
/// use surefoot_core::rule::{Rule, cw_var::CwVar};
/// let rule = CwVar { phi: 1.0 };
/// let step = rule.step(-0.5, 2.0, 1.0).unwrap();
/// let (margin, variance) = (-0.5 + step.alpha * 2.0, 2.0 / (1.0 + step.gain * 2.0));
/// assert!((margin - variance).abs() < 1e-12);
/// ```
#[derive(Debug, Clone)]
pub struct CwVar {
    /// φ = Φ⁻¹(confidence).
    pub phi: f64,
}

impl Rule for CwVar {
    fn step(&self, m: f64, v: f64, _weight: f64) -> Option<Step> {
        let phi = self.phi;
        if m >= phi * v {
            return None;
        }
        let b = 1.0 + 2.0 * phi * m;
        let s = ((1.0 - 2.0 * phi * m).powi(2) + 8.0 * phi * phi * v).sqrt();
        // Both forms are the printed root; each is used where it does not cancel.
        let alpha = if b > 0.0 {
            2.0 * (phi * v - m) / (v * (b + s)) // [MCCW] §5.1
        } else {
            (s - b) / (4.0 * phi * v)
        };
        Some(Step { alpha, gain: 2.0 * alpha * phi }) // [MCCW] Eq. 8
    }

    fn demand(&self, _weight: f64) -> Option<Demand<'_>> {
        Some(Demand::Confidence(self))
    }
}

impl Confidence for CwVar {
    fn required(&self, u: f64) -> f64 {
        self.phi * u
    }

    fn alpha(&self, gain: f64, _u: f64) -> f64 {
        gain / (2.0 * self.phi)
    }
}

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "cw-var",
    title: "Confidence-weighted, variance form",
    paper: "Dredze, Crammer, Pereira 2008; Crammer, Dredze, Kulesza 2009",
    params: &[CONFIDENCE],
    store: "diagonal",
    defaults: &[],
    weighted: false,
    build: |params| Box::new(CwVar { phi: phi(params) }),
};
