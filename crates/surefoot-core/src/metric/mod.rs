//! Metrics: what progressive and held-out evaluation report. One file a metric.
//!
//! A new metric is one file and one line in [`METRICS`]; the command line, Python and the contract tests read
//! that list. What is not a single number, the [`Confusion`] matrix, the [`ClassCounts`] and the bins of
//! [`Reliability`], has accessors of its own.
//!
//! ```
//! use surefoot_core::metric::{self, Outcome};
//!
//! let mut error = (metric::find("error-rate")?.build)();
//! error.update(&Outcome { truth: 1, predicted: Some(1), probabilities: &[0.2, 0.8], score: 1.3 }, 1.0);
//! error.update(&Outcome { truth: 0, predicted: Some(1), probabilities: &[0.4, 0.6], score: 0.2 }, 1.0);
//! assert_eq!(error.value(), Some(0.5));
//! # Ok::<(), surefoot_core::Error>(())
//! ```

use std::fmt::Debug;

use crate::{Error, Result};

mod accuracy;
mod beta;
mod brier;
mod confusion;
mod counts;
mod entropy;
mod log_loss;
mod mean;
mod mistakes;
mod rejection;
mod reliability;
mod roc_auc;
pub mod significance;

pub use accuracy::{Accuracy, ErrorRate};
pub use brier::Brier;
pub use confusion::Confusion;
pub use counts::{ClassCounts, MacroF1, MacroPrecision, MacroRecall, MicroF1};
pub use entropy::Entropy;
pub use log_loss::LogLoss;
pub use mistakes::Mistakes;
pub use rejection::AccuracyAtRejection;
pub use reliability::{Reliability, ReliabilityBin};
pub use roc_auc::RocAuc;

/// What was predicted of one example, and what it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome<'a> {
    /// The true class.
    pub truth: usize,
    /// The predicted class; none before any class is known, which counts as a mistake.
    pub predicted: Option<usize>,
    /// The probability of each class; for two classes [p₀, p₁]. A class beyond the end, not yet known when
    /// the prediction was made, had probability 0.
    pub probabilities: &'a [f64],
    /// The score that ranks examples; for two classes it grows with the belief in class 1.
    pub score: f64,
}

impl Outcome<'_> {
    /// Whether the predicted class is the true one.
    #[must_use]
    pub fn is_correct(&self) -> bool {
        self.predicted == Some(self.truth)
    }

    /// The probability that was given to a class.
    #[must_use]
    pub fn probability_of(&self, class: usize) -> f64 {
        self.probabilities.get(class).copied().unwrap_or(0.0)
    }

    /// The probability that was given to the predicted class, Pr[ŷ|x] of `[MCCW]` §7.
    #[must_use]
    pub fn confidence(&self) -> Option<f64> {
        self.predicted.map(|class| self.probability_of(class))
    }
}

/// A number that sums up many outcomes. Updates allocate only when a class is seen for the first time.
pub trait Metric: Debug + Send + Sync {
    /// The name that users type.
    fn name(&self) -> &'static str;

    /// Takes an outcome in; one of weight 2 counts as two of weight 1, one of weight 0 not at all.
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64);

    /// The number so far; none while the outcomes do not determine it.
    fn value(&self) -> Option<f64>;
}

/// A metric's entry in the list.
#[derive(Debug)]
pub struct MetricSpec {
    /// The name that users type.
    pub name: &'static str,
    /// One line for people.
    pub title: &'static str,
    /// Whether larger is better; none if neither is.
    pub higher_is_better: Option<bool>,
    /// Makes an empty one.
    pub build: fn() -> Box<dyn Metric>,
}

/// Declares a list entry of a metric that has a `Default`.
macro_rules! spec {
    ($metric:ident, $better:expr, $title:literal) => {
        MetricSpec {
            name: $metric::NAME,
            title: $title,
            higher_is_better: $better,
            build: || Box::new($metric::default()),
        }
    };
}

/// Every metric.
pub const METRICS: &[MetricSpec] = &[
    spec!(Mistakes, Some(false), "number of mistakes"),
    spec!(ErrorRate, Some(false), "share of mistakes"),
    spec!(Accuracy, Some(true), "share of correct predictions"),
    spec!(LogLoss, Some(false), "mean −ln of the true class's probability, clipped at 1e-15"),
    spec!(Brier, Some(false), "half the mean squared distance of the probabilities to the truth"),
    spec!(RocAuc, Some(true), "area under the ROC curve (two classes)"),
    spec!(MacroPrecision, Some(true), "precision, averaged over the classes"),
    spec!(MacroRecall, Some(true), "recall, averaged over the classes"),
    spec!(MacroF1, Some(true), "F1, averaged over the classes"),
    spec!(MicroF1, Some(true), "F1 of the counts of all classes together"),
    spec!(Entropy, None, "mean entropy of the probabilities, as a share of the largest possible"),
    spec!(Reliability, Some(false), "expected calibration error, ten bins"),
    spec!(AccuracyAtRejection, Some(true), "accuracy where the prediction's probability is at least 0.9"),
];

/// The metric of this name.
pub fn find(name: &str) -> Result<&'static MetricSpec> {
    METRICS.iter().find(|spec| spec.name == name).ok_or_else(|| Error::Unknown {
        what: "metric",
        found: name.to_owned(),
        known: METRICS.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outcomes of a stream whose classes appear one after the other.
    fn stream() -> impl Iterator<Item = (usize, Option<usize>, Vec<f64>)> {
        (0..60_usize).map(|i| {
            let classes = i.div_ceil(10);
            let mut probabilities: Vec<f64> =
                (0..classes).map(|k| 1.0 + ((i * 7 + k * 3) % 5) as f64).collect();
            let total: f64 = probabilities.iter().sum();
            probabilities.iter_mut().for_each(|p| *p /= total);
            let predicted = (0..classes).max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
            ((i * i) % (classes + 1), predicted, probabilities)
        })
    }

    fn feed(metric: &mut dyn Metric, weight: f64) {
        for (truth, predicted, probabilities) in stream() {
            // The two-class area needs two classes.
            let truth = if metric.name() == RocAuc::NAME { truth % 2 } else { truth };
            let score = predicted.map_or(0.0, |k| probabilities[k]);
            metric.update(&Outcome { truth, predicted, probabilities: &probabilities, score }, weight);
        }
    }

    #[test]
    fn every_metric_keeps_the_contract() {
        for spec in METRICS {
            let mut metric = (spec.build)();
            assert_eq!(metric.name(), spec.name);
            let before = metric.value();
            assert!(before.is_none() || before == Some(0.0), "{}: {before:?}", spec.name);
            feed(&mut *metric, 0.0);
            assert_eq!(metric.value(), before, "{}: weight 0 counts", spec.name);
            feed(&mut *metric, 1.0);
            let once = metric.value().unwrap_or(f64::NAN);
            assert!(once.is_finite() && once >= 0.0, "{}: {once}", spec.name);
            feed(&mut *metric, 0.0);
            assert_eq!(metric.value(), Some(once), "{}: weight 0 counts", spec.name);
        }
    }

    #[test]
    fn weight_two_counts_twice() {
        for spec in METRICS {
            let (mut heavy, mut twice) = ((spec.build)(), (spec.build)());
            feed(&mut *heavy, 2.0);
            feed(&mut *twice, 1.0);
            feed(&mut *twice, 1.0);
            let (heavy, twice) = (heavy.value().unwrap_or(f64::NAN), twice.value().unwrap_or(f64::NAN));
            assert!((heavy - twice).abs() <= 1e-12 * twice.abs(), "{}: {heavy} {twice}", spec.name);
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        for spec in METRICS {
            assert_eq!(METRICS.iter().filter(|other| other.name == spec.name).count(), 1, "{}", spec.name);
            assert!(find(spec.name).is_ok_and(|found| found.title == spec.title), "{}", spec.name);
        }
        let message = find("auc").err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.contains("`auc`") && message.contains("roc-auc"), "{message}");
    }
}
