//! Precision, recall and F1 of all classes in one number.

use super::counts::ClassCounts;
use super::{Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// A number made of the counts of all classes.
#[derive(Debug, Clone)]
pub struct ClassAverage {
    counts: ClassCounts,
    value: fn(&ClassCounts) -> Option<f64>,
}

impl ClassAverage {
    fn boxed(value: fn(&ClassCounts) -> Option<f64>) -> Box<dyn Metric> {
        Box::new(Self { counts: ClassCounts::default(), value })
    }
}

impl Metric for ClassAverage {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.counts.update(outcome, weight);
    }

    fn value(&self) -> Option<f64> {
        (self.value)(&self.counts)
    }
}

/// Precision averaged over the classes that occurred or were predicted; 0 for one never predicted.
pub const MACRO_PRECISION: MetricSpec = MetricSpec {
    name: "macro-precision",
    key: "macro_precision",
    title: "macro precision",
    help: "precision, averaged over the classes",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    build: || ClassAverage::boxed(|counts| counts.macro_average(ClassCounts::precision)),
};

/// Recall averaged over the classes that occurred or were predicted; 0 for one that never occurred.
pub const MACRO_RECALL: MetricSpec = MetricSpec {
    name: "macro-recall",
    key: "macro_recall",
    title: "macro recall",
    help: "recall, averaged over the classes",
    build: || ClassAverage::boxed(|counts| counts.macro_average(ClassCounts::recall)),
    ..MACRO_PRECISION
};

/// F1 averaged over the classes that occurred or were predicted: every class weighs the same.
pub const MACRO_F1: MetricSpec = MetricSpec {
    name: "macro-f1",
    key: "macro_f1",
    title: "macro F1",
    help: "F1, averaged over the classes",
    build: || ClassAverage::boxed(|counts| counts.macro_average(ClassCounts::f1)),
    ..MACRO_PRECISION
};

/// F1 of the counts of all classes together; the accuracy, if every example got a prediction.
pub const MICRO_F1: MetricSpec = MetricSpec {
    name: "micro-f1",
    key: "micro_f1",
    title: "micro F1",
    help: "F1 of the counts of all classes together",
    build: || ClassAverage::boxed(ClassCounts::micro_f1),
    ..MACRO_PRECISION
};
