//! How often the prediction was wrong.

use super::{Metric, Outcome};

/// The number of mistakes, the papers' measure of a stream; a mistake of weight w counts w.
#[derive(Debug, Clone, Default)]
pub struct Mistakes {
    mistakes: f64,
}

impl Mistakes {
    pub(super) const NAME: &'static str = "mistakes";
}

impl Metric for Mistakes {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if !outcome.is_correct() {
            self.mistakes += weight;
        }
    }

    fn value(&self) -> Option<f64> {
        Some(self.mistakes)
    }
}
