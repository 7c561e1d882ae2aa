//! What the parsers of all formats share: the interface that they implement, and how a line falls into tokens and numbers.

use crate::builder::Builder;
use crate::error::Fault;
use crate::fast::number::{number, whole_number};
use crate::record::Record;
use crate::sink::Sink;

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
pub(super) trait Grammar {
    /// Parses one record, without its line end.
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault>;

    /// Parses one record as far as its label, where that takes much less time than the rest; none where it does not. What is
    /// wrong behind the label may go unnoticed.
    fn skim(&self, _line: &[u8], _out: &mut Record) -> Option<Result<Line, Fault>> {
        None
    }
}

/// A grammar as a trait object: one compiled loop for each of the two sinks, and one for labels alone.
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
    at + memchr::memchr2(b' ', b'\t', rest).unwrap_or(rest.len())
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

/// What is wrong with a line whose second label, or list of labels, starts at `at`.
#[cold]
pub(super) fn several_labels(line: &[u8], at: usize) -> Fault {
    Fault::at_token(line, at, "one label").hint("lines with several labels are not supported")
}
