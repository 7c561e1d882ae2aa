//! A bank: several learners side by side in one pass, combined by exponential weights.
//!
//! Each member predicts with its calibrated probability; the bank's probability is their mixture, weighted by how
//! well each has done so far (Hedge on log loss with learning rate 1, which is Bayes' rule over the members). The
//! mixture is never much worse than its best member and often better.

use super::{Learner, Prediction, Round};
use crate::gaussian::Gaussian;
use crate::probability::Voter;
use crate::state::{State, Tensor, check_finite};
use crate::view::View;
use crate::{Error, Features, Result, Spec};

/// One learner of a bank.
#[derive(Debug)]
pub struct Member {
    /// Its settings.
    pub spec: Spec,
    /// How it sees the examples.
    pub view: View,
    /// The learner.
    pub learner: Box<dyn Learner>,
    /// Its progressive mistakes.
    pub mistakes: u64,
    /// Its progressive log loss, summed.
    pub loss: f64,
    /// Log of its weight, up to a constant: minus its recent log loss.
    credit: f64,
    /// Which of the bank's value buffers it reads.
    buffer: usize,
}

/// Learners side by side.
#[derive(Debug)]
pub struct Bank {
    members: Vec<Member>,
    views: Vec<View>,
    /// Whether the last feature of every example is the bias, which no view changes.
    bias: bool,
    values: Vec<Vec<f64>>,
    rounds: u64,
    prediction: Prediction,
    scratch: Vec<f64>,
}

/// A probability below this costs no more log loss: one absurdly sure member must not ruin its credit for ever.
const SMALLEST_PROBABILITY: f64 = 1e-6;
/// How much of the credit survives a round: members learn at different speeds, so old losses fade.
const MEMORY: f64 = 0.9995;

impl Bank {
    /// A bank of learners that are built already; all tell the same classes apart.
    pub fn new(members: Vec<(Spec, View, Box<dyn Learner>)>, bias: bool) -> Result<Self> {
        if members.is_empty() {
            return Err(Error::Conflict("a bank needs at least one learner".into()));
        }
        let mut views: Vec<View> = Vec::new();
        let members = members
            .into_iter()
            .map(|(spec, view, learner)| {
                let buffer = views.iter().position(|v| *v == view).unwrap_or_else(|| {
                    views.push(view);
                    views.len() - 1
                });
                Member { spec, view, learner, mistakes: 0, loss: 0.0, credit: 0.0, buffer }
            })
            .collect();
        let values = vec![Vec::new(); views.len()];
        let (prediction, scratch) = Default::default();
        Ok(Self { members, views, bias, values, rounds: 0, prediction, scratch })
    }

    /// The members, in the order in which they were given.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Rounds so far.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The share of each member in the next prediction; they sum to 1.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        let best = self.members.iter().map(|m| m.credit).fold(f64::NEG_INFINITY, f64::max);
        let raw: Vec<f64> = self.members.iter().map(|m| libm::exp(m.credit - best)).collect();
        let total: f64 = raw.iter().sum();
        raw.into_iter().map(|share| share / total).collect()
    }

    /// The member with the smallest progressive log loss; ties go to the first.
    #[must_use]
    pub fn best(&self) -> usize {
        let better = |a: usize, b: usize| if self.members[b].loss < self.members[a].loss { b } else { a };
        (0..self.members.len()).reduce(better).unwrap_or(0)
    }

    /// Mixes the members' probabilities for one example.
    fn mix(&self, x: Features<'_>, out: &mut Prediction) {
        let classes = self.classes();
        let (mut mixture, mut probabilities) = (vec![0.0; classes], Vec::new());
        let (mut prediction, mut values) = (Prediction::default(), Vec::new());
        for (member, share) in self.members.iter().zip(self.shares()) {
            member.view.apply(x, self.bias, &mut values);
            let Ok(seen) = Features::new(x.ids(), &values) else { continue };
            member.learner.predict_into(seen, &mut prediction);
            prediction.probabilities(&mut probabilities);
            add_scaled(&mut mixture, share, &probabilities);
        }
        finish(mixture, out);
    }
}

fn add_scaled(sum: &mut [f64], share: f64, part: &[f64]) {
    for (s, p) in sum.iter_mut().zip(part) {
        *s += share * p;
    }
}

/// A prediction from mixed probabilities: scores are log odds for two classes, log probabilities for many. They have
/// no variance of their own.
fn finish(mixture: Vec<f64>, out: &mut Prediction) {
    (out.variance, out.slope) = (0.0, 1.0);
    out.scores.clear();
    if let [negative, positive] = mixture[..] {
        out.scores.push(libm::log(positive) - libm::log(negative));
        out.score = out.scores[0];
        out.label = Some(usize::from(out.score >= 0.0));
    } else {
        out.scores.extend(mixture.iter().map(|&p| libm::log(p)));
        out.label = (0..mixture.len()).reduce(|a, b| if mixture[b] > mixture[a] { b } else { a });
        out.score = out.label.map_or(0.0, |label| out.scores[label]);
    }
}

impl Learner for Bank {
    fn classes(&self) -> usize {
        self.members[0].learner.classes()
    }

    fn set_classes(&mut self, classes: usize, order: &[u32]) -> Result<()> {
        self.members.iter_mut().try_for_each(|m| m.learner.set_classes(classes, order))
    }

    fn predict_into(&self, x: Features<'_>, out: &mut Prediction) {
        self.mix(x, out);
    }

    fn learn(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<Round<'_>> {
        for (view, values) in self.views.iter().zip(&mut self.values) {
            view.apply(x, self.bias, values);
        }
        let mut mixture = vec![0.0; self.classes()];
        let (shares, mut updated) = (self.shares(), false);
        for (member, share) in self.members.iter_mut().zip(shares) {
            let seen = Features::new(x.ids(), &self.values[member.buffer])?;
            let round = member.learner.learn(seen, class, weight)?;
            let (wrong, p) = (round.prediction.label != Some(class), round.probability);
            updated |= round.updated;
            round.prediction.probabilities(&mut self.scratch);
            add_scaled(&mut mixture, share, &self.scratch);
            if weight > 0.0 {
                let loss = -libm::log(p.max(SMALLEST_PROBABILITY));
                member.mistakes += u64::from(wrong);
                member.loss += weight * loss;
                member.credit = MEMORY * member.credit - weight * loss;
            }
        }
        self.rounds += u64::from(weight > 0.0);
        let probability = mixture.get(class).copied().unwrap_or(0.0);
        finish(mixture, &mut self.prediction);
        Ok(Round { prediction: &self.prediction, probability, updated })
    }

    fn vote_into(&self, x: Features<'_>, voter: &mut Voter, votes: &mut Vec<f64>) {
        let (mut mixture, mut values) = (vec![0.0; self.classes()], Vec::new());
        for (member, share) in self.members.iter().zip(self.shares()) {
            member.view.apply(x, self.bias, &mut values);
            let Ok(seen) = Features::new(x.ids(), &values) else { continue };
            member.learner.vote_into(seen, voter, votes);
            add_scaled(&mut mixture, share, votes);
        }
        *votes = mixture;
    }

    fn gaussian(&self) -> &dyn Gaussian {
        self.members[self.best()].learner.gaussian()
    }

    fn as_bank(&self) -> Option<&Bank> {
        Some(self)
    }

    fn save(&self) -> State {
        let mut state = State::default();
        for (i, member) in self.members.iter().enumerate() {
            let mut part = member.learner.save();
            part.put("record", Tensor::F64(vec![member.loss, member.credit]));
            part.put_counts("mistakes", &[member.mistakes]);
            state.join(&format!("member{i:02}"), part);
        }
        state.put_counts("rounds", &[self.rounds]);
        state
    }

    fn restore(&mut self, mut state: State) -> Result<()> {
        [self.rounds] = state.take_counts("rounds")?;
        for (i, member) in self.members.iter_mut().enumerate() {
            let mut part = state.split(&format!("member{i:02}"));
            let record = part.take_f64("record")?;
            check_finite("record", &record)?;
            [member.loss, member.credit] =
                record.try_into().map_err(|_| Error::State("`record` needs 2 numbers".into()))?;
            [member.mistakes] = part.take_counts("mistakes")?;
            member.learner.restore(part)?;
        }
        state.finish()
    }
}
