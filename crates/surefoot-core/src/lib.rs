//! The mathematics of Surefoot.

pub mod normal;
