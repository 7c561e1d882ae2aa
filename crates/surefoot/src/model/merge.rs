//! One model from several that were trained apart.
//!
//! Every update of a Gaussian model adds to its natural parameters Λ = Σ⁻¹ and η = Λμ, so what models learned apart
//! adds up: Λ = Λ₁ + Σᵢ(Λᵢ − Λ₁), η = η₁ + Σᵢ(ηᵢ − η₁), with the prior, or a base that all continued from, counted
//! once. For `arow` with a full covariance this is the very model that one machine would have after the same updates.
//! docs/merging.md tells what the other stores and rules make of it, with figures.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use surefoot_core::{Head, HeadPart, LearnerPart, LearnerSpec, LearnerSum, Merging, PartRole, RowKind, Task};
use surefoot_data::model_file::Counts;
use surefoot_data::{Encoder, FormatOptions, Labels, Plan, name_key};

use super::Model;
use crate::balance::ClassBalance;
use crate::beginning::Beginning;
use crate::first_rows::FirstRows;
use crate::learners::{Contestant, Learners};
use crate::train::changes::ChangeWatch;
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
    let keys = models.iter().map(|model| Ok(name_key(&model.to_bytes()?, 0))).collect::<Result<_>>()?;
    merge_each(keys, |i| Ok(Cow::Borrowed(&models[i])), base, merging)
}

/// As [`merge_by`] for models in files, of which there is one in memory at a time.
pub fn merge_files<P: AsRef<Path>>(paths: &[P], base: Option<&Model>, merging: Merging) -> Result<Model> {
    let key = |path: &P| match std::fs::read(path) {
        Ok(bytes) => Ok(name_key(&bytes, 0)),
        // It says best what is wrong with the file.
        Err(_) => Model::load(path).map(|_| 0),
    };
    let keys = paths.iter().map(key).collect::<Result<_>>()?;
    merge_each(keys, |i| Ok(Cow::Owned(Model::load(&paths[i])?)), base, merging)
}

/// Merges models one after the other, in the order of their keys, so that the result does not depend on the order in which
/// they are named.
fn merge_each<'m>(
    keys: Vec<u64>,
    load: impl Fn(usize) -> Result<Cow<'m, Model>>,
    base: Option<&Model>,
    merging: Merging,
) -> Result<Model> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| keys[i]);
    let mut merger = Merger { base: base.cloned(), merging, begun: None, open: Vec::new() };
    match order[..] {
        [] => Err(Error::Other("no model to merge".into())),
        [only] => {
            let model = load(only)?;
            base.map_or(Ok(()), |base| check_continued(&model, base, 1))?;
            Ok(model.into_owned())
        }
        _ => {
            order.into_iter().try_for_each(|i| merger.add(load(i)?, i + 1))?;
            merger.finish()
        }
    }
}

/// What models add up to, one after the other.
struct Merger {
    base: Option<Model>,
    merging: Merging,
    begun: Option<Begun>,
    /// Models that have not decided yet which members learn, with their numbers. They have seen a few rows at most, so they
    /// wait until one comes that has.
    open: Vec<(Model, usize)>,
}

/// The sums, and what all models have in common.
struct Begun {
    like: Like,
    encoder: Encoder,
    sum: LearnerSum,
    /// The features of the base.
    base_features: Vec<u32>,
    parts: Vec<Part>,
}

/// What is small in a model that was added.
struct Part {
    head: Head,
    counts: Counts,
    first_rows: Option<FirstRows>,
    balance: Option<ClassBalance>,
    classes: Vec<usize>,
    times: f64,
}

/// The settings of the first model.
struct Like {
    number: usize,
    spec: LearnerSpec,
    plan: Arc<Plan>,
    columns: FormatOptions,
    seed: u64,
    watch: ChangeWatch,
}

impl Merger {
    /// Takes in a model; `number` is its place among the models as they were named, from 1.
    fn add(&mut self, model: Cow<'_, Model>, number: usize) -> Result<()> {
        if model.is_open() {
            self.open.push((model.into_owned(), number));
            return Ok(());
        }
        self.add_decided(&model, number)
    }

    /// Takes in a model whose members are those of all others.
    fn add_decided(&mut self, model: &Model, number: usize) -> Result<()> {
        if self.begun.is_none() {
            self.begin(model, number)?;
        }
        let Some(begun) = &mut self.begun else { return Ok(()) };
        check(&begun.like, model, number)?;
        self.base.as_ref().map_or(Ok(()), |base| check_continued(model, base, number))?;
        let features = begun.encoder.absorb(model.encoder())?;
        begun.encoder.add_statistics(model.encoder(), &features, 1.0);
        let classes = classes_of(model, begun.encoder.labels());
        add_to(&mut begun.sum, model, &features, &classes, PartRole::Part)?;
        begun.parts.push(Part::of(model, classes, 1.0));
        Ok(())
    }

    /// Begins with the base, or with nothing, as the first model has it.
    fn begin(&mut self, model: &Model, number: usize) -> Result<()> {
        let mut begun = Begun {
            like: Like {
                number,
                spec: model.learner_spec().clone(),
                plan: model.plan(),
                columns: model.columns().clone(),
                seed: model.seed(),
                watch: model.own().watch.anew(),
            },
            encoder: Encoder::new(model.labels().clone(), model.plan(), false),
            sum: LearnerSum::new(self.merging),
            base_features: Vec::new(),
            parts: Vec::new(),
        };
        if let Some(base) = &mut self.base {
            decide(base, model.learner_spec())?;
            check(&begun.like, base, 0)?;
            begun.encoder = Encoder::new(base.labels().clone(), base.plan(), false);
            begun.base_features = begun.encoder.absorb(base.encoder())?;
            let classes = classes_of(base, begun.encoder.labels());
            add_to(&mut begun.sum, base, &begun.base_features, &classes, PartRole::Base)?;
        }
        self.begun = Some(begun);
        Ok(())
    }

    /// What all of them have learned.
    fn finish(mut self) -> Result<Model> {
        for (mut model, number) in std::mem::take(&mut self.open) {
            if let Some(begun) = &self.begun {
                decide(&mut model, &begun.like.spec)?;
            }
            self.add_decided(&model, number)?;
        }
        let Self { base, begun, .. } = self;
        let Some(Begun { like, mut encoder, mut sum, base_features, mut parts }) = begun else {
            return Err(Error::Other("no model to merge".into()));
        };
        if let Some(base) = &base {
            // Each model counts the base once; it is to be counted once altogether.
            let (again, classes) = (1.0 - parts.len() as f64, classes_of(base, encoder.labels()));
            encoder.add_statistics(base.encoder(), &base_features, again);
            add_to(&mut sum, base, &base_features, &classes, PartRole::Last)?;
            parts.push(Part::of(base, classes, again));
        }
        let mut own = Contestant::new(&like.spec, &encoder)?;
        own.learner.take(sum)?;
        own.head.merge(&parts.iter().map(Part::head).collect::<Vec<_>>())?;
        (own.counts, own.watch) = (count(&parts), like.watch);
        own.balance = ClassBalance::sum(
            parts.iter().map(|part| (part.balance.as_ref(), part.times, part.classes.as_slice())),
        );
        let first_rows = FirstRows::sum(parts.iter().map(|part| (part.first_rows, part.times)));
        // Parts of a stream have no beginning in common.
        let beginning = base.map_or_else(Beginning::default, |base| base.learners.beginning);
        let learners = Learners { encoder, contestants: vec![own], first_rows, beginning };
        Ok(Model::from_parts(learners, like.columns, like.seed))
    }
}

impl Part {
    fn of(model: &Model, classes: Vec<usize>, times: f64) -> Self {
        Self {
            head: model.head().clone(),
            counts: model.counts(),
            first_rows: model.learners.first_rows,
            balance: model.own().balance.clone(),
            classes,
            times,
        }
    }

    fn head(&self) -> HeadPart<'_> {
        HeadPart {
            head: &self.head,
            examples: self.counts.rounds as f64,
            times: self.times,
            classes: &self.classes,
        }
    }
}

/// Adds what a model's learner has learned.
fn add_to(
    sum: &mut LearnerSum,
    model: &Model,
    features: &[u32],
    classes: &[usize],
    role: PartRole,
) -> Result<()> {
    let part = LearnerPart { features, classes, examples: model.counts().rounds as f64, role };
    Ok(model.learner().add_to(sum, &part)?)
}

/// Decides which members learn, as it was decided elsewhere, if it was.
fn decide(model: &mut Model, decided: &LearnerSpec) -> Result<()> {
    if decided.is_open() {
        return Ok(());
    }
    for rows in RowKind::ALL {
        if model.is_open()
            && spec(&model.learner_spec().clone().for_rows(rows), model.task())?
                == spec(decided, model.task())?
        {
            model.learners.settle_rows(rows)?;
        }
    }
    Ok(())
}

/// Refuses a model that cannot have been continued from the base, which has seen more.
fn check_continued(model: &Model, base: &Model, number: usize) -> Result<()> {
    let (now, before) = (model.counts(), base.counts());
    let grew = now.rounds >= before.rounds
        && now.examples >= before.examples
        && now.mistakes >= before.mistakes
        && now.updates >= before.updates;
    if grew {
        return Ok(());
    }
    let (seen, had) = (now.examples, before.examples);
    Err(Error::Other(format!(
        "model {number} was not continued from the base: it has seen {seen} examples, the base {had}"
    )))
}

/// Refuses a model that does not fit the others; `number` is its place among them, from 1, and that of the base 0.
fn check(first: &Like, other: &Model, number: usize) -> Result<()> {
    let (here, there) = (first.number.min(number), first.number.max(number));
    let refuse = |what: &str, ours: &str, theirs: &str| {
        let [ours, theirs] = if first.number <= number { [ours, theirs] } else { [theirs, ours] };
        let who = if here == 0 {
            format!("the base and model {there}")
        } else {
            format!("models {here} and {there}")
        };
        let found = format!("{who} cannot be merged: they differ in {what}");
        Err(Error::Other(format!("{found} ({ours} and {theirs}); train them with the same settings")))
    };
    // With the parameters of the other's task.
    let (ours, theirs) = (spec(&first.spec, other.task())?, spec(other.learner_spec(), other.task())?);
    if ours != theirs {
        return refuse("the learner", &ours, &theirs);
    }
    if first.watch.on_drift != other.on_drift() {
        return refuse("on-drift", first.watch.on_drift.name(), other.on_drift().name());
    }
    let json = |plan: &Plan| serde_json::from_str(&plan.recipe().to_json()).unwrap_or_default();
    match first_difference("", &json(&first.plan), &json(&other.plan())) {
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
fn count(parts: &[Part]) -> Counts {
    let sum = |of: fn(Counts) -> u64| {
        parts.iter().map(|part| part.times * of(part.counts) as f64).sum::<f64>().max(0.0) as u64
    };
    let (rounds, examples) = (sum(|counts| counts.rounds), sum(|counts| counts.examples));
    Counts {
        rounds,
        examples,
        mistakes: sum(|counts| counts.mistakes).min(examples),
        updates: sum(|counts| counts.updates).min(rounds),
        passes: parts.iter().map(|part| part.counts.passes).max().unwrap_or(0),
    }
}
