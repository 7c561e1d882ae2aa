//! The online methods of the tables, how they learn, and how they are tuned.

use std::time::Instant;

use surefoot_core::{Features, Learner, Prediction, Spec, Task};

use super::parts::Split;
use crate::data::DataSet;
use crate::{Error, Result, Setup};

/// So often at most is an example shown again until all its constraints hold.
const MOST_SWEEPS: usize = 50;

/// The confidences η that are tried.
pub(super) const CONFIDENCES: &[&str] = &["confidence=0.6", "confidence=0.75", "confidence=0.9"];

/// More of them, where the ways to meet all constraints are compared.
pub(super) const FINER_CONFIDENCES: &[&str] = &[
    "confidence=0.55",
    "confidence=0.6",
    "confidence=0.7",
    "confidence=0.8",
    "confidence=0.9",
    "confidence=0.95",
    "confidence=0.99",
];

/// The one that a quick run tries: large, so that the ways to learn differ.
const QUICK_CONFIDENCE: &[&str] = &["confidence=0.9"];

/// An online method with the settings that tuning chooses from.
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

    /// Learns from these examples and calls `after` at the end of each pass, with its seconds and the learner.
    pub(super) fn learn(
        &self,
        setting: &Setting,
        set: &DataSet,
        train: &[usize],
        mut after: impl FnMut(f64, &dyn Learner),
    ) -> Result<()> {
        let mut learner =
            Spec::parse(&setting.spec)?.build(Task::Multiclass { classes: set.labels.len() })?;
        for _ in 0..setting.passes {
            let began = Instant::now();
            for &i in train {
                let (x, class) = &set.examples[i];
                self.round(&mut *learner, x.features(), *class)?;
            }
            after(began.elapsed().as_secs_f64(), &*learner);
        }
        Ok(())
    }

    /// One example.
    fn round(&self, learner: &mut dyn Learner, x: Features<'_>, class: usize) -> Result<()> {
        let most = if self.until_it_holds { MOST_SWEEPS } else { 1 };
        for _ in 0..most {
            if !learner.learn(x, class, 1.0)?.updated {
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
        self.learn(setting, set, &split.train, |_, learner| passes.push(right(learner, set, &split.test)))?;
        Ok(passes)
    }

    /// The setting that did best on the tuning split: most right, then fewest passes, then the first of the grid.
    pub(super) fn tune(&self, set: &DataSet, split: &Split, passes: usize) -> Result<Setting> {
        let mut best: Option<(usize, Setting)> = None;
        for setting in self.grid {
            let tried = Setting { spec: self.at(setting), passes };
            for (pass, right) in self.right_per_pass(&tried, set, split)?.iter().enumerate() {
                let count = right.iter().filter(|right| **right).count();
                if best
                    .as_ref()
                    .is_none_or(|(most, s)| count > *most || count == *most && pass + 1 < s.passes)
                {
                    best = Some((count, Setting { passes: pass + 1, ..tried.clone() }));
                }
            }
        }
        best.map(|(_, setting)| setting)
            .ok_or_else(|| Error::Other(format!("{} has no settings to try", self.name)))
    }
}

/// Which of these examples a learner predicts rightly.
pub(super) fn right(learner: &dyn Learner, set: &DataSet, test: &[usize]) -> Vec<bool> {
    let mut out = Prediction::default();
    let mut is_right = |&i: &usize| {
        let (x, class) = &set.examples[i];
        learner.predict_into(x.features(), &mut out);
        out.label == Some(*class)
    };
    test.iter().map(&mut is_right).collect()
}
