//! The end of rounds whose weights have moved: what the learner lent concludes them, and they are scored.

use surefoot_core::{Moments, Prediction, Round, Sequel};
use surefoot_data::Batch;

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
    /// What they came to.
    verdicts: Vec<Verdict>,
    trouble: Option<surefoot_core::Error>,
}

/// A round whose weights have moved. Rows and verdicts go from one processor to another and back, so they are small.
#[derive(Debug)]
pub(super) struct Row {
    /// Which of the batches at the desk has its example, and where it stands there.
    pub(super) batch: u32,
    pub(super) position: u32,
    /// Features that the model knew when it had taken it.
    pub(super) features: usize,
    pub(super) moments: Moments,
}

/// What a learner of two classes said in the end.
#[derive(Debug, Clone, Copy)]
struct Verdict {
    score: f64,
    variance: f64,
    slope: f64,
    probability: f64,
}

impl Verdict {
    fn of(round: &Round<'_>) -> Self {
        let Prediction { score, variance, slope, .. } = *round.prediction;
        Self { score, variance, slope, probability: round.probability }
    }

    /// Becomes the prediction that it was.
    fn recall(self, out: &mut Prediction) {
        let Self { score, variance, slope, .. } = self;
        let label = Some(usize::from(score >= 0.0));
        out.scores.clear();
        out.scores.push(score);
        (out.label, out.score, out.variance, out.slope, out.binary) = (label, score, variance, slope, true);
    }
}

impl Desk {
    /// Concludes what is left of the rounds.
    pub(super) fn work(&mut self) {
        let Some(sequel) = &mut self.sequel else { return };
        for row in &self.rows[self.verdicts.len()..] {
            let round = match sequel.conclude(&row.moments) {
                Ok(round) => round,
                Err(error) => return self.trouble = Some(error),
            };
            if self.first_pass {
                self.progressive.update(&row.learned(round.prediction, round.probability), 1.0);
            }
            self.progressive.count_update(row.moments.updates > 0);
            self.verdicts.push(Verdict::of(&round));
        }
    }

    /// Tells of the rounds that are concluded.
    pub(super) fn tell(&self, hear: &mut dyn FnMut(&Row, &Learned<'_>)) {
        let mut prediction = Prediction::default();
        for (row, verdict) in self.rows.iter().zip(&self.verdicts) {
            verdict.recall(&mut prediction);
            hear(row, &row.learned(&prediction, verdict.probability));
        }
    }

    /// Clears the desk; an error if a round could not be concluded, about its example in these batches.
    pub(super) fn clear(&mut self, batches: &[Batch]) -> Result<()> {
        let failed = self.rows.drain(..).nth(self.verdicts.len()).zip(self.trouble.take());
        self.verdicts.clear();
        failed.map_or(Ok(()), |(row, error)| {
            let (batch, position) = row.place(batches);
            Err(Error::from(error).at(batch, &batch.example(position)))
        })
    }
}

impl Row {
    fn learned<'a>(&self, prediction: &'a Prediction, probability: f64) -> Learned<'a> {
        let Moments { class, updates, .. } = self.moments;
        Learned { class, prediction, probability, updated: updates > 0 }
    }

    /// The batch that has its example, and where it stands there.
    pub(super) fn place<'b>(&self, batches: &'b [Batch]) -> (&'b Batch, usize) {
        (&batches[self.batch as usize], self.position as usize)
    }
}
