//! svmlight / libsvm: `label[,label…] [qid:n] index:value … [# comment]`.
//!
//! Indices are taken as given, from 0 or from 1, in any order; a repeated index adds up. The label may be missing.

use std::io::Write as _;

use super::line::{Grammar, LabelOnly, Line, finite, listed_labels, skip_blanks, token_end};
use super::writer::{Piece, RecordWriter, misfit, pieces, put_number, put_word, weightless};
use super::{Format, FormatOptions, Needs, Records};
use crate::error::{Fault, quoted};
use crate::fast::number::{Pairs, TOGETHER, all_digits, leading_integer, number, whole_number};
use crate::record::{Record, RecordPart, Sink};

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
    sample: None,
    numbered: None,
    needs: Needs::Nothing,
    writer: Some(|_, _| Ok(Box::new(Svmlight))),
};

struct Svmlight;

impl Grammar for Svmlight {
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault> {
        let Some((line, at)) = front(line, out)? else { return Ok(Line::Blank) };
        let at = query(line, skip_blanks(line, at))?;
        features(line, at, out)?;
        Ok(Line::Example)
    }

    fn skim(&self, line: &[u8], out: &mut LabelOnly) -> Option<Result<Line, Fault>> {
        Some(front(line, out).map(|front| if front.is_some() { Line::Example } else { Line::Blank }))
    }
}

/// Reads the label; gives the line, without its comment if that was met, and where the label ends. None if the line is blank.
#[inline(always)]
fn front<'l, S: Sink>(line: &'l [u8], out: &mut S) -> Result<Option<(&'l [u8], usize)>, Fault> {
    let mut line = line.trim_ascii_end();
    let at = skip_blanks(line, 0);
    // Pairs that look as usual have no comment in them, so only what stands before and behind them is searched for one.
    if line[at..token_end(line, at)].contains(&b'#') {
        line = without_comment(line);
    }
    if at >= line.len() {
        return Ok(None);
    }
    let at = label(line, at, out)?;
    Ok(Some((line, at)))
}

fn without_comment(line: &[u8]) -> &[u8] {
    memchr::memchr(b'#', line).map_or(line, |start| line[..start].trim_ascii_end())
}

/// The first word is the label unless it has a colon, and then the line is unlabelled.
fn label<S: Sink>(line: &[u8], at: usize, out: &mut S) -> Result<usize, Fault> {
    let end = token_end(line, at);
    let word = &line[at..end];
    if word.contains(&b':') {
        return Ok(at);
    }
    match word.contains(&b',') {
        true => out.labels(listed_labels(word, b",")),
        false => out.label(word),
    }
    Ok(end)
}

/// A query number belongs to ranking; it is checked and left out.
fn query(line: &[u8], at: usize) -> Result<usize, Fault> {
    match line.get(at..).and_then(|rest| rest.strip_prefix(b"qid:")) {
        None => Ok(at),
        Some(_) => Ok(finite(without_comment(line), at + 4, "a number after 'qid:'")?.1),
    }
}

fn features<S: Sink>(line: &[u8], at: usize, out: &mut S) -> Result<(), Fault> {
    let mut at = usual_pairs(line, skip_blanks(line, at), out).min(line.len());
    let line = &line[..at + without_comment(&line[at..]).len()];
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
    let mut pairs = Pairs::default();
    loop {
        let count = some_pairs(line, &mut at, &mut pairs);
        let (ids, values) = pairs.finish();
        if count < TOGETHER {
            out.row(ids[..count].iter().copied(), values[..count].iter().copied());
            return at;
        }
        // Of a length that the compiler knows: no call to copy them.
        out.row(ids.iter().copied(), values.iter().copied());
    }
}

/// Reads pairs until there is no room for more, or one is not as usual.
#[inline(always)]
fn some_pairs(line: &[u8], at: &mut usize, pairs: &mut Pairs) -> usize {
    for place in 0..TOGETHER {
        let Some(rest) = line.get(*at..) else { return place };
        let mut length = pairs.read(place, rest);
        if length == 0 {
            length = long_pair(rest, pairs, place);
        }
        if length == 0 {
            return place;
        }
        *at += length + 1;
    }
    TOGETHER
}

/// A pair that is long or near the end of the line; its length, or 0. Not in the loop of those that are short, which has no
/// registers to spare.
#[inline(never)]
fn long_pair(bytes: &[u8], pairs: &mut Pairs, place: usize) -> usize {
    match pairs.read_last(place, bytes) {
        0 => general_pair(bytes).map_or(0, |(id, value, length)| {
            pairs.take(place, id, value);
            length
        }),
        length => length,
    }
}

fn general_pair(bytes: &[u8]) -> Option<(u64, f64, usize)> {
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
    index(token, 0).is_ok_and(|(_, colon)| whole_number(&token[colon + 1..]).is_some())
}

impl RecordWriter for Svmlight {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        weightless(record)?;
        let start = out.len();
        for (at, label) in record.each_label().enumerate() {
            out.extend_from_slice(if at > 0 { b"," } else { b"" });
            put_word(label, b",:#", "a label without blanks, ',', ':' or '#'", out)?;
        }
        for piece in pieces(record) {
            let (id, value) = integer(&piece)?;
            if out.len() > start {
                out.push(b' ');
            }
            let _ = write!(out, "{id}:");
            put_number(value, out);
        }
        if out.len() == start {
            // An empty line is no example; a value of zero is no feature.
            out.extend_from_slice(b"0:0");
        }
        if let Some(tag) = record.tag.as_ref().filter(|tag| !tag.contains(&b'\n')) {
            out.extend_from_slice(b" # ");
            out.extend_from_slice(tag);
        }
        out.push(b'\n');
        Ok(())
    }
}

/// A feature as an integer, if it is one or its name is how one is written.
fn integer(piece: &Piece<'_>) -> Result<(u64, f64), Fault> {
    let (id, name, value) = match piece.part {
        RecordPart::Indexed(id, value) => (Some(*id), piece.namespace, *value),
        RecordPart::Feature(name, value) => (digits(name), name.as_slice(), *value),
        RecordPart::Category(name, _) | RecordPart::Text(name, _) | RecordPart::Namespace(name, _) => {
            (None, name.as_slice(), 0.0)
        }
    };
    match id {
        Some(id) if piece.namespace.is_empty() => Ok((id, value * piece.scale)),
        _ => {
            Err(misfit("integer features", quoted(name))
                .hint("names, categories and text fit in vw and jsonl"))
        }
    }
}

/// The integer that is written like this. `007` is a name: as an integer it would come back as another feature.
fn digits(name: &[u8]) -> Option<u64> {
    let id: u64 = std::str::from_utf8(name).ok()?.parse().ok()?;
    (id.to_string().as_bytes() == name).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(line: &str) -> (Option<Line>, Record) {
        let mut record = Record::default();
        let line = Svmlight.parse(line.as_bytes(), &mut record).ok();
        (line, record)
    }

    proptest! {
        #[test]
        fn a_line_says_what_stands_before_its_comment(
            line in "[ \t]{0,2}(1|-1|a|a#b|2:3)?( qid:[0-9]{0,2}#?)?( [0-9]{1,8}:-?[0-9.]{1,12}[# \t]?){0,20}[ ]?(#[0-9a-z:# ]{0,9})?",
        ) {
            let bare = line.split('#').next().unwrap_or_default();
            prop_assert_eq!(parsed(&line), parsed(bare), "{}", line);
        }

        #[test]
        fn many_pairs_are_read_as_each_is_alone(
            pairs in proptest::collection::vec("[0-9]{1,9}:(-?[0-9]([.][0-9]{1,15})?|[1-9]e-?[0-9])", 0..40),
            gap in "[ ]{1,2}",
        ) {
            let (outcome, record) = parsed(&format!("1 {}", pairs.join(&gap)));
            prop_assert_eq!(outcome, Some(Line::Example));
            let alone = pairs.iter().flat_map(|pair| parsed(&format!("1 {pair}")).1.parts);
            prop_assert_eq!(record.parts, alone.collect::<Vec<_>>());
        }
    }
}
