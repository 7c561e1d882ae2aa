//! What goes into and comes out of a round: the [`Target`], the [`Scores`] that the learner hands to the
//! [`Head`](super::Head), and the [`Prediction`] that this makes of them.

use smallvec::SmallVec;

use crate::{Error, Result, Task};

/// What is true of an example: one class, or, where a row may have none, one or several labels, the sorted classes of
/// those. Metrics know both; learning from several labels comes later.
///
/// ```
/// use surefoot_core::Target;
///
/// assert_eq!(Target::Class(3).class(), Some(3));
/// assert_eq!(Target::Labels(&[1, 4]).class(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// The one class.
    Class(usize),
    /// Every class that is true, ascending; possibly none.
    Labels(&'a [u32]),
}

impl Target<'_> {
    /// The class, where there is exactly one by the nature of the task; none where there may be several labels, even if
    /// this example has one.
    #[must_use]
    pub fn class(self) -> Option<usize> {
        match self {
            Target::Class(class) => Some(class),
            Target::Labels(_) => None,
        }
    }
}

/// The largest importance weight: no sum or product of weights within reach of a stream overflows below it.
pub const LARGEST_WEIGHT: f64 = 1e12;

/// Refuses importance weights that are negative, NaN or beyond [`LARGEST_WEIGHT`].
pub fn check_weight(weight: f64) -> Result<()> {
    if (0.0..=LARGEST_WEIGHT).contains(&weight) {
        return Ok(());
    }
    Err(Error::Example(format!(
        "importance weight {weight:?}, of the example times that of its label: expected a number from 0 to {LARGEST_WEIGHT:e}"
    )))
}

/// The one class that a round learns; refuses a weight out of range, several labels, and a third of two classes.
pub(super) fn class_to_learn(target: Target<'_>, weight: f64, task: Task) -> Result<usize> {
    check_weight(weight)?;
    match (task, target) {
        (_, Target::Labels(_)) => Err(Error::Conflict(
            "learning from several labels a row is not there yet: give every example exactly one label"
                .into(),
        )),
        (Task::Binary, Target::Class(class @ 2..)) => {
            Err(Error::Example(format!("class {class} in a binary learner: expected 0 or 1")))
        }
        (_, Target::Class(class)) => Ok(class),
    }
}

/// The scores that every member of a learner gives to one example, taken before its label was seen, and whether the weights
/// moved afterwards. A learner that is no ensemble is its own only member.
///
/// Every number is finite: what values of 1e300 take out of the range of numbers is held at its end.
///
/// It is reused from round to round; two classes and up to four members need no memory of their own.
///
/// ```
/// use surefoot_core::{Scores, Spec, Target, Task, Vector};
/// let mut learner = Spec::parse("arow:r=1")?.build(Task::Binary, 2)?;
/// let (x, mut scores) = (Vector::from_pairs([(0, 2.0)])?, Scores::default());
/// learner.update(x.features(), Target::Class(1), 1.0, &mut scores)?;
/// assert!(scores.binary() && scores.updated());
/// // The score before anything was learned, and its variance 2²·1.
/// assert_eq!((scores.of(0), scores.variance(0)), (&[0.0][..], 4.0));
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    binary: bool,
    classes: usize,
    /// Set once the weights have moved.
    pub(super) updated: bool,
    /// Set once a member has started anew.
    pub(super) restarted: bool,
    /// For each member its scores, then the variance of the one that it prefers.
    numbers: SmallVec<[f64; 8]>,
    /// The class that each member prefers; empty for two classes, where the sign says it.
    labels: Vec<Option<usize>>,
}

impl Scores {
    /// Whether each member has one score: of class 1 against class 0.
    #[must_use]
    pub fn binary(&self) -> bool {
        self.binary
    }

    /// The classes known before the example; always 2 if [`binary`](Scores::binary).
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many members there are.
    #[must_use]
    pub fn members(&self) -> usize {
        self.numbers.len() / (self.width() + 1)
    }

    /// The score of every class that a member gives; for two classes the one number μ·x.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn of(&self, member: usize) -> &[f64] {
        let from = member * (self.width() + 1);
        &self.numbers[from..from + self.width()]
    }

    /// The variance of the score of the class that a member prefers.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn variance(&self, member: usize) -> f64 {
        self.numbers[member * (self.width() + 1) + self.width()]
    }

    /// The class that a member prefers; none before any class is known.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn label(&self, member: usize) -> Option<usize> {
        if self.binary { Some(usize::from(self.of(member)[0] >= 0.0)) } else { self.labels[member] }
    }

    /// Whether any weight moved after the scores were taken; set by [`Learner::update`](super::Learner::update).
    #[must_use]
    pub fn updated(&self) -> bool {
        self.updated
    }

    /// Numbers a member has, its variance left out.
    fn width(&self) -> usize {
        if self.binary { 1 } else { self.classes }
    }

    /// Forgets everything; takes over the score and its variance of each member of two classes.
    pub(super) fn put_binary(&mut self, members: impl IntoIterator<Item = (f64, f64)>) {
        self.begin(true, 2);
        let each = members.into_iter();
        each.for_each(|(score, variance)| self.numbers.extend([held(score), held_variance(variance)]));
    }

    /// Forgets everything; members that know so many classes come next, with one score each if `binary`.
    pub(super) fn begin(&mut self, binary: bool, classes: usize) {
        (self.binary, self.classes, self.updated, self.restarted) = (binary, classes, false, false);
        self.numbers.clear();
        self.labels.clear();
    }

    /// The next member of many classes: its [`held`] scores, the class that it prefers, and the variance of that one's score.
    pub(super) fn push_many(&mut self, scores: &[f64], label: Option<usize>, variance: f64) {
        self.numbers.extend_from_slice(scores);
        self.numbers.push(held_variance(variance));
        self.labels.push(label);
    }

    /// All members of another learner that was shown the same example.
    pub(super) fn append(&mut self, other: &Scores) {
        if self.numbers.is_empty() {
            self.begin(other.binary, other.classes);
        }
        self.numbers.extend_from_slice(&other.numbers);
        self.labels.extend_from_slice(&other.labels);
        self.updated |= other.updated;
    }
}

/// A score within the numbers: one beyond all of them is the largest that there is, and what sums such to both sides is 0.
///
/// ```
/// use surefoot_core::held;
/// assert_eq!((held(-1e300 * 1e300), held(f64::NAN), held(2.5)), (f64::MIN, 0.0, 2.5));
/// ```
#[inline]
#[must_use]
pub fn held(score: f64) -> f64 {
    if score.is_nan() { 0.0 } else { score.clamp(f64::MIN, f64::MAX) }
}

/// A variance within the numbers; what cannot be known is the largest.
#[inline]
fn held_variance(variance: f64) -> f64 {
    if variance.is_finite() { variance } else { f64::MAX }
}

/// What is predicted of an example, before its label is seen. It means the same for a single learner and for an ensemble.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prediction {
    /// The predicted class; none before any class is known.
    pub label: Option<usize>,
    /// The score of the predicted class; for two classes μ·x, whatever its sign.
    pub score: f64,
    /// The variance of that score. In an ensemble the members' standard deviations add up, each by its weight: they have
    /// seen the same examples, and what one does not know the others do not know either.
    pub variance: f64,
    /// The score of every class; for two classes the one number μ·x.
    pub scores: Vec<f64>,
    /// The calibrated factor between scores and logits at the time of the prediction.
    pub slope: f64,
    /// Whether `scores` is the one number of two classes. A learner of many classes that has met a single one has one
    /// score too, and is sure of its only class.
    pub binary: bool,
    /// Whether only differences between `scores` mean something, as in an ensemble of many classes: its scores are logits
    /// against the class that each member prefers, 0 where all agree.
    pub relative: bool,
}

/// Logits beyond this say nothing more, and exp stays finite.
pub(super) const LARGEST_LOGIT: f64 = 700.0;

impl Prediction {
    /// The score of a class as users are shown it. Of two classes, each has the other's with the sign turned; where only
    /// differences mean something, it is taken less the mean of all. 0 for a class that is not known.
    ///
    /// ```
    /// use surefoot_core::Prediction;
    /// let p = Prediction { scores: vec![2.0], binary: true, ..Prediction::default() };
    /// assert_eq!((p.score_of(0), p.score_of(1)), (-2.0, 2.0));
    /// let p = Prediction { scores: vec![0.0, -3.0], relative: true, ..Prediction::default() };
    /// assert_eq!((p.score_of(0), p.score_of(1)), (1.5, -1.5));
    /// ```
    #[must_use]
    pub fn score_of(&self, class: usize) -> f64 {
        let of_class = self.scores.get(class).copied().unwrap_or(0.0);
        match self.binary_score() {
            // Not −0.0 where there is no score.
            Some(score) => [0.0 - score, score][usize::from(class == 1)],
            None if self.relative && !self.scores.is_empty() => {
                of_class - self.scores.iter().sum::<f64>() / self.scores.len() as f64
            }
            None => of_class,
        }
    }

    /// μ·x, if the prediction is between two classes.
    #[must_use]
    pub fn binary_score(&self) -> Option<f64> {
        self.scores.first().copied().filter(|_| self.binary)
    }

    /// The score of the predicted class as users are shown it: of two classes the one number μ·x, whatever its sign.
    ///
    /// ```
    /// use surefoot_core::Prediction;
    /// let p = Prediction { label: Some(0), scores: vec![-2.0], binary: true, ..Prediction::default() };
    /// assert_eq!(p.shown_score(), -2.0);
    /// let p = Prediction { label: Some(0), scores: vec![0.0, -3.0], relative: true, ..Prediction::default() };
    /// assert_eq!(p.shown_score(), 1.5);
    /// ```
    #[must_use]
    pub fn shown_score(&self) -> f64 {
        self.binary_score().unwrap_or_else(|| self.label.map_or(0.0, |label| self.score_of(label)))
    }

    /// What ranks examples by how much they are of class 1 rather than 0: the logit, whatever kind of learner tells the
    /// two apart. With more classes it is that of the predicted one.
    ///
    /// ```
    /// use surefoot_core::Prediction;
    /// let scores = vec![2.0, 1.0];
    /// let p = Prediction { label: Some(0), score: 2.0, scores, slope: 0.5, ..Prediction::default() };
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
    /// let (label, scores) = (Some(1), vec![2.0]);
    /// let p = Prediction { label, score: 2.0, scores, slope: 0.5, binary: true, ..Prediction::default() };
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
    /// let (label, scores) = (Some(1), vec![2.0]);
    /// let p = Prediction { label, score: 2.0, scores, slope: 0.5, binary: true, ..Prediction::default() };
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
}
