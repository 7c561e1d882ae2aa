//! Arrays of numbers as little-endian bytes and back.

use std::borrow::Cow;

use safetensors::tensor::{Dtype, TensorView, View};
use surefoot_core::all_finite;

use super::ModelProblem;
use surefoot_core::state::Tensor;

/// A tensor as the bytes of a file.
pub(super) struct TensorBytes<'a> {
    tensor: &'a Tensor<'a>,
    dtype: Dtype,
    bytes: Cow<'a, [u8]>,
    shape: [usize; 1],
}

impl<'a> TensorBytes<'a> {
    pub(super) fn new(tensor: &'a Tensor<'a>) -> Self {
        let (dtype, bytes, length) = match tensor {
            Tensor::U8(values) => (Dtype::U8, Cow::Borrowed(&**values), values.len()),
            Tensor::U32(values) => (Dtype::U32, little_endian(values, |x| x.to_le_bytes()), values.len()),
            Tensor::U64(values) => (Dtype::U64, little_endian(values, |x| x.to_le_bytes()), values.len()),
            Tensor::F32(values) => (Dtype::F32, little_endian(values, |x| x.to_le_bytes()), values.len()),
            Tensor::F64(values) => (Dtype::F64, little_endian(values, |x| x.to_le_bytes()), values.len()),
        };
        TensorBytes { tensor, dtype, bytes, shape: [length] }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether all its numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        match self.tensor {
            Tensor::F32(values) => all_finite(values.iter().map(|&x| x.into())),
            Tensor::F64(values) => all_finite(values.iter().copied()),
            Tensor::U8(_) | Tensor::U32(_) | Tensor::U64(_) => true,
        }
    }

    pub(super) fn dtype(&self) -> Dtype {
        self.dtype
    }
}

/// The bytes of numbers in the order of the file, which is the order in memory on nearly every machine.
fn little_endian<T: bytemuck::NoUninit, const N: usize>(
    values: &[T],
    bytes: fn(&T) -> [u8; N],
) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(values));
    }
    values.iter().flat_map(bytes).collect()
}

/// A tensor by its type and length alone: of such tensors the library writes a header that no numbers follow.
pub(super) struct TensorHeader<'a>(pub(super) &'a TensorBytes<'a>);

impl View for TensorHeader<'_> {
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
        self.0.bytes.len()
    }
}

/// The numbers of a tensor of a file, as many as its bytes hold.
pub(super) fn tensor(name: &str, view: &TensorView<'_>) -> Result<Tensor<'static>, ModelProblem> {
    let data = view.data();
    Ok(match view.dtype() {
        Dtype::U8 => Tensor::U8(Cow::Owned(data.to_vec())),
        Dtype::U32 => Tensor::U32(data.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()),
        Dtype::U64 => Tensor::U64(data.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect()),
        Dtype::F32 => Tensor::F32(data.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()),
        Dtype::F64 => Tensor::F64(data.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect()),
        other => {
            let what = format!("the tensor `{name}` has numbers of type {other:?}");
            return Err(ModelProblem::Header(what));
        }
    })
}
