//! Bytes to chunks of whole records, with line numbers, one file after the other.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use memchr::memchr_iter;

use super::ReadOptions;
use super::findings::Findings;
use super::parse::{Chunk, FileContext, RecordNumbers};
use super::pool::Fetch;
use crate::error::{Error, Fault, Result};
use crate::format::{
    BYTE_ORDER_MARK, Format, FormatOptions, NumberOf, Records, is_enough, is_sample, resolve, resolve_early,
    sample, survey, without_return,
};
use crate::source::{Input, Source};

/// What the first lines wait for.
const MORE_LINES: &str = "20 more lines to tell the format; --format NAME starts at once";
const MORE_ROWS: &str = "200 rows to tell text, ids and dates from other columns; --text-column, --category-column and --value-column \
                         for those with unusual names start at once";

/// Cuts the sources into chunks, in order. Memory: one chunk and one record.
pub(super) struct Chunker {
    waiting: VecDeque<Source>,
    open: Option<OpenFile>,
    options: Arc<ReadOptions>,
    /// How columns are understood: as the options say, and behind the first file as was found there.
    columns: FormatOptions,
    findings: Findings,
    bytes_read: Arc<AtomicU64>,
    /// The number behind those of the records so far, if they carry some.
    next_number: Option<u64>,
}

/// The file being read.
struct OpenFile {
    input: Input,
    context: Arc<FileContext>,
    next_line: u64,
    /// Bytes behind the last complete record.
    rest: Vec<u8>,
}

impl Chunker {
    pub(super) fn new(sources: Vec<Source>, options: Arc<ReadOptions>, bytes_read: Arc<AtomicU64>) -> Self {
        let (columns, findings) = (options.columns.clone(), Findings::default());
        let (waiting, open, next_number) = (sources.into(), None, None);
        Chunker { waiting, open, options, columns, findings, bytes_read, next_number }
    }

    /// What the files turn out to be.
    pub(super) fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Opens files up to the first that is not empty, if none is open.
    pub(super) fn open_first(&mut self) -> Result<()> {
        while self.open.is_none() {
            let Some(source) = self.waiting.pop_front() else { break };
            self.open = self.open_file(&source)?;
        }
        Ok(())
    }

    /// Whether any of the files may make its reader wait.
    pub(super) fn may_wait(&self) -> bool {
        self.waiting.iter().any(Source::may_wait)
    }
}

impl Fetch for Chunker {
    type Raw = Option<Chunk>;

    fn fetch(&mut self, chunk: &mut Option<Chunk>) -> Result<bool> {
        let mut buffer = chunk.take().map(|chunk| chunk.bytes).unwrap_or_default();
        loop {
            if let Some(file) = &mut self.open {
                if file.fill(&mut buffer, &self.options)? {
                    *chunk = Some(file.chunk(buffer));
                    return Ok(true);
                }
                let numbers = file.context.numbers.as_ref();
                self.next_number = numbers.map(|numbers| numbers.first.wrapping_add(file.next_line - 1));
                self.open = None;
            }
            let Some(source) = self.waiting.pop_front() else { return Ok(false) };
            self.open = self.open_file(&source)?;
        }
    }

    fn is_live(&self) -> bool {
        match &self.open {
            Some(file) => file.input.live,
            None => self.waiting.front().is_some_and(Source::may_wait),
        }
    }
}

impl Chunker {
    /// Opens a source, finds its format and reads its header; none if it is empty.
    fn open_file(&mut self, source: &Source) -> Result<Option<OpenFile>> {
        let (options, columns) = (&*self.options, &self.columns);
        let mut input = source.open(self.bytes_read.clone())?;
        let name = input.name.clone();
        let mut head = Vec::new();
        // One complete line at least, and if it is to show the format, one with something in it. A line without end is caught
        // where all are.
        let is_line = |head: &[u8]| match options.format {
            Some(_) => head.contains(&b'\n'),
            None => head.trim_ascii_start().contains(&b'\n'),
        };
        read_until(&mut input, &mut head, options, is_line)?;
        if head.starts_with(BYTE_ORDER_MARK) {
            head.drain(..BYTE_ORDER_MARK.len());
        }
        refuse_utf16(&name, &head)?;
        if head.is_empty() {
            return Ok(None);
        }
        let known = options.format.or_else(|| resolve_early(&name, &head, columns));
        let format = match known {
            Some(format) => format,
            None => {
                self.findings.read_ahead(Some(MORE_LINES));
                read_until(&mut input, &mut head, options, is_enough)?;
                self.findings.read_ahead(None);
                resolve(&name, &head, columns)?
            }
        };
        self.with_header(input, head, format).map(Some)
    }

    fn with_header(&mut self, mut input: Input, mut head: Vec<u8>, format: &Format) -> Result<OpenFile> {
        let (name, options) = (input.name.clone(), self.options.clone());
        let (mut header, mut skipped) = (Vec::new(), Vec::new());
        let (mut line, mut next_line) = (1, 1);
        // Lines without anything stand for nothing here as anywhere.
        while format.header && header.is_empty() {
            read_until(&mut input, &mut head, &options, |head| format.records.first_end(head).is_some())?;
            let Some(end) = format.records.first_end(&head) else {
                skipped.extend_from_slice(&head);
                header.append(&mut head);
                break;
            };
            header.extend(head.drain(..=end));
            line = next_line;
            next_line += memchr_iter(b'\n', &header).count() as u64;
            skipped.extend_from_slice(&header);
            header.truncate(without_return(&header[..end]).len());
        }
        if format.header && !format.has_header(&self.columns) {
            // The first record told how many columns there are, and is one like all others.
            head.splice(..0, skipped);
            next_line = 1;
        }
        let refused = |fault| Error::line(&name, line, &header, fault);
        if self.columns.look && self.columns.layout.is_none() {
            self.look(&mut input, &mut head, format, &header)?.map_err(refused)?;
        } else if self.options.columns.layout.is_some() {
            self.findings.compare(&name, format, &self.columns, &header);
        }
        // What the first file of a new model has need not be in the others.
        self.columns.incomplete |= self.options.columns.layout.is_none();
        let parser = format.parser(&self.columns, &header).map_err(refused)?;
        let numbers = match format.numbered {
            Some(of) => self.numbers(of, &name, &head)?,
            None => None,
        };
        let context = Arc::new(FileContext { name, records: format.records, parser, numbers });
        self.findings.watch(&context, format);
        Ok(OpenFile { input, context, next_line, rest: head })
    }

    /// The numbers of the records of a file that begins with `head`. One that begins later than those before it ended lacks what is
    /// between.
    fn numbers(&self, of: NumberOf, name: &Arc<str>, head: &[u8]) -> Result<Option<RecordNumbers>> {
        let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let Some(first) = of(line) else { return Ok(None) };
        match self.next_number.filter(|&next| first > next) {
            None => Ok(Some(RecordNumbers { of, first })),
            Some(next) => {
                Err(Error::file(name, format!("begins with record {first}, and record {next} is next"))
                    .hint("name all files, in their order"))
            }
        }
    }

    /// Finds what the columns are for, as the first row tells, or else the first rows, which are read for it.
    fn look(
        &mut self,
        input: &mut Input,
        head: &mut Vec<u8>,
        format: &Format,
        header: &[u8],
    ) -> Result<Result<(), Fault>> {
        let records = format.records;
        let is_complete = |head: &[u8]| records.first_end(head.trim_ascii_start()).is_some();
        read_until(input, head, &self.options, is_complete)?;
        let first: Vec<&[u8]> = sample(head.trim_ascii_start(), records).into_iter().take(1).collect();
        let found = match survey(format, &self.columns, header, &first, false) {
            Ok(None) => {
                self.findings.read_ahead(Some(MORE_ROWS));
                read_until(input, head, &self.options, is_sample)?;
                self.findings.read_ahead(None);
                survey(format, &self.columns, header, &sample(head, records), true)
            }
            found => found,
        };
        Ok(found.map(|survey| {
            self.columns.layout = survey.map(|survey| self.findings.take(survey));
        }))
    }
}

impl OpenFile {
    /// Fills `buffer` with whole records; false at the end of the file. What an earlier chunk has left in it is overwritten:
    /// clearing all of it first would take as long as a look for the ends of lines.
    fn fill(&mut self, buffer: &mut Vec<u8>, options: &ReadOptions) -> Result<bool> {
        let mut filled = self.rest.len();
        buffer.resize(buffer.len().max(filled), 0);
        buffer[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        let records = self.context.records;
        let mut more = true;
        // What a pipe has given already is used before more of it is waited for.
        let mut enough = self.input.live && records.complete(&buffer[..filled]) > 0;
        while more {
            if !std::mem::take(&mut enough) {
                let wanted = options.chunk_size.saturating_sub(filled).max(options.chunk_size.div_ceil(2));
                let got = self.input.read_at(filled, buffer, wanted)?;
                (filled, more) = (filled + got, got > 0);
            }
            let complete = records.complete(&buffer[..filled]);
            if more && complete > 0 {
                self.rest.extend_from_slice(&buffer[complete..filled]);
                filled = complete;
                break;
            }
            if complete == 0 && filled > options.max_line {
                return Err(self.endless(&buffer[..filled], options.max_line));
            }
        }
        buffer.truncate(filled);
        Ok(filled > 0)
    }

    fn chunk(&mut self, bytes: Vec<u8>) -> Chunk {
        let first_line = self.next_line;
        self.next_line += memchr_iter(b'\n', &bytes).count() as u64;
        Chunk { bytes, first_line, file: self.context.clone() }
    }

    #[cold]
    fn endless(&self, buffer: &[u8], limit: usize) -> Error {
        let megabytes = limit.div_ceil(1 << 20);
        let (what, hint) = match self.context.records {
            Records::Lines => ("line", "is this a text file?"),
            Records::Quoted { .. } => ("record", "is a quote not closed?"),
        };
        let expected = format!("a {what} of at most {megabytes} MB");
        let fault = Fault::new(0, expected, "a longer one").hint(hint);
        Error::line(&self.context.name, self.next_line, buffer, fault)
    }
}

/// Reads on until `head` is as wanted, the input ends, or the longest line is exceeded.
fn read_until(
    input: &mut Input,
    head: &mut Vec<u8>,
    options: &ReadOptions,
    wanted: impl Fn(&[u8]) -> bool,
) -> Result<()> {
    while !wanted(head) && head.len() <= options.max_line {
        let start = head.len();
        let got = input.read_at(start, head, options.chunk_size)?;
        head.truncate(start + got);
        if got == 0 {
            break;
        }
    }
    Ok(())
}

fn refuse_utf16(name: &Arc<str>, head: &[u8]) -> Result<()> {
    match head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Err(Error::file(name, "is in UTF-16")
            .hint("save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8")),
        _ => Ok(()),
    }
}
