//! Hedge: how much each member of a bank is believed.
//!
//! Weights are exponential in minus the log loss. Learning rate 1 would be Bayes' rule, which soon believes one member
//! alone; a smaller one keeps several in the mixture and measured better (docs/defaults.md). Old losses fade, because
//! members learn at different speeds.

use crate::state::{State, Tensor, check_finite};
use crate::{Error, Result};

/// A probability below this costs no more log loss: one absurdly sure mistake must not ruin a member for ever.
const SMALLEST_PROBABILITY: f64 = 1e-6;
/// How much of the credit survives a round.
const MEMORY: f64 = 0.999;
/// How strongly losses count.
const RATE: f64 = 0.3;

/// What a member has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Record {
    /// Progressive mistakes.
    pub mistakes: u64,
    /// Progressive log loss, summed.
    pub loss: f64,
    /// Log of its weight, up to a constant: minus a share of its recent log loss.
    credit: f64,
}

impl Record {
    /// Takes a round in: whether the member was wrong, and the probability it gave to the truth.
    pub(super) fn update(&mut self, wrong: bool, probability: f64, weight: f64) {
        let loss = -weight * libm::log(probability.max(SMALLEST_PROBABILITY));
        self.mistakes += u64::from(wrong);
        self.loss += loss;
        self.credit = MEMORY * self.credit - RATE * loss;
    }

    /// The record of several runs together, each counted so many times: independent losses add up.
    pub(super) fn sum(records: impl Iterator<Item = (Record, f64)>) -> Self {
        let (mut sum, mut mistakes) = (Self::default(), 0.0);
        for (record, times) in records {
            mistakes += times * record.mistakes as f64;
            sum.loss += times * record.loss;
            sum.credit += times * record.credit;
        }
        Self { mistakes: mistakes.max(0.0) as u64, ..sum }
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put("record", Tensor::F64(vec![self.loss, self.credit]));
        state.put_counts("mistakes", &[self.mistakes]);
    }

    pub(super) fn restore(&mut self, state: &mut State) -> Result<()> {
        let record = state.take_f64("record")?;
        check_finite("record", &record)?;
        [self.loss, self.credit] =
            record.try_into().map_err(|_| Error::State("`record` needs 2 numbers".into()))?;
        [self.mistakes] = state.take_counts("mistakes")?;
        Ok(())
    }
}

/// The share of each member in the next prediction; they sum to 1.
pub(super) fn shares(records: &[Record], out: &mut Vec<f64>) {
    let best = records.iter().map(|r| r.credit).fold(f64::NEG_INFINITY, f64::max);
    out.clear();
    out.extend(records.iter().map(|r| libm::exp(r.credit - best)));
    let total: f64 = out.iter().sum();
    out.iter_mut().for_each(|share| *share /= total);
}
