//! Rounds in two parts. The weights move here, one example after the other; what concludes the rounds of some batches, and
//! scores them, is left to the threads that parse, while the weights of the next batches move. It is the same model and the
//! same scores, because nothing that concludes a round acts on the weights (`surefoot_core::Sequel`).

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use surefoot_data::{Aside, Batch, Example};

use super::desk::{Desk, Row};
use crate::{Error, Learned, Model, Result};

/// Batches that may wait until somebody has time for those before them: this bounds the memory.
const MOST_WAITING: usize = 4;

/// The rounds under way: some at the desk, which may be away, some still to be brought there.
#[derive(Debug, Default)]
pub(super) struct Relay {
    /// The desk; an empty one while it is away.
    pub(super) desk: Box<Desk>,
    away: Option<Away>,
    /// Where the desk is left for others.
    aside: Aside,
    /// The batches whose rounds are at the desk.
    batches: Vec<Batch>,
    /// Rounds that wait, those of the batch that is being learned among them.
    rows: Vec<Row>,
    /// The batches of those before it.
    waiting: Vec<Batch>,
    /// Batches whose memory can be used again.
    spare: Vec<Batch>,
}

/// Who is told of a round: the batch that has its example, the place there, and what was learned.
type Hear<'a> = &'a mut dyn FnMut(&Row, (&Batch, usize), &Learned<'_>);

/// A desk that somebody else has, or may take.
#[derive(Debug)]
struct Away {
    rounds: usize,
    /// How it comes back. Who has it has the only other end: should they fail, nobody waits for ever.
    back: Receiver<Box<Desk>>,
}

impl Relay {
    /// Where others find what they may do.
    pub(super) fn aside(&self) -> Aside {
        self.aside.clone()
    }

    /// Borrows from the learner what concludes a round, for threads that may have `ample` time. False if it lends nothing.
    pub(super) fn borrow(&mut self, model: &mut Model, ample: bool) -> bool {
        // Most learners lend nothing, and are asked before every round: then nothing is moved about.
        if self.is_here()
            && self.desk.sequel.is_none()
            && let Some(sequel) = model.learner.lend(ample)
        {
            self.desk.sequel = Some(sequel);
        }
        !self.is_here() || self.desk.sequel.is_some()
    }

    /// Rounds that are not over.
    pub(super) fn len(&self) -> usize {
        self.away.as_ref().map_or(0, |away| away.rounds) + self.desk.rows.len() + self.rows.len()
    }

    /// Whether the desk is here, and with it the scores.
    pub(super) fn is_here(&self) -> bool {
        self.away.is_none()
    }

    /// Takes an example, and the indices of the one that follows: the weights move.
    pub(super) fn take(
        &mut self,
        model: &mut Model,
        position: usize,
        example: &Example<'_>,
        next: &[u32],
        label: &[u8],
        weight: f64,
    ) -> Result<()> {
        let moments = model.learn_weights(&example.features, next, label, weight)?;
        let features = model.front.preparer.space().len();
        // Far fewer batches wait than that, and a batch is a part of a file of at most so many bytes.
        let (batch, position) = (self.waiting.len() as u32, position as u32);
        self.rows.push(Row { batch, position, features, moments });
        Ok(())
    }

    /// Keeps a batch until its rounds are over; leaves another one, whose memory can be used again.
    pub(super) fn keep(&mut self, batch: &mut Batch) {
        let spare = self.spare.pop().unwrap_or_default();
        self.waiting.push(std::mem::replace(batch, spare));
    }

    /// Gives back the batch that was kept last; its rounds must be over.
    pub(super) fn give_back_batch(&mut self, batch: &mut Batch) {
        if let Some(last) = self.spare.pop() {
            self.spare.push(std::mem::replace(batch, last));
        }
    }

    /// Whether the desk is here, or must be because so much waits for it.
    pub(super) fn is_ready(&mut self) -> Result<bool> {
        let Some(away) = &self.away else { return Ok(true) };
        match away.back.try_recv() {
            Ok(desk) => (self.desk, self.away) = (desk, None),
            Err(TryRecvError::Empty) => return Ok(self.waiting.len() >= MOST_WAITING),
            Err(TryRecvError::Disconnected) => return Err(lost()),
        }
        Ok(true)
    }

    /// The rounds at the desk come to their end; `hear` is told of each. The desk is then here, and clear.
    pub(super) fn conclude(&mut self, hear: Hear<'_>) -> Result<()> {
        if let Some(away) = self.away.take() {
            // Nobody may have had time for it.
            self.aside.work();
            self.desk = away.back.recv().map_err(|_| lost())?;
        }
        self.desk.work();
        self.desk.tell(&mut |row, round| hear(row, row.place(&self.batches), round));
        let concluded = self.desk.clear(&self.batches);
        self.spare.append(&mut self.batches);
        concluded
    }

    /// Puts what waits on the clear desk.
    pub(super) fn load(&mut self, first_pass: bool) {
        self.desk.first_pass = first_pass;
        std::mem::swap(&mut self.desk.rows, &mut self.rows);
        std::mem::swap(&mut self.batches, &mut self.waiting);
    }

    /// Leaves the rounds at the desk to whoever has time.
    pub(super) fn send(&mut self) {
        if self.desk.rows.is_empty() {
            return;
        }
        let ((done, back), mut desk) = (channel(), std::mem::take(&mut self.desk));
        self.away = Some(Away { rounds: desk.rows.len(), back });
        self.aside.leave(Box::new(move || {
            desk.work();
            // Nobody waits for it any more if the run was given up.
            _ = done.send(desk);
        }));
    }

    /// Gives back what was borrowed; the desk must be here.
    pub(super) fn give_back(&mut self, model: &mut Model) {
        if let Some(sequel) = self.desk.sequel.take() {
            model.learner.take_back(sequel);
        }
    }
}

fn lost() -> Error {
    Error::Other("a thread ended before its work was done".into())
}

#[cfg(test)]
mod tests {
    use surefoot_core::Moments;

    use super::*;

    #[test]
    fn a_desk_that_does_not_come_back_is_an_error() {
        let (means, variances) = ([0.0; 4], [1.0; 4]);
        let moments = Moments { means, variances, class: 1, weight: 1.0, updates: 1 };
        let mut relay = Relay::default();
        relay.desk.rows.push(Row { batch: 0, position: 0, features: 1, moments });
        relay.send();
        assert!(!relay.is_here() && relay.len() == 1);
        // Whoever took it fails, and all they had is gone.
        relay.aside = Aside::default();
        assert!(relay.is_ready().is_err() && relay.conclude(&mut |_, _, _| ()).is_err());
    }
}
