//! The safetensors container of a model. What is written lies in memory once; of what is read, every length is checked against the
//! size of the file before anything is allocated.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView, View};
use safetensors::{SafeTensorError, SafeTensors};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use surefoot_core::all_finite;
use surefoot_core::state::{State, Tensor};
use xxhash_rust::xxh3::Xxh3Default;

use super::{Header, ModelError, ModelProblem};
use crate::atomic_file::AtomicFile;

/// The name of the metadata entry.
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
        let checksum = checksum(&text, tensors.iter().map(|(name, tensor)| (*name, &*tensor.bytes)));
        // One entry only: the library writes its metadata in random order.
        let entry = serde_json::json!({ "checksum": checksum, "header": text }).to_string();
        let metadata = HashMap::from([(ENTRY.to_string(), entry)]);
        let headers = tensors.iter().map(|(name, tensor)| (*name, TensorHeader(tensor)));
        let header = safetensors::serialize(headers, Some(metadata))
            .map_err(|error| ModelProblem::Container(error.to_string()))?;
        // As the library orders them: the widest numbers first, so that all are aligned.
        tensors.sort_by(|(name, tensor), (other_name, other)| {
            other.dtype.cmp(&tensor.dtype).then_with(|| name.cmp(other_name))
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
        self.tensors.iter().try_for_each(|(_, tensor)| out.write_all(&tensor.bytes))
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
    let TensorEntry { checksum: expected, text, header } = parse_entry(&bytes[8..8 + length])?;
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
    let is_text = |bytes: &[u8; 8]| bytes.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
    let wrong = match start.first_chunk().map(|bytes| (u64::from_le_bytes(*bytes), is_text(bytes))) {
        None if size == 0 => "the file is empty".into(),
        None => format!("it has only {size} bytes"),
        Some((length, true)) if length > LONGEST_HEADER => {
            "it begins like text; `surefoot train DATA -o MODEL` makes models".into()
        }
        Some((length, _)) if length > LONGEST_HEADER => {
            format!("a header of {length} bytes where {LONGEST_HEADER} are the most")
        }
        Some((length, _)) if length > size.saturating_sub(8) => {
            format!("a header of {length} bytes in a file of {size}: it was cut off")
        }
        Some((length, _)) => return Ok(length as usize),
    };
    Err(ModelProblem::Container(wrong))
}

/// The problem of a file with fewer numbers than its header says, or with more.
fn misfit(json: &[u8], found: usize) -> ModelProblem {
    let container: serde_json::Value = serde_json::from_slice(json).unwrap_or_default();
    let ends = container.as_object().into_iter().flatten().map(|(_, tensor)| &tensor["data_offsets"][1]);
    let expected = ends.filter_map(serde_json::Value::as_u64).max().unwrap_or(0);
    let why = if (found as u64) < expected { "it was cut off" } else { "something was added" };
    ModelProblem::Container(format!("{found} bytes of numbers where the header has {expected}: {why}"))
}

/// What the container's metadata holds.
struct TensorEntry {
    checksum: String,
    text: String,
    header: Header,
}

fn parse_entry(json: &[u8]) -> Result<TensorEntry, ModelProblem> {
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
    Ok(TensorEntry { checksum, text, header })
}

/// The container's reader keeps the last of two tensors of one name; no model file has two.
fn refuse_duplicates(json: &[u8]) -> Result<(), ModelProblem> {
    struct TensorNames;
    impl<'de> Visitor<'de> for TensorNames {
        type Value = Option<String>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let (mut seen, mut twice) = (HashSet::new(), None);
            while let Some((name, _)) = map.next_entry::<String, IgnoredAny>()? {
                if !seen.insert(name.clone()) {
                    twice.get_or_insert(name);
                }
            }
            Ok(twice)
        }
    }
    let twice = serde_json::Deserializer::from_slice(json)
        .deserialize_map(TensorNames)
        .map_err(|error| ModelProblem::Container(error.to_string()))?;
    twice.map_or(Ok(()), |name| Err(ModelProblem::Duplicate(name)))
}

/// A tensor as the bytes of a file.
struct TensorBytes<'a> {
    tensor: &'a Tensor<'a>,
    dtype: Dtype,
    bytes: Cow<'a, [u8]>,
    shape: [usize; 1],
}

impl<'a> TensorBytes<'a> {
    fn new(tensor: &'a Tensor<'a>) -> Self {
        let (dtype, bytes, length) = match tensor {
            Tensor::U8(values) => (Dtype::U8, Cow::Borrowed(&**values), values.len()),
            Tensor::U32(values) => (Dtype::U32, little_endian(values, |x| x.to_le_bytes()), values.len()),
            Tensor::U64(values) => (Dtype::U64, little_endian(values, |x| x.to_le_bytes()), values.len()),
            Tensor::F32(values) => (Dtype::F32, little_endian(values, |x| x.to_le_bytes()), values.len()),
            Tensor::F64(values) => (Dtype::F64, little_endian(values, |x| x.to_le_bytes()), values.len()),
        };
        TensorBytes { tensor, dtype, bytes, shape: [length] }
    }

    /// Whether all its numbers are finite.
    fn is_finite(&self) -> bool {
        match self.tensor {
            Tensor::F32(values) => all_finite(values.iter().map(|&x| x.into())),
            Tensor::F64(values) => all_finite(values.iter().copied()),
            Tensor::U8(_) | Tensor::U32(_) | Tensor::U64(_) => true,
        }
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
struct TensorHeader<'a>(&'a TensorBytes<'a>);

impl View for TensorHeader<'_> {
    fn dtype(&self) -> Dtype {
        self.0.dtype
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
fn tensor(name: &str, view: &TensorView<'_>) -> Result<Tensor<'static>, ModelProblem> {
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

/// XXH3-128 over the header, and the name and the bytes of every tensor in the order of their names. Each comes behind its length,
/// so that no byte can move from one part to the next unnoticed.
fn checksum<'a>(header: &str, tensors: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Xxh3Default::new();
    let mut add = |part: &[u8]| {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(header.as_bytes());
    for (name, bytes) in tensors {
        add(name.as_bytes());
        add(bytes);
    }
    format!("xxh3-128:{:032x}", hash.digest128())
}

#[cfg(test)]
mod tests;
