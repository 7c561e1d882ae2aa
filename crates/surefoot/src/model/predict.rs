//! Predictions, one by one or many with buffers that are reused.

use surefoot_core::probability::Voter;
use surefoot_core::store::Projection;
use surefoot_core::{Prediction, Scores, Task};
use surefoot_data::{KeyedFeatures, NamedRow, Row};

use super::{AsFeatures, Model};
use crate::{Familiarity, LabelThresholds};

/// What a model says of one example.
#[derive(Debug)]
pub struct Predicted<'m> {
    model: &'m Model,
    prediction: Prediction,
}

impl Predicted<'_> {
    /// The predicted label; empty before any label is known.
    #[must_use]
    pub fn label(&self) -> String {
        self.model.label(self.prediction.label).map(ToString::to_string).unwrap_or_default()
    }

    /// The predicted labels, where there may be several, in their order.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        let told = |class: &u32| self.prediction.labels.contains(class);
        let labels = self.model.labels();
        labels
            .order()
            .iter()
            .filter(|class| told(class))
            .map(|&class| labels.name(class).to_string())
            .collect()
    }

    /// The class of the predicted label.
    #[must_use]
    pub fn class(&self) -> Option<usize> {
        self.prediction.label
    }

    /// The calibrated probability of the predicted label.
    #[must_use]
    pub fn probability(&self) -> f64 {
        self.prediction.label.map_or(0.0, |class| self.prediction.probability(class))
    }

    /// The calibrated probability of every class; they sum to 1, unless an example may have several labels.
    #[must_use]
    pub fn probabilities(&self) -> Vec<f64> {
        let mut all = Vec::new();
        self.prediction.probabilities(&mut all);
        all
    }

    /// The score of the predicted label.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.prediction.label.map_or(0.0, |class| self.prediction.score_of(class))
    }

    /// The variance of that score: how unsure the weights are.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.prediction.variance
    }
}

impl Model {
    /// The prediction for an example; changes nothing. An example that cannot be understood (an infinite value, a bad name)
    /// is predicted as one without features.
    #[must_use]
    pub fn predict<F: AsFeatures + ?Sized>(&self, features: &F) -> Predicted<'_> {
        let mut predictor = Predictor::new(self);
        let mut named = NamedRow::new(self.encoder().plan());
        predictor.predict(&features.keyed(&mut named).unwrap_or_default());
        Predicted { model: self, prediction: predictor.prediction }
    }
}

/// A model with the buffers that prediction reuses.
///
/// ```
/// # use surefoot::prelude::*;
/// # use surefoot::{Predictor, train::Silent};
/// # use surefoot::data::KeyedFeatures;
/// # let points = Source::memory("points.svm", *b"+1 1:1\n-1 2:1\n");
/// # let (model, _) = train(vec![points], &TrainOptions::default(), &mut Silent)?;
/// let mut predictor = Predictor::new(&model);
/// assert_eq!(predictor.predict(&KeyedFeatures::given(&[2], &[1.0])).label, Some(0));
/// assert!(predictor.probabilities()[0] > 0.5);
/// assert!(predictor.votes()[0] > 0.5);
/// assert!(predictor.score(0) > 0.0 && predictor.variances()[0] > 0.0);
/// # Ok::<(), Error>(())
/// ```
pub struct Predictor<'m> {
    model: &'m Model,
    row: Row,
    scores: Scores,
    prediction: Prediction,
    voter: Voter,
    shares: Vec<f64>,
    votes: Vec<f64>,
    variances: Vec<f64>,
    probabilities: Vec<f64>,
    familiarity: Familiarity,
}

impl<'m> Predictor<'m> {
    /// Nothing predicted yet.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        Self {
            model,
            row: Row::default(),
            scores: Scores::default(),
            prediction: Prediction::default(),
            voter: Voter::new(),
            shares: model.head().shares(),
            votes: Vec::new(),
            variances: Vec::new(),
            probabilities: Vec::new(),
            familiarity: Familiarity::default(),
        }
    }

    /// The prediction for an example.
    pub fn predict(&mut self, features: &KeyedFeatures<'_>) -> &Prediction {
        self.model.encoder().encode_known(features, &mut self.row);
        self.familiarity.count(features.len(), self.row.known());
        if let Ok(x) = self.row.vector() {
            self.model.learner().scores(x, &mut self.scores);
            self.model.head().predict(&self.scores, &mut self.prediction);
        }
        &self.prediction
    }

    /// How much of the examples so far the model knows.
    #[must_use]
    pub fn familiarity(&self) -> Familiarity {
        self.familiarity
    }

    /// The last prediction.
    #[must_use]
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// The scores of the last example, of each member.
    pub(crate) fn scores(&self) -> &Scores {
        &self.scores
    }

    /// The last example as the learner sees it.
    #[must_use]
    pub fn row(&self) -> &Row {
        &self.row
    }

    /// Predicts the labels above these thresholds of the last example, instead of those above one half.
    pub fn choose_labels(&mut self, thresholds: &LabelThresholds) {
        self.prediction.probabilities(&mut self.probabilities);
        thresholds.choose(&self.probabilities, &mut self.prediction.labels);
    }

    /// The calibrated probabilities of the last prediction, by class.
    pub fn probabilities(&mut self) -> &[f64] {
        self.prediction.probabilities(&mut self.probabilities);
        &self.probabilities
    }

    /// The votes of the weights on the last example, by class.
    pub fn votes(&mut self) -> &[f64] {
        self.votes.clear();
        if let Ok(x) = self.row.vector() {
            self.model.learner().votes(x, &self.shares, &mut self.voter, &mut self.votes);
        }
        &self.votes
    }

    /// The variances of the scores of the last example, by class; all the same where there is one for all, as with two
    /// classes or in an ensemble.
    pub fn variances(&mut self) -> &[f64] {
        self.variances.clear();
        let (classes, variance) = (self.model.learner().classes(), self.variance());
        if self.prediction.several {
            self.variances.extend(self.prediction.links.iter().map(|link| link.variance));
            return &self.variances;
        }
        self.variances.resize(classes, variance);
        // The store of many classes knows the variance of each.
        if let (Some(store), Ok(x), Task::Multiclass) =
            (self.model.learner().store(), self.row.vector(), self.model.task())
        {
            let mut means = vec![0.0; classes];
            store.scores(x, &mut means, Some(&mut self.variances), &mut Projection::default());
        }
        // As scores have it: beyond all numbers is the largest.
        self.variances.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = f64::MAX);
        &self.variances
    }

    /// The variance of the score of the predicted class.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.prediction.variance
    }

    /// The score of a class on the last example. Of two classes, each has the other's with the sign turned; of an ensemble of
    /// many, less the mean of all, because what its scores have in common says nothing.
    #[must_use]
    pub fn score(&self, class: usize) -> f64 {
        self.prediction.score_of(class)
    }
}
