//! What is told of one prediction: a line of `predict --json`, and the answer of a server.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use surefoot_data::Label;

use crate::{Model, Predictor, Thresholds};

/// What is asked about each prediction.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskedFields {
    /// Probabilities. Where they are not asked for they are 0.
    pub probabilities: bool,
    /// Votes of the weights.
    pub votes: bool,
    /// Scores and their variances.
    pub scores: bool,
    /// All labels, and not only the predicted one.
    pub all_labels: bool,
    /// Of all labels, the most probable.
    pub top: Option<usize>,
}

impl AskedFields {
    /// Whether other labels than the predicted one are told.
    #[must_use]
    pub fn others(&self) -> bool {
        self.all_labels || self.top.is_some()
    }
}

/// What is told of one prediction.
#[derive(Debug, Clone)]
pub struct PredictionLine<'m> {
    /// The labels, the predicted one first.
    pub labels: Vec<LabelLine<'m>>,
    /// Where a row may have several labels, those that are predicted, in their order.
    pub predicted: Option<Vec<String>>,
    /// What stands between those.
    pub separator: &'m str,
    /// The score of the prediction, as [`Prediction::shown_score`](surefoot_core::Prediction::shown_score) has it.
    pub score: f64,
    /// Its variance.
    pub variance: f64,
    asked: AskedFields,
}

/// What is told of one label.
#[derive(Debug, Clone)]
pub struct LabelLine<'m> {
    /// The label.
    pub label: &'m Label,
    /// Its calibrated probability.
    pub probability: f64,
    /// The vote of the weights for it.
    pub vote: f64,
    /// Its score.
    pub score: f64,
    /// The variance of that.
    pub variance: f64,
}

impl<'m> PredictionLine<'m> {
    /// Everything that was asked for about the last prediction of `predictor`.
    pub fn new(
        asked: AskedFields,
        model: &'m Model,
        predictor: &mut Predictor<'_>,
        thresholds: Option<&Thresholds>,
    ) -> Self {
        let classes = model.labels().len();
        let wants_probabilities = asked.probabilities || asked.others() || thresholds.is_some();
        let none = vec![0.0; classes];
        let probabilities =
            if wants_probabilities { predictor.probabilities().to_vec() } else { none.clone() };
        let votes = if asked.votes { predictor.votes().to_vec() } else { none.clone() };
        let own = predictor.prediction().label;
        let label = thresholds.map_or(own, |thresholds| thresholds.choose(&probabilities, own));
        let several = predictor.prediction().several;
        let wants_variances = asked.scores && (asked.others() || label != own || several);
        let variances = if wants_variances { predictor.variances().to_vec() } else { none };
        let of = |numbers: &[f64], class: usize| numbers.get(class).copied().unwrap_or(0.0);
        let mut order: Vec<usize> = match asked.others() {
            true => model.labels().order().into_iter().map(|class| class as usize).collect(),
            false if several => predictor.prediction().labels.iter().map(|&class| class as usize).collect(),
            false => label.into_iter().collect(),
        };
        // Two labels may be as probable as each other, and one of them is predicted.
        let is_other = |class: usize| !several && Some(class) != label;
        order.sort_by(|&a, &b| {
            is_other(a).cmp(&is_other(b)).then_with(|| probabilities[b].total_cmp(&probabilities[a]))
        });
        order.truncate(asked.top.unwrap_or(usize::MAX));
        let line = |class: usize| LabelLine {
            label: &model.labels().names()[class],
            probability: of(&probabilities, class),
            vote: of(&votes, class),
            score: predictor.score(class),
            variance: of(&variances, class),
        };
        let (score, variance) = match label {
            Some(other) if label != own => {
                let score = predictor.prediction().binary_score();
                (score.unwrap_or_else(|| predictor.score(other)), of(&variances, other))
            }
            _ => (predictor.prediction().shown_score(), predictor.variance()),
        };
        let told = |class: &&u32| predictor.prediction().labels.contains(class);
        let name = |class: &u32| model.labels().name(*class).to_string();
        let predicted = several.then(|| model.labels().order().iter().filter(told).map(name).collect());
        let separator = model.columns().label_separator.as_deref().unwrap_or(",");
        let labels = order.into_iter().map(line).collect();
        Self { labels, predicted, separator, score, variance, asked }
    }

    /// Puts the fields into a JSON object, in alphabetical order.
    pub fn put<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (first, several) = (self.labels.first(), self.predicted.is_some());
        let others = several || self.asked.others();
        let all = |of: fn(&LabelLine<'_>) -> f64| -> BTreeMap<String, f64> {
            self.labels.iter().map(|one| (one.label.to_string(), of(one))).collect()
        };
        match &self.predicted {
            Some(predicted) => map.serialize_entry("labels", predicted)?,
            None => map.serialize_entry("label", &first.map(|one| one.label.to_string()))?,
        }
        if others {
            map.serialize_entry("probabilities", &all(|one| one.probability))?;
        }
        if !several {
            map.serialize_entry("probability", &first.map(|one| one.probability))?;
            map.serialize_entry("score", &self.score)?;
        }
        if others {
            map.serialize_entry("scores", &all(|one| one.score))?;
        }
        if !several {
            map.serialize_entry("variance", &self.variance)?;
        }
        if others {
            map.serialize_entry("variances", &all(|one| one.variance))?;
        }
        if self.asked.votes {
            if !several {
                map.serialize_entry("vote", &first.map(|one| one.vote))?;
            }
            if others {
                map.serialize_entry("votes", &all(|one| one.vote))?;
            }
        }
        Ok(())
    }
}
