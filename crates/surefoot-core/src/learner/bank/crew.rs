//! The members' learners: each with a table of its own, or all in one.

use super::table::{self, Table};
use crate::{Error, Learner, Result, Spec, Task};

/// The members' learners.
#[derive(Debug)]
pub(super) enum Crew {
    Apart(Vec<Box<dyn Learner>>),
    Fused(Box<dyn Table>),
}

impl Crew {
    /// In one table if they can share one.
    pub(super) fn new(specs: &[&Spec], task: Task) -> Result<Self> {
        Ok(match table::table(specs, task)? {
            Some(fused) => Self::Fused(fused),
            None => Self::Apart(specs.iter().map(|spec| spec.build(task)).collect::<Result<_>>()?),
        })
    }

    /// How many of so many members share a table.
    pub(super) fn sharing(&self, members: usize) -> usize {
        if matches!(self, Self::Fused(_)) { members } else { 0 }
    }

    pub(super) fn classes(&self) -> usize {
        match self {
            Self::Apart(learners) => learners[0].classes(),
            Self::Fused(_) => 2,
        }
    }

    pub(super) fn set_classes(&mut self, classes: usize, order: &[u32]) -> Result<()> {
        match self {
            Self::Apart(learners) => learners.iter_mut().try_for_each(|l| l.set_classes(classes, order)),
            Self::Fused(_) if classes <= 2 && order.len() <= 2 => Ok(()),
            Self::Fused(_) => Err(Error::Conflict(format!("a binary bank has 2 classes, not {classes}"))),
        }
    }
}
