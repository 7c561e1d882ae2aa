//! One model from several that were trained apart.
//!
//! Every update of a Gaussian model adds to its natural parameters Λ = Σ⁻¹ and η = Λμ, so what models learned apart
//! adds up: Λ = Λ₁ + Σᵢ(Λᵢ − Λ₁), η = η₁ + Σᵢ(ηᵢ − η₁), with the prior, or a base that all continued from, counted
//! once. For `arow` with a full covariance this is the very model that one machine would have after the same updates.
//! docs/merging.md tells what the other stores and rules make of it, with figures.

use serde_json::Value;
use surefoot_core::{HeadPart, LearnerPart, LearnerSpec, Merging, RowKind, Task};
use surefoot_data::model_file::Counts;
use surefoot_data::{Encoder, Labels};

use super::Model;
use crate::balance::ClassBalance;
use crate::beginning::Beginning;
use crate::first_rows::FirstRows;
use crate::learners::{Contestant, Learners};
use crate::{Error, Result};

/// Merges models of one learner, one recipe and one kind of feature space; `base` is what all of them continued from,
/// if they did. Labels and features are joined by name, and the result goes on learning like any other model.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::{merge, train::Silent};
///
/// let one = Source::memory("one.tsv", *b"spam\tcheap pills\nham\tlunch today\n");
/// let two = Source::memory("two.tsv", *b"ham\tdinner tonight\nspam\tcheap watches\n");
/// let options = TrainOptions::default();
/// let (one, _) = train(vec![one], &options, &mut Silent)?;
/// let (two, _) = train(vec![two], &options, &mut Silent)?;
/// let both = merge(&[one, two], None)?;
/// assert_eq!(both.counts().examples, 4);
/// assert_eq!(both.encoder().index().len(), 8); // seven words and the bias
/// # Ok::<(), Error>(())
/// ```
pub fn merge(models: &[Model], base: Option<&Model>) -> Result<Model> {
    merge_by(models, base, Merging::Measured)
}

/// As [`merge`], with a say in how the means of diagonal models are merged.
pub fn merge_by(models: &[Model], base: Option<&Model>, merging: Merging) -> Result<Model> {
    let Some(first) = models.first() else { return Err(Error::Other("no model to merge".into())) };
    let mut all = models.iter().chain(base);
    if let Some(decided) = all.clone().find(|model| !model.is_open())
        && all.any(Model::is_open)
    {
        let own: Vec<Model> = models.iter().map(|model| alike(model, decided)).collect::<Result<_>>()?;
        let base = base.map(|base| alike(base, decided)).transpose()?;
        return merge_by(&own, base.as_ref(), merging);
    }
    models.iter().chain(base).skip(1).enumerate().try_for_each(|(i, other)| check(first, other, i + 2))?;
    base.map_or(Ok(()), |base| check_base(models, base))?;
    if models.len() == 1 {
        return Ok(first.clone());
    }
    // Each model counts the base once; it is to be counted once altogether.
    let again = 1.0 - models.len() as f64;
    let counted: Vec<(&Model, f64)> =
        models.iter().map(|model| (model, 1.0)).chain(base.map(|base| (base, again))).collect();
    let mut all = counted.iter().map(|(model, _)| model.labels());
    let labels = all.try_fold(first.labels().clone(), |labels, more| labels.union(more))?;
    let encoders: Vec<_> = counted.iter().map(|(model, times)| (model.encoder(), *times)).collect();
    let (encoder, features) = Encoder::merge(first.plan(), labels, &encoders)?;
    let first_rows = FirstRows::sum(counted.iter().map(|(model, times)| (model.learners.first_rows, *times)));
    let mut own = Contestant::new(first.learner_spec(), &encoder)?;
    let classes: Vec<Vec<usize>> =
        counted.iter().map(|(model, _)| classes_of(model, encoder.labels())).collect();
    let part = |i: usize| LearnerPart {
        learner: counted[i].0.learner(),
        features: &features[i],
        classes: &classes[i],
        examples: counted[i].0.counts().rounds as f64,
        times: counted[i].1,
    };
    own.learner.merge(&(0..counted.len()).map(part).collect::<Vec<_>>(), merging)?;
    let heads = counted.iter().zip(&classes).map(|(&(model, times), classes)| HeadPart {
        head: model.head(),
        examples: model.counts().rounds as f64,
        times,
        classes,
    });
    own.head.merge(&heads.collect::<Vec<_>>())?;
    own.counts = count(&counted);
    own.watch = first.own().watch.anew();
    let balances = counted.iter().zip(&classes);
    own.balance = ClassBalance::sum(
        balances.map(|(&(model, times), classes)| (model.own().balance.as_ref(), times, classes.as_slice())),
    );
    // Parts of a stream have no beginning in common.
    let beginning = base.map_or_else(Beginning::default, |base| base.learners.beginning.clone());
    let learners = Learners { encoder, contestants: vec![own], first_rows, beginning };
    Ok(Model::from_parts(learners, first.columns().clone(), first.seed()))
}

/// A copy in which it is decided which members learn, as another model has decided it.
fn alike(model: &Model, decided: &Model) -> Result<Model> {
    let mut copy = model.clone();
    if copy.is_open() {
        let own = spec(decided.learner_spec(), decided.task())?;
        for rows in RowKind::ALL {
            if copy.is_open() && spec(&copy.learner_spec().clone().for_rows(rows), copy.task())? == own {
                copy.learners.settle_rows(rows)?;
            }
        }
    }
    Ok(copy)
}

/// Refuses a base that some model cannot have been continued from: it has seen more than the model.
fn check_base(models: &[Model], base: &Model) -> Result<()> {
    let before = base.counts();
    for (i, model) in models.iter().enumerate() {
        let now = model.counts();
        let grew = now.rounds >= before.rounds
            && now.examples >= before.examples
            && now.mistakes >= before.mistakes
            && now.updates >= before.updates;
        if !grew {
            let (number, seen, had) = (i + 1, now.examples, before.examples);
            return Err(Error::Other(format!(
                "model {number} was not continued from the base: it has seen {seen} examples, the base {had}"
            )));
        }
    }
    Ok(())
}

/// Refuses a model that does not fit the first one; `number` is its place among the models, from 1.
fn check(first: &Model, other: &Model, number: usize) -> Result<()> {
    let refuse = |what: &str, ours: &str, theirs: &str| {
        let found = format!("models 1 and {number} cannot be merged: they differ in {what}");
        Err(Error::Other(format!("{found} ({ours} and {theirs}); train them with the same settings")))
    };
    let own = |model: &Model| spec(model.learner_spec(), model.task());
    let (ours, theirs) = (own(first)?, own(other)?);
    if ours != theirs {
        return refuse("the learner", &ours, &theirs);
    }
    if first.on_drift() != other.on_drift() {
        return refuse("on-drift", first.on_drift().name(), other.on_drift().name());
    }
    let json = |model: &Model| serde_json::from_str(&model.plan().recipe().to_json()).unwrap_or_default();
    match first_difference("", &json(first), &json(other)) {
        Some((name, ours, theirs)) => refuse(&format!("`{name}`"), &ours, &theirs),
        None => Ok(()),
    }
}

/// The SPEC with all parameters, those of many classes too.
fn spec(learner: &LearnerSpec, task: Task) -> Result<String> {
    Ok(learner.text(if task == Task::Binary { Task::Multiclass } else { task })?)
}

/// The first setting in which two recipes differ, and what each says.
fn first_difference(path: &str, one: &Value, two: &Value) -> Option<(String, String, String)> {
    match (one.as_object(), two.as_object()) {
        (Some(ours), Some(theirs)) if ours.keys().eq(theirs.keys()) => {
            ours.iter().find_map(|(name, value)| {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                first_difference(&path, value, &theirs[name])
            })
        }
        _ => (one != two).then(|| (path.to_string(), one.to_string(), two.to_string())),
    }
}

/// What each class of a model is called among these labels.
fn classes_of(model: &Model, labels: &Labels) -> Vec<usize> {
    let class = |(own, name): (usize, &surefoot_data::Label)| {
        let found = labels.class(name.to_string().as_bytes()).map(|class| class as usize);
        // The negative label of a half-known pair may be spelt otherwise here; its place is the same.
        found.unwrap_or(own)
    };
    model.labels().names().iter().enumerate().map(class).collect()
}

/// What all models have seen together.
fn count(models: &[(&Model, f64)]) -> Counts {
    let sum = |of: fn(Counts) -> u64| {
        models.iter().map(|(model, times)| times * of(model.counts()) as f64).sum::<f64>().max(0.0) as u64
    };
    let (rounds, examples) = (sum(|counts| counts.rounds), sum(|counts| counts.examples));
    Counts {
        rounds,
        examples,
        mistakes: sum(|counts| counts.mistakes).min(examples),
        updates: sum(|counts| counts.updates).min(rounds),
        passes: models.iter().map(|(model, _)| model.counts().passes).max().unwrap_or(0),
    }
}
