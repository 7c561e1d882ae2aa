//! Arrays of numbers as little-endian bytes and back.

use std::borrow::Cow;

use safetensors::tensor::{Dtype, TensorView, View};
use surefoot_core::all_finite;

use super::ModelProblem;
use crate::state::Tensor;

/// A tensor on its way into a file.
pub(super) struct Outgoing<'a> {
    tensor: &'a Tensor<'a>,
    shape: [usize; 1],
}

impl<'a> Outgoing<'a> {
    pub(super) fn new(tensor: &'a Tensor<'a>) -> Self {
        let length = match tensor {
            Tensor::U8(values) => values.len(),
            Tensor::U32(values) => values.len(),
            Tensor::U64(values) => values.len(),
            Tensor::F32(values) => values.len(),
            Tensor::F64(values) => values.len(),
        };
        Outgoing { tensor, shape: [length] }
    }

    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        match self.tensor {
            Tensor::U8(values) => Cow::Borrowed(values),
            Tensor::U32(values) => little_endian(values, |x| x.to_le_bytes()),
            Tensor::U64(values) => little_endian(values, |x| x.to_le_bytes()),
            Tensor::F32(values) => little_endian(values, |x| x.to_le_bytes()),
            Tensor::F64(values) => little_endian(values, |x| x.to_le_bytes()),
        }
    }

    /// Whether a piece of its bytes, which begins and ends between two numbers, holds finite ones.
    pub(super) fn is_finite(&self, piece: &[u8]) -> bool {
        match self.tensor {
            Tensor::F32(_) => all_finite(piece.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b).into())),
            Tensor::F64(_) => all_finite(piece.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b))),
            Tensor::U8(_) | Tensor::U32(_) | Tensor::U64(_) => true,
        }
    }

    pub(super) fn dtype(&self) -> Dtype {
        match self.tensor {
            Tensor::U8(_) => Dtype::U8,
            Tensor::U32(_) => Dtype::U32,
            Tensor::U64(_) => Dtype::U64,
            Tensor::F32(_) => Dtype::F32,
            Tensor::F64(_) => Dtype::F64,
        }
    }
}

/// The bytes of numbers, as they lie in memory where that is their order in the file.
fn little_endian<T: bytemuck::NoUninit, const N: usize>(
    values: &[T],
    bytes: fn(&T) -> [u8; N],
) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(values));
    }
    values.iter().flat_map(bytes).collect()
}

/// A tensor that says how long it is and keeps its numbers back: what the container writes of it is its own header.
pub(super) struct Hollow<'a>(pub(super) &'a Outgoing<'a>);

impl View for Hollow<'_> {
    fn dtype(&self) -> Dtype {
        self.0.dtype()
    }

    fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&[])
    }

    fn data_len(&self) -> usize {
        self.0.bytes().len()
    }
}

/// A tensor of a file as numbers; its length is that of the bytes, which are there already.
pub(super) fn incoming(name: &str, view: &TensorView<'_>) -> Result<Tensor<'static>, ModelProblem> {
    let data = view.data();
    Ok(match view.dtype() {
        Dtype::U8 => Tensor::U8(Cow::Owned(data.to_vec())),
        Dtype::U32 => Tensor::U32(data.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()),
        Dtype::U64 => Tensor::U64(data.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect()),
        Dtype::F32 => Tensor::F32(data.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()),
        Dtype::F64 => Tensor::F64(data.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect()),
        other => {
            return Err(ModelProblem::Header(format!("the tensor `{name}` has numbers of type {other:?}")));
        }
    })
}
