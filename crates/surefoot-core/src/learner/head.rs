//! The second half of a round: from scores to a prediction, and what the truth teaches about that.
//!
//! A head learns how far to trust the scores of each member ([`Calibration`]), and in an ensemble how much each member
//! counts ([`Stacking`]). Nothing of it acts on weights, so it may follow the learner later, on another thread, as long as
//! it is given the rounds in their order.

mod f1;
mod labels;

use super::ensemble::Stacking;
use super::round::{check_target, class_to_learn};
use super::{Calibration, Prediction, Scores};
use crate::metric::LogLoss;
use crate::state::{State, Tensor, check_counts, check_finite};
use crate::{Error, Result, Target, Task};
pub use f1::F1Average;
use labels::LabelHeads;

/// Turns the [`Scores`] of a learner into [`Prediction`]s, and learns how.
///
/// ```
/// use surefoot_core::{LearnerSpec, Prediction, Scores, Target, Task, Vector};
/// let spec = LearnerSpec::parse("ensemble(arow:r=0.1@none; logistic@none)")?;
/// let (mut learner, mut head) = (spec.build(Task::Binary, 2, false)?, spec.head(Task::Binary)?);
/// let x = Vector::from_pairs([(0, 1.0)])?;
/// let (mut scores, mut prediction) = (Scores::default(), Prediction::default());
/// for _ in 0..10 {
///     learner.update(x.features(), Target::Class(1), 1.0, &mut scores)?;
///     head.update(&scores, Target::Class(1), 1.0, &mut prediction)?;
/// }
/// learner.scores(x.features(), &mut scores);
/// head.predict(&scores, &mut prediction);
/// assert!(prediction.probability(1) > 0.8);
/// assert_eq!((head.rounds(), head.shares().len()), (10, 2));
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Head {
    task: Task,
    /// One a member.
    calibrations: Vec<Calibration>,
    /// One a member of an ensemble; a learner alone has no other to be compared with.
    members: Vec<MemberStats>,
    /// Rounds of a weight above 0.
    rounds: u64,
    /// None for a learner that is no ensemble.
    stacking: Option<Stacking>,
    /// Where a row may have several labels: what is learned of each of them.
    labels: Option<LabelHeads>,
    /// What each member predicts in this round; reused.
    predictions: Vec<Prediction>,
    /// The probability that each of them gave to the true class; reused.
    probabilities: Vec<f64>,
}

/// Rounds that are no part of the stream; see [`Head::begin_again`].
#[derive(Debug)]
pub struct HeadRounds<'a> {
    head: &'a mut Head,
    rounds: u64,
    members: Vec<MemberStats>,
    prediction: Prediction,
}

impl HeadRounds<'_> {
    /// Learns from the truth about one example.
    pub fn learn(&mut self, scores: &Scores, target: Target<'_>) -> Result<()> {
        self.head.update(scores, target, 1.0, &mut self.prediction)?;
        self.head.rounds = self.rounds;
        self.head.members.copy_from_slice(&self.members);
        Ok(())
    }
}

/// One of the heads that are merged.
#[derive(Debug, Clone, Copy)]
pub struct HeadPart<'a> {
    /// The head.
    pub head: &'a Head,
    /// Examples that it learned from.
    pub examples: f64,
    /// How often it counts: 1, or a negative number for a base that the others have in common.
    pub times: f64,
    /// What each of its classes is called in the merged head.
    pub classes: &'a [usize],
}

/// A member's progressive mistakes and loss.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MemberStats {
    /// Progressive mistakes.
    pub mistakes: u64,
    /// Progressive log loss, summed over the examples, each counted once and clipped as the metric is: it stands beside the
    /// ensemble's.
    pub loss: f64,
}

impl MemberStats {
    /// Takes a round in: whether the member was wrong, and the probability it gave to the truth.
    fn update(&mut self, wrong: bool, probability: f64) {
        self.mistakes += u64::from(wrong);
        self.loss -= libm::log(probability.max(LogLoss::CLIP));
    }

    /// The statistics of several runs together, each counted so many times: independent losses add up.
    fn sum(parts: impl Iterator<Item = (MemberStats, f64)>) -> Self {
        let (mut loss, mut mistakes) = (0.0, 0.0);
        for (stats, times) in parts {
            mistakes += times * stats.mistakes as f64;
            loss += times * stats.loss;
        }
        Self { mistakes: mistakes.max(0.0) as u64, loss }
    }
}

impl Head {
    /// A head of so many members that has learned nothing. In an `ensemble` it learns how much each member counts; there may
    /// be one with a single member.
    pub fn new(members: usize, ensemble: bool, task: Task) -> Result<Self> {
        if members == 0 || (members > 1 && !ensemble) {
            return Err(Error::Conflict(format!(
                "a head of {members} members: expected 1, or an ensemble of at least 1"
            )));
        }
        let several = task == Task::Multilabel;
        Ok(Self {
            task,
            calibrations: vec![Calibration::default(); members],
            members: vec![MemberStats::default(); if ensemble { members } else { 0 }],
            rounds: 0,
            stacking: (ensemble && !several).then(|| Stacking::new(members, task)).transpose()?,
            labels: several.then(|| LabelHeads::new(members, ensemble)).transpose()?,
            predictions: vec![Prediction::default(); members],
            probabilities: Vec::new(),
        })
    }

    /// The place of each class among the labels (ties go to the smaller), as for
    /// [`Learner::set_classes`](super::Learner::set_classes).
    pub fn set_classes(&mut self, ranks: &[u32]) {
        if let Some(stacking) = &mut self.stacking {
            stacking.set_ranks(ranks);
        }
        if let Some(labels) = &mut self.labels {
            labels.set_ranks(ranks);
        }
    }

    /// The prediction that these scores make; changes nothing.
    ///
    /// # Panics
    /// If the scores have no members.
    pub fn predict(&self, scores: &Scores, out: &mut Prediction) {
        if let Some(labels) = &self.labels {
            return labels.predict(scores, out);
        }
        match &self.stacking {
            None => self.calibrations[0].interpret(scores, 0, out),
            Some(stacking) => {
                let mut members = vec![Prediction::default(); self.calibrations.len()];
                interpret(&self.calibrations, scores, &mut members);
                stacking.combine(&members, scores.classes(), out);
            }
        }
    }

    /// The prediction as [`Head::predict`] makes it, then learns from the truth about it. Returns the probability that the
    /// true class had been given: 0 for a class that was not known yet. Where a row may have several labels, it is the geometric
    /// mean over them ([`Prediction::probability_of`]). A weight of 0 learns nothing.
    pub fn update(
        &mut self,
        scores: &Scores,
        target: Target<'_>,
        weight: f64,
        out: &mut Prediction,
    ) -> Result<f64> {
        check_target(target, weight, self.task)?;
        let (found, own) = (scores.members(), self.calibrations.len());
        if found != own {
            return Err(Error::Conflict(format!("scores of {found} members for a head of {own}")));
        }
        if weight <= 0.0 {
            self.predict_again(scores, out);
            return Ok(out.probability_of(target));
        }
        self.rounds += 1;
        if let Some(labels) = &mut self.labels {
            return labels.learn(scores, target, weight, &mut self.members, out);
        }
        let class = class_to_learn(target, weight, self.task)?;
        let Self { task, calibrations, members, stacking, predictions, probabilities, .. } = self;
        let Some(stacking) = stacking else {
            calibrations[0].interpret(scores, 0, out);
            return Ok(calibrations[0].learn(out, class, weight));
        };
        interpret(calibrations, scores, predictions);
        probabilities.clear();
        match (task, &mut calibrations[..], &predictions[..]) {
            // Four take less time together.
            (Task::Binary, [a, b, c, d], [p, q, r, s]) => {
                probabilities.extend(Calibration::learn_each([a, b, c, d], [p, q, r, s], class, weight));
            }
            (_, calibrations, predictions) => {
                let learned = calibrations.iter_mut().zip(predictions);
                probabilities.extend(learned.map(|(c, p)| c.learn(p, class, weight)));
            }
        }
        for (stats, (p, &probability)) in members.iter_mut().zip(predictions.iter().zip(&*probabilities)) {
            stats.update(p.label != Some(class), probability);
        }
        stacking.learn(predictions, scores.classes(), class, weight, out)
    }

    /// Lets what was learned of each member's scores count less at once: calibrations go back towards the one that they began with.
    /// How much each member counts stays.
    pub fn discount(&mut self, share: f64) {
        self.calibrations.iter_mut().for_each(|calibration| calibration.discount(share));
        self.labels.iter_mut().for_each(|labels| labels.discount(share));
    }

    /// Begins to learn anew how far to trust scores and how much each member counts. What was counted of the stream (rounds,
    /// losses of members) stays as it is.
    pub fn begin_again(&mut self) -> Result<HeadRounds<'_>> {
        let ensemble = self.stacking.is_some();
        let mut fresh = Self::new(self.calibrations.len(), ensemble, self.task)?;
        self.stacking.iter().for_each(|stacking| fresh.set_classes(stacking.ranks()));
        (self.calibrations, self.stacking) = (fresh.calibrations, fresh.stacking);
        let (rounds, members) = (self.rounds, self.members.clone());
        Ok(HeadRounds { rounds, members, head: self, prediction: Prediction::default() })
    }

    /// The prediction of an example that the learner has learned before. The head learns nothing from it, because scores of such
    /// examples are better than those of new ones; but it no longer counts on what members overstate before they have seen all
    /// examples, which is what negative weights are for.
    pub fn repeat(&mut self, scores: &Scores, out: &mut Prediction) -> Result<()> {
        if let Some(stacking) = &mut self.stacking {
            stacking.drop_negative_weights()?;
        }
        self.labels.as_mut().map_or(Ok(()), LabelHeads::drop_negative_weights)?;
        self.predict_again(scores, out);
        Ok(())
    }

    /// As [`Head::predict`], in memory that is there already.
    fn predict_again(&mut self, scores: &Scores, out: &mut Prediction) {
        let Some(stacking) = &mut self.stacking else { return self.predict(scores, out) };
        interpret(&self.calibrations, scores, &mut self.predictions);
        stacking.combine_again(&self.predictions, scores.classes(), out);
    }

    /// What each member's scores count in the log odds of `label` over `rival`, as these scores make them: the sum over the members
    /// of factor · (score of the label − score of the rival). Of two classes the score of class 1 stands for the
    /// difference to class 0; where a row may have several labels, the label stands against not having it.
    #[must_use]
    pub fn logit_factors(&self, scores: &Scores, label: usize, rival: usize) -> Vec<f64> {
        if let Some(labels) = &self.labels {
            return labels.logit_factors(scores, label);
        }
        let mut members = vec![Prediction::default(); self.calibrations.len()];
        interpret(&self.calibrations, scores, &mut members);
        match &self.stacking {
            None => vec![members[0].slope],
            Some(stacking) => stacking.logit_factors(&members, scores.classes(), label, rival),
        }
    }

    /// The share of each member in the next prediction; they sum to 1.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        if let Some(labels) = &self.labels {
            return labels.shares();
        }
        self.stacking.as_ref().map_or_else(|| vec![1.0], Stacking::shares)
    }

    /// Where a row may have several labels, from which probability on each of so many labels is to be predicted for the largest
    /// F1, by what was learned so far; ½ elsewhere.
    #[must_use]
    pub fn f1_thresholds(&self, average: F1Average, labels: usize) -> Vec<f64> {
        self.labels.as_ref().map_or_else(|| vec![0.5; labels], |own| own.thresholds(average, labels))
    }

    /// The member with the smallest progressive log loss; ties go to the first.
    #[must_use]
    pub fn best(&self) -> usize {
        let better = |a: usize, b: usize| if self.members[b].loss < self.members[a].loss { b } else { a };
        (0..self.members.len()).reduce(better).unwrap_or(0)
    }

    /// What each member of an ensemble has done so far; nothing of a learner alone.
    #[must_use]
    pub fn members(&self) -> &[MemberStats] {
        &self.members
    }

    /// Rounds that it learned from.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The head of one member alone: it goes on as it would have gone on in the ensemble.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn member(&self, member: usize) -> Head {
        let alone = self.labels.as_ref().map(|labels| labels.map(|head| head.member(member)));
        Self {
            task: self.task,
            labels: alone,
            calibrations: vec![self.calibrations[member].clone()],
            members: Vec::new(),
            rounds: self.rounds,
            stacking: None,
            predictions: vec![Prediction::default()],
            probabilities: Vec::new(),
        }
    }

    /// The head of an ensemble with more members, which have seen nothing
    /// ([`Ensemble::joined_by`](super::Ensemble::joined_by)). How much each member counts is learned anew, beginning with
    /// the plain mean.
    pub fn joined_by(&self, newcomers: usize) -> Result<Head> {
        let mut joined = Self::new(self.members.len() + newcomers, true, self.task)?;
        joined.rounds = self.rounds;
        joined.calibrations[..self.calibrations.len()].clone_from_slice(&self.calibrations);
        // Statistics of nothing would be the best of all: newcomers start with those of the best.
        joined.members.fill(self.members[self.best()]);
        joined.members[..self.members.len()].copy_from_slice(&self.members);
        if let Some(stacking) = &self.stacking {
            joined.set_classes(stacking.ranks());
        }
        if let Some(labels) = &self.labels {
            joined.labels = Some(labels.try_map(|head| head.joined_by(newcomers))?);
        }
        Ok(joined)
    }

    /// Becomes what several heads are together that learned apart; `self` has learned nothing. Calibrations are averaged by
    /// examples; a base says nothing that the others do not.
    pub fn merge(&mut self, parts: &[HeadPart<'_>]) -> Result<()> {
        let alike = |part: &HeadPart<'_>| {
            part.head.calibrations.len() == self.calibrations.len()
                && part.head.stacking.is_some() == self.stacking.is_some()
        };
        if !parts.iter().all(alike) {
            return Err(Error::Conflict("an ensemble merges only with ensembles of the same members".into()));
        }
        // What a base learned is in every part, so each part counts by what it learned since.
        let base = parts.iter().filter(|part| part.times < 0.0).map(|part| part.examples).fold(0.0, f64::max);
        let learned = || {
            let own = parts.iter().filter(|part| part.times > 0.0);
            own.map(|part| (part.head, (part.examples - base).max(LEAST_EXAMPLES)))
        };
        for (i, calibration) in self.calibrations.iter_mut().enumerate() {
            *calibration =
                Calibration::mean(learned().map(|(head, examples)| (&head.calibrations[i], examples)));
        }
        for (i, stats) in self.members.iter_mut().enumerate() {
            *stats = MemberStats::sum(parts.iter().map(|part| (part.head.members[i], part.times)));
        }
        if let Some(stacking) = &mut self.stacking {
            let own = learned().filter_map(|(head, examples)| Some((head.stacking.as_ref()?, examples)));
            stacking.merge(&own.collect::<Vec<_>>())?;
        }
        if let Some(labels) = &mut self.labels {
            let own = parts.iter().filter_map(|part| Some((*part, part.head.labels.as_ref()?)));
            labels.merge(&own.collect::<Vec<_>>())?;
        }
        let rounds: f64 = parts.iter().map(|part| part.times * part.head.rounds as f64).sum();
        self.rounds = rounds.max(0.0) as u64;
        Ok(())
    }

    /// Everything learned, as named tensors.
    #[must_use]
    pub fn save(&self) -> State<'_> {
        let mut state = State::default();
        for (i, calibration) in self.calibrations.iter().enumerate() {
            state.join(&calibration_name(i), calibration.save());
        }
        if let Some(stacking) = &self.stacking {
            state.join(STACKING, stacking.save());
        }
        self.labels.iter().for_each(|labels| labels.save(&mut state));
        if !self.members.is_empty() {
            let losses: Vec<f64> = self.members.iter().map(|stats| stats.loss).collect();
            let mistakes: Vec<u64> = self.members.iter().map(|stats| stats.mistakes).collect();
            state.put("loss", Tensor::F64(losses.into()));
            state.put_counts("mistakes", &mistakes);
        }
        state.put_counts("rounds", &[self.rounds]);
        state
    }

    /// Takes over what [`Head::save`] gave; `self` was built from the same SPEC.
    pub fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        for (i, calibration) in self.calibrations.iter_mut().enumerate() {
            calibration.restore(state.split(&calibration_name(i)))?;
        }
        if let Some(stacking) = &mut self.stacking {
            stacking.restore(state.split(STACKING))?;
        }
        self.labels.as_mut().map_or(Ok(()), |labels| labels.restore(&mut state))?;
        if !self.members.is_empty() {
            self.restore_members(&mut state)?;
        }
        [self.rounds] = state.take_counts("rounds")?;
        state.finish()
    }

    fn restore_members(&mut self, state: &mut State<'_>) -> Result<()> {
        let (losses, mistakes) = (state.take_f64("loss")?, state.take_u64("mistakes")?);
        check_finite("loss", &losses)?;
        if losses.len() != self.members.len() || mistakes.len() != self.members.len() {
            return Err(Error::State(format!(
                "`loss` and `mistakes` need {} numbers, one a member",
                self.members.len()
            )));
        }
        check_counts("mistakes", &mistakes)?;
        for (stats, (loss, mistakes)) in self.members.iter_mut().zip(losses.into_iter().zip(mistakes)) {
            *stats = MemberStats { mistakes, loss };
        }
        Ok(())
    }
}

/// What a part counts at least, so that parts without any example have a mean too.
const LEAST_EXAMPLES: f64 = 1e-9;

/// What each member predicts by itself.
fn interpret(calibrations: &[Calibration], scores: &Scores, out: &mut [Prediction]) {
    for (member, (calibration, out)) in calibrations.iter().zip(out).enumerate() {
        calibration.interpret(scores, member, out);
    }
}

/// What the tensors of the members' shares are called.
const STACKING: &str = "stacking";

/// What the tensors of a member's calibration are called.
fn calibration_name(member: usize) -> String {
    format!("calibration{member:02}")
}
