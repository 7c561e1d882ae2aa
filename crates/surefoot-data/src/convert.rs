//! From one format to another.

use std::io::Write;
use std::sync::Arc;

use crate::error::{Error, Fault, Result};
use crate::format::{Format, FormatOptions};
use crate::pipeline::{ReadOptions, RecordReader};
use crate::record::Record;
use crate::source::Source;
use crate::write::Columns;

/// What a conversion did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Converted {
    /// Examples written.
    pub examples: u64,
    /// Lines that could not be read and were skipped.
    pub bad_lines: u64,
}

/// Reads examples in any format and writes them in another, whose columns are named by `columns`.
///
/// A table names its columns before its first row, so the sources are read twice for it, and standard input, which
/// cannot be, is refused.
///
/// ```
/// use surefoot_data::{Format, FormatOptions, ReadOptions, Source, convert};
///
/// let films = Source::memory("films.vw", *b"1 2.5 'a7|u age:31 town:Bern\n");
/// let mut out = Vec::new();
/// convert(&[films], &ReadOptions::default(), Format::by_name("jsonl").unwrap(), &FormatOptions::default(), &mut out)?;
/// assert_eq!(out, br#"{"label": "1", "id": "a7", "weight": 2.5, "u": {"town": "Bern", "age": 31}}
/// "#);
/// # Ok::<(), surefoot_data::Error>(())
/// ```
pub fn convert(
    sources: &[Source],
    options: &ReadOptions,
    format: &Format,
    columns: &FormatOptions,
    out: &mut dyn Write,
) -> Result<Converted> {
    let mut needed = Columns::default();
    if format.header {
        if sources.iter().any(|source| matches!(source, Source::Stdin)) {
            let problem =
                format!("is read once, and {} needs to know all columns before the first row", format.name);
            return Err(Error::file(&Source::Stdin.name(), problem).hint("put it in a file first"));
        }
        each(sources, options, |record| needed.add(record))?;
    }
    let unusable = |fault: Fault| Error::Settings(format!("cannot write {}: {}", format.name, fault.trouble));
    let writer = format.writer(columns, &needed).map_err(unusable)?;
    let mut bytes = Vec::new();
    writer.header(&mut bytes);
    let mut written = Ok(());
    let converted = each(sources, options, |record| {
        if written.is_ok() {
            writer.record(record, &mut bytes)?;
            if bytes.len() > 1 << 16 {
                written = out.write_all(&bytes);
                bytes.clear();
            }
        }
        Ok(())
    })?;
    written.and_then(|()| out.write_all(&bytes)).and_then(|()| out.flush()).map_err(output_error)?;
    Ok(converted)
}

fn output_error(source: std::io::Error) -> Error {
    Error::Io { file: Arc::from("output"), source }
}

/// Does something with each example; what it refuses is reported with file and line.
fn each(
    sources: &[Source],
    options: &ReadOptions,
    mut take: impl FnMut(&Record) -> Result<(), Fault>,
) -> Result<Converted> {
    let mut reader = RecordReader::open(sources.to_vec(), options.clone())?;
    let mut record = Record::default();
    let mut examples = 0;
    while reader.next_record(&mut record)? {
        take(&record).map_err(|fault| reader.refuse(fault))?;
        examples += 1;
    }
    Ok(Converted { examples, bad_lines: reader.bad_lines() })
}
