//! Progressive validation: every example is predicted before it is learned.

use surefoot_core::Target;
use surefoot_core::metric::{MetricSet, Outcome};

use crate::{Learned, Metrics};

/// Counts and metrics of a first pass.
#[derive(Debug)]
pub struct Progressive {
    examples: u64,
    mistakes: u64,
    updates: u64,
    /// Those of the list that are followed while training.
    metrics: MetricSet,
    probabilities: Vec<f64>,
}

impl Default for Progressive {
    fn default() -> Self {
        let metrics = MetricSet::of(|spec| spec.progressive);
        Self { examples: 0, mistakes: 0, updates: 0, metrics, probabilities: Vec::new() }
    }
}

impl Progressive {
    /// Takes a round in.
    pub fn update(&mut self, round: &Learned<'_>, weight: f64) {
        self.examples += 1;
        self.mistakes += u64::from(round.mistake());
        // Of two classes the round knows both probabilities already.
        match round.prediction.binary {
            true => {
                // By its place, not by a branch: labels cannot be foreseen.
                let mut both = [1.0 - round.probability; 2];
                both[usize::from(round.class == 1)] = round.probability;
                self.probabilities.clear();
                self.probabilities.extend(both);
            }
            false => round.prediction.probabilities(&mut self.probabilities),
        }
        let outcome = Outcome {
            truth: Target::Class(round.class),
            predicted: round.prediction.label,
            probabilities: &self.probabilities,
            score: round.prediction.logit(),
        };
        self.metrics.update(&outcome, weight);
    }

    /// Counts a round of any pass that changed the model.
    pub fn count_update(&mut self, updated: bool) {
        self.updates += u64::from(updated);
    }

    /// Examples of the first pass so far.
    #[must_use]
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// Mistakes of the first pass so far.
    #[must_use]
    pub fn mistakes(&self) -> u64 {
        self.mistakes
    }

    /// Rounds that changed the model, all passes together.
    #[must_use]
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Mistakes an example.
    #[must_use]
    pub fn error_rate(&self) -> f64 {
        if self.examples == 0 { 0.0 } else { self.mistakes as f64 / self.examples as f64 }
    }

    /// A followed metric by name.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.value(name)
    }

    /// Every followed metric.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.metrics.values().collect()
    }
}
