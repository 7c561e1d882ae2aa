//! The stream of [FACT] §2.2: ten coins, each copied k times, 5 % of the copies flipped.

use surefoot_core::{Result, Vector};

use crate::random::Random;

/// Coins that decide the label.
const COINS: usize = 10;

/// The share of observed values that are flipped.
const FLIPS: f64 = 0.05;

/// `examples` examples of 10·`copies` features ±1, with their classes.
pub fn coins(seed: u64, copies: usize, examples: usize) -> Result<Vec<(Vector, usize)>> {
    let mut random = Random(seed);
    let truth: Vec<f64> = (0..COINS).map(|_| random.normal()).collect();
    (0..examples)
        .map(|_| {
            let coins: Vec<f64> =
                (0..COINS).map(|_| if random.bits() >> 63 == 0 { 1.0 } else { -1.0 }).collect();
            let score: f64 = coins.iter().zip(&truth).map(|(z, w)| z * w).sum();
            let mut flip = |z: f64| if random.uniform() < FLIPS { -z } else { z };
            let observed: Vec<f64> = (0..copies).flat_map(|_| &coins).map(|&z| flip(z)).collect();
            Ok((Vector::from_dense(&observed)?, usize::from(score >= 0.0)))
        })
        .collect()
}
