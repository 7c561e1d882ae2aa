//! Random numbers with a published sequence.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

/// Uniform and normal numbers from PCG64.
#[derive(Clone, Debug)]
pub struct Random {
    source: Pcg64,
    /// The second normal number of a pair, if it has not been used.
    spare: Option<f64>,
}

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        // Neighbouring seeds must not give neighbouring states.
        let state = u128::from(scramble(seed)) << 64 | u128::from(scramble(!seed));
        Random { source: Pcg64::new(state, 0), spare: None }
    }

    /// Uniform on [0, 1), a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.source.next_u64() >> 11) as f64 * (-53f64).exp2()
    }

    /// True with probability `chance`.
    pub fn flip(&mut self, chance: f64) -> bool {
        self.uniform() < chance
    }

    /// A whole number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The product's high half: uniform up to 2^-64 of the bound.
        ((u128::from(self.source.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Standard normal, by the polar method.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (a, b) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = a * a + b * b;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * libm::log(square) / square).sqrt();
                self.spare = Some(b * factor);
                return a * factor;
            }
        }
    }
}

/// The finaliser of SplitMix64: every bit of the result depends on every bit of the number.
pub(super) fn scramble(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
