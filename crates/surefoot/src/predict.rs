//! Predicting many examples with buffers that are reused.

use surefoot_core::probability::Voter;
use surefoot_core::{Features as Numbers, Prediction};
use surefoot_data::{Features, Vectors};

use crate::Model;

/// A model with the buffers that prediction reuses.
///
/// ```
/// # use surefoot::prelude::*;
/// # use surefoot::{Predictor, train::Silent};
/// # use surefoot::data::Features;
/// # let points = Source::memory("points.svm", *b"+1 1:1\n-1 2:1\n");
/// # let (model, _) = train(vec![points], &TrainOptions::default(), &mut Silent)?;
/// let mut predictor = Predictor::new(&model);
/// assert_eq!(predictor.predict(&Features::given(&[2], &[1.0])).label, Some(0));
/// assert!(predictor.probabilities()[0] > 0.5);
/// assert!(predictor.votes()[0] > 0.5);
/// assert!(predictor.score(0) > 0.0 && predictor.variances()[0] > 0.0);
/// # Ok::<(), Error>(())
/// ```
pub struct Predictor<'m> {
    model: &'m Model,
    vectors: Vectors,
    prediction: Prediction,
    voter: Voter,
    votes: Vec<f64>,
    variances: Vec<f64>,
    probabilities: Vec<f64>,
}

impl<'m> Predictor<'m> {
    /// Nothing predicted yet.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        Self {
            model,
            vectors: Vectors::new(),
            prediction: Prediction::default(),
            voter: Voter::new(),
            votes: Vec::new(),
            variances: Vec::new(),
            probabilities: Vec::new(),
        }
    }

    /// The prediction for an example.
    pub fn predict(&mut self, features: &Features<'_>) -> &Prediction {
        self.model.predict_into(features, &mut self.vectors, &mut self.prediction);
        &self.prediction
    }

    /// The last prediction.
    #[must_use]
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// The calibrated probabilities of the last prediction, by class.
    pub fn probabilities(&mut self) -> &[f64] {
        self.prediction.probabilities(&mut self.probabilities);
        &self.probabilities
    }

    /// The votes of the weights on the last example, by class.
    pub fn votes(&mut self) -> &[f64] {
        self.votes.clear();
        if let Ok(numbers) = Numbers::new(&self.vectors.ids, &self.vectors.values) {
            self.model.learner().vote_into(numbers, &mut self.voter, &mut self.votes);
        }
        &self.votes
    }

    /// The variances of the scores of the last example, by class.
    pub fn variances(&mut self) -> &[f64] {
        self.variances.clear();
        if let Ok(numbers) = Numbers::new(&self.vectors.ids, &self.vectors.values) {
            self.model.learner().variances_into(numbers, &mut self.variances);
        }
        &self.variances
    }

    /// The variance of the score of the predicted class. Only a bank has to be asked again: its predictions know of none.
    pub fn variance(&mut self) -> f64 {
        match self.model.learner().as_bank() {
            Some(_) => self.variances().first().copied().unwrap_or(0.0),
            None => self.prediction.variance,
        }
    }

    /// The score of a class on the last example. Of two classes, each has the other's with the sign turned; of a bank of many,
    /// less the mean of all, because what its scores have in common says nothing.
    #[must_use]
    pub fn score(&self, class: usize) -> f64 {
        let scores = &self.prediction.scores;
        let of_class = scores.get(class).copied().unwrap_or(0.0);
        match self.prediction.binary_score() {
            // Not −0.0 where there is no score.
            Some(score) => [0.0 - score, score][usize::from(class == 1)],
            None if self.model.learner().as_bank().is_none() || scores.is_empty() => of_class,
            None => of_class - scores.iter().sum::<f64>() / scores.len() as f64,
        }
    }
}
