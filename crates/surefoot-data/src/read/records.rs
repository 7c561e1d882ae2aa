//! Examples as their files say them, one by one.

use std::sync::Arc;

use super::chunk::Chunker;
use super::parse::{Chunk, ChunkPosition, alone};
use super::pool::Fetch;
use super::{OnBadLine, ReadOptions};
use crate::convert::Converted;
use crate::error::{Error, Fault, Result};
use crate::format::Line;
use crate::record::Record;
use crate::source::Source;

/// Reads the examples of any number of sources, in order.
pub(crate) struct RecordReader {
    chunker: Chunker,
    on_bad_line: OnBadLine,
    chunk: Option<Chunk>,
    position: ChunkPosition,
    record: Record,
    bad_lines: u64,
}

/// An example and where it stands.
pub(crate) struct PlacedRecord<'a> {
    pub(crate) record: &'a Record,
    file: Arc<str>,
    line: u64,
}

impl PlacedRecord<'_> {
    /// An error that says where the example stands.
    #[cold]
    pub(crate) fn refuse(&self, fault: Fault) -> Error {
        Error::line(&self.file, self.line, b"", fault)
    }
}

impl RecordReader {
    /// A reader that stands before the first example.
    pub(crate) fn open(sources: &[Source], options: &ReadOptions) -> Result<Self> {
        for source in sources {
            source.check()?;
        }
        Ok(RecordReader {
            chunker: alone(sources, options),
            on_bad_line: options.on_bad_line,
            chunk: None,
            position: ChunkPosition::default(),
            record: Record::default(),
            bad_lines: 0,
        })
    }

    /// The next example; none at the end.
    pub(crate) fn next_record(&mut self) -> Result<Option<PlacedRecord<'_>>> {
        loop {
            let Some(chunk) = &self.chunk else {
                if self.chunker.fetch(&mut self.chunk)? {
                    self.position = ChunkPosition::default();
                    continue;
                }
                return Ok(None);
            };
            let Some((line, bytes)) = chunk.next_record(&mut self.position) else {
                self.chunk = None;
                continue;
            };
            self.record.clear();
            match read(chunk, bytes, line, &mut self.record) {
                Ok(Line::Blank) => {}
                Ok(Line::Example) => {
                    let file = chunk.file.name.clone();
                    return Ok(Some(PlacedRecord { record: &self.record, file, line }));
                }
                Err(_) if self.on_bad_line == OnBadLine::Skip => self.bad_lines += 1,
                Err(fault) => return Err(Error::line(&chunk.file.name, line, bytes, fault)),
            }
        }
    }

    /// Bad lines that were skipped so far.
    pub(crate) fn bad_lines(&self) -> u64 {
        self.bad_lines
    }
}

fn read(chunk: &Chunk, bytes: &[u8], line: u64, record: &mut Record) -> Result<Line, Fault> {
    chunk.file.check(bytes, line)?;
    let line = chunk.file.parser.record(bytes, record)?;
    if let Line::Example = line {
        record.check()?;
    }
    Ok(line)
}

/// Gives the examples of any number of sources to `take`, one by one and in order; what it refuses is reported with file and line.
pub fn each_record(
    sources: &[Source],
    options: &ReadOptions,
    take: &mut dyn FnMut(&Record) -> Result<(), Fault>,
) -> Result<Converted> {
    let mut reader = RecordReader::open(sources, options)?;
    let mut done = Converted::default();
    while let Some(placed) = reader.next_record()? {
        take(placed.record).map_err(|fault| placed.refuse(fault))?;
        done.examples += 1;
    }
    done.bad_lines = reader.bad_lines();
    Ok(done)
}
