//! What goes into and comes out of a round: the [`Target`], the [`Scores`] that the learner hands to the
//! [`Head`](super::Head), and the [`Prediction`] that this makes of them.

use smallvec::SmallVec;

use crate::metric::LogLoss;
use crate::{Error, Result, Task};

/// What is true of an example: one class, or, where a row may have none, one or several labels, the sorted classes of
/// those.
///
/// ```
/// use surefoot_core::Target;
///
/// assert_eq!((Target::Class(3).class(), Target::Labels(&[1, 4]).class()), (Some(3), None));
/// assert!(Target::Labels(&[1, 4]).holds(4) && !Target::Class(3).holds(4));
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

    /// The labels, where there may be several.
    #[must_use]
    pub fn labels(&self) -> Option<&[u32]> {
        match self {
            Target::Class(_) => None,
            Target::Labels(labels) => Some(labels),
        }
    }

    /// Whether a class is true of the example.
    #[must_use]
    pub fn holds(self, class: usize) -> bool {
        match self {
            Target::Class(own) => own == class,
            Target::Labels(labels) => labels.binary_search_by(|own| (*own as usize).cmp(&class)).is_ok(),
        }
    }

    /// Every class that is true, ascending.
    pub fn classes(&self) -> impl Iterator<Item = usize> + '_ {
        let labels = if let Target::Labels(labels) = self { labels } else { &[][..] };
        self.class().into_iter().chain(labels.iter().map(|&label| label as usize))
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

/// Refuses what a round of this task cannot learn from: a weight out of range, several labels where there is one class, a third
/// of two classes, labels that do not ascend.
pub(super) fn check_target(target: Target<'_>, weight: f64, task: Task) -> Result<()> {
    check_weight(weight)?;
    match (task, target) {
        (Task::Multilabel, Target::Labels(labels)) if labels.is_sorted_by(|a, b| a < b) => Ok(()),
        (Task::Multilabel, Target::Labels(_)) => {
            Err(Error::Example("the labels of an example are to ascend, each once".into()))
        }
        (Task::Multilabel, Target::Class(_)) => {
            Err(Error::Conflict("a learner of several labels a row was given a single class".into()))
        }
        (_, Target::Labels(_)) => Err(Error::Conflict(
            "a learner of one class a row was given a set of labels: build it for the multi-label task"
                .into(),
        )),
        (Task::Binary, Target::Class(class @ 2..)) => {
            Err(Error::Example(format!("class {class} in a binary learner: expected 0 or 1")))
        }
        (_, Target::Class(_)) => Ok(()),
    }
}

/// The one class that a round of a task with one class a row learns.
pub(super) fn class_to_learn(target: Target<'_>, weight: f64, task: Task) -> Result<usize> {
    check_target(target, weight, task)?;
    target.class().ok_or_else(|| Error::Conflict("the example has no class".into()))
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
    task: Task,
    classes: usize,
    /// Set once the weights have moved.
    pub(super) updated: bool,
    /// Set once a member has started anew.
    pub(super) restarted: bool,
    /// For each member its scores, then the variance of the one that it prefers; of all of them where a row may have several
    /// labels.
    numbers: SmallVec<[f64; 8]>,
    /// The class that each member prefers; empty for two classes, where the sign says it.
    labels: Vec<Option<usize>>,
}

impl Scores {
    /// Whether each member has one score: of class 1 against class 0.
    #[must_use]
    pub fn binary(&self) -> bool {
        self.task == Task::Binary
    }

    /// The classes known before the example; always 2 if [`binary`](Scores::binary).
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many members there are.
    #[must_use]
    pub fn members(&self) -> usize {
        match self.task {
            // Before any label is known members have no scores.
            Task::Multilabel => self.labels.len(),
            Task::Binary | Task::Multiclass => self.numbers.len() / self.stride(),
        }
    }

    /// The score of every class that a member gives; for two classes the one number μ·x.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn of(&self, member: usize) -> &[f64] {
        let from = member * self.stride();
        &self.numbers[from..from + self.width()]
    }

    /// The variance of the score of the class that a member prefers.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn variance(&self, member: usize) -> f64 {
        match self.task {
            Task::Multilabel => self.label(member).map_or(0.0, |label| self.variances(member)[label]),
            Task::Binary | Task::Multiclass => self.variances(member)[0],
        }
    }

    /// The variances that a member gives: that of the class it prefers, or where a row may have several labels one a label.
    fn variances(&self, member: usize) -> &[f64] {
        &self.numbers[member * self.stride() + self.width()..(member + 1) * self.stride()]
    }

    /// The scores of one label against the rest, as those of two classes.
    pub(super) fn one_label(&self, label: usize, out: &mut Scores) {
        out.put_binary((0..self.members()).map(|m| (self.of(m)[label], self.variances(m)[label])));
    }

    /// Whether a member is wrong about an example by its scores alone: it prefers another class, or, where a row may have several
    /// labels, some score has the wrong sign.
    pub(super) fn is_wrong(&self, member: usize, target: Target<'_>) -> bool {
        match target {
            Target::Class(class) => self.label(member) != Some(class),
            Target::Labels(labels) => {
                let scores = self.of(member);
                let wrong = |(label, score): (usize, &f64)| (*score > 0.0) != target.holds(label);
                labels.last().is_some_and(|&last| last as usize >= scores.len())
                    || scores.iter().enumerate().any(wrong)
            }
        }
    }

    /// The class that a member prefers; none before any class is known.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn label(&self, member: usize) -> Option<usize> {
        if self.binary() { Some(usize::from(self.of(member)[0] >= 0.0)) } else { self.labels[member] }
    }

    /// Whether any weight moved after the scores were taken; set by [`Learner::update`](super::Learner::update).
    #[must_use]
    pub fn updated(&self) -> bool {
        self.updated
    }

    /// Scores a member has.
    fn width(&self) -> usize {
        if self.binary() { 1 } else { self.classes }
    }

    /// Numbers a member has, its variances among them.
    fn stride(&self) -> usize {
        if self.task == Task::Multilabel { 2 * self.classes } else { self.width() + 1 }
    }

    /// Forgets everything; takes over the score and its variance of each member of two classes.
    pub(super) fn put_binary(&mut self, members: impl IntoIterator<Item = (f64, f64)>) {
        self.begin(Task::Binary, 2);
        let each = members.into_iter();
        each.for_each(|(score, variance)| self.numbers.extend([held(score), held_variance(variance)]));
    }

    /// Forgets everything; members that know so many classes come next.
    pub(super) fn begin(&mut self, task: Task, classes: usize) {
        (self.task, self.classes, self.updated, self.restarted) = (task, classes, false, false);
        self.numbers.clear();
        self.labels.clear();
    }

    /// The next member of many classes: its [`held`] scores, the class that it prefers, and the variance of that one's score.
    pub(super) fn push_many(&mut self, scores: &[f64], label: Option<usize>, variance: f64) {
        self.numbers.extend_from_slice(scores);
        self.numbers.push(held_variance(variance));
        self.labels.push(label);
    }

    /// The next member where a row may have several labels: its [`held`] scores, their variances, and the best label.
    pub(super) fn push_labels(&mut self, scores: &[f64], variances: &[f64], label: Option<usize>) {
        self.numbers.extend_from_slice(scores);
        self.numbers.extend(variances.iter().map(|&variance| held_variance(variance)));
        self.labels.push(label);
    }

    /// All members of another learner that was shown the same example.
    pub(super) fn append(&mut self, other: &Scores) {
        if self.numbers.is_empty() && self.labels.is_empty() {
            self.begin(other.task, other.classes);
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
    /// The predicted class; none before any class is known. Where a row may have several labels, the one of the largest
    /// probability, whether or not it is [predicted](Prediction::labels).
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
    /// Whether a row may have several labels: then each label has a probability of its own, and they do not sum to 1.
    pub several: bool,
    /// Where a row may have several labels, the predicted ones, ascending: those of a probability above ½.
    pub labels: Vec<u32>,
    /// There, the calibrated factor and the variance of each label's score.
    pub links: Vec<LabelLink>,
}

/// What stands between the score of one of several labels and its probability.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LabelLink {
    /// The calibrated factor between score and logit.
    pub slope: f64,
    /// The variance of the score.
    pub variance: f64,
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

    /// Whether the prediction is what is true: the same class, or the same set of labels.
    #[must_use]
    pub fn is_right(&self, target: Target<'_>) -> bool {
        match target {
            Target::Class(class) => self.label == Some(class),
            Target::Labels(labels) => self.labels == labels,
        }
    }

    /// Calibrated probabilities of every class: they sum to 1 and the predicted class has the largest. Where a row may have
    /// several labels, each is the probability that the row has the label.
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
        if self.several {
            return out
                .extend(self.scores.iter().zip(&self.links).map(|(s, link)| of_two(link.slope * s)[1]));
        }
        if let Some(score) = self.binary_score() {
            return out.extend(of_two(self.slope * score));
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
        if self.several {
            let links = self.scores.iter().zip(&self.links);
            return out.extend(links.map(|(score, link)| known(link.slope * score)));
        }
        out.extend(self.scores.iter().map(|&score| known(self.slope * score)));
        if !self.binary {
            self.prefer_label(out);
        }
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

    /// The probability that was given to what is true: of its class; of several labels the geometric mean over all labels, those
    /// that the row has and those that it has not.
    #[must_use]
    pub fn probability_of(&self, target: Target<'_>) -> f64 {
        match target {
            Target::Class(class) => self.probability(class),
            Target::Labels(_) => {
                let mut all = Vec::new();
                self.probabilities(&mut all);
                libm::exp(-labels_loss(&all, target))
            }
        }
    }
}

/// The log loss of the probabilities of several labels, in the mean over all of them; a label that was not known had
/// probability 0.
pub(crate) fn labels_loss(probabilities: &[f64], target: Target<'_>) -> f64 {
    let (mut loss, mut product) = (0.0, 1.0);
    // One logarithm for many labels: a product stays far from the smallest number.
    let mut add = |p: f64| {
        product *= p.max(LogLoss::CLIP);
        if product < SMALLEST_PRODUCT {
            loss -= libm::log(std::mem::replace(&mut product, 1.0));
        }
    };
    let mut truth = target.classes().peekable();
    for (label, &p) in probabilities.iter().enumerate() {
        add(if truth.next_if_eq(&label).is_some() { p } else { 1.0 - p });
    }
    let unknown = truth.count();
    (0..unknown).for_each(|_| add(0.0));
    (loss - libm::log(product)) / (probabilities.len() + unknown).max(1) as f64
}

/// Products of probabilities below this are taken the logarithm of.
const SMALLEST_PRODUCT: f64 = 1e-280;

/// A score that is infinite and has an infinite variance says nothing.
fn known(logit: f64) -> f64 {
    if logit.is_nan() { 0.0 } else { logit }
}

/// The probabilities of both of two classes. The smaller of the two keeps its digits, and one exp serves both.
fn of_two(logit: f64) -> [f64; 2] {
    let z = known(logit).clamp(-LARGEST_LOGIT, LARGEST_LOGIT);
    // From `libm`, not `power`: models that exist predict the same, bit for bit (docs/reference/model-file.md).
    let ratio = libm::exp(-z.abs());
    let (large, small) = (1.0 / (1.0 + ratio), ratio / (1.0 + ratio));
    if z >= 0.0 { [small, large] } else { [large, small] }
}
