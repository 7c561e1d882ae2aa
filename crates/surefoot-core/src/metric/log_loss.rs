//! How surprised the probabilities were.

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// The mean of −ln p, p the probability given to the true class, in nats.
///
/// A p below [`LogLoss::CLIP`] counts as that: one example the model was sure and wrong about costs 34.5 at
/// most, not infinity.
#[derive(Debug, Clone)]
pub struct LogLoss {
    loss: Mean,
    /// The product of probabilities whose logarithm is still to be taken: one for many takes less time than one for each.
    product: f64,
    /// How many there are.
    factors: f64,
}

impl Default for LogLoss {
    fn default() -> Self {
        Self { loss: Mean::default(), product: 1.0, factors: 0.0 }
    }
}

/// A product stays above this times the smallest probability, far from the smallest number.
const SMALLEST: f64 = 1e-200;

impl LogLoss {
    /// The smallest probability that is told apart from 0.
    pub const CLIP: f64 = 1e-15;

    /// The mean with the product in it.
    fn settled(&self) -> Mean {
        let mut loss = self.loss;
        if self.factors > 0.0 {
            loss.add(-libm::log(self.product) / self.factors, self.factors);
        }
        loss
    }
}

impl Metric for LogLoss {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        let Some(truth) = outcome.truth.class() else { return };
        // This also turns NaN into the clip.
        let p = outcome.probability_of(truth).max(Self::CLIP);
        // Rounding may have left it above 1.
        let p = p.min(1.0);
        if weight != 1.0 {
            return self.loss.add(-libm::log(p), weight);
        }
        (self.product, self.factors) = (self.product * p, self.factors + 1.0);
        if self.product < SMALLEST {
            *self = Self { loss: self.settled(), ..Self::default() };
        }
    }

    fn value(&self) -> Option<f64> {
        self.settled().value()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "log-loss",
    key: "log_loss",
    title: "log loss",
    help: "mean −ln of the true class's probability, clipped at 1e-15",
    higher_is_better: Some(false),
    scale: ValueScale::Positive,
    tasks: Tasks::OneClass,
    progressive: true,
    tally: MadeOf::Own,
    build: || Box::new(LogLoss::default()),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    fn loss(probabilities: &[f64], truth: usize) -> Option<f64> {
        let mut metric = LogLoss::default();
        metric.update(
            &Outcome { truth: Target::Class(truth), predicted: None, probabilities, score: 0.0, labels: &[] },
            1.0,
        );
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

    #[test]
    fn a_logarithm_of_many_is_the_sum_of_those_of_each() {
        let (mut metric, mut sum, mut total) = (LogLoss::default(), 0.0, 0.0);
        for i in 0..5000 {
            let p = [1e-15, 1e-3, 0.5, 0.9, 1.0, 0.7][i % 6] * (1.0 - (i % 11) as f64 / 20.0);
            let weight = if i % 7 == 0 { 0.25 } else { 1.0 };
            metric.update(
                &Outcome {
                    truth: Target::Class(0),
                    predicted: None,
                    probabilities: &[p],
                    score: 0.0,
                    labels: &[],
                },
                weight,
            );
            (sum, total) = (sum - weight * libm::log(p.max(1e-15)), total + weight);
            let expected = sum / total;
            assert!(metric.value().is_some_and(|value| (value - expected).abs() < 1e-12 * expected), "{i}");
        }
    }
}
