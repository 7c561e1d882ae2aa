//! The formats. Each is one file, or one folder, that both parses and writes it, and one entry of [`FORMATS`]; everything
//! else (detection, help, conversion, contract tests) reads that list.
//!
//! A new format implements [`Grammar`](line::Grammar) and, if it can be written, [`RecordWriter`].

mod detect;
mod fasttext;
mod journal;
mod json;
mod kind;
mod layout;
mod line;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod survey;
mod svmlight;
mod table;
mod text;
mod vw;
mod writer;

pub(crate) use detect::{is_enough, resolve, resolve_early};
pub use journal::JournalLine;
pub(crate) use layout::listed;
pub use layout::{Layout, Role};
pub use line::RowNames;
pub(crate) use line::{LabelOnly, Line, LineParser, Records, without_return};
pub use options::FormatOptions;
#[cfg(feature = "parquet")]
pub(crate) use parquet::ParquetLines;
pub(crate) use survey::{Survey, is_sample, sample, survey};
pub use table::Columns;
pub(crate) use writer::Needs;
pub use writer::RecordWriter;

use crate::error::{Fault, quoted};
use crate::record::Record;
use survey::SampledColumn;
use writer::{Unmarked, unmarked};

/// Every format, in the order in which a file's content is tried against them.
pub static FORMATS: &[&Format] = &[
    &journal::FORMAT,
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

/// The columns of the first rows, or those of the one record given.
type TakeSample = fn(&FormatOptions, header: &[u8], rows: &[&[u8]]) -> Vec<SampledColumn>;

/// The number that a record carries, none if it is no record.
pub(crate) type NumberOf = fn(&[u8]) -> Option<u64>;

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
    /// The columns of the first rows, where there are some.
    pub(crate) sample: Option<TakeSample>,
    /// The number that a record carries, where records count up by one and no line of another format looks like theirs: a record
    /// that is missing is noticed, and data is never taken for a repetition of what was learned before.
    pub(crate) numbered: Option<NumberOf>,
    /// What its writer must know of all records.
    pub(crate) needs: Needs,
    /// Builds a writer; `columns` are those of a table. None if the format can be read but not written.
    pub(crate) writer: Option<NewWriter>,
}

impl Format {
    /// The format of this name or alias.
    pub fn by_name(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name || format.aliases.contains(&name)).copied()
    }

    /// Whether the first record of a file names its columns.
    pub(crate) fn has_header(&self, options: &FormatOptions) -> bool {
        self.header && !(self.is_table() && options.no_header)
    }

    /// Whether it is a table that may be without a header.
    pub(crate) fn is_table(&self) -> bool {
        self.header && !self.telling
    }

    /// Builds a parser; `header` is the first record of a format that has one, and empty otherwise.
    pub(crate) fn parser(
        &self,
        options: &FormatOptions,
        header: &[u8],
    ) -> Result<Box<dyn LineParser>, Fault> {
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

    /// Takes into `columns` what the writer of this format needs to know of a record before it writes the first one.
    pub fn gather(&self, record: &Record, columns: &mut Columns) -> Result<(), Fault> {
        match self.needs {
            Needs::Nothing | Needs::Labels => Ok(()),
            Needs::Columns => columns.add(record),
            #[cfg(feature = "parquet")]
            Needs::Cells => {
                columns.cells.add(record);
                Ok(())
            }
        }
    }

    /// Whether labels are written as numbers, −1 and 1 or 1 to k, whatever they are.
    pub fn numbers_labels(&self) -> bool {
        self.needs == Needs::Labels
    }

    /// Whether records carry numbers that count up by one: what a server learned, one by one.
    pub fn is_numbered(&self) -> bool {
        self.numbered.is_some()
    }

    /// Whether all records must be known before the first is written.
    pub(crate) fn reads_twice(&self) -> bool {
        !matches!(self.needs, Needs::Nothing | Needs::Labels)
    }

    /// Builds a writer; `columns` must have seen every record that it is to write ([`Format::gather`]).
    pub fn writer(&self, options: &FormatOptions, columns: &Columns) -> Result<Box<dyn RecordWriter>, Fault> {
        let new = self.writer.ok_or_else(|| self.not_written())?;
        let (writer, mut header) = (new(options, columns)?, Vec::new());
        writer.header(&mut header);
        unmarked(&header)?;
        Ok(if self.header { writer } else { Box::new(Unmarked(writer)) })
    }

    #[cold]
    fn not_written(&self) -> Fault {
        Fault::new(0, "a text format", self.name).hint("write csv or jsonl")
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Format").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Bytes that a text editor may put in front of a UTF-8 file; they are taken off when it is read.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
