//! The end of rounds whose weights have moved: what the learner lent concludes them, and they are scored.

use surefoot_core::{Moments, Prediction, Sequel};

use super::Progressive;
use crate::{Error, Learned, Result};

/// Where rounds are concluded, here or on another thread: whoever has the desk has all that takes.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub(super) progressive: Progressive,
    /// What the learner lent.
    pub(super) sequel: Option<Sequel>,
    /// The rounds, in their order.
    pub(super) rows: Vec<Row>,
    pub(super) first_pass: bool,
    /// How many of them are concluded.
    concluded: usize,
    /// What they came to; those of earlier rounds behind them.
    verdicts: Vec<Verdict>,
    trouble: Option<surefoot_core::Error>,
}

/// A round whose weights have moved.
#[derive(Debug)]
pub(super) struct Row {
    /// Which of the batches at the desk has its example, and where it stands there.
    pub(super) batch: usize,
    pub(super) position: usize,
    /// Features that the model knew when it had taken it.
    pub(super) features: usize,
    pub(super) moments: Moments,
}

#[derive(Debug, Default)]
struct Verdict {
    prediction: Prediction,
    probability: f64,
}

impl Desk {
    /// Concludes what is left of the rounds.
    pub(super) fn work(&mut self) {
        let Some(sequel) = &mut self.sequel else { return };
        self.verdicts.resize_with(self.verdicts.len().max(self.rows.len()), Verdict::default);
        for (row, verdict) in self.rows.iter().zip(&mut self.verdicts).skip(self.concluded) {
            let round = match sequel.conclude(&row.moments) {
                Ok(round) => round,
                Err(error) => return self.trouble = Some(error),
            };
            verdict.prediction.copy_from(round.prediction);
            verdict.probability = round.probability;
            if self.first_pass {
                self.progressive.update(&verdict.learned(row), 1.0);
            }
            self.progressive.count_update(row.moments.updated);
            self.concluded += 1;
        }
    }

    /// The rounds that are concluded.
    pub(super) fn rounds(&self) -> impl Iterator<Item = (&Row, Learned<'_>)> {
        self.rows
            .iter()
            .zip(&self.verdicts)
            .take(self.concluded)
            .map(|(row, verdict)| (row, verdict.learned(row)))
    }

    /// Clears the desk; if a round could not be concluded, says which, and why.
    pub(super) fn clear(&mut self) -> Result<(), (Row, Error)> {
        let failed = self.rows.drain(..).nth(self.concluded).zip(self.trouble.take());
        self.concluded = 0;
        failed.map_or(Ok(()), |(row, error)| Err((row, error.into())))
    }
}

impl Verdict {
    fn learned<'a>(&'a self, row: &Row) -> Learned<'a> {
        let Moments { class, updated, .. } = row.moments;
        Learned { class, prediction: &self.prediction, probability: self.probability, updated }
    }
}
