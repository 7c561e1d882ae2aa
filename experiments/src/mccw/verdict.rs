//! How a method did on the tested parts, and whether two methods differ.

use surefoot_core::metric::significance::PairedMistakes;

use super::method::{Method, Setting};
use super::parts::Parts;
use crate::data::DataSet;
use crate::{Error, Result};

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
}

impl Verdict {
    /// Tunes a method on the tuning parts, then tests it.
    pub(super) fn of(method: &Method, set: &DataSet, parts: &Parts, passes: usize) -> Result<Self> {
        let setting = method.tune(set, &parts.tuning(), passes)?;
        Self::at(method, setting, set, parts)
    }

    /// Tests a method at a setting.
    fn at(method: &Method, setting: Setting, set: &DataSet, parts: &Parts) -> Result<Self> {
        let mut all = Vec::new();
        for split in parts.tests() {
            all.extend(method.right_per_pass(&setting, set, &split)?.pop().unwrap_or_default());
        }
        let Setting { spec, passes } = setting;
        Ok(Self { name: method.name, setting: spec, passes: Some(passes), right: all })
    }

    /// In percent.
    pub(super) fn accuracy(&self) -> f64 {
        percent(&self.right)
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

/// The same work on several tasks, side by side; the results in the order of the tasks.
pub(super) fn side_by_side<T: Send>(
    sets: &[DataSet],
    work: impl Fn(&DataSet) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = sets.iter().map(|set| scope.spawn(move || work(set))).collect();
        let lost = |_| Err(Error::Other("a task's thread panicked".into()));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(lost)).collect()
    })
}
