//! A bank's last word on an example that all its members have learned: their records, and the combination.

use super::super::sequel::Said;
use super::{Record, Stack};
use crate::learner::{Prediction, Round};
use crate::{Result, Task};

/// What a bank has learned about its members.
#[derive(Debug)]
pub(in crate::learner) struct LastWord {
    pub(super) records: Vec<Record>,
    pub(super) rounds: u64,
    pub(super) stack: Stack,
    prediction: Prediction,
}

impl LastWord {
    /// Before any round of so many members.
    pub(super) fn new(members: usize, task: Task) -> Result<Self> {
        let (records, stack) = (vec![Record::default(); members], Stack::new(members, task)?);
        Ok(Self { records, rounds: 0, stack, prediction: Prediction::default() })
    }

    /// The last word on an example of which the members said this; there were so many classes before it.
    pub(in crate::learner) fn say<'a>(
        &mut self,
        said: impl Iterator<Item = &'a Said> + Clone,
        classes: usize,
        class: usize,
        weight: f64,
    ) -> Result<Round<'_>> {
        for (said, record) in said.clone().zip(&mut self.records).filter(|_| weight > 0.0) {
            record.update(said.prediction.label != Some(class), said.probability, weight);
        }
        self.rounds += u64::from(weight > 0.0);
        let predictions = said.clone().map(|said| &said.prediction);
        let probability = self.stack.learn(predictions, classes, class, weight, &mut self.prediction)?;
        let updated = said.clone().any(|said| said.updated);
        Ok(Round { prediction: &self.prediction, probability, updated })
    }

    /// The member with the smallest progressive log loss; ties go to the first.
    pub(super) fn best(&self) -> usize {
        let better = |a: usize, b: usize| if self.records[b].loss < self.records[a].loss { b } else { a };
        (0..self.records.len()).reduce(better).unwrap_or(0)
    }
}
