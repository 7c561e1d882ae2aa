//! The first examples that a model learned, as hashes: data that begins with the same ones is data that it has learned before.

use surefoot_data::{Batch, KeyedFeatures, name_key};

/// So many examples are remembered. Data with fewer is never recognised: a few rows may be alike by chance.
const REMEMBERED: usize = 32;

/// Hashes of the first examples of a model's stream, label and features.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Beginning(Vec<u32>);

impl Beginning {
    /// As it was saved.
    pub(crate) fn new(hashes: Vec<u32>) -> Self {
        Self(hashes)
    }

    /// The hashes, for the model file.
    pub(crate) fn hashes(&self) -> &[u32] {
        &self.0
    }

    /// Remembers an example, if it is one of the first.
    pub(crate) fn see<'l>(&mut self, labels: impl Iterator<Item = &'l [u8]>, features: &KeyedFeatures<'_>) {
        if self.0.len() < REMEMBERED {
            self.0.push(hash_of(labels, features));
        }
    }

    /// Whether data of which these batches are the first begins in the same way: none if more of it must be seen to tell.
    pub(crate) fn is_of<'b>(&self, batches: impl Iterator<Item = &'b Batch>) -> Option<bool> {
        if self.0.len() < REMEMBERED {
            return Some(false);
        }
        let examples = batches.flat_map(Batch::iter);
        let mut hashes = examples.map(|example| hash_of(example.labels(), &example.features));
        let mut alike = 0;
        for own in &self.0 {
            match hashes.next() {
                Some(hash) if hash != *own => return Some(false),
                Some(_) => alike += 1,
                None => break,
            }
        }
        (alike == REMEMBERED).then_some(true)
    }
}

/// A number that examples of other labels or features hardly share.
fn hash_of<'l>(labels: impl Iterator<Item = &'l [u8]>, features: &KeyedFeatures<'_>) -> u32 {
    let mut bytes = Vec::new();
    for (number, label) in labels.enumerate() {
        bytes.extend_from_slice(if number > 0 { b"\0" } else { b"" });
        bytes.extend_from_slice(label);
    }
    for (key, value) in features.keys().iter().zip(features.values()) {
        bytes.extend(key.to_le_bytes());
        bytes.extend(value.to_bits().to_le_bytes());
    }
    name_key(&bytes, 0) as u32
}
