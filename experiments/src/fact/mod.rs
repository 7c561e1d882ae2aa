//! Exploiting feature covariance in high-dimensional online learning (FACT).

pub mod sigma_side;
