//! What is seen of a run while it goes on.

use surefoot_data::{Batch, Example, Labels, Progress, Reject};

use super::{DataChange, Progressive};
use crate::{Error, Learned, Model, Result};

/// One round as an observer sees it.
#[derive(Debug)]
pub struct RoundView<'a> {
    /// What the model predicted and learned.
    pub round: &'a Learned<'a>,
    /// The batch that has the example, and where it stands there.
    pub(super) place: (&'a Batch, usize),
    /// Whether this is the first time the example is seen.
    pub first_pass: bool,
    /// The labels of the model.
    pub labels: &'a Labels,
    /// Features that the model knows, the bias included.
    pub features: usize,
}

impl<'a> RoundView<'a> {
    /// The example. It is looked up here, because most observers do without.
    #[must_use]
    pub fn example(&self) -> Example<'a> {
        let (batch, position) = self.place;
        batch.example(position)
    }
}

/// The end of a pass.
#[derive(Debug)]
pub struct Pass<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// The model so far.
    pub model: &'a Model,
    /// The progressive scores of the first pass.
    pub progressive: &'a Progressive,
}

/// Takes each line that is skipped.
pub type TakeReject = Box<dyn FnMut(&Reject) + Send>;

/// Watches a run. Every method has a default that does nothing.
pub trait Observer {
    /// After every round.
    fn round(&mut self, _round: &RoundView<'_>) {}

    /// After the round with which a change of the data was noticed. `now` is how it was from the change to its notice.
    fn change(&mut self, _change: &DataChange) {}

    /// After some batches of examples; the tally is of the rounds that were reported by then.
    fn progress(&mut self, _reading: Progress, _progressive: &Progressive) {}

    /// Before the first round: the model that is to learn, as it is settled by now.
    fn begin(&mut self, _model: &Model) {}

    /// Every round so far has been told, and the next examples are to come from a pipe, whenever that may be.
    fn waiting(&mut self) {}

    /// What a pipe has given has waited for a second, because it does not say yet what there is to be learned: a sentence that tells
    /// what is waited for. Each is told once, before the first round.
    fn undecided(&mut self, _why: &str) {}

    /// Every `checkpoint_every` rounds.
    fn checkpoint(&mut self, _model: &Model) -> Result<()> {
        Ok(())
    }

    /// After every pass.
    fn pass(&mut self, _pass: &Pass<'_>) -> Result<()> {
        Ok(())
    }

    /// An example was left out because of its label; `record` is its line, empty if rejects are not taken, or if the example
    /// was parsed before this pass.
    fn refused(&mut self, _error: &Error, _record: &[u8]) {}

    /// Whether to end the run here and keep what was learned. Asked after some examples, and now and then while none come.
    fn stop(&mut self) -> bool {
        false
    }

    /// What takes the lines that are skipped while the files are parsed; asked for once, at the start.
    fn take_rejects(&mut self) -> Option<TakeReject> {
        None
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
