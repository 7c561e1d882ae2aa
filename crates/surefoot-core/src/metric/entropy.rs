//! How undecided the probabilities were.

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// The mean entropy of the label distribution over ln K, between 0 (always sure) and 1 (always uniform).
///
/// K is the number of classes known when the prediction was made, so that classes may appear at any time; with
/// fewer than two there was nothing to decide and the entropy is 0.
#[derive(Debug, Clone, Default)]
pub struct Entropy {
    entropy: Mean,
}

impl Metric for Entropy {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if outcome.truth.class().is_none() {
            return; // Probabilities of several labels are no distribution.
        }
        let terms = outcome.probabilities.iter().map(|&p| if p > 0.0 { -p * libm::log(p) } else { 0.0 });
        let classes = outcome.probabilities.len().max(2) as f64;
        self.entropy.add(terms.sum::<f64>() / libm::log(classes), weight); // [MCCW] §7
    }

    fn value(&self) -> Option<f64> {
        self.entropy.value()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "entropy",
    key: "entropy",
    title: "entropy",
    help: "mean entropy of the probabilities, as a share of the largest possible",
    higher_is_better: None,
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    tally: MadeOf::Own,
    build: || Box::new(Entropy::default()),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    fn entropy(rows: &[&[f64]]) -> f64 {
        let mut metric = Entropy::default();
        for probabilities in rows {
            metric.update(
                &Outcome { truth: Target::Class(0), predicted: None, probabilities, score: 0.0, labels: &[] },
                1.0,
            );
        }
        metric.value().unwrap_or(f64::NAN)
    }

    #[test]
    fn is_one_for_uniform_and_zero_for_sure() {
        assert!((entropy(&[&[0.25; 4]]) - 1.0).abs() < 1e-15);
        assert_eq!(entropy(&[&[0.0, 1.0, 0.0]]), 0.0);
        assert_eq!(entropy(&[&[1.0]]), 0.0);
        assert_eq!(entropy(&[&[]]), 0.0);
        assert!((entropy(&[&[0.5, 0.5, 0.0, 0.0], &[0.0, 1.0, 0.0, 0.0]]) - 0.25).abs() < 1e-15);
    }
}
