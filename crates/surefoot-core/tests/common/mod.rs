//! Streams for the tests, seeded: the same numbers on every run.
#![allow(dead_code)]

use surefoot_core::Vector;

/// SplitMix64: small, seeded, good enough for test data.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        surefoot_core::normal::quantile(self.uniform())
    }

    pub fn dense(&mut self, d: usize) -> Vec<f64> {
        (0..d).map(|_| self.normal()).collect()
    }
}

/// A sparse random vector over `d` features.
pub fn sparse(random: &mut Random, d: usize, nonzeros: usize) -> Vector {
    let pairs: Vec<(u32, f64)> = (0..nonzeros).map(|_| (random.below(d) as u32, random.normal())).collect();
    Vector::from_pairs(pairs).expect("finite")
}

/// Examples labelled by a random hyperplane, a share of the labels flipped.
pub fn stream(seed: u64, d: usize, n: usize, flips: f64) -> Vec<(Vector, usize)> {
    let mut random = Random(seed);
    let truth = random.dense(d);
    (0..n)
        .map(|_| {
            let x = random.dense(d);
            let score: f64 = x.iter().zip(&truth).map(|(a, b)| a * b).sum();
            let flip = random.uniform() < flips;
            (Vector::from_dense(&x).expect("finite"), usize::from((score >= 0.0) != flip))
        })
        .collect()
}

/// The same examples, each scaled to length 1.
pub fn unit_rows(data: Vec<(Vector, usize)>) -> Vec<(Vector, usize)> {
    let unit = |x: &Vector| {
        let (x, length) = (x.features(), x.features().squared_norm().sqrt());
        let pairs = x.ids().iter().zip(x.values()).map(|(id, value)| (*id, value / length));
        Vector::from_pairs(pairs).expect("finite")
    };
    data.into_iter().map(|(x, class)| (unit(&x), class)).collect()
}

/// Examples of `classes` classes, each the argmax of a random linear score.
pub fn many_class_stream(seed: u64, classes: usize, d: usize, n: usize) -> Vec<(Vector, usize)> {
    let mut random = Random(seed);
    let truth: Vec<Vec<f64>> = (0..classes).map(|_| random.dense(d)).collect();
    (0..n)
        .map(|_| {
            let x = random.dense(d);
            let score = |k: usize| -> f64 { x.iter().zip(&truth[k]).map(|(a, b)| a * b).sum() };
            let best = (0..classes).max_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap_or(0);
            (Vector::from_dense(&x).expect("finite"), best)
        })
        .collect()
}

/// The stream of [FACT] §2.2: ten coins that decide the label, each copied, a share of the copies flipped.
pub fn coins(seed: u64, copies: usize, examples: usize, flips: f64) -> Vec<(Vector, usize)> {
    let mut random = Random(seed);
    let truth = random.dense(10);
    (0..examples)
        .map(|_| {
            let coins: Vec<f64> =
                (0..10).map(|_| if random.bits() >> 63 == 0 { 1.0 } else { -1.0 }).collect();
            let score: f64 = coins.iter().zip(&truth).map(|(z, w)| z * w).sum();
            let mut flip = |z: f64| if random.uniform() < flips { -z } else { z };
            let observed: Vec<f64> = (0..copies).flat_map(|_| &coins).map(|&z| flip(z)).collect();
            (Vector::from_dense(&observed).expect("finite"), usize::from(score >= 0.0))
        })
        .collect()
}

/// Progressive mistakes of a binary learner.
pub fn mistakes(spec: &str, stream: &[(Vector, usize)]) -> usize {
    let mut learner = surefoot_core::Spec::parse(spec).unwrap().build(surefoot_core::Task::Binary).unwrap();
    let mut wrong = 0;
    for (x, class) in stream {
        wrong +=
            usize::from(learner.learn(x.features(), *class, 1.0).unwrap().prediction.label != Some(*class));
    }
    wrong
}
