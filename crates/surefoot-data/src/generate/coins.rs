//! The coins of the factored paper, sections 2.2 and 3.3 (FACT).
//!
//! Ten coins make a true point in {−1, +1}¹⁰, a random direction its label; what is seen are `copies` of the coins with
//! five in a hundred turned over: many features that say the same.

use super::{Point, Random, Stream, StreamParameter, StreamSpec};

/// Coins a round.
const COINS: usize = 10;

pub(super) const SPEC: StreamSpec = StreamSpec {
    name: "coins",
    about: "copies of ten coins, some turned over: dense, correlated, not quite separable [FACT §2.2]",
    parameters: &[
        StreamParameter::new("copies", 5.0, [1.0, 1e5], "copies of the ten coins").whole(),
        StreamParameter::new("flip", 0.05, [0.0, 1.0], "chance that a copy is turned over"),
    ],
    make: |values, seed| Box::new(Coins::new(values[0] as usize, values[1], seed)),
};

/// Copies of ten coins, as in section 2.2 of the factored paper.
#[derive(Clone, Debug)]
pub struct Coins {
    truth: [f64; COINS],
    copies: usize,
    flip: f64,
    random: Random,
}

impl Coins {
    /// A trial: its own true direction, `copies` of ten coins, each turned over with chance `flip` (the paper's 0.05).
    pub fn new(copies: usize, flip: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let truth = std::array::from_fn(|_| random.normal());
        Coins { truth, copies, flip, random }
    }
}

impl Stream for Coins {
    fn fill(&mut self, point: &mut Point) {
        let coins: [f64; COINS] = std::array::from_fn(|_| if self.random.flip(0.5) { 1.0 } else { -1.0 });
        let side: f64 = self.truth.iter().zip(coins).map(|(weight, coin)| weight * coin).sum();
        point.label = if side >= 0.0 { 1 } else { -1 };
        point.ids.clear();
        point.values.clear();
        for copy in 0..self.copies {
            for (at, coin) in coins.into_iter().enumerate() {
                point.ids.push((copy * COINS + at) as u64 + 1);
                point.values.push(if self.random.flip(self.flip) { -coin } else { coin });
            }
        }
    }
}
