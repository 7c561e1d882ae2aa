//! Examples one by one and as they are, for conversion. One thread; the same chunks and parsers as for learning.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::chunk::Chunker;
use super::pool::Fetch;
use super::{OnBadLine, ReadOptions};
use crate::convert::Converted;
use crate::error::{Error, Fault, Result};
use crate::format::Line;
use crate::record::Record;
use crate::source::Source;

/// Gives the examples of any number of sources to `take`, in order; what it refuses is reported with file and line.
pub fn each_record(
    sources: &[Source],
    options: &ReadOptions,
    take: &mut dyn FnMut(&Record) -> Result<(), Fault>,
) -> Result<Converted> {
    for source in sources {
        source.check()?;
    }
    let options = Arc::new(ReadOptions { chunk_size: options.chunk_size.max(1), ..options.clone() });
    let mut chunker = Chunker::new(sources.to_vec(), options.clone(), Arc::new(AtomicU64::new(0)));
    let (mut chunk, mut example, mut done) = (None, Record::default(), Converted::default());
    while chunker.fetch(&mut chunk)? {
        let Some(chunk) = &chunk else { break };
        for (line, bytes) in chunk.records() {
            example.clear();
            let parsed = chunk.file.parser.record(bytes, &mut example).and_then(|line| match line {
                Line::Blank => Ok(line),
                Line::Example => Ok(example.check().map(|()| line)?),
            });
            match parsed {
                Ok(Line::Blank) => {}
                Ok(Line::Example) => {
                    take(&example).map_err(|fault| Error::line(&chunk.file.name, line, b"", fault))?;
                    done.examples += 1;
                }
                Err(_) if options.on_bad_line == OnBadLine::Skip => done.bad_lines += 1,
                Err(fault) => return Err(Error::line(&chunk.file.name, line, bytes, fault)),
            }
        }
    }
    Ok(done)
}
