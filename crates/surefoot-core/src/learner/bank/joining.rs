//! Learners that join a bank in the middle of its stream.

use super::{Bank, Crew, LastWord};
use crate::transform::View;
use crate::{Result, Spec};

impl Bank {
    /// The bank with more members, who have seen nothing. The others go on as they would have gone on; whose word counts how
    /// much is learned anew, beginning with the plain mean. Whoever calls this says once more which classes there are.
    ///
    /// ```
    /// use surefoot_core::{Learner, Roster, Spec, Task, Vector, transform::View};
    /// let mut bank = Roster::parse("bank(arow@none; logistic@none)")?.build(Task::Binary, false)?;
    /// let x = Vector::from_pairs([(0, 1.0)])?;
    /// bank.learn(x.features(), 1, 1.0)?;
    /// let newcomer = (Spec::parse("cw-stdev/factored")?, View::parse("none")?);
    /// let mut joined = bank.as_bank().expect("a bank").joined_by(&[newcomer])?;
    /// assert_eq!((joined.members().len(), joined.rounds()), (3, 1));
    /// joined.learn(x.features(), 1, 1.0)?;
    /// # Ok::<(), surefoot_core::Error>(())
    /// ```
    pub fn joined_by(&self, newcomers: &[(Spec, View)]) -> Result<Self> {
        let own = self.seats.iter().map(|seat| (seat.spec.clone(), seat.view));
        let members: Vec<(Spec, View)> = own.chain(newcomers.iter().cloned()).collect();
        let mut learners = (0..self.seats.len()).map(|i| self.extract(i)).collect::<Result<Vec<_>>>()?;
        for (spec, _) in newcomers {
            learners.push(spec.build(self.task_now())?);
        }
        let mut word = LastWord::new(members.len(), self.task)?;
        word.rounds = self.word.rounds;
        // A record of nothing would be the best of all: they start with that of the best.
        word.records.fill(self.word.records[self.best()]);
        word.records[..self.seats.len()].copy_from_slice(&self.word.records);
        Ok(Self { word, ..Self::of(&members, Crew::Apart(learners), self.task, self.bias)? })
    }
}
