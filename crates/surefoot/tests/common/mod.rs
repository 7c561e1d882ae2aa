//! An observer for tests of the training loop.

use surefoot::data::Progress;
use surefoot::prelude::Model;
use surefoot::train::{Observer, Progressive, RoundView};
use surefoot::{Error, Result};

/// Writes down all that it is shown, and ends the run if asked to.
#[derive(Default)]
pub struct Diary {
    pub rounds: Vec<(u64, Option<usize>, f64, bool, usize)>,
    pub checkpoints: Vec<Vec<u8>>,
    pub refused: Vec<String>,
    /// Examples that were scored at each report of progress, and rounds that were told by then.
    pub progress: Vec<(u64, usize)>,
    pub stop_after: Option<usize>,
}

impl Observer for Diary {
    fn round(&mut self, seen: &RoundView<'_>) {
        let (round, line) = (seen.round, seen.example().line);
        self.rounds.push((line, round.prediction.label, round.probability, round.updated, seen.features));
    }

    fn checkpoint(&mut self, model: &Model) -> Result<()> {
        self.checkpoints.push(model.to_bytes()?);
        Ok(())
    }

    fn refused(&mut self, error: &Error, _: &[u8]) {
        self.refused.push(error.to_string());
    }

    fn progress(&mut self, _: Progress, progressive: &Progressive) {
        self.progress.push((progressive.examples(), self.rounds.len()));
    }

    fn stop(&mut self) -> bool {
        self.stop_after.is_some_and(|reports| self.progress.len() >= reports)
    }
}
