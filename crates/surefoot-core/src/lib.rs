//! The mathematics of Surefoot.

pub mod normal;
pub mod probability;
