//! The floor below which variances do not collapse.
//!
//! On noisy data CW rules shrink the variance along the examples without bound until the learner is dead. Once
//! the variance of a margin has fallen below `floor` times what it was before anything was learned, the mean
//! still moves and the covariance stays. Relative to the prior, so it does not see the scale of the data.
//!
//! A covariance that stays is a learning rate that stays, and a rule that puts every noisy example right is pulled to
//! and fro for ever. So with `floor=auto` the mean's moves shrink with the number n of those made below the floor before, by
//! √(SETTLE/(SETTLE + n)): the rate at which averages settle. The exact schedule solves all constraints together, where a
//! shorter move for one would break the others: it asks whether a margin is below the floor, and shrinks nothing.

use crate::param::Params;
use crate::rule::Step;
use crate::state::{State, check_counts};
use crate::{Error, Result};

/// Moves below the floor after which they have shrunk to √½. Smaller settles earlier, larger forgets a bad start sooner; between
/// 30 and 300 it hardly matters (docs/guides/which-rule-which-store.md).
const SETTLE: f64 = 100.0;

/// The name of the counts in a saved state.
const HELD: &str = "held";

/// The parameter `floor`.
#[derive(Debug, Clone)]
pub struct VarianceFloor {
    floor: f64,
    settles: bool,
    /// How many steps lost their gain, a count a block; only kept if it matters.
    held: Vec<u64>,
}

impl VarianceFloor {
    /// Acts below `floor` times the prior variance; 0 (or no such parameter) never acts.
    #[must_use]
    pub fn new(params: &Params) -> Self {
        let (floor, settles) = crate::store::floor(params);
        Self { floor, settles, held: vec![0; usize::from(settles)] }
    }

    /// Whether a margin of variance `v` may no longer shrink; `prior` is asked only when it matters.
    #[must_use]
    pub fn is_below(&self, v: f64, prior: impl FnOnce() -> f64) -> bool {
        self.floor > 0.0 && v < self.floor * prior()
    }

    /// Makes room for so many blocks.
    pub fn grow(&mut self, blocks: usize) {
        if self.settles && blocks > self.held.len() {
            self.held.resize(blocks, 0);
        }
    }

    /// What is left of a step in a block whose margin is below the floor.
    #[must_use]
    pub fn clamp(&mut self, step: Step, block: usize) -> Step {
        if !self.settles {
            return Step { gain: 0.0, ..step };
        }
        self.grow(block + 1);
        let shrink = (SETTLE / (SETTLE + self.held[block] as f64)).sqrt();
        self.held[block] += 1;
        Step { alpha: shrink * step.alpha, gain: 0.0 }
    }

    /// The counts, if there are any.
    pub(super) fn save(&self) -> State<'_> {
        let mut state = State::default();
        if self.held.iter().any(|&count| count > 0) {
            state.put_counts(HELD, &self.held);
        }
        state
    }

    /// Takes the counts back; a model without them has held nothing.
    pub(super) fn restore(&mut self, mut state: State) -> Result<()> {
        let blocks = self.held.len();
        self.held = if state.has(HELD) { state.take_u64(HELD)? } else { Vec::new() };
        self.grow(blocks);
        check_counts(HELD, &self.held)?;
        if !self.settles && !self.held.is_empty() {
            return Err(Error::State(format!("`{HELD}` has an impossible count")));
        }
        state.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

    fn floor(spec: &str) -> VarianceFloor {
        VarianceFloor::new(&Spec::parse(spec).unwrap().params().unwrap())
    }

    const STEP: Step = Step { alpha: 2.0, gain: 3.0 };

    #[test]
    fn a_number_only_withholds_the_gain() {
        let mut own = floor("cw-stdev:floor=0.01");
        assert!(own.is_below(0.9, || 100.0) && !own.is_below(1.1, || 100.0));
        for _ in 0..1000 {
            assert_eq!(own.clamp(STEP, 0), Step { alpha: 2.0, gain: 0.0 });
        }
        assert!(own.save().iter().next().is_none());
    }

    #[test]
    fn auto_shrinks_the_moves_of_each_block_by_their_number() {
        let mut own = floor("cw-stdev");
        assert_eq!(own.clamp(STEP, 1), Step { alpha: 2.0, gain: 0.0 });
        (0..299).for_each(|_| assert!(own.clamp(STEP, 1).alpha <= 2.0));
        assert_eq!(own.clamp(STEP, 1).alpha, 1.0);
        assert_eq!(own.clamp(STEP, 0).alpha, 2.0);
        let mut again = super::tests::floor("cw-stdev");
        again.restore(own.save()).unwrap();
        assert_eq!(again.clamp(STEP, 1), own.clamp(STEP, 1));
        assert!(super::tests::floor("cw-stdev:floor=0.1").restore(own.save()).is_err());
    }

    #[test]
    fn zero_never_acts() {
        assert!(!floor("cw-stdev:floor=0").is_below(0.0, || 1.0));
        assert!(!floor("arow").is_below(0.0, || 1.0));
    }
}
