//! One error for everything that can be wrong with data: where it is, what was found, what was expected.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::problem::FeatureProblem;

/// Result of everything in this crate that reads or writes data.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is wrong with one line, seen from inside the line: the parser knows neither file nor line number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{trouble}")]
pub struct Fault {
    /// Byte offset in the line at which the trouble starts.
    pub offset: usize,
    /// What is wrong.
    pub trouble: Trouble,
    /// What the user can do about it.
    pub hint: Option<Cow<'static, str>>,
}

/// The two ways in which a line can be wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Trouble {
    /// It does not follow its format.
    #[error("expected {expected}, found {found}")]
    Form {
        /// What a correct line has there.
        expected: Cow<'static, str>,
        /// What this line has there, ready to print: quoted, or a phrase such as `end of line`.
        found: String,
    },
    /// It does, but its content cannot be used.
    #[error(transparent)]
    Content(#[from] FeatureProblem),
}

impl Fault {
    /// A fault at `offset`: `expected` something, `found` something else.
    pub fn new(offset: usize, expected: impl Into<Cow<'static, str>>, found: impl Into<String>) -> Self {
        let trouble = Trouble::Form { expected: expected.into(), found: found.into() };
        Fault { offset, trouble, hint: None }
    }

    /// A fault about the token that starts at `offset` of `line` and ends at the next blank.
    pub fn at_token(line: &[u8], offset: usize, expected: impl Into<Cow<'static, str>>) -> Self {
        let rest = line.get(offset..).unwrap_or_default();
        let end = rest.iter().position(|b| matches!(b, b' ' | b'\t')).unwrap_or(rest.len());
        let found = if end == 0 && !rest.is_empty() { "a blank".to_owned() } else { quoted(&rest[..end]) };
        Fault::new(offset, expected, found)
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<FeatureProblem> for Fault {
    /// The content of a whole example: it points at the start of the line.
    fn from(problem: FeatureProblem) -> Self {
        Fault { offset: 0, trouble: Trouble::Content(problem), hint: None }
    }
}

/// A piece of input as messages show it: quoted, escaped, cut after 40 characters; nothing at all is the end of line.
pub fn quoted(bytes: &[u8]) -> String {
    if bytes.is_empty() { "end of line".to_owned() } else { format!("\"{}\"", shown(bytes)) }
}

/// The same without quotes: escaped and cut.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    // Four bytes a character at most, so a huge token is never converted as a whole.
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST + 4)]);
    let mut out = String::new();
    for c in text.chars().take(LONGEST) {
        // Inside double quotes an apostrophe needs no backslash.
        if c == '\'' { out.push(c) } else { out.extend(c.escape_debug()) }
    }
    if text.chars().count() > LONGEST {
        out.push('…');
    }
    out
}

/// Why reading or writing stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A line that does not follow its format.
    #[error("{file}:{line}:{column}: {}{}", .fault.trouble, advice(&.fault.hint))]
    Line {
        /// Name of the file, as the user gave it.
        file: Arc<str>,
        /// Line number, from 1.
        line: u64,
        /// Byte column, from 1.
        column: u64,
        /// What is wrong there.
        fault: Box<Fault>,
    },
    /// A file that cannot be used at all.
    #[error("{file}: {problem}{}", advice(.hint))]
    File {
        /// Name of the file, as the user gave it.
        file: Arc<str>,
        /// What is wrong with it.
        problem: Cow<'static, str>,
        /// What the user can do about it.
        hint: Option<Cow<'static, str>>,
    },
    /// The operating system refused.
    #[error("{file}: {source}")]
    Io {
        /// Name of the file, as the user gave it.
        file: Arc<str>,
        /// What the system said.
        source: io::Error,
    },
    /// Sources that cannot be read in the way that was asked for.
    #[error("{0}")]
    Reading(String),
    /// Settings that cannot work, whatever the data.
    #[error("{0}")]
    Settings(String),
}

impl Error {
    /// The error of a bad line: `record` is its text, which may span several lines of the file from `line` on.
    pub fn line(file: &Arc<str>, line: u64, record: &[u8], fault: Fault) -> Self {
        let before = &record[..fault.offset.min(record.len())];
        let newlines = memchr::memchr_iter(b'\n', before).count() as u64;
        let column = match memchr::memrchr(b'\n', before) {
            Some(newline) => fault.offset - newline,
            None => fault.offset + 1,
        };
        Error::Line {
            file: file.clone(),
            line: line + newlines,
            column: column as u64,
            fault: Box::new(fault),
        }
    }

    /// The error of a file that cannot be used.
    pub fn file(file: &Arc<str>, problem: impl Into<Cow<'static, str>>) -> Self {
        Error::File { file: file.clone(), problem: problem.into(), hint: None }
    }

    /// The same of a file by its path.
    pub(crate) fn at(path: &Path, problem: impl Into<Cow<'static, str>>) -> Self {
        Error::file(&path.to_string_lossy().into(), problem)
    }

    /// What the operating system said of a path.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Error::Io { file: path.to_string_lossy().into(), source }
    }

    /// Adds advice to an error about a whole file; bad lines get theirs from [`Fault::hint`].
    #[must_use]
    pub fn hint(mut self, advice: impl Into<Cow<'static, str>>) -> Self {
        if let Error::File { hint, .. } = &mut self {
            *hint = Some(advice.into());
        }
        self
    }
}

/// The hint in brackets behind a message, or nothing.
fn advice(hint: &Option<Cow<'static, str>>) -> impl fmt::Display {
    match hint {
        Some(hint) => format!(" ({hint})"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_says_where_and_what() {
        let record = b"1 1:abc 2:3";
        let fault = Fault::at_token(record, 4, "a number after ':'");
        let error = Error::line(&"tickets.svm".into(), 3, record, fault);
        assert_eq!(error.to_string(), "tickets.svm:3:5: expected a number after ':', found \"abc\"");
    }

    #[test]
    fn a_record_of_several_lines_points_into_the_right_one() {
        let record = b"a,\"x\ny\",z";
        let error = Error::line(&"t.csv".into(), 7, record, Fault::new(8, "w", "\"z\"").hint("try harder"));
        assert_eq!(error.to_string(), "t.csv:8:4: expected w, found \"z\" (try harder)");
    }

    #[test]
    fn found_text_is_escaped_and_cut() {
        assert_eq!(quoted(b""), "end of line");
        assert_eq!(quoted(b"a\x00\"\xffit's"), "\"a\\0\\\"\u{fffd}it's\"");
        assert_eq!(quoted(&[b'x'; 1000]).chars().count(), 43);
    }
}
