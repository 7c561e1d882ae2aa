//! The learners of an ensemble's members: each with a store of its own, or all in one table.

use super::table::{self, SharedTable};
use crate::{Error, Learner, Result, Spec, Task};

/// The learners of all members.
#[derive(Debug, Clone)]
pub(super) enum Members {
    /// One table, one pass over an example for all.
    Shared(Box<dyn SharedTable>),
    /// One after the other.
    Separate(Vec<Box<dyn Learner>>),
}

impl Members {
    /// In one table if they can share one.
    pub(super) fn new(specs: &[&Spec], task: Task, classes: usize) -> Result<Self> {
        Ok(match table::table(specs, task)? {
            Some(table) => Self::Shared(table),
            None => {
                Self::Separate(specs.iter().map(|spec| spec.build(task, classes)).collect::<Result<_>>()?)
            }
        })
    }

    pub(super) fn classes(&self) -> usize {
        match self {
            Self::Shared(_) => 2,
            Self::Separate(learners) => learners[0].classes(),
        }
    }

    pub(super) fn set_classes(&mut self, classes: usize, ranks: &[u32]) -> Result<()> {
        match self {
            Self::Shared(_) if classes <= 2 && ranks.len() <= 2 => Ok(()),
            Self::Shared(_) => Err(Error::Conflict(format!(
                "a binary ensemble has 2 classes, not {}; use the multi-class task",
                ranks.len()
            ))),
            Self::Separate(learners) => learners.iter_mut().try_for_each(|l| l.set_classes(classes, ranks)),
        }
    }
}
