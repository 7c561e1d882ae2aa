//! The Open Inference Protocol V2, as its real clients speak it: binary tensors, no Content-Type, bodies where health is asked.

pub(super) mod infer;
pub(super) mod meta;
mod rows;
mod tensor;
