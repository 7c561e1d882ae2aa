//! Rounds in two parts. The weights move here, one example after the other; what concludes the rounds of a batch, and scores
//! them, is done on a thread of its own while the weights of the next batch move. It is the same model and the same scores,
//! because nothing that concludes a round acts on the weights (`surefoot_core::Sequel`).

use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::thread;

use surefoot_data::{Batch, Example};

use super::desk::{Desk, Row};
use crate::{Error, Model, Result};

/// For fewer rounds nobody is woken.
const WORTH_A_THREAD: usize = 32;

/// The rounds under way: some at the desk, which may be away, some still to be brought there.
#[derive(Debug, Default)]
pub(super) struct Relay {
    /// The desk; an empty one while it is away.
    pub(super) desk: Box<Desk>,
    clerk: Option<Clerk>,
    /// How many rounds are away with the desk.
    away: usize,
    /// Rounds of the batch that is being learned.
    rows: Vec<Row>,
    /// The batch whose rounds are at the desk.
    batch: Batch,
}

/// Who sits on the other thread: gets a desk with rounds to conclude, and gives it back.
#[derive(Debug)]
struct Clerk {
    to: Sender<Box<Desk>>,
    from: Receiver<Box<Desk>>,
}

impl Clerk {
    /// None if there is no thread to be had.
    fn hire() -> Option<Self> {
        let ((to, work), (done, from)) = (channel::<Box<Desk>>(), channel());
        let sit = move || {
            for mut desk in work {
                desk.work();
                if done.send(desk).is_err() {
                    break;
                }
            }
        };
        // Ends by itself as soon as nobody can send it anything.
        thread::Builder::new().name("conclude".into()).spawn(sit).ok()?;
        Some(Self { to, from })
    }
}

impl Relay {
    /// Borrows from the learner what concludes a round. False if it has nothing to lend.
    pub(super) fn borrow(&mut self, model: &mut Model) -> bool {
        if self.away == 0 && self.desk.sequel.is_none() {
            self.desk.sequel = model.learner.lend();
        }
        self.away > 0 || self.desk.sequel.is_some()
    }

    /// Rounds that are not over.
    pub(super) fn len(&self) -> usize {
        self.away + self.desk.rows.len() + self.rows.len()
    }

    /// Takes an example: the weights move.
    pub(super) fn take(
        &mut self,
        model: &mut Model,
        position: usize,
        example: &Example<'_>,
        label: &[u8],
        weight: f64,
    ) -> Result<()> {
        let moments = model.learn_weights(&example.features, label, weight)?;
        self.rows.push(Row { position, features: model.front.preparer.space().len(), moments });
        Ok(())
    }

    /// The rounds at the desk come to their end; `hear` is told of each. The desk is then here, and clear.
    pub(super) fn conclude(&mut self, hear: &mut dyn FnMut(&Desk, &Batch)) -> Result<()> {
        match &self.clerk {
            Some(clerk) if self.away > 0 => {
                self.desk = clerk.from.recv().map_err(|_| Error::Other("a thread ended early".into()))?;
                self.away = 0;
            }
            _ => self.desk.work(),
        }
        hear(&self.desk, &self.batch);
        self.desk.clear().map_err(|(at, error)| error.at(&self.batch, &self.batch.example(at)))
    }

    /// Puts the rounds of a batch on the clear desk.
    pub(super) fn load(&mut self, batch: &mut Batch, first_pass: bool) {
        self.desk.first_pass = first_pass;
        std::mem::swap(&mut self.desk.rows, &mut self.rows);
        std::mem::swap(&mut self.batch, batch);
    }

    /// Gives a batch back whose rounds are over.
    pub(super) fn leave(&mut self, batch: &mut Batch) {
        std::mem::swap(&mut self.batch, batch);
    }

    /// Has the rounds at the desk concluded on the other thread, if there are enough.
    pub(super) fn send(&mut self) {
        let rounds = self.desk.rows.len();
        if self.away > 0 || rounds < WORTH_A_THREAD {
            return;
        }
        self.clerk = self.clerk.take().or_else(Clerk::hire);
        if let Some(clerk) = &self.clerk {
            match clerk.to.send(std::mem::take(&mut self.desk)) {
                Ok(()) => self.away = rounds,
                Err(SendError(desk)) => self.desk = desk,
            }
        }
    }

    /// Gives back what was borrowed; the desk must be here.
    pub(super) fn give_back(&mut self, model: &mut Model) {
        if let Some(sequel) = self.desk.sequel.take() {
            model.learner.take_back(sequel);
        }
    }
}
