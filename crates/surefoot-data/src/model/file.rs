//! Reading and writing model files.
//!
//! A file is a safetensors container with one metadata entry, `surefoot`: the [`Header`] as JSON with sorted keys,
//! and a second, `checksum`, over header and tensors. Writing goes to a temporary file beside the target, which is
//! synced and then renamed over it: whoever reads the path finds the old model or the new one, never half of one.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use safetensors::{SafeTensorError, SafeTensors};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::sum::Sum;
use super::tensors::{Hollow, Outgoing, incoming};
use super::{Header, ModelError, ModelProblem};
use crate::state::State;
use crate::straight::Straight;

const ENTRY: &str = "surefoot";
/// The longest header that a safetensors file may have.
const LONGEST_HEADER: u64 = 100_000_000;

/// Bytes that are written, and then looked at and summed up, at a time; a multiple of the size of any number.
const PIECE: usize = 1 << 18;

/// The file as bytes: the same model is the same bytes, everywhere. Whoever reads them looks whether numbers are finite.
pub fn to_bytes(header: &Header, state: &State<'_>) -> Result<Vec<u8>, ModelProblem> {
    let mut bytes = Vec::new();
    let draft = Draft::new(header, state);
    let start = draft.start(&Sum::default().finish())?;
    draft.put(&start, &mut bytes, |_, _| true, |bytes, start| bytes[..start.len()].copy_from_slice(start))?;
    Ok(bytes)
}

/// Writes a model so that a crash at any moment leaves the old file or the new one. One that holds a number that is not finite
/// is refused, and the old file stays.
pub fn write(path: &Path, header: &Header, state: &State<'_>) -> Result<(), ModelError> {
    let replace = || -> Result<(), ModelProblem> {
        let draft = Draft::new(header, state);
        let start = draft.start(&Sum::default().finish())?;
        let mut file = Straight::create(path, start.len())?;
        draft.put(&start, &mut file, |tensor, piece| tensor.is_finite(piece), Straight::rewrite)?;
        Ok(file.commit()?)
    };
    replace().map_err(|problem| problem.in_file(path))
}

/// A container before it is written.
struct Draft<'s> {
    text: String,
    /// In the order of their names.
    tensors: Vec<(&'s str, Outgoing<'s>)>,
}

impl<'s> Draft<'s> {
    fn new(header: &Header, state: &'s State<'_>) -> Self {
        let tensors = state.iter().map(|(name, tensor)| (name, Outgoing::new(tensor))).collect();
        Draft { text: header.to_json(), tensors }
    }

    /// Everything before the tensors; as long with one checksum as with another.
    fn start(&self, sum: &str) -> Result<Vec<u8>, ModelProblem> {
        // One entry only: the container writes its metadata in random order.
        let entry = serde_json::json!({ "checksum": sum, "header": self.text }).to_string();
        let metadata = HashMap::from([(ENTRY.to_string(), entry)]);
        let hollow = self.tensors.iter().map(|(name, tensor)| (*name, Hollow(tensor)));
        let start = safetensors::serialize(hollow, Some(metadata));
        start.map_err(|error| ModelProblem::Container(error.to_string()))
    }

    /// Writes the container: its header with a checksum of nothing, then every tensor from where it lies, so that no second copy of it is made. What it
    /// amounts to is reckoned meanwhile, and the header written once more.
    fn put<W: Write>(
        &self,
        start: &[u8],
        out: &mut W,
        passes: fn(&Outgoing<'_>, &[u8]) -> bool,
        rewrite: impl FnOnce(&mut W, &[u8]),
    ) -> Result<(), ModelProblem> {
        out.write_all(start)?;
        // The order in which the container lays tensors out.
        let mut laid_out: Vec<_> = self.tensors.iter().collect();
        laid_out.sort_by(|(name, one), (other_name, other)| {
            other.dtype().cmp(&one.dtype()).then_with(|| name.cmp(other_name))
        });
        let mut sum = Sum::new(&self.text, self.tensors.iter().map(|(name, tensor)| (*name, tensor.bytes())));
        for (name, tensor) in laid_out {
            for piece in tensor.bytes().chunks(PIECE) {
                out.write_all(piece)?;
                // While it is near: what cannot be read again must not take the place of what can.
                if !passes(tensor, piece) {
                    return Err(ModelProblem::Overflow((*name).to_string()));
                }
                sum.advance(piece.len());
            }
        }
        rewrite(out, &self.start(&sum.finish())?);
        Ok(())
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
    let content = views.iter().map(|(name, view)| (name.as_str(), view.data().into()));
    let found = Sum::new(&text, content).finish();
    if found != expected {
        return Err(ModelProblem::Checksum { expected, found });
    }
    let mut state = State::new();
    for (name, view) in &views {
        state.put(name, incoming(name, view)?);
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

    /// Written piece by piece, the file is what the container would have written in one.
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
    fn what_nobody_could_read_does_not_replace_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        let model = |tensor: Tensor<'static>| {
            let mut state = State::new();
            state.put("cells", tensor);
            write(&path, &header(), &state)
        };
        // The last number of many, so that it is in a piece of its own.
        let last = |bad: f64| [vec![1.0; PIECE / 8], vec![bad]].concat();
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
