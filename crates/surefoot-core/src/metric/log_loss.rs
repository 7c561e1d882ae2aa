//! How surprised the probabilities were.

use super::mean::Mean;
use super::{Metric, Outcome};

/// The mean of −ln p, p the probability given to the true class, in nats.
///
/// A p below [`LogLoss::CLIP`] counts as that: one example the model was sure and wrong about costs 34.5 at
/// most, not infinity.
#[derive(Debug, Clone, Default)]
pub struct LogLoss {
    loss: Mean,
}

impl LogLoss {
    pub(super) const NAME: &'static str = "log-loss";

    /// The smallest probability that is told apart from 0.
    pub const CLIP: f64 = 1e-15;
}

impl Metric for LogLoss {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        // The first `max` also turns NaN into the clip; the second is for a p that rounding left above 1.
        let p = outcome.probability_of(outcome.truth).max(Self::CLIP);
        self.loss.add((-libm::log(p)).max(0.0), weight);
    }

    fn value(&self) -> Option<f64> {
        self.loss.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(probabilities: &[f64], truth: usize) -> Option<f64> {
        let mut metric = LogLoss::default();
        metric.update(&Outcome { truth, predicted: None, probabilities, score: 0.0 }, 1.0);
        metric.value()
    }

    #[test]
    fn is_minus_the_logarithm_and_clipped() {
        assert_eq!(loss(&[0.25, 0.75], 0), Some(-libm::log(0.25)));
        assert_eq!(loss(&[0.0, 1.0], 1), Some(0.0));
        let worst = Some(-libm::log(1e-15));
        assert_eq!(loss(&[0.0, 1.0], 0), worst);
        assert_eq!(loss(&[1.0], 7), worst);
        assert_eq!(loss(&[f64::NAN], 0), worst);
    }
}
