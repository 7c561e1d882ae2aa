//! The STAGGER concepts.

use super::concepts::{CONCEPT_HELP, Concepts, block};
use super::{Point, Random, Stream, StreamParameter, StreamSpec};

/// Size: small, medium, large. Colour: red, green, blue. Shape: square, circular, triangular.
const WORDS: usize = 3;

/// The three concepts, of size, colour and shape by number.
const CONCEPTS: [fn([usize; 3]) -> bool; 3] = [
    |[size, colour, _]| size == 0 && colour == 0,
    |[_, colour, shape]| colour == 1 || shape == 1,
    |[size, _, _]| size > 0,
];

pub(super) const STAGGER: StreamSpec = StreamSpec {
    name: "stagger",
    about: "size, colour and shape of things, nine features in all; three concepts in turn",
    parameters: &[
        block(40.0),
        StreamParameter::new("concept", 0.0, [0.0, 3.0], CONCEPT_HELP).whole(),
        StreamParameter::new("noise", 0.0, [0.0, 1.0], "share of labels turned over"),
    ],
    make: |values, seed| Box::new(Stagger::new(values[0] as u64, values[1] as u64, values[2], seed)),
};

/// The stream of J. C. Schlimmer and R. H. Granger, "Incremental learning from noisy data", Machine Learning 1 (1986).
///
/// Things have one of three sizes (features 1 to 3: small, medium, large), colours (4 to 6: red, green, blue) and shapes (7 to 9:
/// square, circular, triangular). Positive is first what is small and red, then what is green or circular, then what is medium or
/// large.
#[derive(Clone, Debug)]
pub struct Stagger {
    concepts: Concepts,
    noise: f64,
    random: Random,
}

impl Stagger {
    /// The paper has `block` 40 and no `noise`; of the three concepts `only` one holds, or with 0 one after the other.
    pub fn new(block: u64, only: u64, noise: f64, seed: u64) -> Self {
        Stagger { concepts: Concepts::new(CONCEPTS.len(), block, only), noise, random: Random::new(seed) }
    }
}

impl Stream for Stagger {
    fn fill(&mut self, point: &mut Point) {
        let thing: [usize; 3] = std::array::from_fn(|_| self.random.below(WORDS as u64) as usize);
        let positive = CONCEPTS[self.concepts.next()](thing);
        point.set_label(positive != self.random.flip(self.noise));
        point.clear();
        for (property, word) in thing.into_iter().enumerate() {
            point.push(property * WORDS + word, 1.0);
        }
    }
}
