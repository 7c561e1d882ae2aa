//! What the parsers of all formats share: how bytes fall into records, the interface that parsers implement, and how a line falls
//! into tokens and numbers. Nearly always a record is a line; in CSV a quoted field may hold line ends.

use memchr::{memchr, memchr_iter, memchr2, memmem, memrchr};

use crate::builder::Builder;
use crate::error::Fault;
use crate::fast::number::{number, whole_number};
use crate::record::{Record, Sink};

/// The rule by which a format's records end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Records {
    /// At each line end.
    Lines,
    /// At each line end outside quotes; a quote opens only at the start of a field.
    Quoted { delimiter: u8 },
}

impl Records {
    /// Index of the line end that closes the first record of `bytes`; none if the record is not complete.
    #[inline]
    pub(crate) fn first_end(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Records::Lines => memchr(b'\n', bytes),
            Records::Quoted { delimiter } => quoted_end(bytes, delimiter),
        }
    }

    /// How many lines of the file a record takes.
    #[inline]
    pub(crate) fn lines(self, record: &[u8]) -> u64 {
        match self {
            Records::Lines => 1,
            Records::Quoted { .. } => 1 + memchr_iter(b'\n', record).count() as u64,
        }
    }

    /// Length of the front part of `bytes` that consists of complete records.
    pub(crate) fn complete(self, bytes: &[u8]) -> usize {
        match self {
            Records::Lines => memrchr(b'\n', bytes).map_or(0, |at| at + 1),
            Records::Quoted { .. } => {
                let mut done = 0;
                while let Some(end) = self.first_end(&bytes[done..]) {
                    done += end + 1;
                }
                done
            }
        }
    }
}

/// The first line end outside quotes.
fn quoted_end(bytes: &[u8], delimiter: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        let found = at + memchr2(b'"', b'\n', &bytes[at..])?;
        if bytes[found] == b'\n' {
            return Some(found);
        }
        let opens = found == 0 || bytes[found - 1] == delimiter;
        at = if opens { closing_quote(bytes, found + 1)? + 1 } else { found + 1 };
    }
}

/// Index of the quote that closes a field whose content starts at `at`; a doubled quote stands for itself.
pub(crate) fn closing_quote(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let quote = at + memchr(b'"', bytes.get(at..)?)?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        at = quote + 2;
    }
}

/// A record without the carriage return that Windows puts before the line end.
#[inline]
pub(crate) fn without_return(record: &[u8]) -> &[u8] {
    record.strip_suffix(b"\r").unwrap_or(record)
}

/// What a line turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// An example; its parts are in the sink.
    Example,
    /// Nothing: an empty line or a comment.
    Blank,
}

/// The grammar of a format: one record in, the parts of an example out.
///
/// Generic over the sink, so that the calls of the inner loop are inlined.
pub(super) trait Grammar {
    /// Parses one record, without its line end.
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault>;

    /// Parses one record as far as its label, where that takes much less time than the rest; none where it does not. What is
    /// wrong behind the label may go unnoticed.
    fn skim(&self, _line: &[u8], _out: &mut LabelOnly) -> Option<Result<Line, Fault>> {
        None
    }

    /// What a model reads as text, or all that it reads, if no record so far had it: asked at the end of a file.
    fn missing(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A grammar as a trait object: one compiled loop for each of the two sinks, and one for labels alone.
pub(crate) trait LineParser: Send + Sync {
    /// Parses one record into features.
    fn build(&self, line: &[u8], out: &mut Builder<'_>) -> Result<Line, Fault>;
    /// Parses one record as it is.
    fn record(&self, line: &[u8], out: &mut Record) -> Result<Line, Fault>;
    /// Parses one record as far as its label; none if that is not faster than parsing all of it.
    fn label(&self, line: &[u8], out: &mut LabelOnly) -> Option<Result<Line, Fault>>;
    /// Parses one record for its label and its tag.
    fn names(&self, line: &[u8], out: &mut RowNames) -> Result<Line, Fault>;
    /// Keys of a model that no record so far had.
    fn missing(&self) -> Vec<String>;
}

impl<G: Grammar + Send + Sync> LineParser for G {
    fn build(&self, line: &[u8], out: &mut Builder<'_>) -> Result<Line, Fault> {
        self.parse(line, out)
    }

    fn record(&self, line: &[u8], out: &mut Record) -> Result<Line, Fault> {
        self.parse(line, out)
    }

    fn label(&self, line: &[u8], out: &mut LabelOnly) -> Option<Result<Line, Fault>> {
        self.skim(line, out)
    }

    fn names(&self, line: &[u8], out: &mut RowNames) -> Result<Line, Fault> {
        self.parse(line, out)
    }

    fn missing(&self) -> Vec<String> {
        Grammar::missing(self)
    }
}

/// What an example is called: its label and its tag.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowNames {
    /// The label, if there is one.
    pub label: Option<Vec<u8>>,
    /// The id or tag, if there is one.
    pub tag: Option<Vec<u8>>,
}

impl Sink for RowNames {
    fn label(&mut self, label: &[u8]) {
        self.label = Some(label.to_vec());
    }

    /// Of several it is none in particular.
    fn labels<'l>(&mut self, mut labels: impl Iterator<Item = &'l [u8]>) {
        self.label = labels.next().filter(|_| labels.next().is_none()).map(<[u8]>::to_vec);
    }

    fn tag(&mut self, tag: &[u8]) {
        self.tag = Some(tag.to_vec());
    }

    fn weight(&mut self, _: f64) {}
    fn indexed(&mut self, _: u64, _: f64) {}
    fn namespace(&mut self, _: &[u8], _: f64) {}
    fn feature(&mut self, _: &[u8], _: f64) {}
    fn category(&mut self, _: &[u8], _: &[u8]) {}
    fn text(&mut self, _: &[u8], _: &[u8]) {}
}

/// Takes the labels of a line, if it has some, and nothing else of it.
#[derive(Debug, Default)]
pub(crate) struct LabelOnly {
    pub(crate) labels: Vec<Vec<u8>>,
    /// Whether the line shows that there may be several.
    pub(crate) several: bool,
}

impl Sink for LabelOnly {
    fn label(&mut self, label: &[u8]) {
        self.labels.clear();
        self.labels.push(label.to_vec());
    }

    fn labels<'l>(&mut self, labels: impl Iterator<Item = &'l [u8]>) {
        self.labels.clear();
        self.labels.extend(labels.map(<[u8]>::to_vec));
        self.several = true;
    }

    fn weight(&mut self, _: f64) {}
    fn tag(&mut self, _: &[u8]) {}
    fn indexed(&mut self, _: u64, _: f64) {}
    fn namespace(&mut self, _: &[u8], _: f64) {}
    fn feature(&mut self, _: &[u8], _: f64) {}
    fn category(&mut self, _: &[u8], _: &[u8]) {}
    fn text(&mut self, _: &[u8], _: &[u8]) {}
}

/// The index of the next byte that is not a blank, from `at` on.
#[inline]
pub(super) fn skip_blanks(line: &[u8], mut at: usize) -> usize {
    while matches!(line.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Where the token that starts at `at` ends: the next blank, or the end of the line.
#[inline]
pub(super) fn token_end(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    at + memchr2(b' ', b'\t', rest).unwrap_or(rest.len())
}

/// The number at `at` of `line` and where it ends; it must be finite and stand alone, up to a blank or a line end.
#[inline]
pub(super) fn finite(line: &[u8], at: usize, expected: &'static str) -> Result<(f64, usize), Fault> {
    match number(line.get(at..).unwrap_or_default()) {
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
    match whole_number(&line[at..token_end(line, at)]) {
        Some(_) => not_finite(line, at),
        None => Fault::at_token(line, at, expected),
    }
}

#[cold]
pub(super) fn not_finite(line: &[u8], at: usize) -> Fault {
    Fault::at_token(line, at, "a finite number").hint("leave the feature out if its value is not known")
}

/// The labels of a list, without what is empty in it.
pub(super) fn listed_labels<'l>(list: &'l [u8], separator: &'l [u8]) -> impl Iterator<Item = &'l [u8]> {
    let mut rest = Some(list);
    let next = move || {
        let list = rest?;
        let end = memmem::find(list, separator).filter(|_| !separator.is_empty());
        rest = end.map(|end| &list[end + separator.len()..]);
        Some(list[..end.unwrap_or(list.len())].trim_ascii())
    };
    std::iter::from_fn(next).filter(|label| !label.is_empty())
}

/// Tells what stands in the place of the label: a list where a separator of labels is known.
pub(super) fn put_label<S: Sink>(content: &[u8], separator: Option<&str>, out: &mut S) {
    match separator {
        Some(separator) => out.labels(listed_labels(content, separator.as_bytes())),
        None => out.label(content),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: Records = Records::Quoted { delimiter: b',' };

    #[test]
    fn a_line_end_inside_quotes_does_not_end_a_csv_record() {
        assert_eq!(CSV.first_end(b"a,\"x\ny\"\nb"), Some(7));
        assert_eq!(Records::Lines.first_end(b"a,\"x\ny\"\nb"), Some(4));
    }

    #[test]
    fn quotes_in_the_middle_of_a_field_are_letters() {
        assert_eq!(CSV.first_end(b"5\" pipe,1\nb"), Some(9));
        assert_eq!(CSV.first_end(b"\"5\"\" pipe\n\",1\nb"), Some(13));
    }

    #[test]
    fn only_complete_records_count() {
        assert_eq!(CSV.complete(b"a,b\n\"c\nd"), 4);
        assert_eq!(CSV.complete(b"\"c\nd"), 0);
        assert_eq!(Records::Lines.complete(b"a\nb\nc"), 4);
    }
}
