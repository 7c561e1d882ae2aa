//! One round in its two halves: the learner scores an example and moves its weights; the head turns the scores into a
//! prediction and learns how. The halves share nothing but the scores, so the second may run later, on another thread.

use std::sync::Arc;

use surefoot_core::drift::Alarm;
use surefoot_core::{Head, Learner, Prediction, Scores, SparseVec, Target};
use surefoot_data::Batch;
use surefoot_data::model_file::Counts;

use super::Progressive;
use super::changes::ChangeWatch;
use crate::Result;
use crate::learners::Contestant;

/// The class of an example, or where a row may have several labels the classes of those, ascending.
#[derive(Debug, Clone)]
pub(crate) enum OwnedTarget {
    Class(usize),
    Labels(Vec<u32>),
}

impl Default for OwnedTarget {
    fn default() -> Self {
        Self::Class(0)
    }
}

/// What is true of an example, in numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Truth {
    /// Its class or labels.
    pub(crate) target: OwnedTarget,
    /// Its importance.
    pub(crate) weight: f64,
    /// The share of its features that were never met before.
    pub(crate) unknown: f64,
    /// If the label is new: how many classes were known before, and the place of every class among the labels.
    pub(crate) new_class: Option<(usize, Arc<[u32]>)>,
}

impl Truth {
    /// As learners take it.
    pub(crate) fn target(&self) -> Target<'_> {
        match &self.target {
            OwnedTarget::Class(class) => Target::Class(*class),
            OwnedTarget::Labels(labels) => Target::Labels(labels),
        }
    }
}

/// What happened in one round of a model.
#[derive(Debug)]
pub struct Learned<'a> {
    /// The class of the example, or its labels.
    pub truth: Target<'a>,
    /// The prediction made before the label was seen.
    pub prediction: &'a Prediction,
    /// The probability that it gave to the true class; of several labels see
    /// [`Prediction::probability_of`](surefoot_core::Prediction::probability_of).
    pub probability: f64,
    /// Whether the model changed.
    pub updated: bool,
}

impl Learned<'_> {
    /// Whether the prediction was another class, or another set of labels.
    #[must_use]
    pub fn mistake(&self) -> bool {
        !self.prediction.is_right(self.truth)
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
    Ok(learner.update(x, truth.target(), truth.weight, scores)?)
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
    Ok(head.update(scores, truth.target(), truth.weight, prediction)?)
}

/// A round whose weights have moved.
#[derive(Debug, Default)]
pub(super) struct PendingRound {
    /// Where the example stands in its batch.
    pub(super) position: usize,
    /// Which of the learners it is a round of.
    pub(super) learner: usize,
    pub(super) truth: Truth,
    /// Whether the example was learned, and not only predicted.
    pub(super) learned: bool,
    /// Whether it is a round of the first pass of this run.
    pub(super) first_pass: bool,
    /// Whether the example is met for the first time, in this run or before.
    pub(super) new: bool,
    /// Whether the prediction enters the tally.
    pub(super) scored: bool,
    /// Features that were known when it was learned.
    pub(super) features: usize,
    pub(super) scores: Scores,
    prediction: Prediction,
    probability: f64,
}

impl PendingRound {
    /// Whether it says something about the data: what was learned before is known too well.
    pub(super) fn is_watched(&self) -> bool {
        self.scored && self.new
    }

    /// What came of the round, once it is evaluated.
    pub(super) fn learned(&self) -> Learned<'_> {
        Learned {
            truth: self.truth.target(),
            prediction: &self.prediction,
            probability: self.probability,
            updated: self.learned && self.scores.updated(),
        }
    }
}

/// Rounds in file order, in memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    all: Vec<PendingRound>,
    used: usize,
}

impl Rounds {
    /// A place for one more round, with what an earlier one left there.
    pub(super) fn slot(&mut self) -> &mut PendingRound {
        if self.used == self.all.len() {
            self.all.push(PendingRound::default());
        }
        self.used += 1;
        &mut self.all[self.used - 1]
    }

    /// Takes the last slot back.
    pub(super) fn take_back(&mut self) {
        self.used -= 1;
    }

    /// Forgets all rounds and keeps their memory.
    pub(super) fn clear(&mut self) {
        self.used = 0;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.used == 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &PendingRound> {
        self.all[..self.used].iter()
    }
}

/// Rounds of one batch.
#[derive(Debug)]
pub(super) struct PendingBatch {
    pub(super) batch: Arc<Batch>,
    pub(super) rounds: Rounds,
    /// The changes that were noticed: with which of the rounds, and what.
    pub(super) alarms: Vec<(usize, Alarm)>,
}

impl PendingBatch {
    /// The second half of every round, up to the first that fails.
    pub(super) fn evaluate(&mut self, heads: &mut [HeadTally]) -> Result<()> {
        for (number, round) in self.rounds.all[..self.rounds.used].iter_mut().enumerate() {
            let evaluated = heads[round.learner].evaluate(round);
            let alarms =
                evaluated.map_err(|error| error.at(&self.batch, &self.batch.example(round.position)))?;
            self.alarms.extend(alarms.iter().map(|alarm| (number, *alarm)));
        }
        Ok(())
    }
}

/// A head, and how its learner has done.
#[derive(Debug)]
pub(crate) struct HeadTally {
    pub(crate) head: Head,
    pub(crate) counts: Counts,
    /// Scores of predictions made before the label was seen.
    pub(crate) tally: Progressive,
    /// Whether the data changed; not asked where learners are compared.
    pub(crate) watch: Option<ChangeWatch>,
    /// Which examples were predicted wrongly, in file order; only where learners are compared.
    pub(crate) wrong: Option<Vec<bool>>,
}

impl HeadTally {
    /// For a learner as it is now; `marked` if each of its mistakes is to be known.
    pub(crate) fn new(own: &Contestant, marked: bool) -> Self {
        let (head, counts, tally) = (own.head.clone(), own.counts, Progressive::default());
        let watch = (!marked).then(|| own.watch.clone());
        Self { head, counts, tally, watch, wrong: marked.then(Vec::new) }
    }

    /// Evaluates a round; the changes that are noticed with it.
    fn evaluate(&mut self, round: &mut PendingRound) -> Result<&[Alarm]> {
        if round.learned && round.new {
            round.probability = evaluate(&mut self.head, &round.scores, &round.truth, &mut round.prediction)?;
        } else if round.learned {
            // The learner knows the label by now: how right it is here says nothing about new examples.
            self.head.repeat(&round.scores, &mut round.prediction)?;
            round.probability = round.prediction.probability_of(round.truth.target());
        } else {
            self.head.predict(&round.scores, &mut round.prediction);
            round.probability = round.prediction.probability_of(round.truth.target());
        }
        let learned = round.learned();
        if round.learned {
            learned.count(&mut self.counts, round.new);
            self.tally.count_update(learned.updated);
        }
        if round.scored {
            self.tally.update(&learned, round.truth.weight);
            self.wrong.iter_mut().for_each(|wrong| wrong.push(learned.mistake()));
        }
        Ok(match &mut self.watch {
            Some(watch) if round.is_watched() => watch.update(&round.learned(), &round.truth),
            _ => &[],
        })
    }
}
