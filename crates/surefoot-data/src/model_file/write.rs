//! Writing model files.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use super::checksum::checksum;
use super::tensors::{TensorBytes, TensorHeader};
use super::{ENTRY, Header, ModelError, ModelProblem};
use crate::atomic_file::AtomicFile;
use surefoot_core::state::State;

/// The file as bytes: the same model gives the same bytes on every machine. Whether numbers are finite is checked when they
/// are read.
pub fn to_bytes(header: &Header, state: &State<'_>) -> Result<Vec<u8>, ModelProblem> {
    let mut bytes = Vec::new();
    ContainerWriter::new(header, state)?.write(&mut bytes)?;
    Ok(bytes)
}

/// Writes a model so that a crash at any moment leaves the old file or the new one. A model with a number that is not finite
/// could not be read again: it is refused, and the old file stays.
pub fn write(path: &Path, header: &Header, state: &State<'_>) -> Result<(), ModelError> {
    let replace = || -> Result<(), ModelProblem> {
        let container = ContainerWriter::new(header, state)?;
        container.check_finite()?;
        let mut file = AtomicFile::create(path)?;
        container.write(&mut file)?;
        Ok(file.commit()?)
    };
    replace().map_err(|problem| problem.in_file(path))
}

/// Writes a safetensors container without a copy of its numbers: the library makes the header, and every tensor is written
/// from where it lies in memory.
struct ContainerWriter<'s> {
    /// Everything before the numbers.
    header: Vec<u8>,
    /// In the order in which the header says that they follow.
    tensors: Vec<(&'s str, TensorBytes<'s>)>,
}

impl<'s> ContainerWriter<'s> {
    fn new(header: &Header, state: &'s State<'_>) -> Result<Self, ModelProblem> {
        let mut tensors: Vec<_> =
            state.iter().map(|(name, tensor)| (name, TensorBytes::new(tensor))).collect();
        let text = header.to_json();
        let checksum = checksum(&text, tensors.iter().map(|(name, tensor)| (*name, tensor.bytes())));
        // One entry only: the library writes its metadata in random order.
        let entry = serde_json::json!({ "checksum": checksum, "header": text }).to_string();
        let metadata = HashMap::from([(ENTRY.to_string(), entry)]);
        let headers = tensors.iter().map(|(name, tensor)| (*name, TensorHeader(tensor)));
        let header = safetensors::serialize(headers, Some(metadata))
            .map_err(|error| ModelProblem::Container(error.to_string()))?;
        // As the library orders them: the widest numbers first, so that all are aligned.
        tensors.sort_by(|(name, tensor), (other_name, other)| {
            other.dtype().cmp(&tensor.dtype()).then_with(|| name.cmp(other_name))
        });
        Ok(ContainerWriter { header, tensors })
    }

    fn check_finite(&self) -> Result<(), ModelProblem> {
        match self.tensors.iter().find(|(_, tensor)| !tensor.is_finite()) {
            Some((name, _)) => Err(ModelProblem::Overflow((*name).to_string())),
            None => Ok(()),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.header)?;
        self.tensors.iter().try_for_each(|(_, tensor)| out.write_all(tensor.bytes()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use safetensors::SafeTensors;

    use super::super::{Counts, FORMAT_VERSION, from_bytes};
    use super::*;
    use crate::recipe::Recipe;
    use surefoot_core::state::Tensor;

    fn header() -> Header {
        Header {
            version: FORMAT_VERSION,
            learner: "arow".into(),
            labels: "[]".into(),
            recipe: Recipe::default(),
            columns: crate::FormatOptions::default(),
            counts: Counts::default(),
            seed: 0,
            memory: 1.0,
        }
    }

    /// Header and tensors are written one by one; the library would have written the same bytes.
    #[test]
    fn the_container_is_as_its_library_writes_it() {
        let mut state = State::new();
        state.put("b", Tensor::F64(vec![0.5, -1.0].into()));
        state.put("a", Tensor::U8(vec![7; 13].into()));
        state.put("c", Tensor::U32(vec![1, 2, 3].into()));
        state.put("d", Tensor::U64(vec![u64::MAX].into()));
        state.put("ab", Tensor::F64(vec![].into()));
        state.put("ac", Tensor::F32(vec![0.5, f32::MAX, -0.0].into()));
        let header = header();
        let bytes = to_bytes(&header, &state).unwrap();
        let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        assert_eq!(tensors.len(), 6);
        assert_eq!(safetensors::serialize(tensors.tensors(), metadata.metadata().clone()).unwrap(), bytes);
        assert_eq!(from_bytes(&bytes).unwrap(), (header, state));
    }

    #[test]
    fn a_model_that_could_not_be_read_again_does_not_replace_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        let model = |tensor: Tensor<'static>| {
            let mut state = State::new();
            state.put("cells", tensor);
            write(&path, &header(), &state)
        };
        // The last number of many.
        let last = |bad: f64| [vec![1.0; 40_000], vec![bad]].concat();
        model(Tensor::F64(last(f64::MAX).into())).unwrap();
        let before = fs::read(&path).unwrap();
        for bad in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let error = model(Tensor::F64(last(bad).into())).unwrap_err();
            assert!(error.to_string().contains("`cells` holds a number that is not finite"), "{error}");
            model(Tensor::F32(last(bad).iter().map(|&x| x as f32).collect())).unwrap_err();
        }
        assert!(fs::read(&path).unwrap() == before);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
