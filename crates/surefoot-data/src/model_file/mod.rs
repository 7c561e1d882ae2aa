//! The model file.
//!
//! It is a safetensors container with one metadata entry, `surefoot`: the [`Header`] as JSON with sorted keys, and a checksum over
//! header and tensors. A file takes its place only when it is complete and synced: a reader of the path finds the old model or the
//! new one, never half of one.

mod container;
mod header;
mod problem;

pub use container::{from_bytes, read, read_header, to_bytes, write};
pub use header::{Counts, FORMAT_VERSION, Header};
pub use problem::{ModelError, ModelProblem};
