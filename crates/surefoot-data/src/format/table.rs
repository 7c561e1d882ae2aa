//! Tables with a header: CSV and TSV. Each column has a role, found by its name; a cell of a plain column is a number
//! or else a category, and an empty cell is a missing value.

use std::borrow::Cow;

use super::options::{Role, text_name};
use super::records::closing_quote;
use super::{Format, FormatOptions, Grammar, Line, LineParser, Records};
use crate::error::{Fault, quoted};
use crate::number::whole_number;
use crate::sink::Sink;
use crate::write;

pub(super) static CSV: Format = Format {
    name: "csv",
    aliases: &[],
    extensions: &["csv"],
    about: "table with a header, cells separated by commas, quotes as in RFC 4180",
    header: true,
    columns: true,
    records: Records::Quoted { delimiter: b',' },
    telling: false,
    looks_like: |lines, _| is_table(lines, b',') && !is_table(lines, b';'),
    parser: |options, header| table(options, header, b',', Quotes::Strict),
    writer: write::csv,
};

pub(super) static SEMICOLON: Format = Format {
    name: "csv-semicolon",
    aliases: &["ssv"],
    extensions: &["csv", "ssv"],
    about: "as csv, cells separated by semicolons",
    header: true,
    columns: true,
    records: Records::Quoted { delimiter: b';' },
    telling: false,
    looks_like: |lines, _| is_table(lines, b';'),
    parser: |options, header| table(options, header, b';', Quotes::Strict),
    writer: write::semicolon,
};

pub(super) static TSV: Format = Format {
    name: "tsv",
    aliases: &[],
    extensions: &["tsv", "tab"],
    about: "table with a header, cells separated by tabs",
    header: true,
    columns: true,
    records: Records::Lines,
    telling: false,
    looks_like: looks_like_tsv,
    parser: |options, header| table(options, header, b'\t', Quotes::Whole),
    writer: write::tsv,
};

/// What a quote at the start of a cell means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// RFC 4180: the cell goes on to the closing quote, and may hold delimiters and line ends.
    Strict,
    /// Only a cell that is one quoted string as a whole is unquoted: in TSV most quotes are part of the text.
    Whole,
}

struct Table {
    columns: Vec<Column>,
    delimiter: u8,
    quotes: Quotes,
}

struct Column {
    name: Vec<u8>,
    role: Role,
}

fn table(
    options: &FormatOptions,
    header: &[u8],
    delimiter: u8,
    quotes: Quotes,
) -> Result<Box<dyn LineParser>, Fault> {
    let mut names = Vec::new();
    let cells = Cells { record: header, at: Some(0), delimiter, quotes };
    for cell in cells {
        let Cell { offset, content } = cell?;
        let name = std::str::from_utf8(&content)
            .map_err(|_| Fault::new(offset, "a column name in UTF-8", quoted(&content)))?
            .to_owned();
        if !name.is_empty() && names.contains(&name) {
            return Err(
                Fault::new(offset, "a new column name", quoted(&content)).hint("two columns have this name")
            );
        }
        names.push(name);
    }
    let roles = options.roles(&names)?;
    let column = |(name, role): (&String, Role)| match role {
        Role::Text => Column { name: text_name(name).into(), role },
        _ => Column { name: name.as_bytes().into(), role },
    };
    let columns = names.iter().zip(roles).map(column).collect();
    Ok(Box::new(Table { columns, delimiter, quotes }))
}

impl Grammar for Table {
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault> {
        if line.iter().all(|&byte| byte == b' ') {
            return Ok(Line::Blank);
        }
        let mut columns = self.columns.iter();
        for cell in (Cells { record: line, at: Some(0), delimiter: self.delimiter, quotes: self.quotes }) {
            let cell = cell?;
            let Some(column) = columns.next() else {
                return Err(self.wrong_width(cell.offset, format!("more, {}", quoted(&cell.content))));
            };
            column.tell(&cell, out)?;
        }
        match columns.len() {
            0 => Ok(Line::Example),
            missing => Err(self.wrong_width(line.len(), format!("{}", self.columns.len() - missing))),
        }
    }
}

impl Table {
    #[cold]
    fn wrong_width(&self, offset: usize, found: String) -> Fault {
        let fault = Fault::new(offset, format!("{} cells, as in the header", self.columns.len()), found);
        match self.quotes {
            Quotes::Strict => fault.hint("a cell that holds the separator needs quotes"),
            Quotes::Whole => fault,
        }
    }
}

impl Column {
    /// Says what the cell means in this column.
    fn tell<S: Sink>(&self, cell: &Cell<'_>, out: &mut S) -> Result<(), Fault> {
        let content = cell.content.as_ref();
        if content.is_empty() || self.role == Role::Nothing {
            return Ok(());
        }
        match self.role {
            Role::Label => out.label(content),
            Role::Id => out.tag(content),
            Role::Text => out.text(&self.name, content),
            Role::Category => out.category(&self.name, content),
            Role::Weight => match whole_number(content) {
                Some(weight) => out.weight(weight),
                None => {
                    return Err(Fault::new(
                        cell.offset,
                        "a number, the weight of the example",
                        quoted(content),
                    ));
                }
            },
            Role::Value => match whole_number(content) {
                Some(value) if value.is_finite() => out.feature(&self.name, value),
                Some(_) => return Err(not_finite(cell)),
                None => out.category(&self.name, content),
            },
            Role::Nothing => {}
        }
        Ok(())
    }
}

#[cold]
fn not_finite(cell: &Cell<'_>) -> Fault {
    Fault::new(cell.offset, "a finite number", quoted(&cell.content))
        .hint("leave the cell empty if nothing is known")
}

/// A cell, unquoted, and where it starts.
struct Cell<'a> {
    offset: usize,
    content: Cow<'a, [u8]>,
}

/// The cells of a record.
struct Cells<'a> {
    record: &'a [u8],
    /// Where the next cell starts; none behind the last.
    at: Option<usize>,
    delimiter: u8,
    quotes: Quotes,
}

impl<'a> Iterator for Cells<'a> {
    type Item = Result<Cell<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at?;
        if self.quotes == Quotes::Strict && self.record.get(start) == Some(&b'"') {
            return Some(self.quoted_cell(start));
        }
        let rest = &self.record[start..];
        let end = memchr::memchr(self.delimiter, rest).map_or(self.record.len(), |length| start + length);
        self.at = (end < self.record.len()).then_some(end + 1);
        let content = self.record[start..end].trim_ascii();
        let content = match self.quotes {
            Quotes::Strict => Cow::Borrowed(content),
            Quotes::Whole => unquoted_whole(content),
        };
        Some(Ok(Cell { offset: start, content }))
    }
}

impl<'a> Cells<'a> {
    fn quoted_cell(&mut self, start: usize) -> Result<Cell<'a>, Fault> {
        self.at = None;
        let Some(close) = closing_quote(self.record, start + 1) else {
            return Err(Fault::new(start, "a closing quote", "none up to the end of the file"));
        };
        self.at = match self.record.get(close + 1) {
            None => None,
            Some(&next) if next == self.delimiter => Some(close + 2),
            Some(_) => {
                let expected =
                    format!("'{}' or the end of the line behind a quoted cell", self.delimiter as char);
                return Err(Fault::at_token(self.record, close + 1, expected)
                    .hint("a quote inside a quoted cell is written twice"));
            }
        };
        Ok(Cell { offset: start, content: undoubled(&self.record[start + 1..close]) })
    }
}

/// The content of a cell that is one quoted string from end to end; any other cell as it is.
fn unquoted_whole(content: &[u8]) -> Cow<'_, [u8]> {
    let whole = content.first() == Some(&b'"') && closing_quote(content, 1) == Some(content.len() - 1);
    if whole && content.len() > 1 {
        undoubled(&content[1..content.len() - 1])
    } else {
        Cow::Borrowed(content)
    }
}

/// Two quotes stand for one.
fn undoubled(content: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'"', content).is_none() {
        return Cow::Borrowed(content);
    }
    let mut out = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(quote) = memchr::memchr(b'"', rest) {
        out.extend_from_slice(&rest[..=quote]);
        rest = rest.get(quote + 2..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Whether the lines look like a table: a header of several names and no number, and as many cells in each line.
fn is_table(lines: &[&[u8]], delimiter: u8) -> bool {
    let Some(header) = lines.first().and_then(|line| cells(line, delimiter)) else { return false };
    let names = header.iter().all(|cell| whole_number(&cell.content).is_none());
    // A quoted cell with a line end leaves half a record in the sample: such a line decides nothing.
    let regular = |line: &&[u8]| cells(line, delimiter).is_none_or(|cells| cells.len() == header.len());
    header.len() > 1 && names && lines.iter().all(regular)
}

/// The cells of a line, if its quotes are in order.
fn cells(line: &[u8], delimiter: u8) -> Option<Vec<Cell<'_>>> {
    Cells { record: line, at: Some(0), delimiter, quotes: Quotes::Strict }.collect::<Result<_, _>>().ok()
}

/// Three columns and more are a table. Two are one if both have a known name, or one has and the other holds no text: labels may
/// be called `y` or `review` too, but then they come again, or what stands beside them has blanks.
fn looks_like_tsv(lines: &[&[u8]], options: &FormatOptions) -> bool {
    let rows: Vec<Vec<&[u8]>> =
        lines.iter().map(|line| line.split(|&byte| byte == b'\t').collect()).collect();
    let Some((header, rest)) = rows.split_first() else { return false };
    let is_name = |cell: &&[u8]| whole_number(cell).is_none();
    let regular = header.iter().all(is_name) && rest.iter().all(|row| row.len() == header.len());
    let known = |cell: &[u8]| std::str::from_utf8(cell.trim_ascii()).is_ok_and(|name| options.knows(name));
    let is_single = |cell: &[u8]| !cell.trim_ascii().contains(&b' ');
    match header[..] {
        _ if !regular => false,
        [one, other] if known(one) && known(other) => is_single(one) && is_single(other),
        [one, other] if known(one) || known(other) => {
            let at = usize::from(known(other));
            rest.iter().all(|row| row[at] != header[at]) && rows.iter().all(|row| is_single(row[1 - at]))
        }
        _ => header.len() > 2,
    }
}
