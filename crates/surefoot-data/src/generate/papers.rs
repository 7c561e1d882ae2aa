//! The streams of the papers.

use super::{Point, Random, Stream, StreamParameter, StreamSpec};

pub(super) const ELLIPSE: StreamSpec = StreamSpec {
    name: "ellipse",
    about: "dense points in 20 dimensions, two of which matter; linearly separable [ECCW §5]",
    parameters: &[
        StreamParameter::new("short", 1.0, [0.0, 1e6], "standard deviation across the separator"),
        StreamParameter::new("long", 4.0, [0.0, 1e6], "standard deviation along the separator"),
        StreamParameter::new("noise", 2.0, [0.0, 1e6], "variance of the other dimensions"),
        StreamParameter::new("dimensions", 20.0, [2.0, 1e6], "dimensions in all").whole(),
    ],
    make: |values, seed| Box::new(Ellipse::new(values[0], values[1], values[2], values[3] as usize, seed)),
};

/// The ellipse of the exact convex paper, section 5 (ECCW).
///
/// Points in 20 dimensions: the first two are a Gaussian turned by 45°, the others noise, and the label is the side of
/// the long axis. The paper gives one standard deviation and the variance of the noise; the long axis of 4 is the
/// reading that reproduces its figure.
#[derive(Clone, Debug)]
pub struct Ellipse {
    short: f64,
    long: f64,
    noise: f64,
    dimensions: usize,
    random: Random,
}

impl Ellipse {
    /// The paper's stream: `short` 1, `long` 4, variance of the `noise` 2, 20 `dimensions` (at least 2).
    pub fn new(short: f64, long: f64, noise: f64, dimensions: usize, seed: u64) -> Self {
        Ellipse { short, long, noise: noise.sqrt(), dimensions: dimensions.max(2), random: Random::new(seed) }
    }
}

impl Stream for Ellipse {
    fn fill(&mut self, point: &mut Point) {
        let short = self.short * self.random.normal();
        let long = self.long * self.random.normal();
        point.set_label(short >= 0.0);
        let turned = [(long - short) * 0.5f64.sqrt(), (long + short) * 0.5f64.sqrt()];
        point.clear();
        for dimension in 0..self.dimensions {
            let value = match turned.get(dimension) {
                Some(&value) => value,
                None => self.noise * self.random.normal(),
            };
            point.push(dimension, value);
        }
    }
}

/// Coins a round.
const COINS: usize = 10;

pub(super) const COIN_COPIES: StreamSpec = StreamSpec {
    name: "coins",
    about: "copies of ten coins, some turned over: dense, correlated, not quite separable [FACT §2.2]",
    parameters: &[
        StreamParameter::new("copies", 5.0, [1.0, 1e5], "copies of the ten coins").whole(),
        StreamParameter::new("flip", 0.05, [0.0, 1.0], "chance that a copy is turned over"),
    ],
    make: |values, seed| Box::new(Coins::new(values[0] as usize, values[1], seed)),
};

/// The coins of the factored paper, sections 2.2 and 3.3 (FACT).
///
/// Ten coins make a true point in {−1, +1}¹⁰, a random direction its label; what is seen are `copies` of the coins with
/// five in a hundred turned over: many features that say the same.
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
        point.set_label(side >= 0.0);
        point.clear();
        for copy in 0..self.copies {
            for (at, coin) in coins.into_iter().enumerate() {
                point.push(copy * COINS + at, if self.random.flip(self.flip) { -coin } else { coin });
            }
        }
    }
}
