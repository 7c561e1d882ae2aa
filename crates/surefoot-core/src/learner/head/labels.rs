//! The head where a row may have several labels: each label is a problem of two classes, with a head of its own that calibrates
//! its scores and, in an ensemble, weighs its members.

use super::f1::F1Thresholds;
use super::{Head, HeadPart, MemberStats};
use crate::learner::{LabelLink, Prediction, Scores, labels_loss};
use crate::metric::LogLoss;
use crate::state::State;
use crate::{F1Average, Result, Target, Task};

/// A head of two classes for every label.
#[derive(Debug, Clone)]
pub(super) struct LabelHeads {
    /// One that has learned nothing: what a new label begins with.
    fresh: Box<Head>,
    heads: Vec<Head>,
    thresholds: F1Thresholds,
    /// The place of each class among the labels, as far as it was told: ties go to the smaller.
    ranks: Vec<u32>,
    /// The scores of one label, and what its head makes of them; reused.
    scores: Scores,
    prediction: Prediction,
    probabilities: Vec<f64>,
    /// Of each member of an ensemble, the log loss of the round and whether it was wrong; reused.
    rounds: Vec<(f64, bool)>,
}

/// How many labels have a head, and the tensors of all of them.
const COUNT: &str = "labels";
const EACH: &str = "label";

impl LabelHeads {
    pub(super) fn new(members: usize, ensemble: bool) -> Result<Self> {
        Ok(Self::beginning_with(Head::new(members, ensemble, Task::Binary)?))
    }

    fn beginning_with(fresh: Head) -> Self {
        let (heads, thresholds, ranks, scores) = Default::default();
        let (prediction, probabilities, rounds) = Default::default();
        Self { fresh: Box::new(fresh), heads, thresholds, ranks, scores, prediction, probabilities, rounds }
    }

    pub(super) fn set_ranks(&mut self, ranks: &[u32]) {
        self.ranks.clear();
        self.ranks.extend_from_slice(ranks);
    }

    /// The prediction that these scores make; changes nothing.
    pub(super) fn predict(&self, scores: &Scores, out: &mut Prediction) {
        let (mut own, mut prediction) = (Scores::default(), Prediction::default());
        begin(out);
        for label in 0..scores.classes() {
            scores.one_label(label, &mut own);
            self.of(label).predict(&own, &mut prediction);
            push(&prediction, out);
        }
        self.finish(out);
    }

    /// The prediction, and then the truth about it for every label that was known; `members` are their statistics. Returns the
    /// probability that was given to the truth.
    pub(super) fn learn(
        &mut self,
        scores: &Scores,
        target: Target<'_>,
        weight: f64,
        members: &mut [MemberStats],
        out: &mut Prediction,
    ) -> Result<f64> {
        begin(out);
        self.heads.resize(self.heads.len().max(scores.classes()), (*self.fresh).clone());
        self.rounds.clear();
        self.rounds.resize(members.len(), (0.0, false));
        for (label, head) in self.heads.iter_mut().enumerate().take(scores.classes()) {
            scores.one_label(label, &mut self.scores);
            let truth = usize::from(target.holds(label));
            head.update(&self.scores, Target::Class(truth), weight, &mut self.prediction)?;
            push(&self.prediction, out);
            let alone = head.probabilities.iter().zip(&head.predictions);
            for ((loss, wrong), (&probability, own)) in self.rounds.iter_mut().zip(alone) {
                *loss -= libm::log(probability.max(LogLoss::CLIP));
                *wrong |= usize::from(own.score > 0.0) != truth;
            }
        }
        for (stats, (loss, wrong)) in members.iter_mut().zip(&self.rounds) {
            stats.update(*wrong, libm::exp(-loss / scores.classes().max(1) as f64));
        }
        self.finish(out);
        out.probabilities(&mut self.probabilities);
        self.thresholds.learn(&self.probabilities, target, weight);
        Ok(libm::exp(-labels_loss(&self.probabilities, target)))
    }

    /// The head of a label; of one that it has not learned of, one that has learned nothing.
    fn of(&self, label: usize) -> &Head {
        self.heads.get(label).unwrap_or(&self.fresh)
    }

    /// The labels above one half, and the most probable one.
    fn finish(&self, out: &mut Prediction) {
        let logit = |label: usize| out.links[label].slope * out.scores[label];
        let place = |label: usize| self.ranks.get(label).copied().unwrap_or(u32::MAX);
        let before =
            |a: usize, b: usize| logit(a) > logit(b) || (logit(a) == logit(b) && place(a) < place(b));
        let best = (0..out.scores.len()).reduce(|a, b| if before(b, a) { b } else { a });
        let labels = (0..out.scores.len()).filter(|&label| logit(label) > 0.0).map(|label| label as u32);
        out.labels = labels.collect();
        out.label = best;
        let of_best = best.map(|label| (out.scores[label], out.links[label]));
        let (score, link) = of_best.unwrap_or_default();
        (out.score, out.slope, out.variance) = (score, link.slope, link.variance);
    }

    /// The thresholds that maximise F1, by what was learned so far, for so many labels.
    pub(super) fn thresholds(&self, average: F1Average, labels: usize) -> Vec<f64> {
        self.thresholds.of(average, labels)
    }

    /// What each member's score of a label counts in its log odds.
    pub(super) fn logit_factors(&self, scores: &Scores, label: usize) -> Vec<f64> {
        let mut own = Scores::default();
        scores.one_label(label, &mut own);
        self.of(label).logit_factors(&own, 1, 0)
    }

    /// The share of each member, in the mean over the labels.
    pub(super) fn shares(&self) -> Vec<f64> {
        let mut sum = self.fresh.shares();
        for (number, head) in self.heads.iter().enumerate() {
            let newest = 1.0 / (number + 1) as f64;
            sum.iter_mut().zip(head.shares()).for_each(|(mean, own)| *mean += newest * (own - *mean));
        }
        sum
    }

    pub(super) fn discount(&mut self, share: f64) {
        self.heads.iter_mut().for_each(|head| head.discount(share));
    }

    /// [`Head::repeat`] of every label.
    pub(super) fn drop_negative_weights(&mut self) -> Result<()> {
        let mut all = self.heads.iter_mut().filter_map(|head| head.stacking.as_mut());
        all.try_for_each(super::Stacking::drop_negative_weights)
    }

    /// The same with other heads, made of the one that has learned nothing and of that of each label.
    pub(super) fn with_heads(&self, fresh: Head, heads: Vec<Head>) -> Self {
        let mut changed = Self::beginning_with(fresh);
        (changed.heads, changed.thresholds) = (heads, self.thresholds.clone());
        changed.set_ranks(&self.ranks);
        changed
    }

    /// The same, each head for itself.
    pub(super) fn map(&self, change: impl Fn(&Head) -> Head) -> Self {
        self.with_heads(change(&self.fresh), self.heads.iter().map(change).collect())
    }

    /// The same for a change that may fail.
    pub(super) fn try_map(&self, change: impl Fn(&Head) -> Result<Head>) -> Result<Self> {
        let heads = self.heads.iter().map(&change).collect::<Result<_>>()?;
        Ok(self.with_heads(change(&self.fresh)?, heads))
    }

    /// What several have learned apart, label by label.
    pub(super) fn merge<'a>(&mut self, parts: &[(HeadPart<'a>, &'a LabelHeads)]) -> Result<()> {
        let labels = parts.iter().flat_map(|(part, own)| part.classes.iter().take(own.heads.len()));
        let labels = labels.max().map_or(0, |label| label + 1);
        self.heads.resize(labels, (*self.fresh).clone());
        for (label, merged) in self.heads.iter_mut().enumerate() {
            let one = |(part, own): &(HeadPart<'a>, &'a LabelHeads)| {
                let place = part.classes.iter().position(|&class| class == label)?;
                Some(HeadPart { head: own.heads.get(place)?, ..*part })
            };
            merged.merge(&parts.iter().filter_map(one).collect::<Vec<_>>())?;
        }
        self.thresholds.merge(parts.iter().map(|(part, own)| (&own.thresholds, part.times, part.classes)));
        Ok(())
    }

    pub(super) fn save(&self, state: &mut State<'_>) {
        state.put_counts(COUNT, &[self.heads.len() as u64]);
        state.join(EACH, State::stacked(self.heads.iter().map(Head::save)));
        self.thresholds.save(state);
    }

    pub(super) fn restore(&mut self, state: &mut State<'_>) -> Result<()> {
        let [labels] = state.take_counts(COUNT)?;
        let parts = state.split(EACH).unstacked(labels)?;
        let restored = |own| {
            let mut head = (*self.fresh).clone();
            head.restore(own).map(|()| head)
        };
        self.heads = parts.into_iter().map(restored).collect::<Result<_>>()?;
        self.thresholds.restore(state, self.heads.len())
    }
}

fn begin(out: &mut Prediction) {
    (out.binary, out.relative, out.several) = (false, false, true);
    out.scores.clear();
    out.links.clear();
}

/// Adds what the head of the next label predicts.
fn push(own: &Prediction, out: &mut Prediction) {
    out.scores.push(own.score);
    out.links.push(LabelLink { slope: own.slope, variance: own.variance });
}
