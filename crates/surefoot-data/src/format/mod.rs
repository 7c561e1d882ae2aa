//! The formats. Each is one file with a [`Grammar`] and a `FORMAT`, and one entry of [`FORMATS`]; everything else
//! (detection, help, conversion, contract tests) reads that list.

mod detect;
mod fasttext;
mod json;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod records;
mod svmlight;
mod table;
mod text;
mod vw;

pub(crate) use detect::{is_enough, resolve, resolve_early};
pub use options::FormatOptions;
pub(crate) use options::Role;
pub(crate) use records::{Records, without_return};

use crate::builder::Builder;
use crate::error::{Fault, quoted};
use crate::record::Record;
use crate::sink::Sink;
use crate::write::{Columns, RecordWriter, Unmarked, unmarked};

/// Every format, in the order in which a file's content is tried against them.
pub static FORMATS: &[&Format] = &[
    &json::FORMAT,
    &fasttext::FORMAT,
    &svmlight::FORMAT,
    &vw::FORMAT,
    &table::TSV,
    &text::FORMAT,
    &table::SEMICOLON,
    &table::CSV,
    #[cfg(feature = "parquet")]
    &parquet::FORMAT,
];

/// Builds a parser from the settings and the header.
type NewParser = fn(&FormatOptions, header: &[u8]) -> Result<Box<dyn LineParser>, Fault>;

/// Builds a writer from the settings and the columns.
type NewWriter = fn(&FormatOptions, &Columns) -> Result<Box<dyn RecordWriter>, Fault>;

/// What the program knows about a format before it sees a file.
pub struct Format {
    /// The name users give, e.g. `svmlight`.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// File name extensions, without the dot.
    pub extensions: &'static [&'static str],
    /// One line for help.
    pub about: &'static str,
    /// Whether the first record names the columns.
    pub header: bool,
    /// Whether its records have columns or keys that can be asked for by name.
    pub columns: bool,
    /// How the bytes fall into records.
    pub(crate) records: Records,
    /// Whether one line is enough to recognise it.
    pub(crate) telling: bool,
    /// Whether the first lines of a file look like this format.
    pub(crate) looks_like: fn(&[&[u8]], &FormatOptions) -> bool,
    /// Builds a parser; `header` is the first record of a format that has one, and empty otherwise.
    pub(crate) parser: NewParser,
    /// Builds a writer; `columns` are those of a table.
    pub(crate) writer: NewWriter,
}

impl Format {
    /// The format of this name or alias.
    pub fn by_name(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name || format.aliases.contains(&name)).copied()
    }

    /// Builds a parser; `header` is the first record of a format that has one, and empty otherwise.
    pub fn parser(&self, options: &FormatOptions, header: &[u8]) -> Result<Box<dyn LineParser>, Fault> {
        match options.asked() {
            Some(name) if !self.columns => Err(self.no_columns(name)),
            _ => (self.parser)(options, header),
        }
    }

    #[cold]
    fn no_columns(&self, name: &str) -> Fault {
        let expected = format!("a column {}", quoted(name.as_bytes()));
        Fault::new(0, expected, format!("the format {} ({}), which has no columns", self.name, self.about))
            .hint("name no column; if the first line is a header, name the format: tsv or csv")
    }

    /// Builds a writer; `columns` must have seen every record that a table is to hold, and is ignored by the others.
    pub fn writer(&self, options: &FormatOptions, columns: &Columns) -> Result<Box<dyn RecordWriter>, Fault> {
        let (writer, mut header) = ((self.writer)(options, columns)?, Vec::new());
        writer.header(&mut header);
        unmarked(&header)?;
        Ok(if self.header { writer } else { Box::new(Unmarked(writer)) })
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Format").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Bytes that a text editor may put in front of a UTF-8 file. Whoever reads it takes them off.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a line turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// An example; its parts are in the sink.
    Example,
    /// Nothing: an empty line or a comment.
    Blank,
}

/// The grammar of a format: one record in, the parts of an example out.
///
/// Generic over the sink, so that the calls of the inner loop are inlined.
pub(crate) trait Grammar {
    /// Parses one record, without its line end.
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault>;

    /// Parses one record as far as its label, where that takes much less time than the rest; none where it does not. What is
    /// wrong behind the label may go unnoticed.
    fn skim(&self, _line: &[u8], _out: &mut Record) -> Option<Result<Line, Fault>> {
        None
    }
}

/// A grammar behind a pointer: the two sinks there are, each with its own compiled loop, and the labels alone.
pub trait LineParser: Send + Sync {
    /// Parses one record into features.
    fn build(&self, line: &[u8], out: &mut Builder<'_>) -> Result<Line, Fault>;
    /// Parses one record as it is.
    fn record(&self, line: &[u8], out: &mut Record) -> Result<Line, Fault>;
    /// Parses one record as far as its label; none if that is not faster than parsing all of it.
    fn label(&self, line: &[u8], out: &mut Record) -> Option<Result<Line, Fault>>;
}

impl<G: Grammar + Send + Sync> LineParser for G {
    fn build(&self, line: &[u8], out: &mut Builder<'_>) -> Result<Line, Fault> {
        self.parse(line, out)
    }

    fn record(&self, line: &[u8], out: &mut Record) -> Result<Line, Fault> {
        self.parse(line, out)
    }

    fn label(&self, line: &[u8], out: &mut Record) -> Option<Result<Line, Fault>> {
        self.skim(line, out)
    }
}

/// Where the next thing that is not a blank stands, from `at` on.
#[inline]
pub(crate) fn skip_blanks(line: &[u8], mut at: usize) -> usize {
    while matches!(line.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Where the token that starts at `at` ends: the next blank, or the end of the line.
#[inline]
pub(crate) fn token_end(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    at + memchr::memchr2(b' ', b'\t', rest).unwrap_or(rest.len())
}

/// The number at `at` of `line` and where it ends; it must be finite and stand alone, up to a blank or a line end.
#[inline]
pub(crate) fn finite(line: &[u8], at: usize, expected: &'static str) -> Result<(f64, usize), Fault> {
    match crate::number::number(line.get(at..).unwrap_or_default()) {
        Some((value, length)) if value.is_finite() && ends_token(line, at + length) => {
            Ok((value, at + length))
        }
        _ => Err(not_a_number(line, at, expected)),
    }
}

#[inline]
fn ends_token(line: &[u8], at: usize) -> bool {
    matches!(line.get(at), None | Some(b' ' | b'\t'))
}

#[cold]
fn not_a_number(line: &[u8], at: usize, expected: &'static str) -> Fault {
    match crate::number::whole_number(&line[at..token_end(line, at)]) {
        Some(_) => not_finite(line, at),
        None => Fault::at_token(line, at, expected),
    }
}

#[cold]
fn not_finite(line: &[u8], at: usize) -> Fault {
    Fault::at_token(line, at, "a finite number").hint("leave the feature out if its value is not known")
}
