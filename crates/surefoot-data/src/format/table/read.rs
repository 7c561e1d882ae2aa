//! Rows of a table in, cell by cell.

use std::borrow::Cow;
use std::collections::HashSet;

use super::super::layout::Role;
use super::super::line::{Grammar, Line, LineParser, closing_quote, put_label};
use super::super::options::{FormatOptions, text_name};
use super::super::survey::SampledColumn;
use super::Quotes;
use crate::error::{Fault, quoted};
use crate::fast::number::whole_number;
use crate::record::Sink;

struct TableParser {
    columns: Vec<TableColumn>,
    delimiter: u8,
    quotes: Quotes,
}

struct TableColumn {
    name: Vec<u8>,
    role: Role,
    /// Whether its cells name the examples.
    names: bool,
    /// What stands between two labels, where there may be several.
    separator: Option<String>,
}

pub(super) fn parser(
    options: &FormatOptions,
    header: &[u8],
    delimiter: u8,
    quotes: Quotes,
) -> Result<Box<dyn LineParser>, Fault> {
    let names = names(options, header, delimiter, quotes)?;
    let roles = options.roles(&names)?;
    let column = |(name, role): (&String, Role)| {
        let names = if options.echo.is_some() { options.is_echoed(name) } else { role == Role::Id };
        let name = if role == Role::Text { text_name(name) } else { name.as_bytes() };
        TableColumn { name: name.into(), role, names, separator: options.label_separator.clone() }
    };
    let columns = names.iter().zip(roles).map(column).collect();
    Ok(Box::new(TableParser { columns, delimiter, quotes }))
}

/// The names of the columns: the cells of the header, or where there is none, numbers from 1.
pub(super) fn names(
    options: &FormatOptions,
    header: &[u8],
    delimiter: u8,
    quotes: Quotes,
) -> Result<Vec<String>, Fault> {
    let cells = TableCells::new(header, delimiter, quotes);
    if options.no_header {
        return cells.zip(1..).map(|(cell, number)| cell.map(|_| number.to_string())).collect();
    }
    let (mut names, mut met) = (Vec::new(), HashSet::new());
    for cell in cells {
        let TableCell { offset, content } = cell?;
        let name = std::str::from_utf8(&content)
            .map_err(|_| Fault::new(offset, "a column name in UTF-8", quoted(&content)))?
            .to_owned();
        if !name.is_empty() && !met.insert(name.clone()) {
            let fault = Fault::new(offset, "a new column name", quoted(&content));
            return Err(fault.hint("two columns have this name"));
        }
        names.push(name);
    }
    Ok(names)
}

/// The cells of the first rows, column by column; rows that cannot be read are left for the parser to refuse.
pub(super) fn sample(
    options: &FormatOptions,
    header: &[u8],
    rows: &[&[u8]],
    delimiter: u8,
    quotes: Quotes,
) -> Vec<SampledColumn> {
    let names = names(options, header, delimiter, quotes).unwrap_or_default();
    let mut columns: Vec<SampledColumn> = names.into_iter().map(SampledColumn::new).collect();
    for row in rows {
        let cells: Result<Vec<TableCell<'_>>, Fault> = TableCells::new(row, delimiter, quotes).collect();
        for (column, cell) in columns.iter_mut().zip(cells.unwrap_or_default()) {
            column.add(&cell.content);
        }
    }
    columns
}

impl Grammar for TableParser {
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault> {
        if line.iter().all(|&byte| byte == b' ') {
            return Ok(Line::Blank);
        }
        let mut columns = self.columns.iter();
        for cell in TableCells::new(line, self.delimiter, self.quotes) {
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

impl TableParser {
    #[cold]
    fn wrong_width(&self, offset: usize, found: String) -> Fault {
        let fault = Fault::new(offset, format!("{} cells, as in the header", self.columns.len()), found);
        match self.quotes {
            Quotes::Strict => fault.hint("a cell that holds the separator needs quotes"),
            Quotes::Whole => fault,
        }
    }
}

impl TableColumn {
    /// Says what the cell means in this column.
    fn tell<S: Sink>(&self, cell: &TableCell<'_>, out: &mut S) -> Result<(), Fault> {
        let content = cell.content.as_ref();
        if content.is_empty() {
            return Ok(());
        }
        if self.names {
            out.tag(content);
        }
        match self.role {
            Role::Label => put_label(content, self.separator.as_deref(), out),
            Role::Text => out.text(&self.name, content),
            Role::Category => out.category(&self.name, content),
            Role::Weight => {
                let expected = "a number, the weight of the example";
                let refused = || Fault::new(cell.offset, expected, quoted(content));
                out.weight(whole_number(content).ok_or_else(refused)?);
            }
            Role::Value => match whole_number(content) {
                Some(value) if value.is_finite() => out.feature(&self.name, value),
                Some(_) => return Err(not_finite(cell)),
                None => out.category(&self.name, content),
            },
            Role::Id | Role::Nothing => {}
        }
        Ok(())
    }
}

#[cold]
fn not_finite(cell: &TableCell<'_>) -> Fault {
    Fault::new(cell.offset, "a finite number", quoted(&cell.content))
        .hint("leave the cell empty if nothing is known")
}

/// A cell, unquoted, and where it starts.
pub(super) struct TableCell<'a> {
    pub(super) offset: usize,
    pub(super) content: Cow<'a, [u8]>,
}

/// The cells of a record.
pub(super) struct TableCells<'a> {
    record: &'a [u8],
    /// Where the next cell starts; none behind the last.
    at: Option<usize>,
    delimiter: u8,
    quotes: Quotes,
}

impl<'a> TableCells<'a> {
    pub(super) fn new(record: &'a [u8], delimiter: u8, quotes: Quotes) -> Self {
        TableCells { record, at: Some(0), delimiter, quotes }
    }

    fn quoted_cell(&mut self, start: usize) -> Result<TableCell<'a>, Fault> {
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
        Ok(TableCell { offset: start, content: undoubled(&self.record[start + 1..close]) })
    }
}

impl<'a> Iterator for TableCells<'a> {
    type Item = Result<TableCell<'a>, Fault>;

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
        Some(Ok(TableCell { offset: start, content }))
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
