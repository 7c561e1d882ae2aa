//! Surefoot.
pub use surefoot_core as core;
pub use surefoot_data as data;
