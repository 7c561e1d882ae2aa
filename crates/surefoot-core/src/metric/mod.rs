//! Metrics: what progressive and held-out evaluation report. One file a metric, or a family of them.
//!
//! A new metric is one file with a `SPEC`, and one line in the list [`METRICS`]. The command line, its help,
//! Python, the reference and the contract tests read that list. What is not a single number, the [`Confusion`] matrix,
//! the [`ClassCounts`] and the bins of [`Reliability`], has accessors of its own.
//!
//! ```
//! use surefoot_core::Target;
//! use surefoot_core::metric::{self, Outcome};
//!
//! let mut error = (metric::find("error-rate")?.build)();
//! let outcome =
//!     Outcome { truth: Target::Class(1), predicted: Some(1), probabilities: &[0.2, 0.8], score: 1.3, labels: &[] };
//! error.update(&outcome, 1.0);
//! error.update(&Outcome { truth: Target::Class(0), ..outcome }, 1.0);
//! assert_eq!(error.value(), Some(0.5));
//! # Ok::<(), surefoot_core::Error>(())
//! ```

use std::fmt::Debug;

use crate::{Error, Result, Target};

mod beta;
mod brier;
mod class_average;
mod confusion;
mod entropy;
mod hamming;
mod label_f1;
mod label_log_loss;
mod log_loss;
mod mistakes;
mod pr_auc;
mod precision_at;
mod ranking;
mod ranking_precision;
mod rejection;
mod reliability;
mod roc_auc;
pub mod significance;
mod subset_accuracy;

pub use brier::Brier;
pub use class_average::ClassCounts;
pub use confusion::Confusion;
pub use entropy::Entropy;
pub use log_loss::LogLoss;
pub use ranking::Ranking;
pub use rejection::AccuracyAtRejection;
pub use reliability::{Reliability, ReliabilityBin};

/// What was predicted of one example, and what is true of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome<'a> {
    /// What is true.
    pub truth: Target<'a>,
    /// The predicted class; none before any class is known, which counts as a mistake.
    pub predicted: Option<usize>,
    /// The probability of each class; for two classes [p₀, p₁]. A class beyond the end, not yet known when
    /// the prediction was made, had probability 0.
    pub probabilities: &'a [f64],
    /// The score that ranks examples; for two classes it grows with the belief in class 1.
    pub score: f64,
    /// Where an example may have several labels, the predicted ones, ascending.
    pub labels: &'a [u32],
}

impl Outcome<'_> {
    /// Whether the predicted class is the true one; none if there may be several labels, of which one class is no
    /// prediction.
    #[must_use]
    pub fn correct(&self) -> Option<bool> {
        self.truth.class().map(|truth| self.predicted == Some(truth))
    }

    /// How many of the predicted labels the example has.
    #[must_use]
    pub fn label_hits(&self) -> usize {
        self.labels.iter().filter(|&&label| self.truth.holds(label as usize)).count()
    }

    /// How many labels there are: those that were known, and those that the example has.
    #[must_use]
    pub fn label_count(&self) -> usize {
        let known = self.probabilities.len();
        known + self.truth.classes().filter(|&label| label >= known).count()
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
    /// Takes an outcome in; one of weight 2 counts as two of weight 1, one of weight 0 not at all. One whose truth is of
    /// another kind than the metric is for does not count either.
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64);

    /// The number so far; none while the outcomes do not determine it.
    fn value(&self) -> Option<f64>;
}

/// A metric's entry in the list: everything the rest of the product knows of it.
#[derive(Debug)]
pub struct MetricSpec {
    /// The name that users type.
    pub name: &'static str,
    /// What it is called in JSON.
    pub key: &'static str,
    /// What it is called in a report for people.
    pub title: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// Whether larger is better; none if neither is.
    pub higher_is_better: Option<bool>,
    /// Which numbers it may be.
    pub scale: ValueScale,
    /// Where it makes sense.
    pub tasks: Tasks,
    /// Whether training follows it on the first pass. That costs time in every round.
    pub progressive: bool,
    /// What it is made of.
    pub tally: MadeOf,
    /// Makes an empty one.
    pub build: fn() -> Box<dyn Metric>,
}

/// What a metric is made of. A [`MetricSet`] keeps what several metrics are made of once.
#[derive(Debug, Clone, Copy)]
pub enum MadeOf {
    /// Of something that it alone keeps.
    Own,
    /// Of how often each class occurred and was predicted.
    Counts(fn(&ClassCounts) -> Option<f64>),
    /// The same where a row may have several labels.
    LabelCounts(fn(&ClassCounts) -> Option<f64>),
    /// Of the order of the scores.
    Ranking(fn(&Ranking) -> Option<f64>),
}

/// The numbers that a metric may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueScale {
    /// A whole number of examples, as long as their weights are.
    Count,
    /// From 0 to 1.
    Share,
    /// From 0 without a bound.
    Positive,
}

/// The tasks for which a metric makes sense; for others it has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tasks {
    /// Each example is of one of two classes.
    TwoClasses,
    /// Each example is of one class, of however many.
    OneClass,
    /// An example may have several labels, or none.
    Labels,
}

impl Tasks {
    /// Which tasks these are, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Tasks::TwoClasses => "two labels",
            Tasks::OneClass => "any number of labels",
            Tasks::Labels => "several labels a row",
        }
    }
}

/// The metric of this name.
pub fn find(name: &str) -> Result<&'static MetricSpec> {
    METRICS.iter().copied().find(|spec| spec.name == name).ok_or_else(|| Error::Unknown {
        what: "metric",
        found: name.to_owned(),
        known: METRICS.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", "),
    })
}

/// Every metric, in the order in which reports show them.
pub static METRICS: &[&MetricSpec] = &[
    &mistakes::MISTAKES,
    &mistakes::ERROR_RATE,
    &mistakes::ACCURACY,
    &log_loss::SPEC,
    &brier::SPEC,
    &roc_auc::SPEC,
    &pr_auc::SPEC,
    &class_average::F1,
    &class_average::MACRO_PRECISION,
    &class_average::MACRO_RECALL,
    &class_average::MACRO_F1,
    &class_average::MICRO_F1,
    &entropy::SPEC,
    &reliability::SPEC,
    &rejection::SPEC,
    &label_f1::MICRO,
    &label_f1::MACRO,
    &label_f1::EXAMPLE,
    &hamming::SPEC,
    &subset_accuracy::SPEC,
    &precision_at::AT_1,
    &precision_at::AT_3,
    &precision_at::AT_5,
    &ranking_precision::SPEC,
    &label_log_loss::SPEC,
];

/// Metrics of the list that follow the same outcomes.
///
/// ```
/// use surefoot_core::Target;
/// use surefoot_core::metric::{MetricSet, Outcome};
///
/// let mut metrics = MetricSet::of(|spec| spec.higher_is_better == Some(true));
/// let probabilities = [0.2, 0.8];
/// let truth = Target::Class(1);
/// metrics.update(&Outcome { truth, predicted: Some(1), probabilities: &probabilities, score: 1.3, labels: &[] }, 1.0);
/// assert_eq!(metrics.value("accuracy"), Some(1.0));
/// assert_eq!(metrics.value("error-rate"), None); // not among those asked for
/// ```
#[derive(Debug)]
pub struct MetricSet {
    /// With what each keeps for itself.
    metrics: Vec<(&'static MetricSpec, Option<Box<dyn Metric>>)>,
    /// What several of them are made of, if one of them is wanted.
    counts: Option<ClassCounts>,
    label_counts: Option<ClassCounts>,
    ranking: Option<Ranking>,
}

impl MetricSet {
    /// Those of the list that are wanted, empty.
    #[must_use]
    pub fn of(wanted: impl Fn(&MetricSpec) -> bool) -> Self {
        let wanted: Vec<&'static MetricSpec> = METRICS.iter().copied().filter(|spec| wanted(spec)).collect();
        let any = |made: fn(&MadeOf) -> bool| wanted.iter().any(|spec| made(&spec.tally));
        let own = |spec: &MetricSpec| matches!(spec.tally, MadeOf::Own).then(|| (spec.build)());
        Self {
            counts: any(|tally| matches!(tally, MadeOf::Counts(_))).then(ClassCounts::default),
            label_counts: any(|tally| matches!(tally, MadeOf::LabelCounts(_))).then(ClassCounts::default),
            ranking: any(|tally| matches!(tally, MadeOf::Ranking(_))).then(Ranking::default),
            metrics: wanted.iter().map(|spec| (*spec, own(spec))).collect(),
        }
    }

    /// Takes an outcome in.
    pub fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.metrics
            .iter_mut()
            .filter_map(|(_, own)| own.as_mut())
            .for_each(|own| own.update(outcome, weight));
        if let Some(counts) = &mut self.counts {
            counts.update(outcome, weight);
        }
        if let Some(counts) = &mut self.label_counts {
            counts.update_labels(outcome, weight);
        }
        if let Some(ranking) = &mut self.ranking {
            ranking.update(outcome, weight);
        }
    }

    /// The number of the metric of this name, if it is followed and the outcomes determine it.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|(spec, _)| spec.name == name).and_then(|metric| self.value_of(metric))
    }

    fn value_of(&self, (spec, own): &(&'static MetricSpec, Option<Box<dyn Metric>>)) -> Option<f64> {
        match spec.tally {
            MadeOf::Own => own.as_ref()?.value(),
            MadeOf::Counts(value) => value(self.counts.as_ref()?),
            MadeOf::LabelCounts(value) => value(self.label_counts.as_ref()?),
            MadeOf::Ranking(value) => value(self.ranking.as_ref()?),
        }
    }

    /// Every metric with its number, in the order of the list.
    pub fn values(&self) -> impl Iterator<Item = (&'static MetricSpec, Option<f64>)> + '_ {
        self.metrics.iter().map(|metric| (metric.0, self.value_of(metric)))
    }

    /// How often each class occurred and was predicted, if a followed metric is made of it.
    #[must_use]
    pub fn counts(&self) -> Option<&ClassCounts> {
        self.counts.as_ref()
    }

    /// The same of rows that may have several labels.
    #[must_use]
    pub fn label_counts(&self) -> Option<&ClassCounts> {
        self.label_counts.as_ref()
    }

    /// The order of the scores, if a followed metric is made of it.
    #[must_use]
    pub fn ranking(&self) -> Option<&Ranking> {
        self.ranking.as_ref()
    }
}

/// A running weighted mean, which most metrics are.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, value: f64, weight: f64) {
        // Not 0·value, which is NaN for an infinite value.
        if weight > 0.0 {
            self.sum += value * weight;
            self.weight += weight;
        }
    }

    fn add_flag(&mut self, flag: bool, weight: f64) {
        self.add(f64::from(u8::from(flag)), weight);
    }

    fn value(&self) -> Option<f64> {
        ratio(self.sum, self.weight)
    }

    fn sum(&self) -> f64 {
        self.sum
    }

    fn weight(&self) -> f64 {
        self.weight
    }
}

/// The ratio of two totals, if there is anything below the line.
fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
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

    fn feed(spec: &MetricSpec, metric: &mut dyn Metric, weight: f64) {
        for (truth, predicted, probabilities) in stream() {
            let score = predicted.map_or(0.0, |k| probabilities[k]);
            let several: Vec<u32> = (0..=truth as u32).filter(|label| label % 3 != 1).collect();
            let labels: Vec<u32> = (0..probabilities.len() as u32).filter(|label| label % 2 == 0).collect();
            let truth = match spec.tasks {
                Tasks::TwoClasses => Target::Class(truth % 2),
                Tasks::OneClass => Target::Class(truth),
                Tasks::Labels => Target::Labels(&several),
            };
            metric.update(
                &Outcome { truth, predicted, probabilities: &probabilities, score, labels: &labels },
                weight,
            );
        }
    }

    #[test]
    fn every_metric_keeps_the_contract() {
        for spec in METRICS {
            let mut metric = (spec.build)();
            let before = metric.value();
            assert!(before.is_none() || before == Some(0.0), "{}: {before:?}", spec.name);
            feed(spec, &mut *metric, 0.0);
            assert_eq!(metric.value(), before, "{}: weight 0 counts", spec.name);
            feed(spec, &mut *metric, 1.0);
            let once = metric.value().unwrap_or(f64::NAN);
            assert!(once.is_finite() && once >= 0.0, "{}: {once}", spec.name);
            match spec.scale {
                ValueScale::Count => assert_eq!(once.fract(), 0.0, "{}", spec.name),
                ValueScale::Share => assert!(once <= 1.0, "{}: {once}", spec.name),
                ValueScale::Positive => {}
            }
            feed(spec, &mut *metric, 0.0);
            assert_eq!(metric.value(), Some(once), "{}: weight 0 counts", spec.name);
        }
    }

    #[test]
    fn metrics_of_one_class_leave_several_labels_out() {
        for spec in METRICS.iter().filter(|spec| spec.tasks != Tasks::Labels) {
            let mut metric = (spec.build)();
            feed(spec, &mut *metric, 1.0);
            let before = metric.value();
            for labels in [&[][..], &[1], &[0, 1]] {
                let truth = Target::Labels(labels);
                let outcome = Outcome {
                    truth,
                    predicted: Some(0),
                    probabilities: &[0.95, 0.3],
                    score: -1.0,
                    labels: &[0],
                };
                metric.update(&outcome, 1.0);
            }
            assert_eq!(metric.value(), before, "{}", spec.name);
        }
    }

    #[test]
    fn metrics_of_labels_leave_single_classes_out() {
        for spec in METRICS.iter().filter(|spec| spec.tasks == Tasks::Labels) {
            let mut metric = (spec.build)();
            feed(spec, &mut *metric, 1.0);
            let before = metric.value();
            let probabilities = &[0.95, 0.3];
            let truth = Target::Class(1);
            metric.update(
                &Outcome { truth, predicted: Some(0), probabilities, score: -1.0, labels: &[0] },
                1.0,
            );
            assert_eq!(metric.value(), before, "{}", spec.name);
        }
    }

    #[test]
    fn weight_two_counts_twice() {
        for spec in METRICS {
            let (mut heavy, mut twice) = ((spec.build)(), (spec.build)());
            feed(spec, &mut *heavy, 2.0);
            feed(spec, &mut *twice, 1.0);
            feed(spec, &mut *twice, 1.0);
            let (heavy, twice) = (heavy.value().unwrap_or(f64::NAN), twice.value().unwrap_or(f64::NAN));
            assert!((heavy - twice).abs() <= 1e-12 * twice.abs(), "{}: {heavy} {twice}", spec.name);
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        let letters = |text: &str, joint: char| text.chars().all(|c| c == joint || c.is_ascii_alphanumeric());
        let texts: [fn(&MetricSpec) -> &'static str; 3] =
            [|spec| spec.name, |spec| spec.key, |spec| spec.title];
        for spec in METRICS {
            for text in texts {
                let same = METRICS.iter().filter(|other| text(other) == text(spec)).count();
                assert_eq!(same, 1, "{}", text(spec));
            }
            assert!(letters(spec.name, '-') && letters(spec.key, '_'), "{} {}", spec.name, spec.key);
            assert!(find(spec.name).is_ok_and(|found| found.title == spec.title), "{}", spec.name);
        }
        let message = find("auc").err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.contains("`auc`") && message.contains("roc-auc"), "{message}");
    }
}
