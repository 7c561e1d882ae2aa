//! Plain text: `label<TAB>text`, without a header. A line without a tab, or with nothing before it, is unlabelled.

use super::{Format, Grammar, Line, Records};
use crate::error::Fault;
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
        let (label, text) = match memchr::memchr(b'\t', line) {
            Some(tab) => (line[..tab].trim_ascii(), &line[tab + 1..]),
            None => (&line[..0], line),
        };
        if label.is_empty() && text.trim_ascii().is_empty() {
            return Ok(Line::Blank);
        }
        if !label.is_empty() {
            out.label(label);
        }
        out.text(b"", text);
        Ok(Line::Example)
    }
}
