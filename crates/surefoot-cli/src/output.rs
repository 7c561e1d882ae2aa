//! Standard output and files, and how numbers look to people.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::failure::{Result, in_file};
use crate::places::is_dash;

/// Standard output, buffered: without it every line is a system call.
pub fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// A file to write to, or standard output for `-`. The file is opened, and what was in it is gone, with the first bytes: by
/// then what is read has proved readable. A command that has nothing to write says so by [`Write::flush`].
pub fn create(path: &Path) -> Box<dyn Write + Send> {
    if is_dash(path) {
        return Box::new(BufWriter::with_capacity(1 << 16, io::stdout()));
    }
    Box::new(BufWriter::with_capacity(1 << 16, Late { path: path.into(), file: None }))
}

/// A file that is opened as late as can be, and whose errors say its name.
struct Late {
    path: PathBuf,
    file: Option<File>,
}

impl Late {
    fn with<T>(&mut self, work: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
        let open = || File::create(&self.path);
        let file = self.file.take().map_or_else(open, Ok);
        file.and_then(|file| work(self.file.insert(file))).map_err(|error| in_file(&self.path, &error))
    }
}

impl Write for Late {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(File::flush)
    }
}

/// A line on standard error. That it cannot be read is no reason to give up the work.
pub fn note(line: &str) {
    _ = writeln!(io::stderr(), "{line}");
}

/// Says on standard error how many lines were left out.
pub fn note_skipped(bad_lines: u64) {
    if bad_lines > 0 {
        note(&format!("{} skipped", counted(bad_lines, "bad line")));
    }
}

/// One JSON value and a line end on standard output.
pub fn json(value: &impl Serialize) -> Result<()> {
    let mut out = stdout();
    serde_json::to_writer(&mut out, value)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Bytes on standard output.
pub fn bytes(bytes: &[u8]) -> Result<()> {
    let mut out = stdout();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// A number that reads back as the same number.
pub fn exact(number: f64) -> impl std::fmt::Display {
    // Debug is the shortest text that reads back, with an exponent where digits would only fill the line.
    format!("{number:?}")
}

/// A whole number with its thousands apart.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Files as they stand on a command line.
pub fn paths(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
}

/// A share as per cent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// So many of a thing: `1 label`, `2 labels`.
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// A label, name or id from the data as a part of a line: a tab, a line end or another control character in it is written as
/// Rust writes it (`\t`, `\n`, `\u{1b}`), so that it ends no line, moves no column, and tells a terminal nothing.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return text.into();
    }
    let escaped = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect::<String>().into()
}

/// A text cut to a width in characters, as [`plain`] has it.
pub fn cut(text: &str, width: usize) -> String {
    let text = plain(text);
    match text.char_indices().nth(width) {
        None => text.into_owned(),
        Some(_) => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// SPECs side by side without the parameters that all of them have in common.
pub fn short_specs<'a>(specs: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let common: Vec<&str> = match specs.clone().count() {
        0 | 1 => Vec::new(),
        _ => {
            let in_all = |pair: &&str| specs.clone().all(|spec| pairs(spec).any(|other| other == *pair));
            specs.clone().take(1).flat_map(pairs).filter(in_all).collect()
        }
    };
    let short = |spec: &str| {
        let head = spec.split(':').next().unwrap_or_default();
        let own: Vec<&str> = pairs(spec).filter(|pair| !common.contains(pair)).collect();
        if own.is_empty() { head.to_string() } else { format!("{head}:{}", own.join(",")) }
    };
    specs.clone().map(short).collect()
}

/// The `param=value` pairs of a SPEC.
fn pairs(spec: &str) -> impl Iterator<Item = &str> {
    spec.split_once(':').map_or("", |(_, pairs)| pairs).split(',').filter(|pair| !pair.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(
            (thousands(7), thousands(1_234), thousands(1_000_000)),
            ("7".into(), "1,234".into(), "1,000,000".into())
        );
        assert_eq!(
            (percent(0.1234), counted(1, "label"), counted(2_000, "label")),
            ("12.3 %".into(), "1 label".into(), "2,000 labels".into())
        );
        assert_eq!((cut("naïveté", 7), cut("naïveté", 5)), ("naïveté".into(), "naïv…".into()));
        assert_eq!(plain("a\tb\nc\u{1b}[31m ü\\"), "a\\tb\\nc\\u{1b}[31m ü\\");
    }

    #[test]
    fn specs_lose_what_they_share() {
        let specs = ["arow/full:a=1,r=2", "arow/full:a=1,r=3", "pa:a=1"];
        assert_eq!(short_specs(specs.iter().copied()), ["arow/full:r=2", "arow/full:r=3", "pa"]);
        assert_eq!(short_specs(specs[..1].iter().copied()), specs[..1]);
    }
}
