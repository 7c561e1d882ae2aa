//! Vowpal Wabbit text: `[label[,label…] [importance [initial]]] [tag]|[namespace[:scale]] feature[:value] …`.
//!
//! As in Vowpal Wabbit, a word that touches the first bar, or starts with an apostrophe, is the tag; a namespace
//! touches its bar; `name:word` is a category; `:1.5` has no name and is numbered within its namespace.

use super::line::{Grammar, LabelOnly, Line, finite, listed_labels, not_finite, skip_blanks, token_end};
use super::writer::{RecordWriter, misfit, put_number, put_word};
use super::{Format, FormatOptions, Needs, Records};
use crate::error::{Fault, quoted};
use crate::fast::number::whole_number;
use crate::record::{Record, RecordPart, Sink};

pub(super) static FORMAT: Format = Format {
    name: "vw",
    aliases: &["vowpal-wabbit"],
    extensions: &["vw"],
    about: "label importance 'tag |namespace feature:value …, as Vowpal Wabbit reads it",
    header: false,
    columns: false,
    records: Records::Lines,
    telling: true,
    looks_like,
    parser: |_, _| Ok(Box::new(VowpalWabbit)),
    sample: None,
    numbered: None,
    needs: Needs::Labels,
    writer: Some(|_, _| Ok(Box::new(VowpalWabbit))),
};

struct VowpalWabbit;

impl Grammar for VowpalWabbit {
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault> {
        let Some(bar) = front(line, out)? else { return Ok(Line::Blank) };
        let mut at = bar;
        while at < line.len() {
            at = namespace(line, at + 1, out)?;
        }
        Ok(Line::Example)
    }

    fn skim(&self, line: &[u8], out: &mut LabelOnly) -> Option<Result<Line, Fault>> {
        Some(front(line, out).map(|bar| if bar.is_some() { Line::Example } else { Line::Blank }))
    }
}

/// Reads what stands before the first bar; gives its place, none if the line is blank.
fn front<S: Sink>(line: &[u8], out: &mut S) -> Result<Option<usize>, Fault> {
    if skip_blanks(line, 0) == line.len() {
        return Ok(None);
    }
    let Some(bar) = memchr::memchr(b'|', line) else {
        let hint = "features follow a bar, as in '1 |words good film'";
        return Err(Fault::new(line.len(), "'|'", "end of line").hint(hint));
    };
    let part = &line[..bar];
    let mut at = skip_blanks(part, 0);
    // What each word without apostrophe means, in order.
    let mut place = 0;
    while at < bar {
        let end = token_end(part, at);
        let word = &part[at..end];
        if let Some(tag) = word.strip_prefix(b"'") {
            out.tag(tag);
        } else if end == bar {
            out.tag(word);
        } else {
            match place {
                0 => label(part, at, word, out)?,
                1 => out.weight(finite(part, at, "an importance, which is a number")?.0),
                2 => initial(part, at)?,
                _ => {
                    let fault = Fault::at_token(part, at, "'|'");
                    return Err(fault.hint("a label part has at most three numbers"));
                }
            }
            place += 1;
        }
        at = skip_blanks(part, end);
    }
    Ok(Some(bar))
}

fn label<S: Sink>(line: &[u8], at: usize, word: &[u8], out: &mut S) -> Result<(), Fault> {
    if word.contains(&b':') {
        return Err(Fault::at_token(line, at, "a label").hint("labels with costs are not supported"));
    }
    match word.contains(&b',') {
        true => out.labels(listed_labels(word, b",")),
        false => out.label(word),
    }
    Ok(())
}

/// A prediction to start from: only none at all, which is 0, is supported.
fn initial(line: &[u8], at: usize) -> Result<(), Fault> {
    match finite(line, at, "an initial prediction, which is a number")? {
        (0.0, _) => Ok(()),
        _ => Err(Fault::at_token(line, at, "'|'").hint("initial predictions are not supported")),
    }
}

/// One namespace with its features, from behind its bar; gives the place of the next bar, or the end.
fn namespace<S: Sink>(line: &[u8], start: usize, out: &mut S) -> Result<usize, Fault> {
    let end = memchr::memchr(b'|', &line[start..]).map_or(line.len(), |next| start + next);
    let part = &line[..end];
    let mut at = token_end(part, start);
    let (name, scale) = match part[start..at].iter().position(|&byte| byte == b':') {
        None => (&part[start..at], 1.0),
        Some(colon) => {
            let scale = finite(part, start + colon + 1, "a number, the scale of the namespace")?.0;
            (&part[start..start + colon], scale)
        }
    };
    out.namespace(name, scale);
    let mut nameless = 0u64;
    loop {
        at = skip_blanks(part, at);
        if at == end {
            return Ok(end);
        }
        at = feature(part, at, &mut nameless, out)?;
    }
}

/// One feature; gives the place behind it.
fn feature<S: Sink>(line: &[u8], at: usize, nameless: &mut u64, out: &mut S) -> Result<usize, Fault> {
    let end = token_end(line, at);
    let token = &line[at..end];
    let Some(colon) = memchr::memchr(b':', token) else {
        out.feature(token, 1.0);
        return Ok(end);
    };
    let (name, value) = (&token[..colon], &token[colon + 1..]);
    match whole_number(value) {
        Some(number) if !number.is_finite() => return Err(not_finite(line, at + colon + 1)),
        Some(number) if name.is_empty() => {
            out.feature(nameless.to_string().as_bytes(), number);
            *nameless += 1;
        }
        Some(number) => out.feature(name, number),
        None if name.is_empty() || value.is_empty() || value.contains(&b':') => {
            let fault = Fault::new(at, "name, name:number or name:word", quoted(token));
            return Err(fault.hint("names and words cannot hold ':', '|' or blanks in this format"));
        }
        None => out.category(name, value),
    }
    Ok(end)
}

/// Up to three numbers, a tag, and a bar.
fn looks_like(lines: &[&[u8]], _: &FormatOptions) -> bool {
    let has_label_part = |line: &&[u8]| {
        let Some(bar) = memchr::memchr(b'|', line) else { return false };
        let mut words: Vec<&[u8]> = line[..bar].split(|byte| matches!(byte, b' ' | b'\t')).collect();
        // The last one touches the bar: a tag, or nothing.
        words.pop();
        words.retain(|word| !word.is_empty() && !word.starts_with(b"'"));
        let (first, rest) = words.split_first().map_or((&b""[..], &[][..]), |(first, rest)| (*first, rest));
        let is_number = |word: &[u8]| whole_number(word).is_some();
        words.len() <= 3
            && listed_labels(first, b",").all(is_number)
            && rest.iter().all(|word| is_number(word))
    };
    !lines.is_empty() && lines.iter().all(has_label_part)
}

/// What a name cannot hold.
const SPECIAL: &[u8] = b"|:";

/// Text becomes its words, cut at blanks; a bar or colon in a word becomes an underscore.
impl RecordWriter for VowpalWabbit {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        put_label_part(record, out)?;
        if !matches!(record.parts.first(), Some(RecordPart::Namespace(..))) {
            out.push(b'|');
        }
        for part in &record.parts {
            put_part(part, out)?;
        }
        out.push(b'\n');
        Ok(())
    }
}

fn put_label_part(record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    for (at, label) in record.each_label().enumerate() {
        if label.starts_with(b"'") {
            return Err(misfit("a label that does not start with an apostrophe", "one that does"));
        }
        out.extend_from_slice(if at > 0 { b"," } else { b"" });
        put_word(label, b"|:,", "a label without blanks, '|', ':' or ','", out)?;
    }
    match record.each_label().next() {
        Some(_) => out.push(b' '),
        None if record.weight != 1.0 => {
            return Err(misfit("a label beside the weight", "none").hint("csv and jsonl can hold it"));
        }
        None => {}
    }
    if record.weight != 1.0 {
        put_number(record.weight, out);
        out.push(b' ');
    }
    if let Some(tag) = &record.tag {
        out.push(b'\'');
        // An empty tag is the apostrophe alone.
        if !tag.is_empty() {
            put_word(tag, b"|", "an id without blanks or '|'", out)?;
        }
        out.push(b' ');
    }
    Ok(())
}

fn put_part(part: &RecordPart, out: &mut Vec<u8>) -> Result<(), Fault> {
    const NAME: &str = "a name without blanks, '|' or ':'";
    match part {
        RecordPart::Namespace(name, scale) => {
            out.push(b'|');
            if !name.is_empty() {
                put_word(name, SPECIAL, NAME, out)?;
            }
            if *scale != 1.0 {
                out.push(b':');
                put_number(*scale, out);
            }
            out.push(b' ');
        }
        RecordPart::Indexed(id, value) => put_feature(id.to_string().as_bytes(), *value, out)?,
        RecordPart::Feature(name, value) => put_feature(name, *value, out)?,
        RecordPart::Category(name, value) => put_feature(&[name.as_slice(), b"=", value].concat(), 1.0, out)?,
        RecordPart::Text(name, text) => {
            for word in text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
                let prefix: &[u8] = if name.is_empty() { b"" } else { b"^" };
                let word = word.iter().map(|&byte| if SPECIAL.contains(&byte) { b'_' } else { byte });
                let name = name.iter().chain(prefix).copied().chain(word).collect::<Vec<u8>>();
                put_feature(&name, 1.0, out)?;
            }
        }
    }
    Ok(())
}

fn put_feature(name: &[u8], value: f64, out: &mut Vec<u8>) -> Result<(), Fault> {
    out.push(b' ');
    put_word(name, SPECIAL, "a feature name without blanks, '|' or ':'", out)?;
    if value != 1.0 {
        out.push(b':');
        put_number(value, out);
    }
    Ok(())
}
