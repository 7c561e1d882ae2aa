//! How methods did on the tested parts, how long they took, and whether two of them differ.

use surefoot_core::metric::significance::PairedMistakes;

use super::method::{Method, Setting, right};
use super::parts::{Parts, Split};
use crate::data::DataSet;
use crate::{Result, summary};

/// How a method did.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    /// The method.
    pub(super) name: &'static str,
    /// The setting that was chosen, in words.
    pub(super) setting: String,
    /// Passes that were chosen; none for batch methods.
    pub(super) passes: Option<usize>,
    /// Which of the tested examples were right, in the same order for all methods.
    pub(super) right: Vec<bool>,
    /// CPU seconds of the first pass on each tested part.
    first_passes: Vec<f64>,
}

impl Verdict {
    /// A batch method's.
    pub(super) fn batch(name: &'static str, setting: String, right: Vec<bool>) -> Self {
        Self { name, setting, passes: None, right, first_passes: Vec::new() }
    }

    /// Tunes every method on the tuning parts, then tests them part by part: so the times of one method are taken
    /// between those of the others, whatever else the machine does.
    pub(super) fn of(methods: &[Method], set: &DataSet, parts: &Parts, passes: usize) -> Result<Vec<Self>> {
        let tune = |method: &Method| method.tune(set, &parts.tuning(), passes);
        let settings = methods.iter().map(tune).collect::<Result<Vec<_>>>()?;
        let mut found: Vec<Self> = methods.iter().zip(&settings).map(Self::untested).collect();
        for split in parts.tests() {
            for ((method, setting), verdict) in methods.iter().zip(&settings).zip(&mut found) {
                verdict.test(method, setting, set, &split)?;
            }
        }
        Ok(found)
    }

    fn untested((method, setting): (&Method, &Setting)) -> Self {
        let passes = Some(setting.passes);
        Self { passes, ..Self::batch(method.name, setting.spec.clone(), Vec::new()) }
    }

    fn test(&mut self, method: &Method, setting: &Setting, set: &DataSet, split: &Split) -> Result<()> {
        let mut pass = 0;
        method.learn(setting, set, &split.train, |seconds, learner, _| {
            pass += 1;
            if pass == 1 {
                self.first_passes.push(seconds);
            }
            if pass == setting.passes {
                self.right.extend(right(learner, set, &split.test));
            }
        })
    }

    /// In percent.
    pub(super) fn accuracy(&self) -> f64 {
        percent(&self.right)
    }

    /// CPU seconds of a first pass: the median over the tested parts.
    pub(super) fn seconds(&self) -> Option<f64> {
        summary::median(&self.first_passes)
    }

    /// McNemar's p-value of "both are right equally often".
    pub(super) fn p_value(&self, other: &Verdict) -> f64 {
        let mut paired = PairedMistakes::default();
        self.right.iter().zip(&other.right).for_each(|(a, b)| paired.update(!a, !b));
        paired.p_value()
    }

    /// Whether this is better than each of the others, significantly at this level.
    pub(super) fn beats(&self, others: &[&Verdict], level: f64) -> bool {
        others.iter().all(|other| self.accuracy() > other.accuracy() && self.p_value(other) < level)
    }
}

/// The share that is true, in percent.
pub(super) fn percent(flags: &[bool]) -> f64 {
    100.0 * flags.iter().filter(|flag| **flag).count() as f64 / flags.len().max(1) as f64
}
