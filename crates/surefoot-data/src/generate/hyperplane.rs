//! The moving hyperplane.

use super::{Point, Random, Stream, StreamParameter, StreamSpec};

pub(super) const HYPERPLANE: StreamSpec = StreamSpec {
    name: "hyperplane",
    about: "points of a cube on two sides of a plane that turns all the time",
    parameters: &[
        StreamParameter::new("features", 10.0, [1.0, 1e6], "dimensions of the cube").whole(),
        StreamParameter::new("drifting", 2.0, [0.0, 1e6], "dimensions whose weight moves").whole(),
        StreamParameter::new(
            "change",
            0.001,
            [0.0, 1e6],
            "by how much such a weight moves with every example",
        ),
        StreamParameter::new("noise", 0.05, [0.0, 1.0], "share of labels turned over"),
        StreamParameter::new(
            "sigma",
            0.1,
            [0.0, 1.0],
            "chance that a weight turns its direction after an example",
        ),
    ],
    make: |values, seed| {
        let stream =
            Hyperplane::new(values[0] as usize, seed).drifting(values[1] as usize, values[2], values[4]);
        Box::new(stream.noise(values[3]))
    },
};

/// The stream of G. Hulten, L. Spencer and P. Domingos, "Mining time-changing data streams", KDD 2001.
///
/// Points of the unit cube; positive is where Σ wᵢxᵢ ≥ ½ Σ wᵢ, so that both labels are equally frequent at any time.
#[derive(Clone, Debug)]
pub struct Hyperplane {
    pub(super) weights: Vec<f64>,
    /// By how much each of the first weights moves with the next example, and which way.
    steps: Vec<f64>,
    sigma: f64,
    noise: f64,
    random: Random,
}

impl Hyperplane {
    /// A plane of so many `features` (at least 1) that stands still, without noise.
    pub fn new(features: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let weights = (0..features.max(1)).map(|_| random.uniform()).collect();
        Hyperplane { weights, steps: Vec::new(), sigma: 0.0, noise: 0.0, random }
    }

    /// The first `features` weights move by `change` with every example, and turn their direction with chance `sigma`.
    #[must_use]
    pub fn drifting(self, features: usize, change: f64, sigma: f64) -> Self {
        Hyperplane { steps: vec![change; features.min(self.weights.len())], sigma, ..self }
    }

    /// A share of the labels is turned over.
    #[must_use]
    pub fn noise(self, noise: f64) -> Self {
        Hyperplane { noise, ..self }
    }
}

impl Stream for Hyperplane {
    fn fill(&mut self, point: &mut Point) {
        point.clear();
        // How far the point lies behind the plane through the middle of the cube.
        let mut side = 0.0;
        for (dimension, weight) in self.weights.iter().enumerate() {
            let value = self.random.uniform();
            side += weight * (value - 0.5);
            point.push(dimension, value);
        }
        point.set_label((side >= 0.0) != self.random.flip(self.noise));
        for (weight, step) in self.weights.iter_mut().zip(&mut self.steps) {
            *weight += *step;
            if self.random.flip(self.sigma) {
                *step = -*step;
            }
        }
    }
}
