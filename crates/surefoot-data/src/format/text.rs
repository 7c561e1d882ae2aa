//! Plain text: `label<TAB>text`, without a header. A line without a tab, or with nothing before it, is unlabelled.

use super::{Format, Grammar, Line, Records};
use crate::error::Fault;
use crate::record::Record;
use crate::sink::Sink;
use crate::write;

pub(super) static FORMAT: Format = Format {
    name: "text",
    aliases: &["txt"],
    extensions: &["tsv", "txt", "tab"],
    about: "label, tab, running text; no header",
    header: false,
    columns: false,
    records: Records::Lines,
    telling: false,
    looks_like: |lines, _| !lines.is_empty() && lines.iter().all(|line| line.contains(&b'\t')),
    parser: |_, _| Ok(Box::new(PlainText)),
    writer: write::text,
};

struct PlainText;

impl Grammar for PlainText {
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault> {
        let Some(text) = label(line, out) else { return Ok(Line::Blank) };
        out.text(b"", text);
        Ok(Line::Example)
    }

    fn skim(&self, line: &[u8], out: &mut Record) -> Option<Result<Line, Fault>> {
        Some(Ok(if label(line, out).is_some() { Line::Example } else { Line::Blank }))
    }
}

/// Reads the label, if there is one; gives the text, none if there is nothing at all.
fn label<'l, S: Sink>(line: &'l [u8], out: &mut S) -> Option<&'l [u8]> {
    let (label, text) = match memchr::memchr(b'\t', line) {
        Some(tab) => (line[..tab].trim_ascii(), &line[tab + 1..]),
        None => (&line[..0], line),
    };
    if label.is_empty() {
        return (!text.trim_ascii().is_empty()).then_some(text);
    }
    out.label(label);
    Some(text)
}
