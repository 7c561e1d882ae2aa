//! The confidence loss of `[ECCW]`: the squared step of CW-Stdev as a loss of the standardised margin m/√v.

use crate::Result;
use crate::rule::{CONFIDENCE, cw_stdev::CwStdev};

/// ℓ_φ: convex and decreasing below φ, zero from φ on, and at least the 0-1 loss (1 at a margin of 0).
///
/// ```
/// use surefoot_core::analysis::ConfidenceLoss;
/// let loss = ConfidenceLoss::new(0.9)?;
/// assert!((loss.at(0.0) - 1.0).abs() < 1e-15);
/// assert_eq!(loss.at(loss.phi()), 0.0);
/// assert!(loss.at(-0.5) > 1.0);
/// assert!(ConfidenceLoss::new(0.5).is_err());
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug)]
pub struct ConfidenceLoss {
    /// The rule whose steps this loss measures.
    pub(super) rule: CwStdev,
}

impl ConfidenceLoss {
    /// The loss of a confidence η strictly between ½ and 1.
    pub fn new(confidence: f64) -> Result<Self> {
        CONFIDENCE.check(&confidence.to_string())?;
        Ok(Self { rule: CwStdev { phi: crate::normal::phi_of_confidence(confidence) } })
    }

    /// φ = Φ⁻¹(η).
    #[must_use]
    pub fn phi(&self) -> f64 {
        self.rule.phi
    }

    /// (1 + φ²)/φ², the factor between α²v and the loss, and of the bound.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.phi().powi(-2) + 1.0
    }

    /// The loss at a standardised margin m/√v.
    ///
    /// Lemma 5(6) turned round: it is the rule's own step at v = 1, which does not cancel near φ.
    #[must_use]
    pub fn at(&self, margin: f64) -> f64 {
        let alpha = self.rule.alpha(margin, 1.0).unwrap_or(0.0); // [ECCW] Eq. 23
        self.factor() * alpha * alpha // [ECCW] Eq. 24
    }
}
