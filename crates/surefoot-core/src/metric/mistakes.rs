//! How often the prediction was wrong.

use super::{Metric, MetricSpec, Outcome, Tasks, ValueScale};

/// The number of mistakes, the papers' measure of a stream; a mistake of weight w counts w.
#[derive(Debug, Clone, Default)]
pub struct Mistakes {
    mistakes: f64,
}

impl Metric for Mistakes {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if outcome.correct() == Some(false) {
            self.mistakes += weight;
        }
    }

    fn value(&self) -> Option<f64> {
        Some(self.mistakes)
    }
}

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "mistakes",
    key: "mistakes",
    title: "mistakes",
    help: "number of mistakes",
    higher_is_better: Some(false),
    scale: ValueScale::Count,
    tasks: Tasks::OneClass,
    progressive: false,
    build: || Box::new(Mistakes::default()),
};
