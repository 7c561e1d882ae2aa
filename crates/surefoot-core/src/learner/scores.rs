//! What a learner says of one example: the first half of a round, handed to the [`Head`](super::Head).

use smallvec::SmallVec;

/// The scores that every member of a learner gives to one example, taken before its label was seen, and whether the weights
/// moved afterwards. A learner that is no ensemble is its own only member.
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
    updated: bool,
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

    /// Forgets everything; members of two classes come next.
    pub(super) fn begin_binary(&mut self) {
        self.begin(true, 2);
    }

    /// Forgets everything; members that know so many classes come next, with one score each if `binary`.
    pub(super) fn begin(&mut self, binary: bool, classes: usize) {
        (self.binary, self.classes, self.updated) = (binary, classes, false);
        self.numbers.clear();
        self.labels.clear();
    }

    /// The next member of two classes.
    pub(super) fn push_binary(&mut self, score: f64, variance: f64) {
        self.numbers.extend([score, variance]);
    }

    /// The next member of many classes: its scores, the class that it prefers, and the variance of that one's score.
    pub(super) fn push_many(&mut self, scores: &[f64], label: Option<usize>, variance: f64) {
        self.numbers.extend_from_slice(scores);
        self.numbers.push(variance);
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

    /// Notes that weights moved.
    pub(super) fn set_updated(&mut self, updated: bool) {
        self.updated = updated;
    }
}
