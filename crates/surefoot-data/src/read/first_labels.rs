//! The labels of the first examples, before any of them is parsed.
//!
//! What the task is depends on the labels of thousands of examples. Labels are found in a fraction of the time that parsing
//! takes, and a run that knows them need not keep the examples until then.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::chunk::{Chunk, Chunker};
use super::pool::Fetch;
use super::{OnBadLine, ReadOptions};
use crate::format::Line;
use crate::record::Record;
use crate::source::Source;

/// Bytes that it pays to look through: all of them are read once more to be parsed.
const MOST_BYTES: usize = 32 << 20;

/// The labels of the first `count` examples, or of all if there are fewer; none where an example has none. Nothing if they are
/// not to be had without parsing: the sources cannot be read twice, are long, are of a format that does not show its labels,
/// or have records that are wrong, or may turn out to be and then are skipped.
///
/// ```
/// use surefoot_data::{ReadOptions, Source, first_labels};
///
/// let tickets = Source::memory("tickets.svm", *b"+1 1:0.5 7:2\n-1 3:1\n");
/// let labels = first_labels(&[tickets], &ReadOptions::default(), 10);
/// assert_eq!(labels, Some(vec![Some(b"+1".to_vec()), Some(b"-1".to_vec())]));
/// ```
pub fn first_labels(sources: &[Source], options: &ReadOptions, count: usize) -> Option<Vec<Option<Vec<u8>>>> {
    if options.on_bad_line != OnBadLine::Fail || !sources.iter().all(Source::is_plain_file) {
        return None;
    }
    let size = sources.iter().filter_map(|source| source.check().ok().flatten()).sum::<u64>() as usize;
    let options = Arc::new(options.clone());
    let mut chunker = Chunker::new(sources.to_vec(), options, Arc::new(AtomicU64::new(0)));
    let (mut labels, mut chunk, mut bytes) = (Vec::new(), None, 0usize);
    while labels.len() < count {
        // If the others are as long as those so far.
        if size.min((bytes / (labels.len() + 1)).saturating_mul(count)) > MOST_BYTES {
            return None;
        }
        chunker.fetch(&mut chunk).ok()?;
        let Some(chunk) = &chunk else { break };
        gather(chunk, count, &mut labels)?;
        bytes += chunk.bytes.len();
    }
    Some(labels)
}

/// Appends the labels of a chunk up to so many in all; none if one is not to be had.
fn gather(chunk: &Chunk, count: usize, labels: &mut Vec<Option<Vec<u8>>>) -> Option<()> {
    let mut found = Record::default();
    for (_, record) in chunk.records() {
        if labels.len() == count {
            break;
        }
        found.clear();
        if let Line::Example = chunk.file.parser.label(record, &mut found)?.ok()? {
            labels.push(found.label.take());
        }
    }
    Some(())
}
