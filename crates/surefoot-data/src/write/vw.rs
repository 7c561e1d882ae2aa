use super::{RecordWriter, misfit, put_number, put_word};
use crate::error::Fault;
use crate::format::FormatOptions;
use crate::record::{Part, Record};
use crate::write::Columns;

pub(crate) fn vw(_: &FormatOptions, _: &Columns) -> Result<Box<dyn RecordWriter>, Fault> {
    Ok(Box::new(VowpalWabbit))
}

/// Text becomes its words, cut at blanks; a bar or colon in a word becomes an underscore.
struct VowpalWabbit;

/// What a name cannot hold.
const SPECIAL: &[u8] = b"|:";

impl RecordWriter for VowpalWabbit {
    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        label_part(record, out)?;
        if !matches!(record.parts.first(), Some(Part::Namespace(..))) {
            out.push(b'|');
        }
        for part in &record.parts {
            put_part(part, out)?;
        }
        out.push(b'\n');
        Ok(())
    }
}

fn label_part(record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
    match &record.label {
        Some(label) if !label.starts_with(b"'") => {
            put_word(label, b"|:,", "a label without blanks, '|', ':' or ','", out)?;
            out.push(b' ');
        }
        Some(_) => return Err(misfit("a label that does not start with an apostrophe", "one that does")),
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

fn put_part(part: &Part, out: &mut Vec<u8>) -> Result<(), Fault> {
    const NAME: &str = "a name without blanks, '|' or ':'";
    match part {
        Part::Namespace(name, scale) => {
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
        Part::Indexed(id, value) => put_feature(id.to_string().as_bytes(), *value, out)?,
        Part::Feature(name, value) => put_feature(name, *value, out)?,
        Part::Category(name, value) => put_feature(&[name.as_slice(), b"=", value].concat(), 1.0, out)?,
        Part::Text(name, text) => {
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
