//! Sparse streams for the benches, and what they do with them.
#![allow(dead_code, missing_docs)]

use std::hint::black_box;
use std::time::Instant;

use surefoot_core::{Head, Learner, LearnerSpec, Prediction, Result, Scores, SparseVec, Target, Task};

pub const NONZEROS: usize = 75;

/// Examples back to back: ids, values, labels.
pub struct Stream {
    ids: Vec<u32>,
    values: Vec<f64>,
    labels: Vec<usize>,
}

/// Zipf over the features, by inversion of the log-uniform law.
pub fn generate(examples: usize, features: usize) -> Stream {
    let mut seed = 1u64;
    let mut uniform = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let (mut ids, mut values, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..examples {
        let mut row: Vec<u32> = (0..NONZEROS).map(|_| (features as f64).powf(uniform()) as u32 - 1).collect();
        row.sort_unstable();
        // Repeated draws move to the next free id, so that every example has its ids distinct.
        for i in 1..row.len() {
            row[i] = row[i].max(row[i - 1] + 1);
        }
        let score: f64 = row.iter().map(|&f| if f % 3 == 0 { 1.0 } else { -0.5 }).sum();
        labels.push(usize::from(score > 0.0));
        values.extend((0..NONZEROS).map(|_| 1.0 / (NONZEROS as f64).sqrt()));
        ids.extend(row);
    }
    Stream { ids, values, labels }
}

impl Stream {
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn examples(&self) -> impl Iterator<Item = (SparseVec<'_>, usize)> {
        let rows = self.ids.chunks_exact(NONZEROS).zip(self.values.chunks_exact(NONZEROS));
        rows.zip(&self.labels)
            .map(|((ids, values), &label)| (SparseVec::new(ids, values).expect("finite"), label))
    }
}

/// A learner of two classes and its head, and what a round needs.
pub struct Pair {
    pub learner: Box<dyn Learner>,
    pub head: Head,
    pub scores: Scores,
    pub prediction: Prediction,
}

pub fn build(spec: &str) -> Pair {
    let parse = || -> Result<Pair> {
        let spec = LearnerSpec::parse(spec)?;
        let (learner, head) = (spec.build(Task::Binary, 2, false)?, spec.head(Task::Binary)?);
        Ok(Pair { learner, head, scores: Scores::default(), prediction: Prediction::default() })
    };
    parse().expect("a SPEC")
}

impl Pair {
    /// One whole round: what was predicted.
    pub fn learn(&mut self, x: SparseVec<'_>, label: usize) -> Option<usize> {
        let Self { learner, head, scores, prediction } = self;
        learner.update(x, Target::Class(label), 1.0, scores).expect("learns");
        head.update(scores, Target::Class(label), 1.0, prediction).expect("learns");
        prediction.label
    }
}

/// Progressive mistakes.
pub fn learn(pair: &mut Pair, stream: &Stream) -> usize {
    stream.examples().filter(|&(x, label)| pair.learn(x, label) != Some(label)).count()
}

/// Progressive mistakes of a pass as the training loop makes it: the memory of the next example is asked for while this
/// one is learned.
pub fn learn_ahead(pair: &mut Pair, stream: &Stream) -> usize {
    let mut mistakes = 0;
    let mut ahead = stream.ids.chunks_exact(NONZEROS).skip(1);
    for (x, label) in stream.examples() {
        pair.learner.prefetch(ahead.next().unwrap_or_default());
        mistakes += usize::from(pair.learn(x, label) != Some(label));
    }
    mistakes
}

pub fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}
