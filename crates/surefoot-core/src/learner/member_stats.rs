//! What a member of an ensemble has done so far.

use crate::metric::LogLoss;

/// A member's progressive mistakes and loss.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MemberStats {
    /// Progressive mistakes.
    pub mistakes: u64,
    /// Progressive log loss, summed, clipped as the metric is: it stands beside the ensemble's.
    pub loss: f64,
}

impl MemberStats {
    /// Takes a round in: whether the member was wrong, and the probability it gave to the truth.
    pub(super) fn update(&mut self, wrong: bool, probability: f64, weight: f64) {
        self.mistakes += u64::from(wrong);
        self.loss -= weight * libm::log(probability.max(LogLoss::CLIP));
    }

    /// The statistics of several runs together, each counted so many times: independent losses add up.
    pub(super) fn sum(parts: impl Iterator<Item = (MemberStats, f64)>) -> Self {
        let (mut loss, mut mistakes) = (0.0, 0.0);
        for (stats, times) in parts {
            mistakes += times * stats.mistakes as f64;
            loss += times * stats.loss;
        }
        Self { mistakes: mistakes.max(0.0) as u64, loss }
    }
}
