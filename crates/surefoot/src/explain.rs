//! Why a prediction came out as it did: the features that decided, and how sure the model is of each.

use std::collections::BTreeMap;

use serde::Serialize;
use surefoot_core::{SparseVec, Task, Vector, held};
use surefoot_data::KeyedFeatures;

use crate::{Error, Model, Predictor, Result};

/// A prediction and what it rests on; `explain --json` prints it as it is.
///
/// What the features add sums to the log odds of the label over its rival: of a single learner and of an ensemble alike, whose
/// members' weights are taken together.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The predicted label; none while the model knows none.
    pub label: Option<String>,
    /// The true label, if the data has it.
    pub truth: Option<String>,
    /// The calibrated probability of the predicted label.
    pub probability: f64,
    /// Its score; for two labels that of the positive one, μ·x.
    pub score: f64,
    /// The standard deviation of the score.
    pub sd: f64,
    /// The second best label.
    pub runner_up: Option<RunnerUp>,
    /// The log odds of the label over the second best: what all features add together. Where a row may have several labels, those
    /// of having the label over not having it.
    pub logit: f64,
    /// The features by how much they decided, the most decisive first.
    pub features: Vec<Contribution>,
    /// What is not listed.
    pub others: Others,
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
    /// Its value as it was prepared; members of an ensemble see it through views of their own.
    pub value: f64,
    /// What a unit of the value adds to the log odds.
    pub mean: f64,
    /// The standard deviation of that.
    pub sd: f64,
    /// What it adds to the log odds of the label over the second best: value·mean.
    pub contribution: f64,
    /// Its part of all that was added and taken away in this decision, from 0 to 1.
    pub share: f64,
}

/// The features that are not listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Others {
    /// How many there are.
    pub features: usize,
    /// What they add together.
    pub contribution: f64,
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
/// assert!(one.contribution > 0.0); // it spoke for the label
/// let sum: f64 = why.features.iter().map(|own| own.contribution).sum();
/// assert!((sum - (why.probability / (1.0 - why.probability)).ln()).abs() < 1e-9);
/// # Ok::<(), Error>(())
/// ```
pub fn explain(model: &Model, features: &KeyedFeatures<'_>, most: usize) -> Result<Explanation> {
    let mut predictor = Predictor::new(model);
    predictor.predict(features);
    let probabilities = predictor.probabilities().to_vec();
    let prediction = predictor.prediction();
    let best = prediction.label;
    let several = model.task() == Task::Multilabel;
    let rivals = (0..probabilities.len()).filter(|&class| Some(class) != best);
    let rival = rivals.reduce(|a, b| if probabilities[b] > probabilities[a] { b } else { a });
    let (index, x) = (model.encoder().index(), predictor.row().vector()?);
    let mut found = match (best, rival) {
        // A label of several stands against not having it.
        (Some(best), _) if several => {
            let factors = model.head().logit_factors(predictor.scores(), best, best);
            contributions(model, x, &factors, [best, best])?
        }
        (Some(best), Some(rival)) => {
            let factors = model.head().logit_factors(predictor.scores(), best, rival);
            contributions(model, x, &factors, [best, rival])?
        }
        _ => Vec::new(),
    };
    let logit = held(found.iter().map(|own| own.contribution).sum());
    let total = held(found.iter().map(|own| own.contribution.abs()).sum());
    found.iter_mut().filter(|_| total > 0.0).for_each(|own| own.share = own.contribution.abs() / total);
    found.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
    let others = &found[most.min(found.len())..];
    let others =
        Others { features: others.len(), contribution: others.iter().map(|own| own.contribution).sum() };
    found.truncate(most);
    let probability = |class: usize| probabilities.get(class).copied().unwrap_or(0.0);
    Ok(Explanation {
        label: model.label(best).map(ToString::to_string),
        truth: None,
        probability: best.map_or(0.0, probability),
        score: prediction.score,
        sd: prediction.variance.max(0.0).sqrt(),
        runner_up: rival.and_then(|class| {
            let label = model.label(Some(class))?.to_string();
            Some(RunnerUp { label, probability: probability(class) })
        }),
        logit,
        features: found,
        others,
        unknown: x.ids().iter().filter(|&&id| index.name(id).is_none()).count(),
    })
}

/// One learner of a model as explanations need it.
struct MemberView {
    /// Its number in the learner.
    number: usize,
    /// What its scores count in the log odds.
    factor: f64,
    /// The example as it sees it.
    x: Vector,
}

/// The learner, or the members of an ensemble with what each sees.
fn members(model: &Model, x: SparseVec<'_>, factors: &[f64]) -> Vec<MemberView> {
    let Some(ensemble) = model.learner().as_ensemble() else {
        return vec![MemberView { number: 0, factor: factors[0], x: Vector::from_features(x) }];
    };
    let members = factors.iter().enumerate().filter(|(_, factor)| **factor != 0.0);
    members.map(|(number, &factor)| MemberView { number, factor, x: ensemble.seen_by(number, x) }).collect()
}

fn contributions(
    model: &Model,
    x: SparseVec<'_>,
    factors: &[f64],
    [best, rival]: [usize; 2],
) -> Result<Vec<Contribution>> {
    let (learner, two, several) = (model.learner(), model.labels().is_binary(), best == rival);
    let weight = |member: usize, id: u32, block: usize| {
        let refused =
            || Error::Other("a non-linear kernel has no weights of single features to explain with".into());
        learner.weight(member, id as usize, block).ok_or_else(refused)
    };
    // What each feature adds to the log odds, and the standard deviation of that.
    let mut found: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for MemberView { number, factor, x } in &members(model, x, factors) {
        for (&id, value) in x.features().ids().iter().zip(x.features().values()) {
            let (mean, variance) = if two {
                // A weight for one label is a weight against the other.
                let own = weight(*number, id, 0)?;
                (if best == 1 { own.mean } else { -own.mean }, own.variance)
            } else if several {
                let own = weight(*number, id, best)?;
                (own.mean, own.variance)
            } else {
                let (own, other) = (weight(*number, id, best)?, weight(*number, id, rival)?);
                (own.mean - other.mean, own.variance + other.variance)
            };
            let (contribution, deviation) = found.entry(id).or_default();
            *contribution = held(*contribution + held(factor * value * mean));
            // What one member does not know of a feature the others do not know either: deviations add up.
            *deviation = held(*deviation + held((factor * value).abs() * variance.max(0.0).sqrt()));
        }
    }
    let mut listed = Vec::new();
    let mut list = |id: u32, value: f64, (contribution, deviation): (f64, f64)| {
        let Some(name) = model.encoder().index().name(id) else { return };
        // A column that the example lacks has no value to divide by.
        let per_unit = |number: f64| if value == 0.0 { 0.0 } else { held(number / value) };
        listed.push(Contribution {
            feature: name.to_string(),
            value,
            mean: per_unit(contribution),
            sd: per_unit(deviation).abs(),
            contribution,
            share: 0.0,
        });
    };
    for (&id, &value) in x.ids().iter().zip(x.values()) {
        list(id, value, found.remove(&id).unwrap_or_default());
    }
    found.into_iter().for_each(|(id, sums)| list(id, 0.0, sums));
    Ok(listed)
}
