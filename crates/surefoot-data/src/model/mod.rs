//! The model file: safetensors with one JSON header, a checksum, and sizes checked before anything is allocated.

mod checksum;
mod file;
mod header;
mod problem;
mod tensors;

pub use file::{from_bytes, read, read_header, to_bytes, write};
pub use header::{Counts, FORMAT_VERSION, Header};
pub use problem::{ModelError, ModelProblem};
