//! The online methods of the tables, how they learn, and how they are tuned.

use std::cmp::Reverse;

use surefoot_core::{Head, Learner, LearnerSpec, Prediction, Scores, SparseVec, Target, Task};

use super::climb::climb;
use super::parts::Split;
use crate::clock::Stopwatch;
use crate::data::DataSet;
use crate::{Error, Result, Setup};

/// So often at most is an example shown again until all its constraints hold.
const MOST_SWEEPS: usize = 50;

/// The confidences η that are tried.
pub(super) const CONFIDENCES: &[&str] = &[
    "confidence=0.52",
    "confidence=0.55",
    "confidence=0.6",
    "confidence=0.7",
    "confidence=0.8",
    "confidence=0.9",
    "confidence=0.95",
    "confidence=0.99",
    "confidence=0.999",
];

/// The one that a quick run tries: large, so that the ways to learn differ.
const QUICK_CONFIDENCE: &[&str] = &["confidence=0.9"];

/// An online method with the settings that tuning chooses from, in the order in which it climbs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Method {
    /// What it is called in tables.
    pub(super) name: &'static str,
    /// The learner, without what is tuned.
    spec: &'static str,
    /// The parameters that are tried.
    grid: &'static [&'static str],
    /// Whether each example is learned until nothing changes any more.
    until_it_holds: bool,
}

/// A learner and its head, with the buffers of a round.
pub(super) struct Pair {
    pub(super) learner: Box<dyn Learner>,
    pub(super) head: Head,
    scores: Scores,
    prediction: Prediction,
}

impl Pair {
    /// At the start of the stream, with so many classes.
    pub(super) fn new(spec: &str, classes: usize) -> Result<Self> {
        let spec = LearnerSpec::parse(spec)?;
        let (learner, head) = (spec.build(Task::Multiclass, classes, false)?, spec.head(Task::Multiclass)?);
        Ok(Self { learner, head, scores: Scores::default(), prediction: Prediction::default() })
    }

    /// Both halves of a round; says whether the weights moved.
    pub(super) fn learn(&mut self, x: SparseVec<'_>, class: usize) -> Result<bool> {
        self.learner.update(x, Target::Class(class), 1.0, &mut self.scores)?;
        self.head.update(&self.scores, Target::Class(class), 1.0, &mut self.prediction)?;
        Ok(self.scores.updated())
    }
}

/// A method at one setting, for a number of passes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Setting {
    /// The whole SPEC.
    pub(super) spec: String,
    /// Passes over the data.
    pub(super) passes: usize,
}

impl Method {
    /// A method whose examples are shown once a pass.
    pub(super) const fn new(name: &'static str, spec: &'static str, grid: &'static [&'static str]) -> Self {
        Self { name, spec, grid, until_it_holds: false }
    }

    /// The same with each example learned until all its constraints hold.
    pub(super) const fn until_it_holds(self) -> Self {
        Self { until_it_holds: true, ..self }
    }

    /// The method as it is run: a quick run tries a single confidence.
    pub(super) fn sized(self, setup: &Setup) -> Self {
        let quick = setup.is_quick() && self.grid.iter().all(|setting| setting.starts_with("confidence="));
        Self { grid: if quick { QUICK_CONFIDENCE } else { self.grid }, ..self }
    }

    /// The SPEC with one setting of the grid.
    fn at(&self, setting: &str) -> String {
        let mark = if self.spec.contains(':') { ',' } else { ':' };
        if setting.is_empty() { self.spec.to_string() } else { format!("{}{mark}{setting}", self.spec) }
    }

    /// Learns from these examples and calls `after` at the end of each pass, with its CPU seconds, the learner and its head.
    pub(super) fn learn(
        &self,
        setting: &Setting,
        set: &DataSet,
        train: &[usize],
        mut after: impl FnMut(f64, &dyn Learner, &Head),
    ) -> Result<()> {
        let mut pair = Pair::new(&setting.spec, set.labels.len())?;
        for _ in 0..setting.passes {
            let began = Stopwatch::start();
            for &i in train {
                let (x, class) = &set.examples[i];
                self.round(&mut pair, x.features(), *class)?;
            }
            after(began.seconds(), &*pair.learner, &pair.head);
        }
        Ok(())
    }

    /// One example.
    fn round(&self, pair: &mut Pair, x: SparseVec<'_>, class: usize) -> Result<()> {
        let most = if self.until_it_holds { MOST_SWEEPS } else { 1 };
        for _ in 0..most {
            if !pair.learn(x, class)? {
                break;
            }
        }
        Ok(())
    }

    /// Which of the split's test examples are right after each pass.
    pub(super) fn right_per_pass(
        &self,
        setting: &Setting,
        set: &DataSet,
        split: &Split,
    ) -> Result<Vec<Vec<bool>>> {
        let mut passes = Vec::new();
        self.learn(setting, set, &split.train, |_, learner, _| {
            passes.push(right(learner, set, &split.test))
        })?;
        Ok(passes)
    }

    /// The setting that does best on the tuning split, after the best number of passes.
    pub(super) fn tune(&self, set: &DataSet, split: &Split, passes: usize) -> Result<Setting> {
        let score = |at: usize| self.best_pass(&Setting { spec: self.at(self.grid[at]), passes }, set, split);
        let found = climb(self.grid.len(), score)?;
        let (at, (_, Reverse(passes))) =
            found.ok_or_else(|| Error::Other(format!("{} has no settings to try", self.name)))?;
        Ok(Setting { spec: self.at(self.grid[at]), passes })
    }

    /// The most that are right after a pass, and the fewest passes that get there.
    fn best_pass(&self, tried: &Setting, set: &DataSet, split: &Split) -> Result<(usize, Reverse<usize>)> {
        let right = self.right_per_pass(tried, set, split)?;
        let count = |(pass, right): (usize, &Vec<bool>)| {
            (right.iter().filter(|right| **right).count(), Reverse(pass + 1))
        };
        Ok(right.iter().enumerate().map(count).max().unwrap_or_default())
    }
}

/// Which of these examples a learner predicts rightly.
pub(super) fn right(learner: &dyn Learner, set: &DataSet, test: &[usize]) -> Vec<bool> {
    let mut scores = Scores::default();
    let mut is_right = |&i: &usize| {
        let (x, class) = &set.examples[i];
        learner.scores(x.features(), &mut scores);
        scores.label(0) == Some(*class)
    };
    test.iter().map(&mut is_right).collect()
}
