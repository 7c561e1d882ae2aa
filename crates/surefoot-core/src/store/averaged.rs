//! The averaged identity store: learns with the raw weights, predicts with their mean over all past rounds.
//!
//! An update Δ in round τ is part of the weights after rounds τ … T, so the mean over T rounds is
//! w − (Σ (τ−1)·Δ)/T. Weight and running sum lie in one cell; a round costs its non-zeros. A round is an example that was
//! learned: one of weight 0 does not count.

use super::cells::Cells;
use super::identity::mean_of;
use super::{Gain, NaturalParams, Projection, Store, Weight};
use crate::rule::Step;
use crate::state::State;
use crate::{Result, SparseVec};

/// Weight and running sum of each feature, and the number of rounds so far.
#[derive(Debug, Clone)]
pub struct Averaged {
    cells: Cells<2>,
    prior: f64,
    rounds: u64,
}

impl Averaged {
    /// An empty store.
    #[must_use]
    pub fn new(blocks: usize, prior: f64) -> Self {
        Self { cells: Cells::new(blocks, [0.0, 0.0], false), prior, rounds: 0 }
    }

    /// The mean over T rounds of what is `weight` now. Divided once, at the end: means that are equal, or 0, stay so.
    fn average(&self, weight: f64, sum: f64) -> f64 {
        // Nothing was learned before the first round's end.
        let rounds = self.rounds.max(1) as f64;
        (rounds * weight - sum) / rounds
    }
}

impl Store for Averaged {
    fn grow(&mut self, blocks: usize) -> Result<()> {
        self.cells.grow(blocks);
        Ok(())
    }

    fn scores(
        &self,
        x: SparseVec<'_>,
        means: &mut [f64],
        variances: Option<&mut [f64]>,
        scratch: &mut Projection,
    ) {
        let sums = &mut scratch.scratch;
        sums.resize(means.len(), 0.0);
        self.cells.scan(x, [0, 1], [&mut *means, &mut *sums], |value| [value, value]);
        for (mean, sum) in means.iter_mut().zip(sums) {
            *mean = self.average(*mean, *sum);
        }
        if let Some(variances) = variances {
            variances.fill(self.prior_variance(x));
        }
    }

    fn predicts_as_it_learns(&self) -> bool {
        false
    }

    fn project(&self, x: SparseVec<'_>, block: usize, out: &mut Projection) {
        ([out.mean], out.known) = self.cells.sum(x, block, |value, [weight, _]| [value * weight]);
        out.variance = self.prior_variance(x);
    }

    fn absorb(&mut self, x: SparseVec<'_>, block: usize, p: &mut Projection, step: Step) -> Result<()> {
        if !p.known {
            self.cells.reserve(x)?;
        }
        let (rate, past) = (step.alpha * self.prior, self.rounds as f64);
        self.cells.update(x, block, |value, [weight, sum]| {
            *weight += rate * value;
            *sum += past * (rate * value);
        });
        Ok(())
    }

    fn variance_after(&self, _: SparseVec<'_>, _: usize, p: &Projection, _: f64) -> f64 {
        p.variance
    }

    fn prior_variance(&self, x: SparseVec<'_>) -> f64 {
        self.prior * x.squared_norm()
    }

    fn end_round(&mut self) {
        self.rounds += 1;
        self.cells.end_round();
    }

    fn prefetch(&self, ids: &[u32]) {
        self.cells.prefetch(ids);
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        let [weight, sum] = self.cells.get(feature, block);
        Some(Weight { mean: self.average(weight, sum), variance: self.prior, prior: self.prior })
    }

    fn natural_params(&self, block: usize, examples: f64) -> Result<NaturalParams> {
        let cells = || self.cells.block(block);
        let averages = cells().map(|[weight, sum]| examples * self.average(weight, sum)).collect();
        let gain = Gain::Averages { examples, rounds: self.rounds as f64, shift: averages };
        Ok(NaturalParams { shift: cells().map(|[weight, _]| examples * weight).collect(), gain })
    }

    fn from_natural(&mut self, block: usize, params: NaturalParams) -> Result<()> {
        let Gain::Averages { examples, rounds, shift } = params.gain else {
            return Err(super::unmergeable());
        };
        self.rounds = rounds.max(0.0) as u64;
        let past = self.rounds as f64;
        let cell = |(sum, averages): (f64, f64)| {
            let (weight, average) = (mean_of(sum, examples), mean_of(averages, examples));
            [weight, past * (weight - average)]
        };
        let cells: Vec<[f64; 2]> = params.shift.into_iter().zip(shift).map(cell).collect();
        self.cells.put_block(block, cells.into_iter())
    }

    fn save(&self) -> State<'_> {
        let mut state = self.cells.save();
        state.put_counts("rounds", &[self.rounds]);
        state
    }

    fn restore(&mut self, mut state: State<'_>, blocks: usize) -> Result<()> {
        [self.rounds] = state.take_counts("rounds")?;
        self.cells.restore(&mut state, blocks)?;
        state.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_means_are_equal_numbers() {
        let store = Averaged { rounds: 3, ..Averaged::new(2, 1.0) };
        assert_eq!(store.average(1.0, 1.0), store.average(0.0, -2.0));
        assert_ne!(1.0 - 1.0 / 3.0, 0.0 + 2.0 / 3.0);
    }
}
