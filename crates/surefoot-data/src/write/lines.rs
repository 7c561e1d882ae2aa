//! The two formats of a label and running text. Several text columns are joined into one.

use memchr::memmem;

use super::{RecordWriter, misfit, put_one_line, put_word, weightless};
use crate::error::{Fault, quoted};
use crate::format::FormatOptions;
use crate::record::{Part, Record};
use crate::write::Columns;

pub(crate) fn fasttext(options: &FormatOptions, _: &Columns) -> Result<Box<dyn RecordWriter>, Fault> {
    Ok(Box::new(FastText { prefix: options.label_prefix.as_bytes().to_vec() }))
}

pub(crate) fn text(_: &FormatOptions, _: &Columns) -> Result<Box<dyn RecordWriter>, Fault> {
    Ok(Box::new(PlainText))
}

struct FastText {
    prefix: Vec<u8>,
}

impl RecordWriter for FastText {
    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        let text = running_text(record)?;
        if !self.prefix.is_empty() && memmem::find(&text, &self.prefix).is_some() {
            return Err(misfit("text without the prefix of labels", quoted(&self.prefix))
                .hint("choose another prefix"));
        }
        if let Some(label) = &record.label {
            out.extend_from_slice(&self.prefix);
            put_word(label, b"", "a label without blanks", out)?;
            out.push(b' ');
        }
        out.extend_from_slice(&text);
        out.push(b'\n');
        Ok(())
    }
}

struct PlainText;

impl RecordWriter for PlainText {
    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        let text = running_text(record)?;
        if let Some(label) = &record.label {
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

/// All the text of a record on one line; anything else in it is refused.
fn running_text(record: &Record) -> Result<Vec<u8>, Fault> {
    weightless(record)?;
    let mut out = Vec::new();
    for part in &record.parts {
        match part {
            Part::Text(_, text) => {
                if !out.is_empty() {
                    out.push(b' ');
                }
                put_one_line(String::from_utf8_lossy(text).as_bytes(), &mut out);
            }
            Part::Namespace(..) => {}
            Part::Indexed(..) => {
                return Err(misfit("text and nothing else", "an integer feature").hint(OTHERS));
            }
            Part::Feature(name, _) | Part::Category(name, _) => {
                return Err(
                    misfit("text and nothing else", format!("the feature {}", quoted(name))).hint(OTHERS)
                );
            }
        }
    }
    if record.label.is_none() && out.trim_ascii().is_empty() {
        return Err(misfit("a label or text", "neither"));
    }
    Ok(out)
}

const OTHERS: &str = "vw, csv and jsonl have features";
