//! What is predicted of an example, before its label is seen.

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
    /// Becomes a copy of another one, in the memory that is there.
    pub(super) fn copy_from(&mut self, other: &Self) {
        let Self { label, score, variance, ref scores, slope, binary, relative } = *other;
        (self.label, self.score, self.variance) = (label, score, variance);
        self.scores.clone_from(scores);
        (self.slope, self.binary, self.relative) = (slope, binary, relative);
    }

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
