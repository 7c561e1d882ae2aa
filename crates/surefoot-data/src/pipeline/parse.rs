//! One chunk to one batch.

use super::chunk::Chunk;
use super::{OnBadLine, Reject};
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

/// Parses every record of `chunk` into `batch`, up to the first bad one or past all of them.
pub(super) fn parse(chunk: &Chunk, plan: &Plan, on_bad_line: OnBadLine, mut batch: Batch) -> Parsed {
    batch.clear();
    batch.file = Some(chunk.file.name.clone());
    let mut parsed = Parsed { batch, ..Parsed::default() };
    let mut builder = Builder::new(plan, &mut parsed.batch);
    let file = &chunk.file;
    for (line, record) in chunk.records() {
        if let Err(fault) = example(file.parser.as_ref(), record, line, &mut builder) {
            let error = Error::line(&file.name, line, record, fault);
            match on_bad_line {
                OnBadLine::Fail => {
                    parsed.failure = Some(error);
                    break;
                }
                OnBadLine::Skip => parsed.rejects.push(Reject { error, record: record.to_vec() }),
            }
        }
    }
    parsed
}

/// Parses one record; a bad one leaves no trace in the batch.
#[inline]
fn example(
    parser: &dyn LineParser,
    record: &[u8],
    line: u64,
    builder: &mut Builder<'_>,
) -> Result<(), Fault> {
    builder.begin(line);
    let outcome = match parser.build(record, builder) {
        Ok(Line::Example) => return Ok(builder.finish()?),
        Ok(Line::Blank) => Ok(()),
        Err(fault) => Err(fault),
    };
    builder.abandon();
    outcome
}
