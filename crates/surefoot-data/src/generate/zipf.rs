//! Streams that look like text: few features a row out of very many, some everywhere, most almost nowhere.
//!
//! The label comes first. Words are drawn by Zipf's law, and a share of them is then replaced by a word of about the same
//! frequency that belongs to the class of the row. So every row holds many weak hints, as text does.

use super::random::scramble;
use super::{Point, Random, Stream, StreamParameter, StreamSpec};

const FEATURES: StreamParameter =
    StreamParameter::new("features", 1e6, [10.0, 1e15], "different words there can be").whole();

const WORDS: StreamParameter = StreamParameter::new(
    "words",
    85.0,
    [1.0, 1e5],
    "words a row on average, repeated ones counted; 85 give some 75 features",
);

const TOPIC: StreamParameter =
    StreamParameter::new("topic", 0.15, [0.0, 1.0], "share of the words that are chosen for the label");

const NOISE: StreamParameter = StreamParameter::new("noise", 0.05, [0.0, 1.0], "share of random labels");

const DECIMALS: StreamParameter = StreamParameter::new(
    "decimals",
    0.0,
    [0.0, 15.0],
    "digits of values that weigh rare words more; 0 counts words",
)
.whole();

pub(super) const BINARY: StreamSpec = StreamSpec {
    name: "zipf",
    about: "sparse rows like text, two labels",
    parameters: &[FEATURES, WORDS, TOPIC, NOISE, DECIMALS],
    make: |values, seed| Box::new(stream(values, 2, seed).weighed(values[4] as u32)),
};

pub(super) const CLASSES: StreamSpec = StreamSpec {
    name: "zipf-classes",
    about: "sparse rows like text, many labels",
    parameters: &[
        FEATURES,
        WORDS,
        TOPIC,
        NOISE,
        StreamParameter::new("labels", 20.0, [2.0, 1e6], "labels").whole(),
        DECIMALS,
    ],
    make: |values, seed| Box::new(stream(values, values[4] as u64, seed).weighed(values[5] as u32)),
};

/// A stream with the parameters that both lists begin with.
fn stream(values: &[f64], labels: u64, seed: u64) -> Zipf {
    Zipf::new(values[0] as u64, values[1] as u64, values[2], values[3], labels, seed)
}

/// Rows that look like text. Two labels are −1 and 1, more are 1, 2, ….
#[derive(Clone, Debug)]
pub struct Zipf {
    features: u64,
    words: u64,
    topic: f64,
    noise: f64,
    labels: u64,
    /// Digits behind the point of a value, or 0 for the number of times that a word occurs.
    decimals: u32,
    /// Which words belong to which class depends on it.
    language: u64,
    random: Random,
}

impl Zipf {
    /// Rows of about `words` words out of `features`, a share `topic` of which fits the class, and a share `noise` of
    /// the rows with a random label.
    pub fn new(features: u64, words: u64, topic: f64, noise: f64, labels: u64, seed: u64) -> Self {
        let (random, language) = (Random::new(seed), scramble(seed));
        let (features, labels) = (features.max(1), labels.max(2));
        Zipf { features, words, topic, noise, labels, decimals: 0, language, random }
    }

    /// Values with so many digits behind the point: words count by the logarithm of their rank, as if by how rare they are, and
    /// rows have length 1. With none of them a value is the number of times that a word occurs.
    #[must_use]
    pub fn weighed(self, decimals: u32) -> Self {
        Zipf { decimals, ..self }
    }

    /// A word by Zipf's law with exponent 1: the logarithm of the rank is uniform.
    fn word(&mut self) -> u64 {
        let rank = libm::exp(self.random.uniform() * libm::log(self.features as f64 + 1.0)) as u64;
        rank.clamp(1, self.features)
    }

    fn word_of(&mut self, class: u64) -> u64 {
        let word = self.word();
        if self.random.flip(self.topic) { self.neighbour(word, class) } else { word }
    }

    /// The word of a class among those around `word`: each group of neighbours has one word of every class.
    fn neighbour(&self, word: u64, class: u64) -> u64 {
        let group = (word - 1) / self.labels;
        let turn = scramble(self.language ^ group) % self.labels;
        let neighbour = group * self.labels + (class + turn) % self.labels + 1;
        if neighbour <= self.features { neighbour } else { word }
    }

    fn label(&self, class: u64) -> i64 {
        match (self.labels, class) {
            (2, 0) => -1,
            (2, _) => 1,
            _ => class as i64 + 1,
        }
    }
}

impl Stream for Zipf {
    fn fill(&mut self, point: &mut Point) {
        let class = self.random.below(self.labels);
        let shown = if self.random.flip(self.noise) { self.random.below(self.labels) } else { class };
        point.label = self.label(shown);
        // From half to one and a half times the average.
        let words = self.words.div_ceil(2) + self.random.below(self.words + 1);
        point.ids.clear();
        point.ids.extend((0..words).map(|_| self.word_of(class)));
        point.ids.sort_unstable();
        point.values.clear();
        point.values.extend(point.ids.chunk_by(u64::eq).map(|group| group.len() as f64));
        point.ids.dedup();
        if self.decimals > 0 {
            weigh(point, libm::exp10(f64::from(self.decimals)));
        }
    }
}

/// Weighs the words of a row by their ranks, makes its length 1, and rounds values to so many parts of 1.
fn weigh(point: &mut Point, parts: f64) {
    for (value, &rank) in point.values.iter_mut().zip(&point.ids) {
        *value *= libm::log(1.0 + rank as f64);
    }
    let length = point.values.iter().map(|value| value * value).sum::<f64>().sqrt();
    // Not to nothing, however few the digits are.
    point.values.iter_mut().for_each(|value| *value = libm::round(*value / length * parts).max(1.0) / parts);
}
