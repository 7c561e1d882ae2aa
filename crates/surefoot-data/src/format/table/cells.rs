//! The cells of a row.

use std::borrow::Cow;

use super::super::line::closing_quote;
use super::Quotes;
use crate::error::Fault;

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
