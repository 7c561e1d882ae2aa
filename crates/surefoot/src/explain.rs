//! Why a prediction came out as it did: the features that decided, and how sure the model is of each.

use serde::Serialize;
use surefoot_core::{SparseVec, held};
use surefoot_data::KeyedFeatures;

use crate::{Error, Model, Predictor, Result};

/// A prediction and what it rests on; `explain --json` prints it as it is.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The predicted label; none while the model knows none.
    pub label: Option<String>,
    /// Its calibrated probability.
    pub probability: f64,
    /// Its score; for two labels that of the positive one, μ·x.
    pub score: f64,
    /// The standard deviation of the score; 0 in an ensemble, whose members each have their own.
    pub sd: f64,
    /// The second best label.
    pub runner_up: Option<RunnerUp>,
    /// Of an ensemble, the member that is explained: the best one so far.
    pub member: Option<String>,
    /// The features by how much they decided, the most decisive first.
    pub features: Vec<Contribution>,
    /// Features of the example that the model has never met; they decide nothing.
    pub unknown: usize,
}

/// The label that would have been predicted otherwise.
#[derive(Debug, Clone, Serialize)]
pub struct RunnerUp {
    /// The label.
    pub label: String,
    /// Its calibrated probability.
    pub probability: f64,
}

/// What one feature did.
#[derive(Debug, Clone, Serialize)]
pub struct Contribution {
    /// The feature.
    pub feature: String,
    /// Its value as the learner sees it.
    pub value: f64,
    /// The mean of its weight for the predicted label (two labels: a weight for one is a weight against the other).
    pub mean: f64,
    /// The standard deviation of that weight.
    pub sd: f64,
    /// What it adds to the score of the predicted label: value·mean.
    pub contribution: f64,
    /// With more than two labels, what it adds to the lead over the runner-up.
    pub lead: Option<f64>,
    /// Its part of all that was added and taken away in this decision, from 0 to 1.
    pub share: f64,
}

impl Contribution {
    /// What counts in the decision.
    fn decisive(&self) -> f64 {
        self.lead.unwrap_or(self.contribution)
    }
}

/// Explains the prediction of one example with its `most` decisive features.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::{data::KeyedFeatures, explain, train::Silent};
///
/// let data = Source::memory("mail.svm", *b"+1 1:1 3:1\n-1 2:1 3:1\n+1 1:1\n-1 2:1\n");
/// let (model, _) = train(vec![data], &TrainOptions::default(), &mut Silent)?;
/// let why = explain(&model, &KeyedFeatures::given(&[1, 3, 9], &[1.0, 1.0, 1.0]), 10)?;
/// assert_eq!((why.label.as_deref(), why.unknown), (Some("1"), 1));
/// let one = why.features.iter().find(|own| own.feature == "1").unwrap();
/// assert!(one.contribution > 0.0 && one.sd < 1.0); // it spoke for the label, and is better known than at the start
/// # Ok::<(), Error>(())
/// ```
pub fn explain(model: &Model, features: &KeyedFeatures<'_>, most: usize) -> Result<Explanation> {
    let mut predictor = Predictor::new(model);
    predictor.predict(features);
    let probabilities = predictor.probabilities().to_vec();
    let prediction = predictor.prediction();
    let best = prediction.label;
    let rivals = (0..probabilities.len()).filter(|&class| Some(class) != best);
    let runner_up = rivals.reduce(|a, b| if probabilities[b] > probabilities[a] { b } else { a });
    let (index, x) = (model.encoder().index(), predictor.row().vector()?);
    let (member, values) = member_view(model, x)?;
    let seen = SparseVec::new(x.ids(), &values)?;
    let mut found = match best {
        Some(best) => contributions(model, seen, best, runner_up)?,
        None => Vec::new(),
    };
    let total = held(found.iter().map(|own| own.decisive().abs()).sum());
    found.iter_mut().filter(|_| total > 0.0).for_each(|own| own.share = own.decisive().abs() / total);
    found.sort_by(|a, b| b.decisive().abs().total_cmp(&a.decisive().abs()));
    found.truncate(most);
    let probability = |class: usize| probabilities.get(class).copied().unwrap_or(0.0);
    Ok(Explanation {
        label: model.label(best).map(ToString::to_string),
        probability: best.map_or(0.0, probability),
        score: prediction.score,
        sd: if member.is_none() { prediction.variance.max(0.0).sqrt() } else { 0.0 },
        runner_up: runner_up.and_then(|class| {
            let label = model.label(Some(class))?.to_string();
            Some(RunnerUp { label, probability: probability(class) })
        }),
        member,
        features: found,
        unknown: x.ids().iter().filter(|&&id| index.name(id).is_none()).count(),
    })
}

/// The values as they are, or as the best member of an ensemble sees them, and then its name.
fn member_view(model: &Model, x: SparseVec<'_>) -> Result<(Option<String>, Vec<f64>)> {
    let member = model.learner().as_ensemble().and_then(|own| own.members().nth(model.head().best()));
    let Some((spec, view)) = member else { return Ok((None, x.values().to_vec())) };
    let mut values = Vec::new();
    view.apply(x, model.encoder().recipe().bias, &mut values);
    Ok((Some(format!("{}@{view}", spec.text(model.task())?)), values))
}

fn contributions(
    model: &Model,
    x: SparseVec<'_>,
    best: usize,
    runner_up: Option<usize>,
) -> Result<Vec<Contribution>> {
    let (index, learner, member) = (model.encoder().index(), model.learner(), model.head().best());
    let two = model.labels().is_binary();
    let (block, sign) = if two { (0, if best == 1 { 1.0 } else { -1.0 }) } else { (best, 1.0) };
    let rival = runner_up.filter(|_| !two);
    let weight = |id: u32, block: usize| {
        let refused =
            || Error::Other("a non-linear kernel has no weights of single features to explain with".into());
        learner.weight(member, id as usize, block).ok_or_else(refused)
    };
    let mut found = Vec::new();
    for (&id, &value) in x.ids().iter().zip(x.values()) {
        let Some(name) = index.name(id) else { continue };
        let own = weight(id, block)?;
        let contribution = held(sign * value * own.mean);
        let lead = match rival {
            Some(rival) => Some(held(contribution - held(value * weight(id, rival)?.mean))),
            None => None,
        };
        let (feature, mean, sd) = (name.to_string(), sign * own.mean, own.variance.max(0.0).sqrt());
        found.push(Contribution { feature, value, mean, sd, contribution, lead, share: 0.0 });
    }
    Ok(found)
}
