//! One round in its two halves: the learner scores an example and moves its weights; the head turns the scores into a
//! prediction and learns how. The halves share nothing but the scores, so the second may run later, on another thread.

use std::sync::Arc;

use surefoot_core::{Head, Learner, Prediction, Scores, SparseVec, Target};
use surefoot_data::model_file::Counts;

use crate::Result;

/// What is true of an example, in numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Truth {
    /// Its class.
    pub(crate) class: usize,
    /// Its importance.
    pub(crate) weight: f64,
    /// If the label is new: how many classes were known before, and the place of every class among the labels.
    pub(crate) new_class: Option<(usize, Arc<[u32]>)>,
}

/// What happened in one round of a model.
#[derive(Debug)]
pub struct Learned<'a> {
    /// The class of the example.
    pub class: usize,
    /// The prediction made before the label was seen.
    pub prediction: &'a Prediction,
    /// The probability that it gave to the true class.
    pub probability: f64,
    /// Whether the model changed.
    pub updated: bool,
}

impl Learned<'_> {
    /// Whether the prediction was another class.
    #[must_use]
    pub fn mistake(&self) -> bool {
        self.prediction.label != Some(self.class)
    }

    /// Enters the round into the counts of its model; `first` says whether the example is met for the first time.
    pub(crate) fn count(&self, counts: &mut Counts, first: bool) {
        counts.rounds += 1;
        counts.updates += u64::from(self.updated);
        if first {
            counts.examples += 1;
            counts.mistakes += u64::from(self.mistake());
        }
    }
}

/// The first half: the scores of the example before it is learned, then the weights move.
pub(crate) fn update(
    learner: &mut dyn Learner,
    x: SparseVec<'_>,
    truth: &Truth,
    scores: &mut Scores,
) -> Result<()> {
    if let Some((known, ranks)) = &truth.new_class {
        learner.set_classes(*known, ranks)?;
    }
    Ok(learner.update(x, Target::Class(truth.class), truth.weight, scores)?)
}

/// The second half: the prediction that the scores make, then the head learns from the truth about it. Returns the
/// probability that the true class had been given.
pub(crate) fn evaluate(
    head: &mut Head,
    scores: &Scores,
    truth: &Truth,
    prediction: &mut Prediction,
) -> Result<f64> {
    if let Some((_, ranks)) = &truth.new_class {
        head.set_classes(ranks);
    }
    Ok(head.update(scores, Target::Class(truth.class), truth.weight, prediction)?)
}
