//! The labels of the first examples, before any of them is parsed.
//!
//! What the task is depends on the labels of thousands of examples. Labels are found in a fraction of the time that parsing
//! takes, and who knows them early need not keep the examples until then.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::ReadOptions;
use super::chunk::{Chunk, Chunker};
use crate::format::Line;
use crate::record::Record;
use crate::source::Source;

/// Bytes that it pays to look through: all of them are read once more to be parsed.
const MOST_BYTES: usize = 32 << 20;

/// Tells `enough` the labels of the examples from the first on until it says so, after `examples` at the latest. Returns whether
/// it did, or heard all there are. If not, the sources cannot be read twice, so many examples are too long, their format
/// does not show its labels, or something is wrong with them.
pub(super) fn labels(
    sources: &[Source],
    options: &Arc<ReadOptions>,
    examples: usize,
    mut enough: impl FnMut(Option<&[u8]>) -> bool,
) -> bool {
    if !sources.iter().all(Source::lies_open) {
        return false;
    }
    let mut chunker = Chunker::new(sources.to_vec(), options.clone(), Arc::new(AtomicU64::new(0)));
    let size = sources.iter().filter_map(|source| source.check().ok().flatten()).sum::<u64>() as usize;
    let (mut buffer, mut heard, mut bytes) = (Vec::new(), 0usize, 0usize);
    // If the others are as long as those so far.
    while size.min((bytes / (heard + 1)).saturating_mul(examples)) <= MOST_BYTES {
        buffer = match chunker.next(buffer) {
            Err(_) => return false,
            Ok(None) => return true,
            Ok(Some(chunk)) => {
                if let Some(done) = look_through(&chunk, &mut |label| {
                    heard += 1;
                    enough(label)
                }) {
                    return done;
                }
                bytes += chunk.bytes.len();
                chunk.bytes
            }
        };
    }
    false
}

/// Whether it was enough, or did not work; none if there is to be another chunk.
fn look_through(chunk: &Chunk, enough: &mut impl FnMut(Option<&[u8]>) -> bool) -> Option<bool> {
    let mut found = Record::default();
    for (_, record) in chunk.records() {
        found.clear();
        match chunk.file.parser.label(record, &mut found) {
            Some(Ok(Line::Example)) if enough(found.label.as_deref()) => return Some(true),
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return Some(false),
        }
    }
    None
}
