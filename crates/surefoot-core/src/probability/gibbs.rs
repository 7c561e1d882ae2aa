//! Votes by sampling, as the paper estimated them.

use crate::normal;

/// Estimates the vote of each label from `samples` draws (`[MCCW]` §7): a draw of weights w ~ N(μ, Σ) scores
/// every label, and the label with the largest score (the smaller label of a tie) gets the vote.
///
/// With independent class blocks the scores of an example are themselves independent Gaussians, so they are
/// drawn instead of the weights. `standard_normal` is the caller's seeded source of standard normal numbers;
/// see [`from_bits`]. [`Voter`](super::Voter) computes what this estimates.
///
/// ```
/// use rand_pcg::{Pcg64, rand_core::{Rng, SeedableRng}};
/// use surefoot_core::probability::gibbs;
///
/// let mut generator = Pcg64::seed_from_u64(1);
/// let mut votes = [0.0; 3];
/// let mut standard_normal = || gibbs::from_bits(generator.next_u64());
/// gibbs::sample(&[1.0, 0.0, -9.0], &[0.5, 0.5, 0.5], 10_000, &mut standard_normal, &mut votes);
/// assert!((votes[0] - 0.841).abs() < 0.02); // Φ(1)
/// ```
///
/// # Panics
///
/// If the three slices differ in length.
pub fn sample(
    means: &[f64],
    variances: &[f64],
    samples: u32,
    standard_normal: &mut impl FnMut() -> f64,
    votes: &mut [f64],
) {
    assert_eq!(means.len(), variances.len(), "one variance a mean");
    assert_eq!(means.len(), votes.len(), "one vote a mean");
    votes.fill(0.0);
    for _ in 0..samples {
        if let Some(winner) = draw_winner(means, variances, standard_normal) {
            votes[winner] += 1.0;
        }
    }
    votes.iter_mut().for_each(|vote| *vote /= f64::from(samples.max(1)));
}

/// The label with the largest of one draw of scores.
fn draw_winner(means: &[f64], variances: &[f64], standard_normal: &mut impl FnMut() -> f64) -> Option<usize> {
    let mut best = None;
    let mut best_score = f64::NEG_INFINITY;
    for (label, (mean, variance)) in means.iter().zip(variances).enumerate() {
        let score = mean + variance.max(0.0).sqrt() * standard_normal();
        if score > best_score || best.is_none() {
            (best, best_score) = (Some(label), score);
        }
    }
    best
}

/// A standard normal number from 64 random bits, by inversion: one draw a number, the same on every platform.
pub fn from_bits(bits: u64) -> f64 {
    // The midpoints of 2⁵² equal intervals: never 0, never 1.
    let uniform = ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64;
    normal::quantile(uniform)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_cover_both_tails() {
        assert!(from_bits(0) < -8.0 && from_bits(u64::MAX) > 8.0);
        assert!(from_bits(1 << 63).abs() < 1e-15);
    }

    #[test]
    fn ties_go_to_the_smaller_label() {
        let mut votes = [0.0; 3];
        sample(&[0.0, 1.0, 1.0], &[0.0; 3], 10, &mut || 0.0, &mut votes);
        assert_eq!(votes, [0.0, 1.0, 0.0]);
    }

    #[test]
    fn no_labels_and_no_samples_are_harmless() {
        sample(&[], &[], 10, &mut || 0.0, &mut []);
        let mut votes = [1.0];
        sample(&[0.0], &[1.0], 0, &mut || 0.0, &mut votes);
        assert_eq!(votes, [0.0]);
    }
}
