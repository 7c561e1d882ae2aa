//! Reading and writing model files.
//!
//! A file is a safetensors container with one metadata entry, `surefoot`: the [`Header`] as JSON with sorted keys,
//! and a second, `checksum`, over header and tensors. Writing goes to a temporary file beside the target, which is
//! synced and then renamed over it: a reader of the path finds the old model or the new one, never half of one.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use safetensors::{SafeTensorError, SafeTensors};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::checksum::checksum;
use super::tensors::{TensorBytes, TensorHeader, tensor};
use super::{Header, ModelError, ModelProblem};
use crate::atomic_file::AtomicFile;
use crate::state::State;

const ENTRY: &str = "surefoot";
/// The longest header that a safetensors file may have.
const LONGEST_HEADER: u64 = 100_000_000;

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

/// Reads a whole model file and checks it.
pub fn read(path: &Path) -> Result<(Header, State<'static>), ModelError> {
    let get = || -> Result<_, ModelProblem> { from_bytes(&fs::read(path)?) };
    get().map_err(|problem| problem.in_file(path))
}

/// Reads the header alone: settings and counts of a model of any size, at once.
pub fn read_header(path: &Path) -> Result<Header, ModelError> {
    let get = || -> Result<_, ModelProblem> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        let mut start = Vec::new();
        (&mut file).take(8).read_to_end(&mut start)?;
        let length = header_length(&start, size)?;
        let mut text = Vec::new();
        file.take(length as u64).read_to_end(&mut text)?;
        Ok(parse_entry(&text)?.header)
    };
    get().map_err(|problem| problem.in_file(path))
}

/// A model from the bytes of its file.
pub fn from_bytes(bytes: &[u8]) -> Result<(Header, State<'static>), ModelProblem> {
    let length = header_length(bytes, bytes.len() as u64)?;
    let container = |error| match error {
        SafeTensorError::MetadataIncompleteBuffer => misfit(&bytes[8..8 + length], bytes.len() - 8 - length),
        error => ModelProblem::Container(error.to_string()),
    };
    SafeTensors::read_metadata(bytes).map_err(container)?;
    let Entry { checksum: expected, text, header } = parse_entry(&bytes[8..8 + length])?;
    let tensors = SafeTensors::deserialize(bytes).map_err(container)?;
    let mut views = tensors.tensors();
    views.sort_by(|a, b| a.0.cmp(&b.0));
    let content = views.iter().map(|(name, view)| (name.as_str(), view.data()));
    let found = checksum(&text, content);
    if found != expected {
        return Err(ModelProblem::Checksum { expected, found });
    }
    let mut state = State::new();
    for (name, view) in &views {
        state.put(name, tensor(name, view)?);
    }
    Ok((header, state))
}

/// The length of the header of a file of this size, which its first eight bytes say.
fn header_length(start: &[u8], size: u64) -> Result<usize, ModelProblem> {
    let wrong = |what: String| Err(ModelProblem::Container(what));
    let Some(length) = start.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)) else {
        return wrong(if size == 0 {
            "the file is empty".into()
        } else {
            format!("it has only {size} bytes")
        });
    };
    if length > LONGEST_HEADER
        && start.iter().take(8).all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
    {
        return wrong("it begins like text; `surefoot train DATA -o MODEL` makes models".into());
    }
    if length > LONGEST_HEADER {
        return wrong(format!("a header of {length} bytes where {LONGEST_HEADER} are the most"));
    }
    if length > size.saturating_sub(8) {
        return wrong(format!("a header of {length} bytes in a file of {size}: it was cut off"));
    }
    Ok(length as usize)
}

/// Says whether there are fewer numbers than the header says, or more.
fn misfit(json: &[u8], found: usize) -> ModelProblem {
    let container: serde_json::Value = serde_json::from_slice(json).unwrap_or_default();
    let ends = container.as_object().into_iter().flatten().map(|(_, tensor)| &tensor["data_offsets"][1]);
    let expected = ends.filter_map(serde_json::Value::as_u64).max().unwrap_or(0);
    let why = if (found as u64) < expected { "it was cut off" } else { "something was added" };
    ModelProblem::Container(format!("{found} bytes of numbers where the header has {expected}: {why}"))
}

/// What the container's metadata holds.
struct Entry {
    checksum: String,
    text: String,
    header: Header,
}

fn parse_entry(json: &[u8]) -> Result<Entry, ModelProblem> {
    refuse_duplicates(json)?;
    let damaged = |error: serde_json::Error| ModelProblem::Container(error.to_string());
    let container: serde_json::Value = serde_json::from_slice(json).map_err(damaged)?;
    let entry = container.get("__metadata__").and_then(|m| m.get(ENTRY)).and_then(|e| e.as_str());
    let entry = entry.ok_or(ModelProblem::Foreign)?;
    let mut parts: HashMap<String, String> =
        serde_json::from_str(entry).map_err(|error| ModelProblem::Header(error.to_string()))?;
    let mut part =
        |name: &str| parts.remove(name).ok_or_else(|| ModelProblem::Header(format!("no `{name}`")));
    let (checksum, text) = (part("checksum")?, part("header")?);
    let header = Header::from_json(&text)?;
    Ok(Entry { checksum, text, header })
}

/// The container's reader keeps the last of two tensors of one name; a file of ours has no two.
fn refuse_duplicates(json: &[u8]) -> Result<(), ModelProblem> {
    struct Names;
    impl<'de> Visitor<'de> for Names {
        type Value = Option<String>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let (mut seen, mut twice) = (std::collections::HashSet::new(), None);
            while let Some((name, _)) = map.next_entry::<String, IgnoredAny>()? {
                if !seen.insert(name.clone()) {
                    twice.get_or_insert(name);
                }
            }
            Ok(twice)
        }
    }
    let twice = serde_json::Deserializer::from_slice(json)
        .deserialize_map(Names)
        .map_err(|error| ModelProblem::Container(error.to_string()))?;
    twice.map_or(Ok(()), |name| Err(ModelProblem::Duplicate(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;
    use crate::state::Tensor;

    fn header() -> Header {
        Header {
            version: super::super::FORMAT_VERSION,
            learner: "arow".into(),
            labels: "[]".into(),
            recipe: Recipe::default(),
            columns: crate::FormatOptions::default(),
            counts: super::super::Counts::default(),
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
