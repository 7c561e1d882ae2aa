//! Between the core's tensors and those of the model file.

use surefoot_core::state::{State as CoreState, Tensor as CoreTensor};
use surefoot_data::{State, StateProblem, Tensor};

/// Puts a learner's state into the file's, under `prefix.`.
pub(crate) fn from_core<'a>(prefix: &str, state: CoreState<'a>, out: &mut State<'a>) {
    for (name, tensor) in state.into_tensors() {
        let tensor = match tensor {
            CoreTensor::F64(data) => Tensor::F64(data),
            CoreTensor::F32(data) => Tensor::F32(data),
            CoreTensor::U32(data) => Tensor::U32(data),
            CoreTensor::U64(data) => Tensor::U64(data),
        };
        out.put(&format!("{prefix}.{name}"), tensor);
    }
}

/// Takes a learner's state out of the file's.
pub(crate) fn to_core(prefix: &str, state: &mut State<'static>) -> Result<CoreState<'static>, StateProblem> {
    let mut out = CoreState::default();
    for (name, tensor) in state.take_all(&format!("{prefix}.")) {
        let tensor = match tensor {
            Tensor::F64(data) => CoreTensor::F64(data),
            Tensor::F32(data) => CoreTensor::F32(data),
            Tensor::U32(data) => CoreTensor::U32(data),
            Tensor::U64(data) => CoreTensor::U64(data),
            Tensor::U8(_) => return Err(StateProblem::Type { name, expected: "F64, F32, U32 or U64" }),
        };
        out.put(name, tensor);
    }
    Ok(out)
}
