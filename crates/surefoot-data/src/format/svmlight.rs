//! svmlight / libsvm: `label [qid:n] index:value … [# comment]`.
//!
//! Indices are taken as given, from 0 or from 1, in any order; a repeated index adds up. The label may be missing.

use super::{Format, FormatOptions, Grammar, Line, Records, finite, skip_blanks, token_end};
use crate::error::Fault;
use crate::number::{all_digits, leading_integer, number, short_pair};
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

/// Pairs that are handed over together.
const TOGETHER: usize = 16;

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
    let (mut ids, mut values) = ([0; TOGETHER], [0.0; TOGETHER]);
    loop {
        let mut count = 0;
        for place in ids.iter_mut().zip(&mut values) {
            let Some((id, value, next)) = usual_pair(line, at) else { break };
            (*place.0, *place.1) = (id, value);
            (at, count) = (next, count + 1);
        }
        if count < TOGETHER {
            out.row(&ids[..count], &values[..count]);
            return at;
        }
        // Of a length that the compiler knows: no call to copy them.
        out.row(&ids, &values);
    }
}

/// The pair at `at`, and where the next one stands.
#[inline(always)]
fn usual_pair(line: &[u8], at: usize) -> Option<(u64, f64, usize)> {
    let rest = line.get(at..)?;
    let short = short_pair(rest);
    let (id, value, length) = if short.is_some() { short } else { long_pair(rest) }?;
    Some((id, value, at + length + 1))
}

/// Not in the loop of those that are short, which has no registers to spare.
#[inline(never)]
fn long_pair(bytes: &[u8]) -> Option<(u64, f64, usize)> {
    let (id, digits) = leading_integer(bytes)?;
    let rest = bytes.get(digits..)?.strip_prefix(b":")?;
    let (value, length) = number(rest)?;
    let ended = rest.get(length).is_none_or(|&byte| byte == b' ');
    (ended && value.is_finite()).then_some((id, value, digits + length + 1))
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
