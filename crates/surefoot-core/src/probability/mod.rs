//! From means and variances of the class scores to probabilities of the labels.
//!
//! With independent class blocks the scores of an example are independent Gaussians, so the probability that
//! a label has the largest score, its *vote*, is a one-dimensional integral: [`Voter`] computes it exactly,
//! [`gibbs`] estimates it by drawing weights, as the paper did (`[MCCW]` §7).

pub mod gibbs;
mod ln_phi;
mod vote;

pub use vote::Voter;
