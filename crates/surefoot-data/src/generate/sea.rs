//! The SEA concepts.

use super::concepts::{CONCEPT_HELP, Concepts, block};
use super::{Point, Random, Stream, StreamParameter, StreamSpec};

/// The thresholds of the four concepts, in the order of the paper.
const THRESHOLDS: [f64; 4] = [8.0, 9.0, 7.0, 9.5];

pub(super) const SEA: StreamSpec = StreamSpec {
    name: "sea",
    about: "three measurements, the sum of two of which is below a threshold; four thresholds in turn",
    parameters: &[
        block(12_500.0),
        StreamParameter::new("concept", 0.0, [0.0, 4.0], CONCEPT_HELP).whole(),
        StreamParameter::new("noise", 0.1, [0.0, 1.0], "share of labels turned over"),
    ],
    make: |values, seed| Box::new(Sea::new(values[0] as u64, values[1] as u64, values[2], seed)),
};

/// The stream of W. N. Street and Y. Kim, "A streaming ensemble algorithm (SEA) for large-scale classification", KDD 2001.
///
/// Three numbers from 0 to 10, of which the third says nothing; positive is where the sum of the others is at most a threshold.
#[derive(Clone, Debug)]
pub struct Sea {
    concepts: Concepts,
    noise: f64,
    random: Random,
}

impl Sea {
    /// The paper has `block` 12,500 and a tenth of `noise`; of the four concepts `only` one holds, or with 0 one after the other.
    pub fn new(block: u64, only: u64, noise: f64, seed: u64) -> Self {
        Sea { concepts: Concepts::new(THRESHOLDS.len(), block, only), noise, random: Random::new(seed) }
    }
}

impl Stream for Sea {
    fn fill(&mut self, point: &mut Point) {
        let values: [f64; 3] = std::array::from_fn(|_| 10.0 * self.random.uniform());
        let positive = values[0] + values[1] <= THRESHOLDS[self.concepts.next()];
        point.set_label(positive != self.random.flip(self.noise));
        point.clear();
        values.into_iter().enumerate().for_each(|(dimension, value)| point.push(dimension, value));
    }
}
