//! svmlight / libsvm: `label [qid:n] index:value … [# comment]`.
//!
//! Indices are taken as given, from 0 or from 1, in any order; a repeated index adds up. The label may be missing.

use super::{Format, FormatOptions, Grammar, Line, Records, finite, skip_blanks, token_end};
use crate::error::Fault;
use crate::marks::Marks;
use crate::number::{all_digits, decimal, integer};
use crate::sink::Sink;
use crate::write;

pub(super) static FORMAT: Format = Format {
    name: "svmlight",
    aliases: &["libsvm", "svm"],
    extensions: &["svm", "svmlight", "libsvm"],
    about: "label index:value …, as LIBSVM, LIBLINEAR and scikit-learn read it",
    header: false,
    columns: false,
    records: Records::Lines,
    telling: true,
    looks_like,
    parser: |_, _| Ok(Box::new(Svmlight)),
    writer: write::svmlight,
};

struct Svmlight;

impl Grammar for Svmlight {
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault> {
        let line = without_comment(line).trim_ascii_end();
        let at = skip_blanks(line, 0);
        if at == line.len() {
            return Ok(Line::Blank);
        }
        let at = label(line, at, out)?;
        let at = query(line, skip_blanks(line, at))?;
        features(line, at, out)?;
        Ok(Line::Example)
    }
}

fn without_comment(line: &[u8]) -> &[u8] {
    memchr::memchr(b'#', line).map_or(line, |start| &line[..start])
}

/// The first word is the label unless it has a colon, and then the line is unlabelled.
fn label<S: Sink>(line: &[u8], at: usize, out: &mut S) -> Result<usize, Fault> {
    let end = token_end(line, at);
    let word = &line[at..end];
    if word.contains(&b':') {
        return Ok(at);
    }
    if word.contains(&b',') {
        return Err(
            Fault::at_token(line, at, "one label").hint("lines with several labels are not supported")
        );
    }
    out.label(word);
    Ok(end)
}

/// A query number belongs to ranking; it is checked and left out.
fn query(line: &[u8], at: usize) -> Result<usize, Fault> {
    match line.get(at..).and_then(|rest| rest.strip_prefix(b"qid:")) {
        None => Ok(at),
        Some(_) => Ok(finite(line, at + 4, "a number after 'qid:'")?.1),
    }
}

fn features<S: Sink>(line: &[u8], at: usize, out: &mut S) -> Result<(), Fault> {
    let mut at = usual_pairs(line, skip_blanks(line, at), out);
    loop {
        at = skip_blanks(line, at);
        if at >= line.len() {
            return Ok(());
        }
        let (id, colon) = index(line, at)?;
        let (value, end) = finite(line, colon + 1, "a number after ':'")?;
        out.indexed(id, value);
        at = end;
    }
}

/// Pairs with one space between them, as nearly all are. Returns where the first one stands that is not like that:
/// from there on the line is read with more care.
fn usual_pairs<S: Sink>(line: &[u8], mut at: usize, out: &mut S) -> usize {
    let (mut marks, mut pairs) = (Marks::new(), Pairs { ids: [0; TOGETHER], values: [0.0; TOGETHER] });
    while at < line.len() && u32::try_from(line.len()).is_ok() {
        let (marks, _) = marks.find(line, at, [b' ', b':']).as_chunks::<2>();
        let marks = &marks[..marks.len().min(TOGETHER)];
        let count = pairs.read(line, at, marks);
        out.row(&pairs.ids[..count], &pairs.values[..count]);
        at = count.checked_sub(1).map_or(at, |last| marks[last][1] as usize + 1);
        if count == 0 || count < marks.len() {
            break;
        }
    }
    at
}

/// Pairs that are read together.
const TOGETHER: usize = 96;

struct Pairs {
    ids: [u64; TOGETHER],
    values: [f64; TOGETHER],
}

impl Pairs {
    /// Reads the pairs that have a colon and an end there; stops at one that is not as usual. Returns how many it read.
    #[inline]
    fn read(&mut self, line: &[u8], mut start: usize, marks: &[[u32; 2]]) -> usize {
        let mut ids = 0;
        for (id, &[colon, end]) in self.ids.iter_mut().zip(marks) {
            match integer(line, start, colon as usize) {
                Some(found) if line.get(colon as usize) == Some(&b':') => *id = found,
                _ => break,
            }
            start = end as usize + 1;
            ids += 1;
        }
        let mut values = 0;
        for (value, &[colon, end]) in self.values.iter_mut().zip(&marks[..ids]) {
            match decimal(line, colon as usize + 1, end as usize) {
                Some(found) if line.get(end as usize) != Some(&b':') => *value = found,
                _ => break,
            }
            values += 1;
        }
        values
    }
}

/// The index at `at`, and where its colon stands.
fn index(line: &[u8], start: usize) -> Result<(u64, usize), Fault> {
    // Nineteen digits cannot overflow; more go the slow way.
    const SAFE_DIGITS: usize = 19;
    let (id, end) = all_digits(line, start, 0);
    if end == start || line.get(end) != Some(&b':') {
        return Err(not_an_index(line, start));
    }
    if end - start > SAFE_DIGITS { long_index(line, start, end).map(|id| (id, end)) } else { Ok((id, end)) }
}

#[cold]
fn long_index(line: &[u8], start: usize, end: usize) -> Result<u64, Fault> {
    let digits = std::str::from_utf8(&line[start..end]).ok().and_then(|digits| digits.parse().ok());
    digits.ok_or_else(|| Fault::at_token(line, start, "an index below 2^64"))
}

#[cold]
fn not_an_index(line: &[u8], at: usize) -> Fault {
    let token = &line[at..token_end(line, at)];
    let fault = Fault::at_token(line, at, "index:value");
    match token.iter().position(|&byte| byte == b':') {
        Some(colon) if colon > 0 && !token[0].is_ascii_digit() && token[0] != b'-' => {
            fault.hint("an index is a whole number; names belong in the vw format")
        }
        _ => fault,
    }
}

fn looks_like(lines: &[&[u8]], _: &FormatOptions) -> bool {
    let mut any_feature = false;
    let regular = lines.iter().all(|line| {
        let line = without_comment(line);
        let mut tokens = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|token| !token.is_empty());
        let first = tokens.next();
        any_feature |= first.is_some_and(is_pair);
        first.is_none_or(|first| is_pair(first) || !first.contains(&b':'))
            && tokens.all(|token| {
                any_feature = true;
                is_pair(token) || token.starts_with(b"qid:")
            })
    });
    regular && any_feature
}

/// Whether a token is `digits:number`.
fn is_pair(token: &[u8]) -> bool {
    index(token, 0).is_ok_and(|(_, colon)| crate::number::whole_number(&token[colon + 1..]).is_some())
}
