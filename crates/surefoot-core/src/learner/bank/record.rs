//! What a member of a bank has done so far.

use crate::metric::LogLoss;
use crate::state::{State, Tensor, check_finite};
use crate::{Error, Result};

/// A member's progressive mistakes and loss.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Record {
    /// Progressive mistakes.
    pub mistakes: u64,
    /// Progressive log loss, summed, clipped as the metric is: it stands beside the combination's.
    pub loss: f64,
}

impl Record {
    /// Takes a round in: whether the member was wrong, and the probability it gave to the truth.
    pub(super) fn update(&mut self, wrong: bool, probability: f64, weight: f64) {
        self.mistakes += u64::from(wrong);
        self.loss -= weight * libm::log(probability.max(LogLoss::CLIP));
    }

    /// The record of several runs together, each counted so many times: independent losses add up.
    pub(super) fn sum(records: impl Iterator<Item = (Record, f64)>) -> Self {
        let (mut loss, mut mistakes) = (0.0, 0.0);
        for (record, times) in records {
            mistakes += times * record.mistakes as f64;
            loss += times * record.loss;
        }
        Self { mistakes: mistakes.max(0.0) as u64, loss }
    }

    pub(super) fn save(&self, state: &mut State<'_>) {
        state.put("loss", Tensor::F64(vec![self.loss].into()));
        state.put_counts("mistakes", &[self.mistakes]);
    }

    pub(super) fn restore(&mut self, state: &mut State<'_>) -> Result<()> {
        let loss = state.take_f64("loss")?;
        check_finite("loss", &loss)?;
        [self.loss] = loss.try_into().map_err(|_| Error::State("`loss` needs 1 number".into()))?;
        [self.mistakes] = state.take_counts("mistakes")?;
        Ok(())
    }
}
