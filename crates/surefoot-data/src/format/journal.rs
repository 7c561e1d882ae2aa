//! The journal of a server: what it has learned, in that order. A line is checksummed, numbered and dated, and holds a row of
//! JSON as it was sent:
//!
//! ```text
//! sf1 9f86d081884c7d65 8125 1763438400123 "billing" {"id":"t-1","text":"I was charged twice"}
//! ```
//!
//! Behind the mark stand the XXH3-64 of all that follows it and its blank, the number of the example, milliseconds since 1970,
//! the label where it came later than the row (else `-`), and the row.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::json::scan::Scanner;
use super::json::write::put_string;
use super::json::{JsonLines, sampled};
use super::line::{Grammar, Line};
use super::writer::RecordWriter;
use super::{Format, Needs, Records};
use crate::error::{Fault, quoted};
use crate::record::{Record, Sink};

/// What every line begins with: the version of the format.
const MARK: &[u8] = b"sf1 ";
/// Digits of the checksum.
const DIGITS: usize = 16;

pub(super) static FORMAT: Format = Format {
    name: "journal",
    aliases: &[],
    extensions: &[],
    about: "what a server has learned: checksum, number, time, later label, a row of JSON; `serve` writes it",
    header: false,
    columns: true,
    records: Records::Lines,
    telling: true,
    looks_like: |lines, _| !lines.is_empty() && lines.iter().all(|line| is_marked(line)),
    parser: |options, _| Ok(Box::new(JournalRows(JsonLines::new(options.clone())))),
    sample: Some(|_, _, lines| {
        let rows: Vec<&[u8]> =
            lines.iter().filter_map(|line| JournalLine::parse(line).ok()).map(|line| line.row).collect();
        sampled(Vec::new(), &rows)
    }),
    needs: Needs::Nothing,
    numbered: Some(number),
    writer: Some(|options, _| {
        Ok(Box::new(JournalWriter { rows: JsonLines::new(options.clone()), sequence: 0, row: Vec::new() }))
    }),
};

/// One line of a journal.
///
/// ```
/// use surefoot_data::JournalLine;
///
/// let line = JournalLine { sequence: 7, millis: 1_763_438_400_123, label: None, row: br#"{"text":"hi","label":"ham"}"# };
/// let mut bytes = Vec::new();
/// line.write(&mut bytes);
/// assert_eq!(JournalLine::parse(bytes.trim_ascii_end())?, line);
/// assert!(JournalLine::parse(b"sf1 0000000000000000 7 0 - {}").is_err());
/// # Ok::<(), surefoot_data::Fault>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalLine<'a> {
    /// The number of the example in its stream.
    pub sequence: u64,
    /// When it was learned, in milliseconds since 1970.
    pub millis: u64,
    /// The label, where it came later than the row.
    pub label: Option<Cow<'a, [u8]>>,
    /// The row, a JSON object without line ends.
    pub row: &'a [u8],
}

impl<'a> JournalLine<'a> {
    /// Reads a line without its line end. What is damaged is refused.
    pub fn parse(line: &'a [u8]) -> Result<Self, Fault> {
        if !is_marked(line) {
            return Err(Fault::at_token(
                line,
                0,
                "`sf1` and 16 hexadecimal digits, as every line of a journal begins",
            ));
        }
        let (sum, rest) = (&line[MARK.len()..MARK.len() + DIGITS], &line[MARK.len() + DIGITS + 1..]);
        if sum != checksum(rest) {
            let expected = format!("the checksum {}", String::from_utf8_lossy(&checksum(rest)));
            return Err(Fault::new(MARK.len(), expected, quoted(sum)).hint("the line is damaged"));
        }
        let mut scan = Scanner { line, at: MARK.len() + DIGITS + 1 };
        let sequence = whole(&mut scan, "the number of the example")?;
        let millis = whole(&mut scan, "milliseconds since 1970")?;
        let label = match scan.peek() {
            Some(b'"') => Some(scan.string("a label in quotes")?),
            _ if scan.word(b"-") => None,
            _ => return Err(scan.fault("a label in quotes, or -")),
        };
        match scan.peek() {
            Some(b'{') => Ok(Self { sequence, millis, label, row: &line[scan.at..] }),
            _ => Err(scan.fault("a row, which is a JSON object")),
        }
    }

    /// Appends the line with its line end.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(MARK);
        out.extend_from_slice(&[b'0'; DIGITS]);
        out.extend_from_slice(format!(" {} {} ", self.sequence, self.millis).as_bytes());
        match &self.label {
            Some(label) => put_string(&String::from_utf8_lossy(label), out),
            None => out.push(b'-'),
        }
        out.push(b' ');
        out.extend_from_slice(self.row);
        let sum = checksum(&out[start + MARK.len() + DIGITS + 1..]);
        out[start + MARK.len()..][..DIGITS].copy_from_slice(&sum);
        out.push(b'\n');
    }
}

/// Whether a line begins as those of a journal do.
fn is_marked(line: &[u8]) -> bool {
    let rest = line.strip_prefix(MARK).unwrap_or_default();
    rest.get(..DIGITS).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        && rest.get(DIGITS) == Some(&b' ')
}

fn checksum(rest: &[u8]) -> [u8; DIGITS] {
    let sum = xxh3_64(rest);
    std::array::from_fn(|at| b"0123456789abcdef"[(sum >> (4 * (DIGITS - 1 - at)) & 15) as usize])
}

/// A whole number and the blank behind it.
fn whole(scan: &mut Scanner<'_>, expected: &'static str) -> Result<u64, Fault> {
    scan.peek();
    let rest = &scan.line[scan.at..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits]).ok().and_then(|digits| digits.parse().ok());
    let number = number.ok_or_else(|| scan.fault(expected))?;
    scan.at += digits;
    Ok(number)
}

/// The number of a line's example, as it stands there.
fn number(line: &[u8]) -> Option<u64> {
    let rest = line.strip_prefix(MARK)?.get(DIGITS + 1..)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

/// Writes examples that are numbered from 1 and were learned at no known time.
struct JournalWriter {
    rows: JsonLines,
    sequence: u64,
    row: Vec<u8>,
}

impl RecordWriter for JournalWriter {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.row.clear();
        self.rows.record(record, &mut self.row)?;
        self.sequence += 1;
        let line =
            JournalLine { sequence: self.sequence, millis: 0, label: None, row: self.row.trim_ascii_end() };
        line.write(out);
        Ok(())
    }
}

/// The rows of a journal's lines.
struct JournalRows(JsonLines);

impl Grammar for JournalRows {
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault> {
        let JournalLine { label, row, .. } = JournalLine::parse(line)?;
        let parsed = self.0.parse(row, out).map_err(|fault| {
            let before = line.len() - row.len();
            Fault { offset: before + fault.offset, ..fault }
        })?;
        label.into_iter().for_each(|label| out.label(&label));
        Ok(parsed)
    }

    // Rows were taken one by one, whatever keys they had: that a file lacks one says nothing.
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Vec<u8> {
        let (label, row) = (Some(b"a \"b\"\n".as_slice().into()), br#"{"x":1,"label":"c"}"#.as_slice());
        let mut out = Vec::new();
        JournalLine { sequence: 12, millis: 34, label, row }.write(&mut out);
        out
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let good = line();
        let good = good.trim_ascii_end();
        assert!(JournalLine::parse(good).is_ok());
        for bit in 0..8 * good.len() {
            let mut bad = good.to_vec();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(JournalLine::parse(&bad).is_err(), "bit {bit}: {}", String::from_utf8_lossy(&bad));
        }
        for length in 0..good.len() {
            assert!(JournalLine::parse(&good[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_later_label_takes_the_place_of_that_of_the_row() {
        let mut record = Record::default();
        let journal = JournalRows(JsonLines::new(Default::default()));
        journal.parse(line().trim_ascii_end(), &mut record).expect("a good line");
        assert_eq!(record.label.as_deref(), Some(b"a \"b\"\n".as_slice()));
    }

    #[test]
    fn faults_in_the_row_point_into_the_line() {
        let mut out = Vec::new();
        JournalLine { sequence: 1, millis: 0, label: None, row: br#"{"x":y}"# }.write(&mut out);
        let journal = JournalRows(JsonLines::new(Default::default()));
        let mut record = Record::default();
        let fault = journal.parse(out.trim_ascii_end(), &mut record).expect_err("no number");
        assert_eq!(&out[fault.offset..fault.offset + 1], b"y");
    }
}
