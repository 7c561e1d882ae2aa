//! Banks that learned apart become one: member by member, and the last words together.

use super::{Bank, Record, STACK, Stack, member_name, table};
use crate::learner::{Merging, Part};
use crate::state::State;
use crate::{Error, Result};

impl Bank {
    /// The state of the bank that all of these are together; `self` is at the start of its stream.
    pub(super) fn merged(&self, parts: &[Part<'_>], merging: Merging) -> Result<State<'static>> {
        let banks: Vec<&Bank> = parts.iter().filter_map(|part| part.learner.as_bank()).collect();
        if banks.len() != parts.len() || banks.iter().any(|bank| bank.seats.len() != self.seats.len()) {
            return Err(Error::Conflict("a bank merges only with banks of the same members".into()));
        }
        let mut state = State::default();
        for (i, seat) in self.seats.iter().enumerate() {
            let alone = banks.iter().map(|bank| bank.extract(i)).collect::<Result<Vec<_>>>()?;
            let own = parts.iter().zip(&alone).map(|(part, learner)| Part { learner: &**learner, ..*part });
            let mut merged = table::alone(&seat.spec, self.task_now(), self.member_state(i))?;
            merged.merge(&own.collect::<Vec<_>>(), merging)?;
            let mut part = merged.save().into_owned();
            Record::sum(parts.iter().zip(&banks).map(|(part, bank)| (bank.word.records[i], part.times)))
                .save(&mut part);
            state.join(&member_name(i), part);
        }
        let mut stack = Stack::new(self.seats.len(), self.task)?;
        let stacks: Vec<_> = banks.iter().map(|bank| &bank.word.stack).zip(parts).collect();
        stack.merge(&stacks)?;
        state.join(STACK, stack.save().into_owned());
        let rounds: f64 =
            parts.iter().zip(&banks).map(|(part, bank)| part.times * bank.word.rounds as f64).sum();
        state.put_counts("rounds", &[rounds.max(0.0) as u64]);
        Ok(state)
    }
}
