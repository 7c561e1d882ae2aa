//! Which format is this? By the user's word, else by the extension, else by the content.
//!
//! The answer must depend on the bytes alone and not on how they arrive. So a format that shows in its first line is
//! decided by that line, and a pipe need not wait; tables and plain text are decided by the first lines of a fixed amount.

use std::sync::Arc;

use super::{FORMATS, Format, FormatOptions, without_return};
use crate::error::{Error, Result};

/// How many lines detection looks at, and within how many bytes.
const LINES: usize = 20;
const BYTES: usize = 64 << 10;

/// Words that a column name has at most.
const NAME_WORDS: usize = 3;

/// The format of a file of this name, if the name or the first line tells; none if more must be seen.
pub(crate) fn resolve_early(file: &str, head: &[u8], options: &FormatOptions) -> Option<&'static Format> {
    let named = named(file);
    if let [only] = named.as_slice() {
        return Some(*only);
    }
    let first = lines(head).next()?;
    // Whatever the model was trained on.
    let mut numbered = FORMATS.iter().filter(|format| named.is_empty() && format.is_numbered());
    if let Some(found) = numbered.find(|format| (format.looks_like)(&[first], options)) {
        return Some(found);
    }
    let own = own_format(options).filter(|own| named.is_empty() || is_among(own, &named));
    if let Some(own) = own.filter(|own| is_own(own, first, options)) {
        return Some(own);
    }
    if !named.is_empty() {
        return None;
    }
    let mut telling = FORMATS.iter().filter(|format| format.telling && is_likely(format, options));
    let found = telling.find(|format| (format.looks_like)(&[first], options)).copied();
    found.or_else(|| own.filter(|own| is_plain_text(own) && !may_be_other(own, first, options)))
}

/// The format that the model was trained on.
fn own_format(options: &FormatOptions) -> Option<&'static Format> {
    options.layout.as_ref().and_then(|layout| Format::by_name(&layout.format))
}

fn is_among(format: &Format, formats: &[&'static Format]) -> bool {
    formats.iter().any(|one| one.name == format.name)
}

/// Whether the first line shows that a file is of the format that the model was trained on: a header with the model's columns, or
/// what shows in one line.
fn is_own(own: &Format, first: &[u8], options: &FormatOptions) -> bool {
    let Some(layout) = &options.layout else { return false };
    match own.sample {
        Some(sample) if own.is_table() => {
            let names = sample(options, first, &[]);
            let names = names.iter().map(|one| one.name.as_str());
            layout.features().next().is_some() && layout.lacking(names).is_empty()
        }
        _ => own.telling && (own.looks_like)(&[first], options),
    }
}

/// Whether a format is no more than text to people.
fn is_plain_text(format: &Format) -> bool {
    !format.columns && matches!(format.name, "text" | "fasttext")
}

/// Whether a file may be of a format that shows in its first line. Where a model reads lines of text, times of day are no features
/// and a bar is no namespace.
fn is_likely(format: &Format, options: &FormatOptions) -> bool {
    let text = options.layout.as_ref().is_some_and(|layout| layout.only_text().is_some())
        || own_format(options).is_some_and(is_plain_text);
    !text || format.columns || is_plain_text(format)
}

/// Whether a line that could be plain text may as well be the header of a table, or have a label that this format has not.
fn may_be_other(own: &Format, first: &[u8], options: &FormatOptions) -> bool {
    let known = |cell: &[u8]| std::str::from_utf8(cell.trim_ascii()).is_ok_and(|name| options.knows(name));
    let cells = || first.split(|byte| b",;\t".contains(byte));
    let labelled = own.name != "text" && first.contains(&b'\t');
    labelled || (cells().count() > 1 && cells().any(known) && names_at_most(first))
}

/// Whether `head` is all that [`resolve`] looks at.
pub(crate) fn is_enough(head: &[u8]) -> bool {
    head.len() >= BYTES || lines(head).count() > LINES
}

/// The format of a file of this name that starts with `head`.
pub(crate) fn resolve(file: &Arc<str>, head: &[u8], options: &FormatOptions) -> Result<&'static Format> {
    let head = &head[..head.len().min(BYTES)];
    // The last line may go on; the only one has to do.
    let complete = memchr::memrchr(b'\n', head).map_or(head, |end| &head[..end]);
    let sample: Vec<&[u8]> = lines(complete).take(LINES).collect();
    let fits = |format: &&&'static Format| (format.looks_like)(&sample, options);
    let (named, plausible) = (named(file), options.no_header || may_have_header(&sample));
    let found = match named.as_slice() {
        [] => {
            let may = |format: &&&'static Format| {
                (format.telling || !format.header || plausible) && is_likely(format, options)
            };
            FORMATS.iter().filter(may).find(fits).or_else(|| left_over(options))
        }
        // Several formats share an extension (.tsv): the content decides, and the last one takes what is left.
        several => several.iter().find(fits).or(several.last()),
    };
    found.copied().ok_or_else(|| unknown(file))
}

/// What lines of no other format are to a model: plain text where it reads one, or else what it was trained on.
fn left_over(options: &FormatOptions) -> Option<&'static &'static Format> {
    let own = own_format(options)?;
    let is = |name: &str| FORMATS.iter().find(|format| format.name == name);
    match options.layout.as_ref()?.only_text() {
        Some(_) if own.columns => is("text"),
        _ if own.header => None,
        _ => is(own.name),
    }
}

/// Whether the first line may be a header where no name says so: something follows it, and no cell of it is a sentence:
/// a sentence with a comma that comes through a pipe is an example.
fn may_have_header(lines: &[&[u8]]) -> bool {
    lines.len() > 1 && lines.first().is_some_and(|first| names_at_most(first))
}

/// Whether no cell of a line is a sentence.
fn names_at_most(line: &[u8]) -> bool {
    let words = |cell: &[u8]| cell.trim_ascii().split(|&byte| byte == b' ').count();
    line.split(|byte| b",;\t".contains(byte)).all(|cell| words(cell) <= NAME_WORDS)
}

/// The lines that are not empty.
fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = head.split(|&byte| byte == b'\n').map(without_return);
    lines.filter(|line| !line.trim_ascii().is_empty())
}

/// The formats that have the extension of this file.
fn named(file: &str) -> Vec<&'static Format> {
    let plain = file.strip_suffix(".gz").or(file.strip_suffix(".zst")).unwrap_or(file);
    let extension = plain.rsplit_once('.').map_or("", |(_, extension)| extension);
    let has = |format: &&&Format| format.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension));
    FORMATS.iter().filter(has).copied().collect()
}

fn unknown(file: &Arc<str>) -> Error {
    let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
    Error::file(file, "the format cannot be told from the name or the first lines")
        .hint(format!("name it: {}", names.join(", ")))
}
