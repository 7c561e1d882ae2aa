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
#[cfg(feature = "serve")]
pub mod serve;
pub mod test;
#[cfg(feature = "serve")]
pub mod token;
pub mod train;
pub mod tune;
