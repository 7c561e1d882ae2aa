//! The rows of a request: one object, an array of objects, or one object a line.

use std::ops::Range;

use surefoot::data::{Batch, Example, RowParser};

use crate::seen::IdHash;

/// What a row may hold.
#[derive(Debug, Clone)]
pub struct RowLimits {
    /// Rows of one request.
    pub rows: usize,
    /// Features of a row.
    pub features: usize,
    /// The largest value of a feature, without its sign: sums of larger ones spoil a model.
    pub value: f64,
    /// The largest importance.
    pub weight: f64,
}

impl Default for RowLimits {
    fn default() -> Self {
        Self { rows: 10_000, features: 100_000, value: 1e15, weight: 1e3 }
    }
}

/// What is wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("row {}, byte {}: {problem}", row + 1, byte + 1)]
pub struct BadRow {
    /// Its place in the request, from 0.
    pub row: usize,
    /// The byte of the body, from 0.
    pub byte: usize,
    /// What is wrong there.
    pub problem: String,
    /// Whether it is well-formed, and only cannot be taken.
    pub content: bool,
}

/// Rows that were parsed.
#[derive(Debug, Default)]
pub struct Rows {
    /// The rows without white space, one after the other.
    bytes: Vec<u8>,
    rows: Vec<JobRow>,
    batch: Batch,
    /// Those that are bad, if they are left out.
    bad: Vec<BadRow>,
}

#[derive(Debug, Clone)]
pub(crate) struct JobRow {
    json: Range<usize>,
    /// The label, where it came later than the row.
    pub(crate) label: Option<Vec<u8>>,
    pub(crate) id: Option<IdHash>,
}

impl Rows {
    /// Parses the rows of a body; `skip_bad` says whether bad ones are left out, and not refused.
    pub fn parse(
        body: &[u8],
        parser: &RowParser,
        limits: &RowLimits,
        skip_bad: bool,
    ) -> Result<Self, BadRow> {
        let (mut rows, mut scan) = (Self::default(), RowScan { body, at: 0 });
        let listed = scan.peek() == Some(b'[');
        scan.at += usize::from(listed);
        if listed && scan.peek() == Some(b']') {
            scan.at += 1;
        } else {
            while listed || scan.peek().is_some() {
                let place = rows.rows.len() + rows.bad.len();
                if place == limits.rows {
                    let problem = format!("more than {} rows; send them in several requests", limits.rows);
                    return Err(BadRow { row: place, byte: scan.at, problem, content: true });
                }
                let refused = |(byte, problem)| BadRow { row: place, byte, problem, content: false };
                let start = (scan.at, rows.bytes.len());
                scan.object(&mut rows.bytes).map_err(refused)?;
                if let Err(bad) = rows.push(parser, limits, start, &body[..scan.at]) {
                    rows.bytes.truncate(start.1);
                    if !skip_bad {
                        return Err(bad);
                    }
                    rows.bad.push(bad);
                }
                if listed && !scan.another().map_err(refused)? {
                    break;
                }
            }
        }
        match scan.peek() {
            None => Ok(rows),
            Some(_) => {
                let problem = "expected the end of the body behind the list".into();
                Err(BadRow { row: rows.rows.len(), byte: scan.at, problem, content: false })
            }
        }
    }

    /// Parses the last object of `bytes`, which began at these places of body and bytes.
    fn push(
        &mut self,
        parser: &RowParser,
        limits: &RowLimits,
        (start, from): (usize, usize),
        body: &[u8],
    ) -> Result<(), BadRow> {
        let place = self.rows.len() + self.bad.len();
        let json = from..self.bytes.len();
        let bad = |byte, problem, content| BadRow { row: place, byte, problem, content };
        if let Err(fault) = parser.parse(&self.bytes[json.clone()], place as u64 + 1, &mut self.batch) {
            // Where it stands in the body, whose white space is gone.
            let fault = parser.parse(&body[start..], 1, &mut Batch::new()).err().unwrap_or(fault);
            let hint = fault.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            let content = matches!(fault.trouble, surefoot::data::Trouble::Content(_));
            return Err(bad(start + fault.offset, format!("{}{hint}", fault.trouble), content));
        }
        let example = self.batch.example(self.batch.len() - 1);
        let features = example.features;
        let problem = if features.len() > limits.features {
            Some(format!("{} features; a row may have {}", features.len(), limits.features))
        } else if example.weight > limits.weight {
            Some(format!("the weight {}; the largest is {}", example.weight, limits.weight))
        } else {
            let large = features.values().iter().position(|value| value.abs() > limits.value);
            large.map(|at| {
                let name = match features.named() {
                    true => String::from_utf8_lossy(features.name(at)).into_owned(),
                    false => features.keys()[at].to_string(),
                };
                format!("the value {} of `{name}`; the largest is {}", features.values()[at], limits.value)
            })
        };
        if let Some(problem) = problem {
            self.batch.pop();
            return Err(bad(start, problem, true));
        }
        let id = example.tag.map(IdHash::of);
        self.rows.push(JobRow { json, label: None, id });
        Ok(())
    }

    /// How many rows there are, without those that were left out.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Rows that were left out.
    #[must_use]
    pub fn bad(&self) -> &[BadRow] {
        &self.bad
    }

    /// A row as an example.
    #[must_use]
    pub fn example(&self, at: usize) -> Example<'_> {
        self.batch.example(at)
    }

    /// A row as JSON without white space.
    #[must_use]
    pub fn json(&self, at: usize) -> &[u8] {
        &self.bytes[self.rows[at].json.clone()]
    }

    /// Gives a row a label that came later.
    pub fn set_label(&mut self, at: usize, label: Vec<u8>) {
        self.rows[at].label = Some(label);
    }

    /// Gives a row an id that it does not say itself.
    pub(crate) fn set_id(&mut self, at: usize, id: &[u8]) {
        self.rows[at].id = Some(IdHash::of(id));
    }

    pub(crate) fn row(&self, at: usize) -> &JobRow {
        &self.rows[at]
    }

    /// The label of a row.
    pub(crate) fn label(&self, at: usize) -> Option<&[u8]> {
        self.rows[at].label.as_deref().or_else(|| self.example(at).label())
    }

    /// Bytes that the journal will get, nearly.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len() + 64 * self.rows.len()
    }
}

/// A walk over a body, object by object.
struct RowScan<'a> {
    body: &'a [u8],
    at: usize,
}

/// A byte of the body, and what is wrong there.
type Wrong = (usize, String);

impl RowScan<'_> {
    fn peek(&mut self) -> Option<u8> {
        while matches!(self.body.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.body.get(self.at).copied()
    }

    /// Behind an item of a list: whether another one follows.
    fn another(&mut self) -> Result<bool, Wrong> {
        let found = self.peek();
        match found {
            Some(b',') | Some(b']') => self.at += 1,
            _ => return Err((self.at, "expected ',' or ']' behind a row".into())),
        }
        Ok(found == Some(b','))
    }

    /// Takes an object, whatever is in it, and appends it without the white space outside strings.
    fn object(&mut self, out: &mut Vec<u8>) -> Result<(), Wrong> {
        if self.peek() != Some(b'{') {
            let found =
                self.body.get(self.at).map_or("the end".into(), |&byte| format!("'{}'", byte.escape_ascii()));
            return Err((self.at, format!("expected a row, which is a JSON object, found {found}")));
        }
        let (start, mut depth, mut end) = (self.at, 0usize, self.at);
        while let Some(byte) = self.peek() {
            let from = self.at;
            if from > end && !is_structure(self.body[end - 1]) && !is_structure(byte) {
                // Two words stay two, which the parser refuses.
                out.push(b' ');
            }
            self.at += 1;
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                b'"' => self.end_of_string(from)?,
                _ => {}
            }
            out.extend_from_slice(&self.body[from..self.at]);
            end = self.at;
            if depth == 0 {
                return Ok(());
            }
        }
        Err((start, "expected a '}' that closes this row, found the end".into()))
    }

    /// Goes behind the quote that closes a string.
    fn end_of_string(&mut self, start: usize) -> Result<(), Wrong> {
        loop {
            match self.body.get(self.at) {
                None => return Err((start, "expected a closing quote, found the end".into())),
                Some(b'\n') => return Err((self.at, "a line end within a string; write it as \\n".into())),
                Some(b'\\') => self.at += 2,
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) => self.at += 1,
            }
        }
    }
}

/// Whether a byte stands between words, and may have white space around it.
fn is_structure(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use surefoot::data::{Format, FormatOptions, Plan, Recipe};

    use super::*;

    fn parse(body: &str, skip: bool) -> Result<Rows, BadRow> {
        let plan = Arc::new(Plan::new(Recipe::default()).expect("a plan"));
        let jsonl = Format::by_name("jsonl").expect("a format");
        let parser = RowParser::new(jsonl, &FormatOptions::default(), plan).expect("a parser");
        Rows::parse(body.as_bytes(), &parser, &RowLimits { rows: 3, ..RowLimits::default() }, skip)
    }

    #[test]
    fn one_object_a_list_or_lines() {
        for (body, count) in [
            (r#" { "x" : 1 } "#, 1),
            ("[]", 0),
            (" [ ] ", 0),
            ("", 0),
            (r#"[{"x":1}, {"x":2}]"#, 2),
            ("{\"x\":1}\n\n{\"x\":2}\n{\"a b\":\" ] \\\" } \"}\n", 3),
        ] {
            let rows = parse(body, false).expect(body);
            assert_eq!(rows.len(), count, "{body}");
        }
        let rows = parse("[ {\n \"a b\" : \" c \\\" \", \"x\": [1, 2] } ]", false).expect("a row");
        assert_eq!(rows.json(0), br#"{"a b":" c \" ","x":[1,2]}"#);
    }

    #[test]
    fn what_is_wrong_is_told_with_row_and_byte() {
        for (body, row, byte) in [
            (r#"[{"x":1},{"x": y}]"#, 1, 15),
            (r#"[{"x":1} {"x":2}]"#, 0, 9),
            (r#"[{"x":1},"#, 1, 9),
            (r#"[{"x":1}] 1"#, 1, 10),
            (r#"{"x": 1 2}"#, 0, 8),
            ("5", 0, 0),
            (r#"{"x":1"#, 0, 0),
            ("{\"x\":\"a\nb\"}", 0, 7),
            ("{\"x\":1}\n{\"x\":1}\n{\"x\":1}\n{\"x\":1}", 3, 24),
        ] {
            let bad = parse(body, false).expect_err(body);
            assert_eq!((bad.row, bad.byte), (row, byte), "{body}: {bad}");
        }
    }

    #[test]
    fn bad_rows_can_be_left_out() {
        let rows = parse(r#"[{"x":1},{"x":1e99},{"y":2}]"#, true).expect("two good rows");
        assert_eq!((rows.len(), rows.bad().len(), rows.bad()[0].row), (2, 1, 1));
        assert_eq!((rows.example(1).features.len(), rows.json(1)), (1, &br#"{"y":2}"#[..]));
        assert!(parse(r#"{"label":"a","weight":1e9}"#, false).is_err());
        assert!(parse(r#"{"label":"a","weight":-1}"#, false).is_err());
    }
}
