//! Plain text: `label<TAB>text`, without a header. A line without a tab, or with nothing before it, is unlabelled. With a
//! separator of labels there may be several.

use super::line::{Grammar, LabelOnly, Line, put_label};
use super::writer::{RecordWriter, joined_labels, misfit, put_one_line, weightless};
use super::{Format, FormatOptions, Needs, Records};
use crate::error::{Fault, quoted};
use crate::record::{Record, RecordPart, Sink};

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
    parser: |options, _| Ok(Box::new(PlainText::new(options))),
    sample: None,
    numbered: None,
    needs: Needs::Nothing,
    writer: Some(|options, _| Ok(Box::new(PlainText { name: Vec::new(), ..PlainText::new(options) }))),
};

struct PlainText {
    /// What the words are called by: nothing, or the one text column of a model that learned from a table.
    name: Vec<u8>,
    /// What stands between two labels, where there may be several.
    separator: Option<String>,
}

impl PlainText {
    fn new(options: &FormatOptions) -> Self {
        Self { name: options.text_without_column().into(), separator: options.label_separator.clone() }
    }
}

impl Grammar for PlainText {
    fn parse<S: Sink>(&self, line: &[u8], out: &mut S) -> Result<Line, Fault> {
        let Some(text) = label(line, self.separator.as_deref(), out) else { return Ok(Line::Blank) };
        out.text(&self.name, text);
        Ok(Line::Example)
    }

    fn skim(&self, line: &[u8], out: &mut LabelOnly) -> Option<Result<Line, Fault>> {
        Some(Ok(if label(line, self.separator.as_deref(), out).is_some() {
            Line::Example
        } else {
            Line::Blank
        }))
    }
}

/// Reads the label, if there is one; gives the text, none if there is nothing at all.
fn label<'l, S: Sink>(line: &'l [u8], separator: Option<&str>, out: &mut S) -> Option<&'l [u8]> {
    let (label, text) = match memchr::memchr(b'\t', line) {
        Some(tab) => (line[..tab].trim_ascii(), &line[tab + 1..]),
        None => (&line[..0], line),
    };
    if label.is_empty() {
        return (!text.trim_ascii().is_empty()).then_some(text);
    }
    put_label(label, separator, out);
    Some(text)
}

impl RecordWriter for PlainText {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        let text = running_text(record)?;
        if let Some(label) = &joined_labels(record, self.separator.as_deref())? {
            let breaks = label.iter().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r'));
            if breaks || label.is_empty() || label.trim_ascii() != label.as_slice() {
                return Err(misfit("a label without tabs, line ends or blanks around it", quoted(label)));
            }
            out.extend_from_slice(label);
        }
        out.push(b'\t');
        out.extend_from_slice(&text);
        out.push(b'\n');
        Ok(())
    }
}

/// All the text of a record on one line, several texts joined into one; anything else in it is refused.
pub(super) fn running_text(record: &Record) -> Result<Vec<u8>, Fault> {
    const OTHERS: &str = "vw, csv and jsonl have features";
    weightless(record)?;
    let mut out = Vec::new();
    for part in &record.parts {
        match part {
            RecordPart::Text(_, text) => {
                if !out.is_empty() {
                    out.push(b' ');
                }
                put_one_line(String::from_utf8_lossy(text).as_bytes(), &mut out);
            }
            RecordPart::Namespace(..) => {}
            RecordPart::Indexed(..) => {
                return Err(misfit("text and nothing else", "an integer feature").hint(OTHERS));
            }
            RecordPart::Feature(name, _) | RecordPart::Category(name, _) => {
                return Err(
                    misfit("text and nothing else", format!("the feature {}", quoted(name))).hint(OTHERS)
                );
            }
        }
    }
    if record.each_label().next().is_none() && out.trim_ascii().is_empty() {
        return Err(misfit("a label or text", "neither"));
    }
    Ok(out)
}
