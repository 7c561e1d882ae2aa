//! How often the prediction was wrong: as a number, as a share, and what that share leaves.

use super::{MadeOf, Mean, Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// A number made of the mistakes, the papers' measure of a stream; a mistake of weight w counts w.
#[derive(Debug, Clone)]
pub struct Mistakes {
    wrong: Mean,
    value: fn(&Mean) -> Option<f64>,
}

impl Mistakes {
    fn boxed(value: fn(&Mean) -> Option<f64>) -> Box<dyn Metric> {
        Box::new(Self { wrong: Mean::default(), value })
    }
}

impl Metric for Mistakes {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if let Some(correct) = outcome.correct() {
            self.wrong.add_flag(!correct, weight);
        }
    }

    fn value(&self) -> Option<f64> {
        (self.value)(&self.wrong)
    }
}

/// The number of mistakes.
pub const MISTAKES: MetricSpec = MetricSpec {
    name: "mistakes",
    key: "mistakes",
    title: "mistakes",
    help: "number of mistakes",
    higher_is_better: Some(false),
    scale: ValueScale::Count,
    tasks: Tasks::OneClass,
    progressive: false,
    tally: MadeOf::Own,
    build: || Mistakes::boxed(|wrong| Some(wrong.sum())),
};

/// The share of mistakes.
pub const ERROR_RATE: MetricSpec = MetricSpec {
    name: "error-rate",
    key: "error_rate",
    title: "error rate",
    help: "share of mistakes",
    scale: ValueScale::Share,
    build: || Mistakes::boxed(Mean::value),
    ..MISTAKES
};

/// The share of correct predictions: what the error rate leaves, to the last bit.
pub const ACCURACY: MetricSpec = MetricSpec {
    name: "accuracy",
    key: "accuracy",
    title: "accuracy",
    help: "share of correct predictions",
    higher_is_better: Some(true),
    build: || Mistakes::boxed(|wrong| wrong.value().map(|wrong| 1.0 - wrong)),
    ..ERROR_RATE
};
