//! Examples one by one and as they are, for conversion. One thread; the same chunks and parsers as for learning.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::chunk::{Chunk, Chunker};
use super::{OnBadLine, ReadOptions};
use crate::error::{Error, Fault, Result};
use crate::format::{Line, without_return};
use crate::record::Record;
use crate::source::Source;

/// Reads records from any number of sources, in order.
pub struct RecordReader {
    chunker: Chunker,
    chunk: Option<Chunk>,
    /// Where the next record of the chunk starts.
    at: usize,
    /// Line of the last record, and of the next one.
    line: u64,
    next_line: u64,
    on_bad_line: OnBadLine,
    bad_lines: u64,
}

impl RecordReader {
    /// Checks that every source can be opened, then starts reading.
    pub fn open(sources: Vec<Source>, mut options: ReadOptions) -> Result<Self> {
        for source in &sources {
            source.check()?;
        }
        options.chunk_size = options.chunk_size.max(1);
        let on_bad_line = options.on_bad_line;
        let chunker = Chunker::new(sources, Arc::new(options), Arc::new(AtomicU64::new(0)));
        Ok(RecordReader { chunker, chunk: None, at: 0, line: 0, next_line: 0, on_bad_line, bad_lines: 0 })
    }

    /// Replaces `record` by the next one; false at the end.
    pub fn next_record(&mut self, record: &mut Record) -> Result<bool> {
        loop {
            record.clear();
            match self.parse_next(record) {
                None if !self.next_chunk()? => return Ok(false),
                None | Some(Ok(Line::Blank)) => {}
                Some(Ok(Line::Example)) => return Ok(true),
                Some(Err(_)) if self.on_bad_line == OnBadLine::Skip => self.bad_lines += 1,
                Some(Err(error)) => return Err(error),
            }
        }
    }

    /// Lines skipped so far.
    pub fn bad_lines(&self) -> u64 {
        self.bad_lines
    }

    /// The error of a last record that cannot be used.
    pub fn refuse(&self, fault: Fault) -> Error {
        let name = self.chunk.as_ref().map_or_else(|| Arc::from("input"), |chunk| chunk.file.name.clone());
        Error::line(&name, self.line, b"", fault)
    }

    /// Parses the next line of the chunk; none at its end.
    fn parse_next(&mut self, record: &mut Record) -> Option<Result<Line>> {
        let chunk = self.chunk.as_ref()?;
        let rest = chunk.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = chunk.file.records.first_end(rest).unwrap_or(rest.len());
        self.line = self.next_line;
        self.next_line += chunk.file.records.lines(&rest[..end]);
        self.at += end + 1;
        let bytes = without_return(&rest[..end]);
        let parsed = chunk.file.parser.record(bytes, record).and_then(|line| match line {
            Line::Blank => Ok(line),
            Line::Example => Ok(record.check().map(|()| line)?),
        });
        Some(parsed.map_err(|fault| Error::line(&chunk.file.name, self.line, bytes, fault)))
    }

    fn next_chunk(&mut self) -> Result<bool> {
        let buffer = self.chunk.take().map(|chunk| chunk.bytes).unwrap_or_default();
        self.chunk = self.chunker.next(buffer)?;
        self.at = 0;
        self.next_line = self.chunk.as_ref().map_or(0, |chunk| chunk.first_line);
        Ok(self.chunk.is_some())
    }
}
