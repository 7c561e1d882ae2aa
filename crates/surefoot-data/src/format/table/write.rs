//! Rows of a table out. The header must name every column before the first row, so the columns are gathered first.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::layout::Role;
use super::super::options::FormatOptions;
#[cfg(feature = "parquet")]
use super::super::parquet::CellColumns;
use super::super::writer::{
    Piece, RecordWriter, full_name, joined_labels, misfit, pieces, put_number, put_one_line,
};
use super::Quotes;
use crate::error::{Fault, quoted};
use crate::fast::number::whole_number;
use crate::record::Record;
use crate::record::RecordPart::{Category, Feature, Indexed, Namespace, Text};

/// Columns of a table at most: more cells would be commas and nothing else.
const WIDEST: usize = 1 << 14;

/// The columns that a table needs to hold some records.
#[derive(Debug, Default, Clone)]
pub struct Columns {
    weight: bool,
    id: bool,
    names: Vec<String>,
    /// Place of each name, and whether it holds text.
    places: HashMap<String, (usize, bool)>,
    /// The same for Parquet.
    #[cfg(feature = "parquet")]
    pub(in crate::format) cells: CellColumns,
}

impl Columns {
    /// Makes room for a record.
    pub fn add(&mut self, record: &Record) -> Result<(), Fault> {
        self.weight |= record.weight != 1.0;
        self.id |= record.tag.is_some();
        for piece in pieces(record) {
            let (name, text) = column_of(&piece)?;
            let next = self.names.len();
            let (place, holds_text) = *self.places.entry(name.to_string()).or_insert((next, text));
            if holds_text != text {
                return Err(misfit(
                    "text or features in a column",
                    format!("both in {}", quoted(name.as_bytes())),
                ));
            }
            if place == next {
                self.names.push(name.into());
            }
            if self.names.len() > WIDEST {
                let hint = "jsonl and vw are made for many features";
                return Err(misfit("at most 16384 columns in a table", "more").hint(hint));
            }
        }
        Ok(())
    }
}

/// The column that a part belongs to, and whether it is one of text.
pub(in crate::format) fn column_of<'a>(piece: &Piece<'a>) -> Result<(Cow<'a, str>, bool), Fault> {
    let (name, text) = match piece.part {
        Indexed(id, _) => (Cow::Owned(id.to_string().into_bytes()), false),
        Category(name, value) if piece.scale != 1.0 => {
            (Cow::Owned([name.as_slice(), b"=", value].concat()), false)
        }
        Text(name, _) if name.is_empty() => (Cow::Borrowed(b"text".as_slice()), true),
        Text(name, _) => (Cow::Borrowed(name.as_slice()), true),
        Feature(name, _) | Category(name, _) | Namespace(name, _) => (Cow::Borrowed(name.as_slice()), false),
    };
    let name = if piece.namespace.is_empty() { name } else { full_name(piece.namespace, &name).into() };
    if name.is_empty() || name.trim_ascii() != name.as_ref() {
        return Err(misfit("a column name without blanks around it", quoted(&name)));
    }
    match name {
        Cow::Borrowed(name) => std::str::from_utf8(name).ok().map(Cow::Borrowed),
        Cow::Owned(name) => String::from_utf8(name).ok().map(Cow::Owned),
    }
    .map(|name| (name, text))
    .ok_or_else(|| misfit("column names in UTF-8", "other bytes"))
}

struct TableWriter {
    columns: Columns,
    /// Label, weight and id as far as they are needed, then the columns.
    header: Vec<String>,
    roles: Vec<Role>,
    delimiter: u8,
    /// Strict quotes protect everything, others neither line ends nor tabs.
    quotes: Quotes,
    /// What stands between two labels.
    separator: Option<String>,
}

pub(super) fn writer(
    options: &FormatOptions,
    columns: &Columns,
    delimiter: u8,
    quotes: Quotes,
) -> Result<Box<dyn RecordWriter>, Fault> {
    let mut header = vec![options.label.clone().unwrap_or_else(|| "label".into())];
    header.extend(columns.weight.then(|| options.weight.clone().unwrap_or_else(|| "importance".into())));
    header.extend(columns.id.then(|| options.id.clone().unwrap_or_else(|| "id".into())));
    let first = header.len();
    header.extend(columns.names.iter().cloned());
    let roles = options.roles(&header)?;
    for (name, role) in columns.names.iter().zip(&roles[first..]) {
        let text = columns.places[name].1;
        let right = if text { *role == Role::Text } else { matches!(role, Role::Value | Role::Category) };
        if !right || header.iter().filter(|other| *other == name).count() > 1 {
            let expected = if text { "a text column" } else { "a column of features" };
            return Err(misfit(expected, format!("{}, which means something else", quoted(name.as_bytes()))));
        }
    }
    let (roles, separator) = (roles[first..].to_vec(), options.label_separator.clone());
    let table = TableWriter { columns: columns.clone(), header, roles, delimiter, quotes, separator };
    for name in &table.header {
        table.put_text(name.as_bytes(), &mut Vec::new())?;
    }
    Ok(Box::new(table))
}

impl RecordWriter for TableWriter {
    fn header(&self, out: &mut Vec<u8>) {
        for (at, name) in self.header.iter().enumerate() {
            if at > 0 {
                out.push(self.delimiter);
            }
            self.put_cell(name.as_bytes(), out);
        }
        out.push(b'\n');
    }

    fn record(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        let start = out.len();
        let mut cells = vec![WrittenCell::Empty; self.columns.names.len()];
        for piece in pieces(record) {
            let name = column_of(&piece)?.0;
            let place = self.columns.places.get(name.as_ref()).map(|place| place.0);
            let place = place.ok_or_else(|| misfit("a column of the header", quoted(name.as_bytes())))?;
            cells[place].add(&piece, self.roles[place])?;
        }
        let label = joined_labels(record, self.separator.as_deref())?;
        self.put_text(label.as_deref().unwrap_or_default(), out)?;
        if self.columns.weight {
            out.push(self.delimiter);
            put_number(record.weight, out);
        }
        if self.columns.id {
            out.push(self.delimiter);
            self.put_text(record.tag.as_deref().unwrap_or_default(), out)?;
        }
        for cell in cells {
            out.push(self.delimiter);
            match cell {
                WrittenCell::Empty => {}
                WrittenCell::Number(value) => put_number(value, out),
                WrittenCell::Word(word) => self.put_text(word, out)?,
                WrittenCell::Text(text) if self.quotes == Quotes::Strict => self.put_cell(&text, out),
                WrittenCell::Text(mut text) => {
                    text.iter_mut().filter(|byte| **byte == self.delimiter).for_each(|byte| *byte = b' ');
                    let mut line = Vec::new();
                    put_one_line(&text, &mut line);
                    self.put_cell(&line, out);
                }
            }
        }
        if out.len() == start {
            // An empty line is no row; a pair of quotes is an empty cell.
            out.extend_from_slice(b"\"\"");
        }
        out.push(b'\n');
        Ok(())
    }
}

/// What a row says in one column.
#[derive(Clone)]
enum WrittenCell<'a> {
    Empty,
    Number(f64),
    Word(&'a [u8]),
    Text(Vec<u8>),
}

impl<'a> WrittenCell<'a> {
    fn add(&mut self, piece: &Piece<'a>, role: Role) -> Result<(), Fault> {
        let scale = piece.scale;
        *self = match (&mut *self, piece.part) {
            (Self::Empty, Indexed(_, value) | Feature(_, value)) if role == Role::Value => {
                Self::Number(value * scale)
            }
            (Self::Number(sum), Indexed(_, value) | Feature(_, value)) => Self::Number(*sum + value * scale),
            (Self::Empty, Category(..)) if scale != 1.0 => Self::Number(scale),
            (Self::Empty, Category(_, value)) => Self::Word(word(value, role)?),
            (Self::Empty, Text(_, text)) if scale == 1.0 => Self::Text(text.clone()),
            (Self::Text(before), Text(_, text)) => Self::Text([before.as_slice(), b" ", text].concat()),
            _ => {
                let hint = "jsonl can hold several";
                return Err(misfit("one value in each column", "another, or one of another kind").hint(hint));
            }
        };
        Ok(())
    }
}

/// A category that reads back as one.
fn word(value: &[u8], role: Role) -> Result<&[u8], Fault> {
    if value.is_empty() {
        return Err(misfit("a category", "an empty one, which means a missing value in a table"));
    }
    if role == Role::Value && whole_number(value).is_some() {
        return Err(
            misfit("a category that is not a number", quoted(value)).hint("name the column as categories")
        );
    }
    Ok(value)
}

impl TableWriter {
    /// A cell that must come back byte for byte.
    fn put_text(&self, content: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        if self.quotes == Quotes::Whole && content.iter().any(|&byte| matches!(byte, b'\n' | b'\r' | b'\t')) {
            return Err(misfit("a cell without tabs and line ends", quoted(content)).hint("csv can hold it"));
        }
        self.put_cell(content, out);
        Ok(())
    }

    /// A cell, in quotes if it needs them.
    fn put_cell(&self, content: &[u8], out: &mut Vec<u8>) {
        let special = |&byte: &u8| byte == b'"' || byte == b'\n' || byte == b'\r' || byte == self.delimiter;
        if content.trim_ascii() == content && !content.iter().any(special) {
            return out.extend_from_slice(content);
        }
        out.push(b'"');
        for &byte in content {
            out.extend(std::iter::repeat_n(byte, if byte == b'"' { 2 } else { 1 }));
        }
        out.push(b'"');
    }
}
