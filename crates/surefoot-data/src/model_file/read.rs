//! Reading model files. Every length is checked against the size of the file before anything is allocated.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use safetensors::{SafeTensorError, SafeTensors};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::checksum::checksum;
use super::tensors::tensor;
use super::{ENTRY, Header, ModelError, ModelProblem};
use surefoot_core::state::State;

/// The longest header that a safetensors file may have.
const LONGEST_HEADER: u64 = 100_000_000;

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
