//! From a chunk of whole records to what is asked of it: a batch of examples, or labels alone.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::chunk::Chunker;
use super::findings::Findings;
use super::pool::Fetch;
use super::{OnBadLine, ReadOptions, Reject};
use crate::batch::Batch;
use crate::builder::Builder;
use crate::error::{Error, Fault, Result};
use crate::format::{Format, LabelOnly, Line, LineParser, NumberOf, Records, without_return};
use crate::recipe::Plan;
use crate::source::Source;

/// What all chunks of a file share.
pub(super) struct FileContext {
    pub(super) name: Arc<str>,
    pub(super) records: Records,
    pub(super) parser: Box<dyn LineParser>,
    pub(super) numbers: Option<RecordNumbers>,
}

/// The numbers that the records of a file carry.
pub(super) struct RecordNumbers {
    pub(super) of: NumberOf,
    /// That of the first line.
    pub(super) first: u64,
}

impl FileContext {
    /// Refuses a record that is no text, or not the one that comes next.
    #[inline]
    pub(super) fn check(&self, record: &[u8], line: u64) -> Result<(), Fault> {
        refuse_nul(record)?;
        self.numbers.as_ref().map_or(Ok(()), |numbers| numbers.check(record, line))
    }
}

impl RecordNumbers {
    fn check(&self, record: &[u8], line: u64) -> Result<(), Fault> {
        let (found, expected) = ((self.of)(record), self.first.wrapping_add(line - 1));
        if found.is_none_or(|found| found == expected) {
            // Without a number it is no record, which the parser says.
            return Ok(());
        }
        let found = found.map(|found| found.to_string()).unwrap_or_default();
        Err(Fault::new(0, format!("the record number {expected}"), format!("number {found}"))
            .hint("records are missing, or lines are not in their order"))
    }
}

/// Whole records of one file.
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    /// Line number of the first record, from 1.
    pub(super) first_line: u64,
    pub(super) file: Arc<FileContext>,
}

/// How far a chunk was read.
#[derive(Default)]
pub(super) struct ChunkPosition {
    bytes: usize,
    lines: u64,
}

impl Chunk {
    /// The records, without their line ends, each with the number of its first line.
    #[inline]
    pub(super) fn records(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut position = ChunkPosition::default();
        std::iter::from_fn(move || self.next_record(&mut position))
    }

    /// The record at a position, which is moved behind it.
    #[inline]
    pub(super) fn next_record(&self, position: &mut ChunkPosition) -> Option<(u64, &[u8])> {
        let rest = self.bytes.get(position.bytes..).filter(|rest| !rest.is_empty())?;
        let records = self.file.records;
        let record = &rest[..records.first_end(rest).unwrap_or(rest.len())];
        let line = self.first_line + position.lines;
        position.bytes += record.len() + 1;
        position.lines += records.lines(record);
        Some((line, without_return(record)))
    }
}

/// What became of one chunk.
#[derive(Default)]
pub(super) struct Parsed {
    pub(super) batch: Batch,
    /// Bad lines that were skipped.
    pub(super) rejects: Vec<Reject>,
    /// What ended the reading, behind the examples of `batch`.
    pub(super) failure: Option<Error>,
}

/// Parses every record of `chunk` into the batch of `parsed`, up to the first bad one or past all of them.
pub(super) fn parse(chunk: &Chunk, plan: &Plan, options: &ReadOptions, parsed: &mut Parsed) {
    parsed.batch.clear();
    parsed.batch.file = Some(chunk.file.name.clone());
    parsed.rejects.clear();
    parsed.failure = None;
    let mut builder = Builder::new(plan, &mut parsed.batch);
    let (file, mut kept) = (&chunk.file, Vec::new());
    for (line, record) in chunk.records() {
        let outcome =
            file.check(record, line).and_then(|()| example(&*file.parser, record, line, &mut builder));
        match outcome {
            Ok(Line::Blank) if options.every_record && record.trim_ascii().is_empty() => {
                builder.begin(line);
                builder.finish_empty(false);
            }
            Ok(Line::Example) if options.keep_records => kept.push(record.into()),
            Ok(_) => {}
            Err(fault) => {
                let error = Error::line(&file.name, line, record, fault);
                match options.on_bad_line {
                    OnBadLine::Fail => {
                        parsed.failure = Some(error);
                        break;
                    }
                    OnBadLine::Skip => {
                        parsed.rejects.push(Reject { error, record: record.to_vec() });
                        if options.every_record {
                            builder.begin(line);
                            builder.finish_empty(true);
                        }
                    }
                }
            }
        }
    }
    parsed.batch.records = kept;
}

/// Parses one record; a bad one leaves no trace in the batch.
#[inline]
pub(super) fn example(
    parser: &dyn LineParser,
    record: &[u8],
    line: u64,
    builder: &mut Builder<'_>,
) -> Result<Line, Fault> {
    builder.begin(line);
    let outcome = parser.build(record, builder);
    if let Ok(Line::Example) = outcome {
        builder.finish()?;
    } else {
        builder.abandon();
    }
    outcome
}

/// Refuses a record that begins with a NUL byte: no text does, but files that were not written to their end are filled up so.
#[inline]
pub(super) fn refuse_nul(record: &[u8]) -> Result<(), Fault> {
    if record.first() != Some(&0) {
        return Ok(());
    }
    let count = record.iter().take_while(|byte| **byte == 0).count();
    let bytes = if count == 1 { "byte" } else { "bytes" };
    Err(Fault::new(0, "text", format!("{count} NUL {bytes}")).hint("the file is damaged, or is no text"))
}

/// Bytes that it pays to look through: all of them are read once more to be parsed.
const MOST_BYTES: usize = 32 << 20;

/// The labels of some examples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstLabels {
    /// Each spelling once, where it comes first.
    pub labels: Vec<Vec<u8>>,
    /// Whether any of the examples shows that there may be several labels a line.
    pub several: bool,
}

/// The labels of the first `count` examples, or of all if there are fewer: each spelling once, where it comes first. Nothing if
/// they are not to be had without parsing: the sources cannot be read twice, are long, are of a format that does not show its
/// labels, or have records that are wrong, or may turn out to be and then are skipped.
///
/// What the task is depends on the labels of thousands of examples. Labels are found in a fraction of the time that parsing takes,
/// and a run that knows them need not keep the examples until then.
///
/// ```
/// use surefoot_data::{ReadOptions, Source, first_labels};
///
/// let tickets = Source::memory("tickets.svm", *b"+1 1:0.5 7:2\n-1 3:1\n+1 7:1\n");
/// let labels = first_labels(&[tickets], &ReadOptions::default(), 10);
/// assert_eq!(labels.map(|found| found.labels), Some(vec![b"+1".to_vec(), b"-1".to_vec()]));
/// ```
pub fn first_labels(sources: &[Source], options: &ReadOptions, count: usize) -> Option<FirstLabels> {
    if options.on_bad_line != OnBadLine::Fail || !sources.iter().all(Source::is_plain_file) {
        return None;
    }
    let size = sources.iter().filter_map(|source| source.check().ok().flatten()).sum::<u64>() as usize;
    let mut chunker = alone(sources, options);
    let (mut labels, mut met, mut found) = (Vec::new(), HashSet::new(), LabelOnly::default());
    let (mut chunk, mut examples, mut bytes) = (None, 0usize, 0usize);
    while examples < count {
        // If the others are as long as those so far.
        if size.min((bytes / (examples + 1)).saturating_mul(count)) > MOST_BYTES {
            return None;
        }
        chunker.fetch(&mut chunk).ok()?;
        let Some(chunk) = &chunk else { break };
        for (_, record) in chunk.records() {
            if examples == count {
                break;
            }
            examples += usize::from(chunk.file.parser.label(record, &mut found)?.ok()? == Line::Example);
            for label in found.labels.drain(..) {
                if !met.contains(&label) {
                    met.insert(label.clone());
                    labels.push(label);
                }
            }
        }
        bytes += chunk.bytes.len();
    }
    Some(FirstLabels { labels, several: found.several })
}

/// What the sources turn out to be, as far as the first that is not empty tells.
pub(super) fn look(sources: &[Source], options: &ReadOptions) -> Result<Findings> {
    let mut chunker = alone(sources, options);
    chunker.open_first()?;
    Ok(chunker.findings().clone())
}

/// The format of a source; none if it is empty, or comes once and would be used up.
pub fn format_of(source: &Source, options: &ReadOptions) -> Result<Option<&'static Format>> {
    if source.may_wait() {
        return Ok(None);
    }
    source.check()?;
    Ok(look(std::slice::from_ref(source), options)?.format())
}

/// What is noted of the columns of the first file, if it can be read a second time. What is wrong with it, reading will say.
pub fn notes_on_columns(sources: &[Source], options: &ReadOptions) -> Vec<String> {
    let again = sources.first().is_some_and(|first| !first.may_wait());
    let found = again.then(|| look(&sources[..1], options).ok()).flatten();
    found.map(|findings| findings.notes()).unwrap_or_default()
}

/// What cuts the sources into chunks where one thread reads them and nothing asks how far it has come.
pub(super) fn alone(sources: &[Source], options: &ReadOptions) -> Chunker {
    let options = ReadOptions { chunk_size: options.chunk_size.max(1), ..options.clone() };
    Chunker::new(sources.to_vec(), Arc::new(options), Arc::new(AtomicU64::new(0)))
}
