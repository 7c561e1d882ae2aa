//! The guard against collapsing variances.
//!
//! On noisy data CW rules shrink the variance along the examples without bound until the learner is dead. Once
//! the variance of a margin has fallen below `floor` times what it was before anything was learned, the mean
//! still moves and the covariance stays. Relative to the prior, so it does not see the scale of the data.

use crate::rule::Step;

/// The parameter `floor`.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    floor: f64,
}

impl Guard {
    /// A guard that acts below `floor` times the prior variance; 0 never acts. NaN (no such parameter) is 0.
    #[must_use]
    pub fn new(floor: f64) -> Self {
        Self { floor: floor.max(0.0) }
    }

    /// Whether a margin of variance `v` may no longer shrink; `prior` is asked only when it matters.
    #[must_use]
    pub fn frozen(self, v: f64, prior: impl FnOnce() -> f64) -> bool {
        self.floor > 0.0 && v < self.floor * prior()
    }

    /// The step with its gain withheld where the margin is frozen.
    #[must_use]
    pub fn apply(self, step: Step, v: f64, prior: impl FnOnce() -> f64) -> Step {
        if self.frozen(v, prior) { Step { gain: 0.0, ..step } } else { step }
    }
}
