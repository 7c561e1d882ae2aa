//! What is counted of predictions and truths.

use surefoot_core::metric::{
    AccuracyAtRejection, Confusion, Metric, MetricSet, Outcome, Ranking, Reliability, ReliabilityBin,
};
use surefoot_core::{Prediction, Target};
use surefoot_data::Labels;

use super::ranked::Ranked;
use super::{Accepted, Bin, ClassScores, Confused, Evaluation, RarestLabel, UnknownLabel};
use crate::Familiarity;

/// Predictions below these probabilities are left for a person to decide, one table row each.
const THRESHOLDS: [f64; 6] = [0.5, 0.7, 0.8, 0.9, 0.95, 0.99];

/// Everything that an [`Evaluation`] is made of, by classes: the labels are named at the end, so they may still grow in
/// number. An observer of training can gather the progressive predictions with it.
#[derive(Debug)]
pub struct OutcomeTally {
    examples: u64,
    /// Whether an example may have several labels.
    several: bool,
    metrics: MetricSet,
    reliability: Reliability,
    confusion: Confusion,
    rejection: Vec<(f64, AccuracyAtRejection)>,
    /// Wrong and right predictions by their probability.
    sureness: Ranking,
    probabilities: Vec<f64>,
}

impl Default for OutcomeTally {
    fn default() -> Self {
        Self {
            examples: 0,
            several: false,
            metrics: MetricSet::of(|_| true),
            reliability: Reliability::default(),
            confusion: Confusion::default(),
            rejection: THRESHOLDS.iter().map(|&t| (t, AccuracyAtRejection::new(t))).collect(),
            sureness: Ranking::default(),
            probabilities: Vec::new(),
        }
    }
}

impl OutcomeTally {
    /// Takes in what was predicted of an example of which this is true.
    pub fn update(&mut self, prediction: &Prediction, truth: Target<'_>) {
        prediction.probabilities(&mut self.probabilities);
        let outcome = Outcome {
            truth,
            predicted: prediction.label,
            probabilities: &self.probabilities,
            score: prediction.logit(),
            labels: &prediction.labels,
        };
        self.examples += 1;
        self.metrics.update(&outcome, 1.0);
        let Some(class) = truth.class() else {
            return self.update_labels(truth, &prediction.labels);
        };
        self.reliability.update(&outcome, 1.0);
        self.rejection.iter_mut().for_each(|(_, metric)| metric.update(&outcome, 1.0));
        self.confusion.update(&outcome, 1.0);
        self.sureness.add(
            outcome.confidence().unwrap_or(0.0),
            usize::from(prediction.label == Some(class)),
            1.0,
        );
    }

    /// Where an example may have several labels: the probability that it has a label, label by label; what is rejected, and how sure
    /// predictions are, are asked of the labels that were predicted.
    fn update_labels(&mut self, target: Target<'_>, predicted: &[u32]) {
        self.several = true;
        for (label, &p) in self.probabilities.iter().enumerate() {
            let truth = Target::Class(usize::from(target.holds(label)));
            let one =
                Outcome { truth, predicted: Some(1), probabilities: &[1.0 - p, p], score: p, labels: &[] };
            self.reliability.update(&one, 1.0);
            if predicted.binary_search(&(label as u32)).is_ok() {
                self.rejection.iter_mut().for_each(|(_, metric)| metric.update(&one, 1.0));
                self.sureness.add(p, usize::from(truth.holds(1)), 1.0);
            }
        }
    }

    /// The report. Classes beyond the labels are the unknown ones, in their order.
    #[must_use]
    pub fn evaluation(&self, labels: &Labels, unknown: Vec<UnknownLabel>, bad_lines: u64) -> Evaluation {
        let name = |class: usize| match labels.names().get(class) {
            Some(label) => label.to_string(),
            None => unknown.get(class - labels.len()).map(|own| own.label.clone()).unwrap_or_default(),
        };
        let counts = if self.several { self.metrics.label_counts() } else { self.metrics.counts() };
        let counts = counts.cloned().unwrap_or_default();
        let class = |class: u32| ClassScores {
            label: labels.name(class).to_string(),
            support: counts.support(class as usize) as u64,
            precision: counts.precision(class as usize),
            recall: counts.recall(class as usize),
            f1: counts.f1(class as usize),
        };
        let pair = |(truth, predicted, count): (usize, Option<usize>, f64)| Confused {
            truth: name(truth),
            predicted: predicted.map(name),
            count: count as u64,
        };
        let bin = |bin: ReliabilityBin| Bin {
            from: bin.from,
            count: bin.weight as u64,
            probability: bin.confidence,
            accuracy: bin.accuracy,
        };
        let accepted = |(probability, metric): &(f64, AccuracyAtRejection)| Accepted {
            probability: *probability,
            coverage: metric.coverage(),
            accuracy: metric.value(),
        };
        let ranking = self.metrics.ranking();
        Evaluation {
            examples: self.examples,
            several_labels: self.several,
            metrics: self.metrics.values().collect(),
            rarest_label: RarestLabel::of(&counts, name).filter(|_| !self.several),
            classes: labels.order().into_iter().map(class).collect(),
            confusion: self.confusion.iter().map(pair).collect(),
            reliability: self.reliability.bins().map(bin).collect(),
            rejection: self.rejection.iter().map(accepted).collect(),
            ranked: Ranked::new(ranking, &self.sureness, name),
            unknown_labels: unknown.clone(),
            bad_lines,
            familiarity: Familiarity::default(),
            notes: Vec::new(),
        }
    }
}
