//! F1 where a row may have several labels: of all decisions together, of each label, of each example.

use super::class_average::{ClassAverage, ClassCounts};
use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// F1 of each example, 2·hits/(labels that it has + labels that were predicted), in the mean; 1 for one that has none and was
/// predicted to have none.
#[derive(Debug, Clone, Default)]
pub struct ExampleF1(Mean);

impl Metric for ExampleF1 {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        let Some(truth) = outcome.truth.labels() else { return };
        let of = truth.len() + outcome.labels.len();
        self.0.add(if of == 0 { 1.0 } else { 2.0 * outcome.label_hits() as f64 / of as f64 }, weight);
    }

    fn value(&self) -> Option<f64> {
        self.0.value()
    }
}

/// F1 of the decisions about all labels together.
pub static MICRO: MetricSpec = MetricSpec {
    name: "f1-micro",
    key: "f1_micro",
    title: "F1, micro",
    help: "several labels a row: F1 of the decisions about all labels together",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::Labels,
    progressive: true,
    tally: MadeOf::LabelCounts(ClassCounts::micro_f1),
    build: || ClassAverage::of_labels(ClassCounts::micro_f1),
};

/// F1 of each label, averaged over those that occurred or were predicted.
pub static MACRO: MetricSpec = MetricSpec {
    name: "f1-macro",
    key: "f1_macro",
    title: "F1, macro",
    help: "several labels a row: F1 of each label, averaged over those there are",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::Labels,
    progressive: true,
    tally: MadeOf::LabelCounts(ClassCounts::macro_f1),
    build: || ClassAverage::of_labels(ClassCounts::macro_f1),
};

/// F1 of each example, averaged.
pub static EXAMPLE: MetricSpec = MetricSpec {
    name: "f1-example",
    key: "f1_example",
    title: "F1, example",
    help: "several labels a row: F1 of each row, averaged (1 if it has none)",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::Labels,
    progressive: false,
    tally: MadeOf::Own,
    build: || Box::new(ExampleF1::default()),
};
