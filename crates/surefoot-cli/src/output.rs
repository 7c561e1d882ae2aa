//! Standard output and files, and how numbers look to people.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use surefoot::data::{Source, notes_on_columns};
use surefoot::train::TrainOptions;
pub use surefoot::words::{probability, short_specs, thousands};
use surefoot::{Familiarity, Metrics, Model, RarestLabel};

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

/// Whether notes are left unsaid. The program has one standard error, and so one answer.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on only errors are said.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// A line on standard error, unless notes are left unsaid.
pub fn note(line: &str) {
    if !QUIET.load(Ordering::Relaxed) {
        error(line);
    }
}

/// A line on standard error in any case. That it cannot be read is no reason to give up the work.
pub fn error(line: &str) {
    _ = writeln!(io::stderr(), "{line}");
}

/// Says on standard error how many lines were left out.
pub fn note_skipped(bad_lines: u64) {
    if bad_lines > 0 {
        note(&format!("{} skipped", counted(bad_lines, "bad line")));
    }
}

/// Says on standard error what data has that a model does not know.
pub fn note_unfamiliar(notes: &[String], familiarity: Familiarity, model: &Model) {
    notes.iter().for_each(|text| note(&format!("note: {text}")));
    familiarity.warning(model).iter().for_each(|warning| note(&format!("warning: {warning}")));
}

/// Says on standard error what the columns of data for new models were taken for.
pub fn note_columns(sources: &[Source], options: &TrainOptions) {
    let reading = options.read_options(&options.columns_to_find());
    notes_on_columns(sources, &reading).iter().for_each(|text| note(&format!("note: {text}")));
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

/// Files as they stand on a command line.
pub fn paths(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
}

/// A word as it is typed.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,@+%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The words behind the name of the program.
fn arguments() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())
}

/// The command line that runs, as it can be typed again.
pub fn command_line() -> String {
    let words = arguments().map(|word| quoted(&word));
    std::iter::once("surefoot".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The words behind the name of the command that runs, without these flags and, where one follows, their values.
pub fn words_without(flags: &[(&str, bool)]) -> String {
    without(arguments().skip(1), flags).iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn without(words: impl Iterator<Item = String>, flags: &[(&str, bool)]) -> Vec<String> {
    let (mut kept, mut words) = (Vec::new(), words);
    while let Some(word) = words.next() {
        let own = flags.iter().find(|(flag, _)| word == *flag);
        // `--flag=value`, and `-ovalue`.
        let joined = flags.iter().any(|(flag, valued)| {
            *valued && word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=') || flag.len() == 2)
        });
        match own {
            Some((_, valued)) => _ = valued.then(|| words.next()),
            None if joined => {}
            None => kept.push(word),
        }
    }
    kept
}

/// A share as per cent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// So many of a thing: `1 label`, `2 labels`.
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// What to look at beside the error where a label is rare.
pub fn rare_label(rarest: Option<&RarestLabel>, metrics: &Metrics) -> Option<String> {
    let rarest = rarest.filter(|rarest| rarest.rare)?;
    let numbers = rarest.telling(metrics).into_iter().map(|(title, value)| format!("{title} {value:.3}"));
    let (label, share) = (cut(&rarest.label, 20), percent(rarest.share));
    Some(format!("rarest label {label}, {share} of the examples: {}", numbers.collect::<Vec<_>>().join(", ")))
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
    fn flags_are_left_out_with_their_values() {
        let words = "a.tsv --json --top 3 --top=3 --values sqrt -o m -om --topmost b --no-bias";
        let kept = without(
            words.split(' ').map(str::to_string),
            &[("--json", false), ("--top", true), ("-o", true)],
        );
        assert_eq!(kept.join(" "), "a.tsv --values sqrt --topmost b --no-bias");
    }

    #[test]
    fn specs_lose_what_they_share() {
        let specs = ["arow/full:a=1,r=2", "arow/full:a=1,r=3", "pa:a=1"];
        assert_eq!(short_specs(specs.iter().copied()), ["arow/full:r=2", "arow/full:r=3", "pa"]);
        assert_eq!(short_specs(specs[..1].iter().copied()), specs[..1]);
    }
}
