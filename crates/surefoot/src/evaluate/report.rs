//! What an evaluation comes to, for people and for programs.

use serde::Serialize;
use surefoot_core::metric::{AccuracyAtRejection, Metric, ReliabilityBin};
use surefoot_data::Label;

use super::{Evaluator, Metrics};

/// The result of [`evaluate`](super::evaluate); `test --json` prints it as it is.
#[derive(Debug, Clone, Serialize)]
pub struct Evaluation {
    /// Examples predicted.
    pub examples: u64,
    /// Every metric of the list.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// One row a label, in the order of the labels.
    pub classes: Vec<ClassScores>,
    /// The pairs of truth and prediction that occurred.
    pub confusion: Vec<Confused>,
    /// Predictions by their probability: are those of probability p right in a share p of the cases?
    pub reliability: Vec<Bin>,
    /// How good the predictions are that are sure enough.
    pub rejection: Vec<Accepted>,
    /// Labels of the data that the model does not know.
    pub unknown_labels: Vec<UnknownLabel>,
    /// Lines that were skipped.
    pub bad_lines: u64,
}

/// One label's scores.
#[derive(Debug, Clone, Serialize)]
pub struct ClassScores {
    /// The label.
    pub label: String,
    /// Examples of it.
    pub support: u64,
    /// Of the examples predicted so, the share that were; none if there were none.
    pub precision: Option<f64>,
    /// Of the examples of it, the share predicted so; none if there were none.
    pub recall: Option<f64>,
    /// The harmonic mean of the two.
    pub f1: Option<f64>,
}

/// Examples of one label that got one prediction.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
pub struct Confused {
    /// The true label.
    pub truth: String,
    /// The predicted one; none if the model knew no label.
    pub predicted: Option<String>,
    /// How many.
    pub count: u64,
}

/// One bin of the reliability diagram.
#[derive(Debug, Clone, Serialize)]
pub struct Bin {
    /// Where the bin begins; it ends where the next one begins.
    pub from: f64,
    /// Predictions in it.
    pub count: u64,
    /// Their mean probability.
    pub probability: Option<f64>,
    /// The share of them that were right.
    pub accuracy: Option<f64>,
}

/// What is left if unsure predictions are rejected.
#[derive(Debug, Clone, Serialize)]
pub struct Accepted {
    /// Predictions of at least this probability are accepted.
    pub probability: f64,
    /// The share of the examples that are.
    pub coverage: Option<f64>,
    /// The share of those that are right.
    pub accuracy: Option<f64>,
}

/// A label that the model does not know.
#[derive(Debug, Clone, Serialize)]
pub struct UnknownLabel {
    /// The label.
    pub label: String,
    /// Examples of it.
    pub count: u64,
}

impl Evaluation {
    /// The metric of this name (`log-loss`); none if the examples do not determine it.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.get(name)
    }

    /// How many predictions were wrong; those of labels that the model does not know among them.
    #[must_use]
    pub fn mistakes(&self) -> u64 {
        self.metric("mistakes").unwrap_or(0.0) as u64
    }

    /// The share of wrong predictions; 0 without an example.
    #[must_use]
    pub fn error_rate(&self) -> f64 {
        self.metric("error-rate").unwrap_or(0.0)
    }
}

impl Evaluator<'_> {
    /// The report.
    #[must_use]
    pub fn finish(self, bad_lines: u64) -> Evaluation {
        let class = |class: u32| ClassScores {
            label: self.labels.name(class).to_string(),
            support: self.counts.support(class as usize) as u64,
            precision: self.counts.precision(class as usize),
            recall: self.counts.recall(class as usize),
            f1: self.counts.f1(class as usize),
        };
        let pair = |(truth, predicted, count): (usize, Option<usize>, f64)| Confused {
            truth: self.name(truth),
            predicted: predicted.map(|class| self.name(class)),
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
        let unknown =
            |(label, &(_, count)): (&Label, &(usize, u64))| UnknownLabel { label: label.to_string(), count };
        Evaluation {
            examples: self.examples,
            metrics: self.metrics.values().collect(),
            classes: self.labels.order().into_iter().map(class).collect(),
            confusion: self.confusion.iter().map(pair).collect(),
            reliability: self.reliability.bins().map(bin).collect(),
            rejection: self.rejection.iter().map(accepted).collect(),
            unknown_labels: self.unknown.iter().map(unknown).collect(),
            bad_lines,
        }
    }

    fn name(&self, class: usize) -> String {
        let unknown = || self.unknown.iter().find(|(_, (own, _))| *own == class).map(|(label, _)| label);
        self.labels.names().get(class).or_else(unknown).map(ToString::to_string).unwrap_or_default()
    }
}
