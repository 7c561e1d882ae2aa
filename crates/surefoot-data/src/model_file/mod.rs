//! The model file.
//!
//! It is a safetensors container with one metadata entry, `surefoot`: the [`Header`] as JSON with sorted keys, and a checksum over
//! header and tensors. A file takes its place only when it is complete and synced: a reader of the path finds the old model or the
//! new one, never half of one.

mod checksum;
mod header;
mod problem;
mod read;
mod tensors;
mod write;

pub use header::{Counts, FORMAT_VERSION, Header};
pub use problem::{ModelError, ModelProblem};
pub use read::{from_bytes, read, read_header};
pub use write::{to_bytes, write};

/// The name of the metadata entry.
const ENTRY: &str = "surefoot";
