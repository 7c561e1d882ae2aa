//! Which format is this? By the user's word, else by the extension, else by the content.

use std::sync::Arc;

use super::{FORMATS, Format, FormatOptions};
use crate::error::{Error, Result};

/// How many lines detection looks at.
const SAMPLE: usize = 20;

/// The format of a file of this name that starts with `head`.
pub(crate) fn resolve(file: &Arc<str>, head: &[u8], options: &FormatOptions) -> Result<&'static Format> {
    let lines = sample(head);
    let by_content = |format: &&&Format| (format.looks_like)(&lines, options);
    let named: Vec<_> = FORMATS.iter().filter(|format| has_extension(file, format)).collect();
    let found = match named.as_slice() {
        [only] => Some(*only),
        [] => FORMATS.iter().find(by_content),
        // Several formats share an extension (.tsv): the content decides, and the last one takes what is left.
        several => several.iter().copied().find(by_content).or(several.last().copied()),
    };
    found.copied().ok_or_else(|| unknown(file))
}

/// The first complete lines that are not empty; the only line counts as complete.
fn sample(head: &[u8]) -> Vec<&[u8]> {
    let complete = memchr::memrchr(b'\n', head).map_or(head, |end| &head[..end]);
    let lines = complete.split(|&byte| byte == b'\n').map(super::records::without_return);
    lines.filter(|line| !line.is_empty()).take(SAMPLE).collect()
}

fn has_extension(file: &str, format: &Format) -> bool {
    let plain = file.strip_suffix(".gz").or(file.strip_suffix(".zst")).unwrap_or(file);
    let extension = plain.rsplit_once('.').map_or("", |(_, extension)| extension);
    format.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

fn unknown(file: &Arc<str>) -> Error {
    let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
    Error::file(file, "the format cannot be told from the name or the first lines")
        .hint(format!("name it: {}", names.join(", ")))
}
