//! The commands, one file each.

pub mod compare;
pub mod completions;
pub mod convert;
pub mod explain;
pub mod generate;
pub mod inspect;
pub mod man;
pub mod merge;
pub mod predict;
pub mod rules;
pub mod test;
pub mod train;
pub mod tune;
