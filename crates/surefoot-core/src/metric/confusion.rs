//! Which class was taken for which.

use std::collections::BTreeMap;

use super::Outcome;

/// The confusion matrix: the weight of the examples of each true class that got each prediction.
///
/// Only pairs that occurred are kept, so thousands of classes cost what was seen, not their square.
///
/// ```
/// use surefoot_core::Target;
/// use surefoot_core::metric::{Confusion, Outcome};
///
/// let mut confusion = Confusion::default();
/// let outcome = Outcome { truth: Target::Class(2), predicted: Some(0), probabilities: &[], score: 0.0, labels: &[] };
/// confusion.update(&outcome, 1.0);
/// assert_eq!(confusion.count(2, Some(0)), 1.0);
/// assert_eq!(confusion.iter().collect::<Vec<_>>(), [(2, Some(0), 1.0)]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Confusion {
    pairs: BTreeMap<(usize, Option<usize>), f64>,
}

impl Confusion {
    /// Takes an outcome in; one with several labels has no place in it.
    pub fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if let (Some(truth), true) = (outcome.truth.class(), weight > 0.0) {
            *self.pairs.entry((truth, outcome.predicted)).or_insert(0.0) += weight;
        }
    }

    /// The weight of the examples of class `truth` that were predicted so; none stands for no prediction.
    #[must_use]
    pub fn count(&self, truth: usize, predicted: Option<usize>) -> f64 {
        self.pairs.get(&(truth, predicted)).copied().unwrap_or(0.0)
    }

    /// The pairs that occurred, (truth, prediction, weight), by truth and then by prediction.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Option<usize>, f64)> + '_ {
        self.pairs.iter().map(|(&(truth, predicted), &weight)| (truth, predicted, weight))
    }
}
