//! What the writers of all formats share: the interface that they implement, and how words and numbers are written.
//!
//! What a format has no place for is refused and not dropped, with two exceptions: a format without ids leaves them out, and
//! line ends inside text become blanks where a record is one line.

use std::io::Write as _;

use memchr::memmem;

use super::BYTE_ORDER_MARK;
use crate::error::{Fault, quoted};
use crate::record::{Record, RecordPart};

/// Writes records of one format.
pub trait RecordWriter {
    /// Appends what stands before the first record, if anything.
    fn header(&self, _out: &mut Vec<u8>) {}

    /// Appends one record with its line end, or says why the format cannot hold it; then `out` may hold a part of it.
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault>;

    /// Appends what stands behind the last record, if anything.
    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<(), Fault> {
        Ok(())
    }
}

/// What has to be known of all records before the first is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing: each stands alone.
    Nothing,
    /// The columns of a table.
    Columns,
    /// The columns, or that features are too many for some.
    #[cfg(feature = "parquet")]
    Cells,
    /// The labels, which are to be numbers.
    Labels,
}

/// A writer of records of which any may be the first of a file: what begins with a byte order mark would be read without it.
pub(super) struct Unmarked(pub(super) Box<dyn RecordWriter>);

impl RecordWriter for Unmarked {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        let start = out.len();
        self.0.record(record, out)?;
        unmarked(&out[start..])
    }
}

/// Refuses what begins with a byte order mark.
pub(super) fn unmarked(bytes: &[u8]) -> Result<(), Fault> {
    if !bytes.starts_with(BYTE_ORDER_MARK) {
        return Ok(());
    }
    Err(misfit("something else than a byte order mark at the front", "one").hint("jsonl can hold it"))
}

/// What is wrong with a record that a format cannot hold.
#[cold]
pub(super) fn misfit(expected: &'static str, found: impl Into<String>) -> Fault {
    Fault::new(0, expected, found)
}

/// What stands between two labels that are written, if nothing else is said.
pub(super) const LABEL_SEPARATOR: &str = ",";

/// The labels of a record in one cell; none if it has none.
pub(super) fn joined_labels(record: &Record, separator: Option<&str>) -> Result<Option<Vec<u8>>, Fault> {
    let Some(labels) = &record.labels else { return Ok(record.label.clone()) };
    let separator = separator.unwrap_or(LABEL_SEPARATOR).as_bytes();
    let breaks = |label: &[u8]| memmem::find(label, separator).is_some() || label.trim_ascii() != label;
    if let Some(label) = labels.iter().find(|label| label.is_empty() || breaks(label)) {
        let expected = "labels without the separator between them, and without blanks around them";
        return Err(
            misfit(expected, quoted(label)).hint("--label-separator says what stands between two labels")
        );
    }
    Ok((!labels.is_empty()).then(|| labels.join(separator)))
}

/// Refuses a weight where there is no place for one.
pub(super) fn weightless(record: &Record) -> Result<(), Fault> {
    if record.weight == 1.0 {
        return Ok(());
    }
    Err(misfit("an example of weight 1", format!("weight {}", record.weight))
        .hint("write vw, csv or jsonl, which have a place for weights"))
}

/// Appends a word, or refuses it if it would not stay one: it is empty, or has blanks, line ends or `special` bytes.
pub(super) fn put_word(
    word: &[u8],
    special: &[u8],
    what: &'static str,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    if word.is_empty() || word.iter().any(|byte| byte.is_ascii_whitespace() || special.contains(byte)) {
        return Err(misfit(what, quoted(word)).hint("csv and jsonl can hold it"));
    }
    out.extend_from_slice(word);
    Ok(())
}

/// Appends text with its line ends as blanks.
pub(super) fn put_one_line(text: &[u8], out: &mut Vec<u8>) {
    out.extend(text.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
}

/// Appends a number in the shortest form that reads back as the same number.
pub(super) fn put_number(value: f64, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = match value.abs() {
        size if size != 0.0 && !(1e-5..1e16).contains(&size) => write!(out, "{value:e}"),
        _ => write!(out, "{value}"),
    };
}

/// A part of a record beside the namespace that it belongs to.
pub(super) struct Piece<'a> {
    pub(super) namespace: &'a [u8],
    pub(super) scale: f64,
    pub(super) part: &'a RecordPart,
}

/// The parts of a record but the namespaces, each beside its own.
pub(super) fn pieces(record: &Record) -> impl Iterator<Item = Piece<'_>> {
    let (mut namespace, mut scale) = (b"".as_slice(), 1.0);
    record.parts.iter().filter_map(move |part| {
        if let RecordPart::Namespace(name, factor) = part {
            (namespace, scale) = (name, *factor);
            return None;
        }
        Some(Piece { namespace, scale, part })
    })
}

/// The name of a feature behind its namespace, as the feature space knows it.
pub(super) fn full_name(namespace: &[u8], name: &[u8]) -> Vec<u8> {
    if namespace.is_empty() { name.to_vec() } else { [namespace, b"^", name].concat() }
}
