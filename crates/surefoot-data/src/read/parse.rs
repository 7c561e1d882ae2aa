//! One chunk to one batch.

use super::chunk::Chunk;
use super::{OnBadLine, ReadOptions, Reject};
use crate::batch::Batch;
use crate::builder::Builder;
use crate::error::{Error, Fault};
use crate::format::{Line, LineParser};
use crate::recipe::Plan;

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
        match example(file.parser.as_ref(), record, line, &mut builder) {
            Ok(Line::Example) if options.keep_records => kept.push(record.into()),
            Ok(_) => {}
            Err(fault) => {
                let error = Error::line(&file.name, line, record, fault);
                match options.on_bad_line {
                    OnBadLine::Fail => {
                        parsed.failure = Some(error);
                        break;
                    }
                    OnBadLine::Skip => parsed.rejects.push(Reject { error, record: record.to_vec() }),
                }
            }
        }
    }
    parsed.batch.records = kept;
}

/// Parses one record; a bad one leaves no trace in the batch.
#[inline]
fn example(
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
