//! The mathematics of Surefoot.
