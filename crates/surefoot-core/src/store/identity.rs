//! The identity store: a mean vector and Σ = a·I for ever, with or without averaging. For first-order rules.

use super::cells::Cells;
use super::forget::{Fade, FadeAverage, FadeWeight, Forgetting, Share};
use super::{
    Gain, HALF_LIFE, NaturalParams, PRIOR, Projection, Shape, Store, StoreSpec, Weight, unmergeable,
};
use crate::param::{Param, Params, Range};
use crate::rule::Step;
use crate::state::State;
use crate::{Result, SparseVec};

/// μ only; the covariance stays at the prior and gains are ignored.
///
/// ```
/// use surefoot_core::store::{Store, Identity, Projection};
/// use surefoot_core::{Vector, rule::Step};
/// let (mut store, mut p) = (Identity::new(1, 1.0), Projection::default());
/// let x = Vector::from_pairs([(0, 2.0)])?;
/// store.project(x.features(), 0, &mut p);
/// assert_eq!((p.mean, p.variance), (0.0, 4.0));
/// store.absorb(x.features(), 0, &mut p, Step { alpha: 0.5, gain: 0.0 })?;
/// assert_eq!(store.weight(0, 0).unwrap().mean, 1.0);
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Identity {
    cells: Cells<1>,
    prior: f64,
}

impl Identity {
    /// An empty store.
    #[must_use]
    pub fn new(blocks: usize, prior: f64) -> Self {
        Self { cells: Cells::new(blocks, [0.0], false), prior }
    }
}

impl Store for Identity {
    forward_to_cells!();

    fn scores(&self, x: SparseVec<'_>, means: &mut [f64], variances: Option<&mut [f64]>, _: &mut Projection) {
        self.cells.scan(x, [0], [means], |value| [value]);
        if let Some(variances) = variances {
            variances.fill(self.prior_variance(x));
        }
    }

    fn project(&self, x: SparseVec<'_>, block: usize, out: &mut Projection) {
        ([out.mean], out.known) = self.cells.sum(x, block, |value, [mean]| [value * mean]);
        out.variance = self.prior_variance(x);
    }

    fn absorb(&mut self, x: SparseVec<'_>, block: usize, p: &mut Projection, step: Step) -> Result<()> {
        if !p.known {
            self.cells.reserve(x)?;
        }
        let rate = step.alpha * self.prior;
        self.cells.update(x, block, |value, [mean]| *mean += rate * value);
        Ok(())
    }

    fn variance_after(&self, _: SparseVec<'_>, _: usize, p: &Projection, _: f64) -> f64 {
        p.variance
    }

    fn prior_variance(&self, x: SparseVec<'_>) -> f64 {
        self.prior * x.squared_norm()
    }

    fn end_round(&mut self) {
        self.cells.end_round();
    }

    fn discount(&mut self, share: f64) {
        let Some(share) = Share::at_once(share) else { return };
        self.cells.change_all(|cell, origin| FadeWeight::fade(share, cell, origin));
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        let [mean] = self.cells.get(feature, block);
        Some(Weight { mean, variance: self.prior, prior: self.prior })
    }

    fn move_mean(&mut self, feature: usize, block: usize, by: f64) -> Result<()> {
        self.cells.change(feature, block, |[mean]| *mean += by)
    }

    fn natural_params(&self, block: usize, examples: f64) -> Result<NaturalParams> {
        let shift = self.cells.block(block).map(|[mean]| examples * mean).collect();
        Ok(NaturalParams { shift, gain: Gain::Examples(examples) })
    }

    fn from_natural(&mut self, block: usize, params: NaturalParams) -> Result<()> {
        let Gain::Examples(examples) = params.gain else { return Err(unmergeable()) };
        self.cells.put_block(block, params.shift.into_iter().map(|sum| [mean_of(sum, examples)]))
    }

    fn save(&self) -> State<'_> {
        self.cells.save()
    }

    fn restore(&mut self, mut state: State<'_>, blocks: usize) -> Result<()> {
        self.cells.restore(&mut state, blocks)?;
        state.finish()
    }
}

/// Learns with the raw weights, predicts with their mean over all past rounds.
///
/// An update Δ in round τ is part of the weights after rounds τ … T, so the mean over T rounds is
/// w − (Σ (τ−1)·Δ)/T. Weight and running sum lie in one cell; a round costs its non-zeros. A round is an example that was
/// learned: one of weight 0 does not count.
///
/// With a half-life, rounds of the past count less the older they are, as the weights themselves fade. Then a cell has the sum
/// Σ λ^age·w over the rounds, and the mean is that sum by Σ λ^age.
#[derive(Debug, Clone)]
pub struct Averaged {
    cells: Cells<2>,
    prior: f64,
    past: PastRounds,
}

/// The rounds that a mean of weights is taken over.
#[derive(Debug, Clone, Copy, Default)]
struct PastRounds {
    rounds: u64,
    forgetting: Option<Forgetting>,
}

impl PastRounds {
    /// The mean over T rounds of what is `weight` now. Divided once, at the end: means that are equal, or 0, stay so.
    fn average(self, weight: f64, sum: f64) -> f64 {
        // Nothing was learned before the first round's end.
        let rounds = self.rounds.max(1);
        if let Some(forgetting) = self.forgetting {
            return sum / forgetting.remembered(rounds);
        }
        let rounds = rounds as f64;
        (rounds * weight - sum) / rounds
    }

    /// The second number of a cell with such a weight and such a mean.
    fn sum_of(self, weight: f64, average: f64) -> f64 {
        match self.forgetting {
            Some(forgetting) => average * forgetting.remembered(self.rounds.max(1)),
            None => self.rounds as f64 * (weight - average),
        }
    }
}

impl Averaged {
    /// An empty store.
    #[must_use]
    pub fn new(blocks: usize, prior: f64) -> Self {
        Self { cells: Cells::new(blocks, [0.0, 0.0], false), prior, past: PastRounds::default() }
    }
}

impl Store for Averaged {
    forward_to_cells!();

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
            *mean = self.past.average(*mean, *sum);
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
        // A sum that forgets takes the weight in when the round ends.
        let past = if self.past.forgetting.is_some() { 0.0 } else { self.past.rounds as f64 };
        let rate = step.alpha * self.prior;
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
        self.past.rounds += 1;
        self.cells.end_round();
    }

    /// Rounds of the past count less by as much as weights do, so that the mean follows what comes.
    fn discount(&mut self, share: f64) {
        let Some(Share { left: share, .. }) = Share::at_once(share) else { return };
        let past = PastRounds { rounds: (share * self.past.rounds as f64).ceil() as u64, ..self.past };
        let before = self.past;
        self.cells.change_all(|[weight, sum], _| {
            let average = before.average(weight, sum);
            [share * weight, past.sum_of(share * weight, share * average)]
        });
        self.past = past;
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        let [weight, sum] = self.cells.get(feature, block);
        Some(Weight { mean: self.past.average(weight, sum), variance: self.prior, prior: self.prior })
    }

    fn move_mean(&mut self, feature: usize, block: usize, by: f64) -> Result<()> {
        let past = self.past;
        self.cells.change(feature, block, |[weight, sum]| {
            let average = past.average(*weight, *sum) + by;
            *weight += by;
            *sum = past.sum_of(*weight, average);
        })
    }

    fn natural_params(&self, block: usize, examples: f64) -> Result<NaturalParams> {
        let cells = || self.cells.block(block);
        let averages = cells().map(|[weight, sum]| examples * self.past.average(weight, sum)).collect();
        let gain = Gain::Averages { examples, rounds: self.past.rounds as f64, shift: averages };
        Ok(NaturalParams { shift: cells().map(|[weight, _]| examples * weight).collect(), gain })
    }

    fn from_natural(&mut self, block: usize, params: NaturalParams) -> Result<()> {
        let Gain::Averages { examples, rounds, shift } = params.gain else {
            return Err(unmergeable());
        };
        self.past.rounds = rounds.max(0.0) as u64;
        let cell = |(sum, averages): (f64, f64)| {
            let (weight, average) = (mean_of(sum, examples), mean_of(averages, examples));
            [weight, self.past.sum_of(weight, average)]
        };
        let cells: Vec<[f64; 2]> = params.shift.into_iter().zip(shift).map(cell).collect();
        self.cells.put_block(block, cells.into_iter())
    }

    fn save(&self) -> State<'_> {
        let mut state = self.cells.save();
        state.put_counts("rounds", &[self.past.rounds]);
        state
    }

    fn restore(&mut self, mut state: State<'_>, blocks: usize) -> Result<()> {
        [self.past.rounds] = state.take_counts("rounds")?;
        self.cells.restore(&mut state, blocks)?;
        state.finish()
    }
}

/// A weight from the examples times the weight; nothing was learned from no examples.
fn mean_of(sum: f64, examples: f64) -> f64 {
    if examples > 0.0 { sum / examples } else { 0.0 }
}

const AVERAGE: Param = Param {
    name: "average",
    range: Range::Flag,
    default: "false",
    help: "predict with the mean of the weights over all past rounds",
};

fn build(params: &Params, shape: Shape) -> Result<Box<dyn Store>> {
    let (prior, forgetting) = (params.number(PRIOR.name), Forgetting::new(params));
    Ok(if params.flag(AVERAGE.name) {
        let cells = Averaged::new(shape.blocks, prior).cells.forgetting::<FadeAverage>(vec![forgetting]);
        Box::new(Averaged { cells, prior, past: PastRounds { rounds: 0, forgetting } })
    } else {
        let cells = Identity::new(shape.blocks, prior).cells.forgetting::<FadeWeight>(vec![forgetting]);
        Box::new(Identity { cells, prior })
    })
}

/// The entry in the list of stores.
pub static SPEC: StoreSpec = StoreSpec {
    name: "identity",
    title: "Means only; for first-order rules",
    params: &[PRIOR, AVERAGE, HALF_LIFE],
    learns_covariance: false,
    side_by_side: None,
    takes_gaps: true,
    build,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_means_are_equal_numbers() {
        let past = PastRounds { rounds: 3, forgetting: None };
        assert_eq!(past.average(1.0, 1.0), past.average(0.0, -2.0));
        assert_ne!(1.0 - 1.0 / 3.0, 0.0 + 2.0 / 3.0);
    }
}
