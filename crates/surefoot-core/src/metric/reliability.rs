//! Whether predictions of probability p are right in a share p of the cases.

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// Predictions binned by their probability, as in Figure 2 of `[MCCW]`, and the expected calibration error.
///
/// Ten bins of equal width, [0, 0.1) to [0.9, 1]. The error is the mean over the predictions of the distance
/// between the accuracy and the mean probability of their bin. Examples without a prediction are left out.
#[derive(Debug, Clone, Default)]
pub struct Reliability {
    bins: [Accumulator; Reliability::BINS],
}

#[derive(Debug, Clone, Copy, Default)]
struct Accumulator {
    confidence: Mean,
    correct: Mean,
}

/// One bin of the reliability diagram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReliabilityBin {
    /// Where the bin starts.
    pub from: f64,
    /// The weight of the predictions in it.
    pub weight: f64,
    /// Their mean probability; none if the bin is empty.
    pub confidence: Option<f64>,
    /// The share of them that were correct; none if the bin is empty.
    pub accuracy: Option<f64>,
}

impl Reliability {
    const BINS: usize = 10;

    /// The bins, lowest probability first.
    pub fn bins(&self) -> impl Iterator<Item = ReliabilityBin> + '_ {
        self.bins.iter().enumerate().map(|(i, bin)| ReliabilityBin {
            from: i as f64 / Self::BINS as f64,
            weight: bin.correct.weight(),
            confidence: bin.confidence.value(),
            accuracy: bin.correct.value(),
        })
    }
}

impl Metric for Reliability {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if let (Some(confidence), Some(correct)) = (outcome.confidence(), outcome.correct()) {
            // The cast cuts what rounding left below 0, and takes NaN for 0.
            let bin = ((confidence * Self::BINS as f64) as usize).min(Self::BINS - 1);
            self.bins[bin].confidence.add(confidence, weight);
            self.bins[bin].correct.add_flag(correct, weight);
        }
    }

    fn value(&self) -> Option<f64> {
        let mut error = Mean::default();
        for bin in self.bins() {
            let distance = bin.confidence.zip(bin.accuracy).map_or(0.0, |(p, share)| (p - share).abs());
            error.add(distance, bin.weight);
        }
        error.value()
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "calibration-error",
    key: "calibration_error",
    title: "calibration error",
    help: "expected calibration error, ten bins",
    higher_is_better: Some(false),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    tally: MadeOf::Own,
    build: || Box::new(Reliability::default()),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    fn update(metric: &mut Reliability, probability: f64, correct: bool) {
        let probabilities = [1.0 - probability, probability];
        let truth = usize::from(correct);
        metric.update(
            &Outcome {
                truth: Target::Class(truth),
                predicted: Some(1),
                probabilities: &probabilities,
                score: 0.0,
                labels: &[],
            },
            1.0,
        );
    }

    #[test]
    fn averages_the_gaps_of_the_bins() {
        let mut metric = Reliability::default();
        for (probability, correct) in [(0.75, true), (0.75, false), (1.0, true), (0.96, false)] {
            update(&mut metric, probability, correct);
        }
        let last = metric.bins().last();
        let expected = ReliabilityBin { from: 0.9, weight: 2.0, confidence: Some(0.98), accuracy: Some(0.5) };
        assert_eq!(last, Some(expected));
        assert!(metric.value().is_some_and(|e| (e - (0.5 * 0.25 + 0.5 * 0.48)).abs() < 1e-15));
    }

    #[test]
    fn calibrated_predictions_have_no_error() {
        let mut metric = Reliability::default();
        (0..5).for_each(|i| update(&mut metric, 0.8, i > 0));
        assert!(metric.value().is_some_and(|e| e < 1e-15));
    }
}
