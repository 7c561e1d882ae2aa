//! Parquet files as lines of JSON: the first line lists the columns, then each row is an object.
//!
//! So a row goes the way of every other line (same roles of columns, same threads, same messages; the "line" of row n is
//! n + 1), and all that depends on the parquet crate, which changes often, is in this folder.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, List, Row};

use super::super::json::write::{put_items, put_string};
use super::pages;

/// Rows that are turned into text at a time.
const ROWS: usize = 256;

/// The text of a Parquet file, as a reader.
pub(crate) struct ParquetLines {
    rows: RowIter<'static>,
    text: Vec<u8>,
    /// How much of the text was given away.
    given: usize,
}

impl ParquetLines {
    pub(crate) fn of_file(path: &Path) -> io::Result<Self> {
        Self::new(File::open(path)?, &File::open(path)?)
    }

    pub(crate) fn of_memory(bytes: &Arc<[u8]>) -> io::Result<Self> {
        let bytes = Bytes::copy_from_slice(bytes);
        Self::new(bytes.clone(), &bytes)
    }

    /// The same source twice: once to be read, once to look at what it claims.
    fn new<R: ChunkReader + 'static>(source: R, same: &R) -> io::Result<Self> {
        guarded(|| {
            let reader = SerializedFileReader::new(source).map_err(damaged)?;
            let columns = reader.metadata().file_metadata().schema_descr().root_schema().get_fields();
            for group in reader.metadata().row_groups() {
                for column in group.columns() {
                    check_size(column.uncompressed_size())?;
                    let (start, length) = column.byte_range();
                    pages::check(same, start, start.saturating_add(length))?;
                }
            }
            let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
            let mut text = serde_json::to_vec(&names)?;
            text.push(b'\n');
            Ok(ParquetLines { rows: RowIter::from_file_into(Box::new(reader)), text, given: 0 })
        })
    }

    /// Replaces the text by that of the next rows; at the end it stays empty.
    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.given = 0;
        for _ in 0..ROWS {
            let Some(row) = guarded(|| self.rows.next().transpose().map_err(damaged))? else { break };
            put_row(&row, &mut self.text);
            self.text.push(b'\n');
        }
        Ok(())
    }
}

impl Read for ParquetLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.text.len() {
            self.refill()?;
        }
        let got = (&self.text[self.given..]).read(buffer)?;
        self.given += got;
        Ok(got)
    }
}

/// Pages are unpacked whole, so a column whose pages may be larger than this is refused before one is.
const LARGEST_COLUMN: i64 = 1 << 30;

fn check_size(uncompressed: i64) -> io::Result<()> {
    if (0..=LARGEST_COLUMN).contains(&uncompressed) {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "not readable as Parquet: a column has {uncompressed} bytes in one row group, where {LARGEST_COLUMN} are the \
         most; write the file with smaller row groups"
    )))
}

/// Runs a part of the parquet crate, which may panic on a damaged file.
fn guarded<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(io::Error::other("damaged Parquet file")))
}

fn damaged(error: parquet::errors::ParquetError) -> io::Error {
    io::Error::other(format!("not readable as Parquet: {error}"))
}

fn put_row(row: &Row, out: &mut Vec<u8>) {
    put_items(*b"{}", b",", members(row), out, |(name, field), out| put_member(&name, field, out));
}

/// The members of an object. Two lists beside each other, of indices and of values, are features and become members.
fn members(row: &Row) -> Vec<(Cow<'_, str>, &Field)> {
    let (sparse, mut members) = (sparse_columns(row), Vec::new());
    for (name, field) in row.get_column_iter() {
        match (sparse, field) {
            _ if is_row_number(name) => {}
            (Some(_), Field::ListInternal(_)) if is(name, &INDICES) => {}
            (Some((indices, values)), Field::ListInternal(_)) if is(name, &VALUES) => {
                let pairs = indices.elements().iter().zip(values.elements());
                members.extend(pairs.map(|(index, value)| (plain(index).into(), value)));
            }
            (_, Field::ListInternal(list)) if is_list_of_pairs(list) => {
                for element in list.elements() {
                    if let Field::Group(pair) = element
                        && let (Some(index), Some(value)) = (member(pair, &INDICES), member(pair, &VALUES))
                    {
                        members.push((plain(index).into(), value));
                    }
                }
            }
            _ => members.push((name.as_str().into(), field)),
        }
    }
    members
}

/// Whether a column holds row numbers, as data frames keep them.
pub(super) fn is_row_number(name: &str) -> bool {
    name.is_empty() || name.starts_with("__index_level_")
}

const INDICES: [&str; 3] = ["indices", "index", "ids"];
const VALUES: [&str; 2] = ["values", "value"];

fn is(name: &str, names: &[&str]) -> bool {
    names.contains(&name)
}

fn member<'a>(row: &'a Row, names: &[&str]) -> Option<&'a Field> {
    row.get_column_iter().find(|(name, _)| is(name, names)).map(|(_, field)| field)
}

fn sparse_columns(row: &Row) -> Option<(&List, &List)> {
    match (member(row, &INDICES)?, member(row, &VALUES)?) {
        (Field::ListInternal(indices), Field::ListInternal(values)) if indices.len() == values.len() => {
            Some((indices, values))
        }
        _ => None,
    }
}

fn is_list_of_pairs(list: &List) -> bool {
    matches!(list.elements().first(), Some(Field::Group(pair))
        if pair.len() == 2 && member(pair, &INDICES).is_some() && member(pair, &VALUES).is_some())
}

fn put_member(name: &str, field: &Field, out: &mut Vec<u8>) {
    put_string(name, out);
    out.push(b':');
    put_field(field, out);
}

fn put_field(field: &Field, out: &mut Vec<u8>) {
    match field {
        Field::Str(text) => put_string(text, out),
        Field::Bytes(bytes) => put_string(&String::from_utf8_lossy(bytes.data()), out),
        Field::Group(row) => put_row(row, out),
        Field::ListInternal(list) => put_items(*b"[]", b",", list.elements(), out, put_field),
        Field::MapInternal(map) => {
            put_items(*b"{}", b",", map.entries(), out, |(key, value), out| {
                put_member(&plain(key), value, out)
            });
        }
        // Not a number and the infinities have no JSON form: the parser refuses them, with the row.
        _ => out.extend_from_slice(plain(field).as_bytes()),
    }
}

/// A number, a truth value or a string without quotes.
fn plain(field: &Field) -> String {
    match field {
        Field::Date(value) | Field::TimeMillis(value) => value.to_string(),
        Field::TimeMicros(value) | Field::TimestampMillis(value) | Field::TimestampMicros(value) => {
            value.to_string()
        }
        Field::Float16(value) => value.to_f64().to_string(),
        // As wide as it is, so that it is the same number everywhere.
        Field::Float(value) => f64::from(*value).to_string(),
        Field::Double(value) => value.to_string(),
        Field::Str(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_columns_are_refused_before_they_are_unpacked() {
        assert!(check_size(0).is_ok() && check_size(LARGEST_COLUMN).is_ok());
        for size in [-1, LARGEST_COLUMN + 1, i64::MAX] {
            assert!(check_size(size).expect_err("too large").to_string().contains("smaller row groups"));
        }
    }
}
