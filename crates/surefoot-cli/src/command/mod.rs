//! The commands, one file each.

pub mod completions;
pub mod generate;
pub mod inspect;
pub mod man;
pub mod predict;
pub mod rules;
pub mod test;
pub mod train;
