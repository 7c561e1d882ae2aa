//! What an evaluation comes to, for people and for programs.

use serde::Serialize;

use super::{Metrics, Ranked, RarestLabel};
use crate::Familiarity;

/// The result of [`evaluate`](super::evaluate); `test --json` prints it as it is.
#[derive(Debug, Clone, Serialize)]
pub struct Evaluation {
    /// Examples predicted.
    pub examples: u64,
    /// Whether an example may have several labels.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub several_labels: bool,
    /// Every metric of the list.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// The label with the fewest examples; none unless there are two.
    pub rarest_label: Option<RarestLabel>,
    /// One row a label, in the order of the labels.
    pub classes: Vec<ClassScores>,
    /// The pairs of truth and prediction that occurred.
    pub confusion: Vec<Confused>,
    /// Predictions by their probability: are those of probability p right in a share p of the cases?
    pub reliability: Vec<Bin>,
    /// How good the predictions are that are sure enough.
    pub rejection: Vec<Accepted>,
    /// The curves that pictures show.
    #[serde(skip)]
    pub ranked: Ranked,
    /// Labels of the data that the model does not know.
    pub unknown_labels: Vec<UnknownLabel>,
    /// Lines that were skipped.
    pub bad_lines: u64,
    /// How much of the examples the model knows.
    pub familiarity: Familiarity,
    /// What of the files the user may not have meant, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
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

    /// How many predictions were wrong; those of labels that the model does not know among them. Where an example may have several
    /// labels, it is wrong if any is.
    #[must_use]
    pub fn mistakes(&self) -> u64 {
        match self.metric("subset-accuracy") {
            Some(right) => ((1.0 - right) * self.examples as f64).round() as u64,
            None => self.metric("mistakes").unwrap_or(0.0) as u64,
        }
    }

    /// The share of wrong predictions; 0 without an example.
    #[must_use]
    pub fn error_rate(&self) -> f64 {
        let of_labels = || self.metric("subset-accuracy").map(|right| 1.0 - right);
        self.metric("error-rate").or_else(of_labels).unwrap_or(0.0)
    }
}
