use std::io::Write as _;

use super::{Piece, RecordWriter, misfit, pieces, put_number, put_word, weightless};
use crate::error::{Fault, quoted};
use crate::format::FormatOptions;
use crate::record::{Part, Record};
use crate::write::Columns;

pub(crate) fn svmlight(_: &FormatOptions, _: &Columns) -> Result<Box<dyn RecordWriter>, Fault> {
    Ok(Box::new(Svmlight))
}

struct Svmlight;

impl RecordWriter for Svmlight {
    fn record(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        weightless(record)?;
        let start = out.len();
        if let Some(label) = &record.label {
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
        Part::Indexed(id, value) => (Some(*id), piece.namespace, *value),
        Part::Feature(name, value) => (digits(name), name.as_slice(), *value),
        Part::Category(name, _) | Part::Text(name, _) | Part::Namespace(name, _) => {
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
