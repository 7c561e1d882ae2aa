//! The mistake bound of `[ECCW]` Theorem 4, as corrected, for a separable run of cw-stdev on the full store.
//!
//! ```text
//! mistakes ≤ Σℓ_φ(m/√v) ≤ (1+φ²)/φ² · (−ln det Σ* + Tr Σ* + μ*ᵀΣ⁻¹μ* − d),   Σ* = Σ = Σ_{n+1}
//! ```
//!
//! The printed middle term lacks the factor (1+φ²)/φ². No matrix is inverted: Σ⁻¹ = I + Σζ·xxᵀ gives the quadratic
//! form and det Σ⁻¹ = Π(1 + ζv) the determinant round by round; only the trace is asked of the store at the end.

use super::ConfidenceLoss;
use crate::rule::Rule;
use crate::state::check_finite;
use crate::store::Store;
use crate::{Error, Prediction, Result, SparseVec};

/// Follows a run round by round, next to a vector μ* that separates the examples.
///
/// The learner must be cw-stdev on the full store with `floor=0` and start with the certificate. μ* may have any
/// length: the certificate finds the smallest multiple of it for which the theorem's condition (Eq. 18) holds.
///
/// ```
/// use surefoot_core::analysis::Certificate;
/// use surefoot_core::{Head, Prediction, Scores, Spec, Target, Task, Vector};
/// let mut learner = Spec::parse("cw-stdev/full:confidence=0.9,floor=0")?.build(Task::Binary, 2)?;
/// let head = Head::new(1, false, Task::Binary)?;
/// let (mut scores, mut prediction) = (Scores::default(), Prediction::default());
/// let mut certificate = Certificate::new(0.9, 1.0, &[1.0, -1.0])?;
/// for (values, class) in [([2.0, 1.0], 1), ([1.0, 3.0], 0), ([3.0, 1.0], 1), ([1.0, 2.0], 0)] {
///     let x = Vector::from_dense(&values)?;
///     learner.update(x.features(), Target::Class(class), 1.0, &mut scores)?;
///     head.predict(&scores, &mut prediction);
///     certificate.follow(x.features(), class, &prediction);
/// }
/// let bounds = certificate.bounds(learner.store().expect("one store"));
/// assert!(bounds.mistakes as f64 <= bounds.confidence_loss);
/// assert!(bounds.confidence_loss <= bounds.theorem && bounds.theorem <= bounds.simplified);
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Certificate {
    loss: ConfidenceLoss,
    /// The prior variance a; by Lemma 3 the run is that of a = 1, which all sums below belong to.
    prior: f64,
    separator: Vec<f64>,
    /// One more than the largest feature that a step was made with.
    features: usize,
    /// What was counted so far; the bounds come at the end.
    counted: Bounds,
    /// −ln det Σ.
    log_det_precision: f64,
    /// μ*ᵀΣ⁻¹μ* for μ* as given.
    quadratic: f64,
    /// The least factor on μ* for Eq. 18, and for y μ*·x ≥ ‖x‖.
    stretch: f64,
    simple_stretch: f64,
}

/// The number of mistakes and what bounds it, each at most the next.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bounds {
    /// Wrong predictions.
    pub mistakes: u64,
    /// Rounds that moved the Gaussian.
    pub updates: u64,
    /// Σℓ_φ(m/√v), the cumulative confidence loss.
    pub confidence_loss: f64,
    /// Theorem 4 with Σ* = Σ_{n+1}; infinite if μ* does not separate the examples.
    pub theorem: f64,
    /// Its simplified form, for μ* with a margin of ‖x‖ on every example.
    pub simplified: f64,
}

impl Certificate {
    /// Starts beside a learner of this confidence and prior variance; `separator` is μ*, feature by feature.
    pub fn new(confidence: f64, prior: f64, separator: &[f64]) -> Result<Self> {
        check_finite("separator", separator)?;
        if !(prior.is_finite() && prior > 0.0) {
            return Err(Error::Example(format!("prior variance {prior}: expected a finite number above 0")));
        }
        Ok(Self {
            loss: ConfidenceLoss::new(confidence)?,
            prior,
            quadratic: separator.iter().map(|w| w * w).sum(),
            separator: separator.to_vec(),
            features: 0,
            counted: Bounds::default(),
            log_det_precision: 0.0,
            stretch: 0.0,
            simple_stretch: 0.0,
        })
    }

    /// One round of positive weight: the example, its class (0 or 1), and the prediction made before learning.
    pub fn follow(&mut self, x: SparseVec<'_>, class: usize, prediction: &Prediction) {
        self.counted.mistakes += u64::from(prediction.label != Some(class));
        let y = if class == 1 { 1.0 } else { -1.0 };
        let (m, v) = (y * prediction.score / self.prior.sqrt(), prediction.variance / self.prior);
        let rule: &dyn Rule = &self.loss.rule;
        let Some(step) = rule.checked_step(m, v, 1.0) else { return };
        let star: f64 = x.iter().map(|(f, value)| value * self.separator.get(f).unwrap_or(&0.0)).sum();
        let margin = if y * star > 0.0 { y * star } else { 0.0 };
        self.counted.updates += 1;
        self.features = self.features.max(x.dimension());
        self.counted.confidence_loss += self.loss.at(m / v.sqrt());
        self.log_det_precision += libm::log1p(step.gain * v);
        self.quadratic += step.gain * star * star; // [ECCW] Eq. 29
        self.stretch = self.stretch.max((m + step.alpha * v) / margin); // [ECCW] Eq. 18
        self.simple_stretch = self.simple_stretch.max(x.squared_norm().sqrt() / margin);
    }

    /// The bounds for the rounds so far; `store` is the learner's, which holds Σ_{n+1}.
    #[must_use]
    pub fn bounds(&self, store: &dyn Store) -> Bounds {
        // Features never met have variance 1 and drop out of Tr Σ − d.
        let spare_trace: f64 = (0..self.features)
            .filter_map(|f| store.weight(f, 0))
            .map(|weight| weight.variance / self.prior - 1.0)
            .sum();
        let spread = self.log_det_precision + spare_trace;
        let bound = |stretch: f64| self.loss.factor() * (spread + stretch * stretch * self.quadratic);
        Bounds {
            theorem: bound(self.stretch), // [ECCW] Eq. 19
            simplified: bound(self.loss.phi() * self.simple_stretch),
            ..self.counted
        }
    }
}
