//! How far the probabilities were from the truth.

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// The mean of ½ Σ_k (p_k − [k is the true class])².
///
/// The half makes two classes give (p₁ − y)², the usual binary Brier score, and 1 the worst for any number of
/// classes. Brier's own many-class score is twice this.
#[derive(Debug, Clone, Default)]
pub struct Brier {
    score: Mean,
}

impl Metric for Brier {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        let Some(truth) = outcome.truth.class() else { return };
        let miss = |(k, p): (usize, &f64)| p - f64::from(u8::from(k == truth));
        let known: f64 = outcome.probabilities.iter().enumerate().map(miss).map(|miss| miss * miss).sum();
        let unknown = if truth < outcome.probabilities.len() { 0.0 } else { 1.0 };
        self.score.add(0.5 * (known + unknown), weight);
    }

    fn value(&self) -> Option<f64> {
        self.score.value()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "brier",
    key: "brier",
    title: "Brier score",
    help: "half the mean squared distance of the probabilities to the truth",
    higher_is_better: Some(false),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    tally: MadeOf::Own,
    build: || Box::new(Brier::default()),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    fn score(probabilities: &[f64], truth: usize) -> f64 {
        let mut metric = Brier::default();
        metric.update(
            &Outcome { truth: Target::Class(truth), predicted: None, probabilities, score: 0.0, labels: &[] },
            1.0,
        );
        metric.value().unwrap_or(f64::NAN)
    }

    #[test]
    fn two_classes_give_the_binary_score_and_the_worst_is_one() {
        assert!((score(&[0.3, 0.7], 1) - 0.09).abs() < 1e-15);
        assert_eq!(score(&[1.0, 0.0], 1), 1.0);
        assert_eq!(score(&[1.0, 0.0, 0.0], 2), 1.0);
        assert_eq!(score(&[1.0, 0.0], 2), 1.0);
        assert_eq!(score(&[0.0, 1.0], 1), 0.0);
    }
}
