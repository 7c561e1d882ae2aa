//! Candidates that are tried, those that see the same features in one pass, and the best of them with its model.

use std::time::Instant;

use surefoot_core::LearnerSpec;
use surefoot_core::metric::MetricSpec;
use surefoot_data::Source;

use super::features::{DataShape, FeatureChange};
use super::{Search, Setting, Tuning, Untried};
use crate::compare::Contender;
use crate::side_by_side::{ContestantRecord, SideBySide, progressive};
use crate::train::TrainOptions;
use crate::{Error, Model, Result};

/// A learner with its features, and what a search changed of these.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) contender: Contender,
    pub(super) changes: Vec<FeatureChange>,
}

impl Trial {
    /// As it was given.
    fn new(contender: Contender) -> Self {
        Self { contender, changes: Vec::new() }
    }

    /// The candidate with one more change, if that makes a difference.
    pub(super) fn with(&self, change: FeatureChange) -> Option<Self> {
        // The members of an ensemble see values each in its own way.
        if matches!(change, FeatureChange::Values(_)) && self.contender.learner.is_ensemble() {
            return None;
        }
        let mut changed = self.clone();
        change.apply(&mut changed.contender.recipe);
        changed.changes.push(change);
        (changed.contender.recipe != self.contender.recipe).then_some(changed)
    }

    /// The flags that change its features.
    fn flags(&self) -> String {
        self.changes.iter().map(|change| change.flag()).collect::<Vec<_>>().join(" ")
    }

    fn is_default(&self) -> bool {
        self.contender.is_default() && self.changes.is_empty()
    }
}

/// What a candidate is judged by, smaller first: the metric asked for, then mistakes, then the log loss.
type Rank = [f64; 3];

fn is_better(one: Rank, other: Rank) -> bool {
    let mut pairs = one.iter().zip(&other).map(|(one, other)| one.total_cmp(other));
    pairs.find(|order| order.is_ne()).is_some_and(std::cmp::Ordering::is_lt)
}

/// A search under way.
pub(super) struct Trials<'a> {
    sources: &'a [Source],
    search: &'a Search,
    options: &'a TrainOptions,
    began: Instant,
    /// What the first pass showed.
    pub(super) data: Option<DataShape>,
    tried: Vec<(Rank, Setting)>,
    untried: Vec<Untried>,
    best: Option<(Rank, Trial, Model)>,
    examples: u64,
    bad_lines: u64,
}

impl<'a> Trials<'a> {
    pub(super) fn new(sources: &'a [Source], search: &'a Search, options: &'a TrainOptions) -> Self {
        let (tried, untried) = (Vec::new(), Vec::new());
        let began = Instant::now();
        Self {
            sources,
            search,
            options,
            began,
            data: None,
            tried,
            untried,
            best: None,
            examples: 0,
            bad_lines: 0,
        }
    }

    /// The candidates that were given.
    pub(super) fn candidates(&self) -> Vec<Trial> {
        self.search.candidates.iter().cloned().map(Trial::new).collect()
    }

    /// The best candidate so far.
    pub(super) fn best(&self) -> Option<&Trial> {
        self.best.as_ref().map(|(_, candidate, _)| candidate)
    }

    /// Tries candidates. None is begun once the time is spent, but the first.
    pub(super) fn run(&mut self, mut candidates: Vec<Trial>) -> Result<()> {
        while !candidates.is_empty() {
            let (group, rest): (Vec<_>, Vec<_>) =
                candidates.iter().cloned().partition(|one| one.contender.is_beside(&candidates[0].contender));
            let spent = self.search.budget.is_some_and(|budget| self.began.elapsed() >= budget);
            if spent && !self.tried.is_empty() {
                let untried = group
                    .iter()
                    .map(|one| Untried { learner: one.contender.name.clone(), features: one.flags() });
                self.untried.extend(untried);
            } else {
                self.learn(&group)?;
            }
            candidates = rest;
        }
        Ok(())
    }

    /// One pass, or as many as the options say, for candidates that see the same features.
    fn learn(&mut self, group: &[Trial]) -> Result<()> {
        let specs: Vec<LearnerSpec> = group.iter().map(|one| one.contender.learner.clone()).collect();
        let options = self.options.clone().recipe(group[0].contender.recipe.clone());
        let found = progressive(self.sources.to_vec(), &specs, &options)?;
        self.data = self.data.or(Some(DataShape { text: found.has_text(), features: found.features() }));
        self.bad_lines = self.bad_lines.max(found.bad_lines);
        let mut best = None;
        for (at, (candidate, record)) in group.iter().zip(&found.records).enumerate() {
            self.examples = record.scores.examples();
            let rank = self.rank(record);
            self.tried.push((rank, setting(candidate, record, &found)?));
            let leader = best.map(|(rank, _)| rank).or(self.best.as_ref().map(|(rank, ..)| *rank));
            if leader.is_none_or(|leader| is_better(rank, leader)) {
                best = Some((rank, at));
            }
        }
        if let Some((rank, at)) = best {
            self.best = Some((rank, group[at].clone(), found.into_model(at)));
        }
        Ok(())
    }

    fn rank(&self, record: &ContestantRecord) -> Rank {
        let mistakes = record.scores.mistakes() as f64;
        let loss = |name| record.scores.metric(name).unwrap_or(f64::INFINITY);
        let first = match (self.search.metric.name, self.search.metric.higher_is_better) {
            ("error-rate", _) => mistakes,
            (name, Some(true)) => record.scores.metric(name).map_or(f64::INFINITY, |value| -value),
            (name, _) => loss(name),
        };
        [first, mistakes, loss("log-loss")]
    }

    /// The best model, and the table.
    pub(super) fn finish(mut self) -> Result<(Model, Tuning)> {
        let Some((_, _, model)) = self.best else { return Err(Error::Other("no setting to try".into())) };
        let MetricSpec { name, help, .. } = self.search.metric;
        if self.tried.iter().all(|(_, row)| row.metric(name).is_none()) {
            return Err(Error::Other(format!("{name} has no value on this data; it is: {help}")));
        }
        // The order of equals is that in which they were tried, so that the first row is the model's.
        self.tried.sort_by(|(a, _), (b, _)| match (is_better(*a, *b), is_better(*b, *a)) {
            (true, _) => std::cmp::Ordering::Less,
            (_, true) => std::cmp::Ordering::Greater,
            _ => std::cmp::Ordering::Equal,
        });
        let table = Tuning {
            metric: self.search.metric.name,
            examples: self.examples,
            bad_lines: self.bad_lines,
            rows: self.tried.into_iter().map(|(_, row)| row).collect(),
            untried: self.untried,
        };
        Ok((model, table))
    }
}

fn setting(candidate: &Trial, record: &ContestantRecord, found: &SideBySide) -> Result<Setting> {
    let learner = match &candidate.contender.learner {
        LearnerSpec::One(spec) => spec.text(found.learners.encoder.task())?,
        _ => candidate.contender.name.clone(),
    };
    Ok(Setting {
        learner,
        features: candidate.flags(),
        default: candidate.is_default(),
        mistakes: record.scores.mistakes(),
        error_rate: record.scores.error_rate(),
        metrics: record.scores.metrics(),
        seconds: record.seconds,
    })
}
