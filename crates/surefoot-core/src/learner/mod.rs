//! Learners: a rule and a store brought together, round by round.

use crate::probability::Voter;
use crate::state::State;
use crate::store::{Store, Weight};
use crate::{Features, Result};

mod bank;
mod binary;
mod calibration;
mod floor;
mod merge;
pub mod multiclass;
mod pool;
mod sequel;

pub use bank::{Bank, Record};
pub use binary::Binary;
pub use calibration::Calibration;
pub use floor::VarianceFloor;
pub use merge::{Merging, Part};
pub use multiclass::Multiclass;
pub use sequel::{Moments, Sequel};

/// What a learner says of an example, before it is told the label.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prediction {
    /// The predicted class; none before any class is known.
    pub label: Option<usize>,
    /// The score of the predicted class; for two classes μ·x, whatever its sign.
    pub score: f64,
    /// The variance of that score; 0 in a bank, whose scores have one only for whoever asks ([`Learner::variances_into`]).
    pub variance: f64,
    /// The score of every class; for two classes the one number μ·x. Of a bank of many classes, logits against the
    /// label that each member prefers: 0 where all agree, so only differences say something.
    pub scores: Vec<f64>,
    /// The calibrated factor between scores and logits at the time of the prediction.
    pub slope: f64,
    /// Whether `scores` is the one number of two classes. A learner of many classes that has met a single one has one
    /// score too, and is sure of its only class.
    pub binary: bool,
}

/// Logits beyond this say nothing more, and exp stays finite.
const LARGEST_LOGIT: f64 = 700.0;

impl Prediction {
    /// Becomes a copy of another one, in the memory that is there.
    fn copy_from(&mut self, other: &Self) {
        let Self { label, score, variance, ref scores, slope, binary } = *other;
        (self.label, self.score, self.variance) = (label, score, variance);
        self.scores.clone_from(scores);
        (self.slope, self.binary) = (slope, binary);
    }

    /// The papers' vote for the positive of two classes: Φ(m/√v), how sure the weights are.
    #[must_use]
    pub fn positive_vote(&self) -> f64 {
        self.vote_beyond(1.0)
    }

    /// The papers' vote for the negative of two classes, accurate where it is tiny.
    #[must_use]
    pub fn negative_vote(&self) -> f64 {
        self.vote_beyond(-1.0)
    }

    /// μ·x, if the prediction is between two classes.
    #[must_use]
    pub fn binary_score(&self) -> Option<f64> {
        self.scores.first().copied().filter(|_| self.binary)
    }

    /// What ranks examples by how much they are of class 1 rather than 0: the logit, whatever kind of learner tells the
    /// two apart. With more classes it is that of the predicted one.
    ///
    /// ```
    /// use surefoot_core::Prediction;
    /// let scores = vec![2.0, 1.0];
    /// let p = Prediction { label: Some(0), score: 2.0, variance: 1.0, scores, slope: 0.5, binary: false };
    /// assert_eq!(p.logit(), -0.5);
    /// ```
    #[must_use]
    pub fn logit(&self) -> f64 {
        match (self.binary, &self.scores[..]) {
            (false, [other, own]) => self.slope * (own - other),
            _ => self.slope * self.score,
        }
    }

    /// Calibrated probabilities of every class: they sum to 1 and the predicted class has the largest.
    ///
    /// ```
    /// use surefoot_core::Prediction;
    /// let p = Prediction { label: Some(1), score: 2.0, variance: 1.0, scores: vec![2.0], slope: 0.5, binary: true };
    /// let mut probabilities = Vec::new();
    /// p.probabilities(&mut probabilities);
    /// assert!((probabilities[1] - 1.0 / (1.0 + (-1.0f64).exp())).abs() < 1e-15);
    /// ```
    pub fn probabilities(&self, out: &mut Vec<f64>) {
        out.clear();
        if let Some(score) = self.binary_score() {
            let z = self.logit_of(score).clamp(-LARGEST_LOGIT, LARGEST_LOGIT);
            // The smaller of the two keeps its digits, and one exp serves both.
            // From `libm`, not `power`: models that exist predict the same, bit for bit (docs/reference/model-file.md).
            let ratio = libm::exp(-z.abs());
            let (large, small) = (1.0 / (1.0 + ratio), ratio / (1.0 + ratio));
            out.extend(if z >= 0.0 { [small, large] } else { [large, small] });
            return;
        }
        let largest = self.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        out.extend(self.scores.iter().map(|s| libm::exp((self.slope * (s - largest)).max(-LARGEST_LOGIT))));
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|q| *q /= total);
        self.prefer_label(out);
    }

    /// The logits behind the probabilities: for two classes the one number slope·score, otherwise one a class, in the
    /// order of the probabilities.
    ///
    /// ```
    /// use surefoot_core::Prediction;
    /// let p = Prediction { label: Some(1), score: 2.0, variance: 1.0, scores: vec![2.0], slope: 0.5, binary: true };
    /// let mut logits = Vec::new();
    /// p.logits(&mut logits);
    /// assert_eq!(logits, [1.0]);
    /// ```
    pub fn logits(&self, out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.scores.iter().map(|&score| self.logit_of(score)));
        if !self.binary {
            self.prefer_label(out);
        }
    }

    /// A score that is infinite and has an infinite variance says nothing.
    fn logit_of(&self, score: f64) -> f64 {
        let logit = self.slope * score;
        if logit.is_nan() { 0.0 } else { logit }
    }

    /// A decision by vote may prefer another class than the scores do; it keeps the largest place.
    fn prefer_label(&self, out: &mut [f64]) {
        let most = (0..out.len()).reduce(|a, b| if out[b] > out[a] { b } else { a });
        if let (Some(label), Some(most)) = (self.label, most) {
            out.swap(label, most);
        }
    }

    /// The probability of one class, without the others.
    #[must_use]
    pub fn probability(&self, class: usize) -> f64 {
        let mut all = Vec::new();
        self.probabilities(&mut all);
        all.get(class).copied().unwrap_or(0.0)
    }

    fn vote_beyond(&self, side: f64) -> f64 {
        if self.variance > 0.0 {
            let t = side * self.score / self.variance.sqrt();
            // Both are beyond all numbers: nothing is known.
            if t.is_nan() { 0.5 } else { crate::normal::cdf(t) }
        } else {
            // All the mass is on one side; a score of exactly 0 predicts the positive label.
            f64::from(u8::from((self.score >= 0.0) == (side > 0.0)))
        }
    }
}

/// What happened in a round: the prediction made before learning, and whether anything changed.
#[derive(Debug)]
pub struct Round<'a> {
    /// The prediction before the label was seen.
    pub prediction: &'a Prediction,
    /// The calibrated probability that the prediction gave to the true class.
    pub probability: f64,
    /// Whether the model changed.
    pub updated: bool,
}

/// Several rounds, one after the other.
fn one_by_one<L: Learner + ?Sized>(
    learner: &mut L,
    lessons: &[Lesson<'_>],
    heard: &mut dyn FnMut(usize, Round<'_>),
) -> Result<()> {
    for (i, lesson) in lessons.iter().enumerate() {
        if let Some((classes, order)) = lesson.classes {
            learner.set_classes(classes, order)?;
        }
        heard(i, learner.learn(lesson.x, lesson.class, lesson.weight)?);
    }
    Ok(())
}

/// An example to learn from, of several that are there.
#[derive(Debug, Clone, Copy)]
pub struct Lesson<'a> {
    /// The example.
    pub x: Features<'a>,
    /// Its class.
    pub class: usize,
    /// Its importance.
    pub weight: f64,
    /// What [`Learner::set_classes`] is to be told before it, if anything.
    pub classes: Option<(usize, &'a [u32])>,
}

/// A piece of work that another thread may do.
pub type Work<'a> = &'a mut (dyn FnMut() + Send);

/// Does two pieces of work, at the same time if it can.
pub type Both<'a> = &'a dyn Fn(Work<'_>, Work<'_>);

/// A classifier that learns one example at a time.
pub trait Learner: std::fmt::Debug + Send + Sync {
    /// How many classes it tells apart.
    fn classes(&self) -> usize;

    /// Makes room for `classes` classes; `order[k]` is the place of class k among the labels (ties go to the smaller).
    /// The order may name a class that comes to life only in the next round.
    fn set_classes(&mut self, classes: usize, order: &[u32]) -> Result<()>;

    /// The prediction for an example; changes nothing.
    fn predict(&self, x: Features<'_>) -> Prediction {
        let mut out = Prediction::default();
        self.predict_into(x, &mut out);
        out
    }

    /// As [`Learner::predict`], into a prediction that is reused.
    fn predict_into(&self, x: Features<'_>, out: &mut Prediction);

    /// One round: predict, then learn that the example is of `class`. A weight of 0 skips the learning.
    fn learn(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<Round<'_>>;

    /// Lends what concludes a round and does not act on the weights, if that is worth the way there and back; meanwhile the
    /// learner has one that knows nothing. It is worth more where whoever takes it has `ample` time.
    fn lend(&mut self, _ample: bool) -> Option<Sequel> {
        None
    }

    /// The part of a round that moves the weights; the rest is for what was lent.
    fn learn_weights(&mut self, _x: Features<'_>, _class: usize, _weight: f64) -> Result<Moments> {
        Err(lends_nothing())
    }

    /// Takes back what was lent.
    fn take_back(&mut self, _sequel: Sequel) {}

    /// Whether [`Learner::learn_all`] can use two threads.
    fn has_halves(&self) -> bool {
        false
    }

    /// Several rounds, in order, as if one had come after the other; `heard` is told of each. After an error nobody can say
    /// how much was learned.
    fn learn_all(
        &mut self,
        lessons: &[Lesson<'_>],
        _both: Both<'_>,
        heard: &mut dyn FnMut(usize, Round<'_>),
    ) -> Result<()> {
        one_by_one(self, lessons, heard)
    }

    /// The papers' label distribution: how often a weight vector drawn from the Gaussian predicts each class.
    fn vote(&self, x: Features<'_>) -> Vec<f64> {
        let mut votes = Vec::new();
        self.vote_into(x, &mut Voter::new(), &mut votes);
        votes
    }

    /// As [`Learner::vote`], with a voter and a buffer that are reused.
    fn vote_into(&self, x: Features<'_>, voter: &mut Voter, votes: &mut Vec<f64>);

    /// The variance of the score of every class; all the same where there is one for all, as with two classes or in a bank.
    fn variances_into(&self, x: Features<'_>, variances: &mut Vec<f64>) {
        variances.clear();
        variances.resize(self.classes(), self.predict(x).variance);
    }

    /// The store, for inspection; of a bank, that of its best member.
    fn gaussian(&self) -> &dyn Store;

    /// A weight, for inspection; of a bank, that of its best member, read where it lies. None where weights have no single
    /// feature.
    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        self.gaussian().weight(feature, block)
    }

    /// The variance that such a weight starts from.
    fn prior(&self) -> f64 {
        self.gaussian().weight(0, 0).map_or(1.0, |weight| weight.prior)
    }

    /// The bank, if this is one.
    fn as_bank(&self) -> Option<&Bank> {
        None
    }

    /// The calibration, if this learner has one of its own.
    fn calibration(&self) -> Option<&Calibration> {
        None
    }

    /// Becomes the product of learners that were built from the same SPEC and learned apart; `self` is at the start of
    /// its stream and knows all their classes.
    fn merge(&mut self, parts: &[Part<'_>], merging: Merging) -> Result<()>;

    /// Everything learned, as named tensors.
    fn save(&self) -> State<'_>;

    /// Takes over a saved state; `self` was built from the same SPEC.
    fn restore(&mut self, state: State<'_>) -> Result<()>;
}

/// The largest importance weight: no sum or product of weights within reach of a stream overflows below it.
pub const LARGEST_WEIGHT: f64 = 1e12;

/// Refuses importance weights that are negative, NaN or beyond [`LARGEST_WEIGHT`].
pub fn check_weight(weight: f64) -> Result<()> {
    if (0.0..=LARGEST_WEIGHT).contains(&weight) {
        return Ok(());
    }
    Err(crate::Error::Example(format!(
        "importance weight {weight:?}, of the example times that of its label: expected a number from 0 to {LARGEST_WEIGHT:e}"
    )))
}

/// Refuses a third class.
fn check_binary(class: usize) -> Result<()> {
    if class <= 1 {
        return Ok(());
    }
    Err(crate::Error::Example(format!("class {class} in a binary learner: expected 0 or 1")))
}

/// The error of a learner that has nothing to lend.
fn lends_nothing() -> crate::Error {
    crate::Error::Conflict("this learner moves its weights and concludes a round in one".into())
}
