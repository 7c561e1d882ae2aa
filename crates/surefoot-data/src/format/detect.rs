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
    match named(file).as_slice() {
        [only] => Some(*only),
        [] => {
            let first = [lines(head).next()?];
            FORMATS
                .iter()
                .filter(|format| format.telling)
                .find(|format| (format.looks_like)(&first, options))
                .copied()
        }
        _ => None,
    }
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
    let (named, plausible) = (named(file), may_have_header(&sample));
    let found = match named.as_slice() {
        [] => FORMATS.iter().filter(|format| format.telling || !format.header || plausible).find(fits),
        // Several formats share an extension (.tsv): the content decides, and the last one takes what is left.
        several => several.iter().find(fits).or(several.last()),
    };
    found.copied().ok_or_else(|| unknown(file))
}

/// Whether the first line may be a header where no name says so: something follows it, and no cell of it is a sentence:
/// a sentence with a comma that comes through a pipe is an example.
fn may_have_header(lines: &[&[u8]]) -> bool {
    let words = |cell: &[u8]| cell.trim_ascii().split(|&byte| byte == b' ').count();
    let mut cells = lines.first().into_iter().flat_map(|first| first.split(|byte| b",;\t".contains(byte)));
    lines.len() > 1 && cells.all(|cell| words(cell) <= NAME_WORDS)
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
