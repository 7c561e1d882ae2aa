//! Which data, in which format, and what to do with bad lines.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clap::{Args, ValueEnum};
use surefoot::Reading;
use surefoot::data::{FORMATS, Format, OnBadLine, Source};
use surefoot::train::TakeReject;

use crate::failure::Result;
use crate::output;
use crate::places::{Output, is_dash};

/// How data is read.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Reading")]
pub struct DataFlags {
    /// Format of the data: auto (by name and content) or its name
    #[arg(long, default_value = "auto", value_parser = format_name, long_help = format_help())]
    pub format: FormatChoice,
    /// Threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// What to do with a line that cannot be read
    #[arg(long, value_name = "WHAT", value_enum, default_value = "fail")]
    pub on_bad_line: BadLine,
}

/// What to do with data that is not like the data that a model was trained on.
#[derive(Args, Debug, Clone, Copy)]
#[command(next_help_heading = "Reading")]
pub struct MissingFlags {
    /// What to do if columns are missing that the model was trained on
    #[arg(long, value_name = "WHAT", value_enum, default_value = "refuse", hide_short_help = true)]
    missing_columns: MissingColumns,
}

/// What to do with files that lack columns of the model.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum MissingColumns {
    /// Stop with an error
    Refuse,
    /// Go on without them
    Ignore,
}

impl MissingFlags {
    /// Whether files may lack columns of the model.
    pub fn are_ignored(self) -> bool {
        self.missing_columns == MissingColumns::Ignore
    }
}

/// Where the lines go that are skipped.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Reading")]
pub struct RejectFlags {
    /// Where to put the lines that are skipped: place and reason, tab, the line
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    rejects: Option<PathBuf>,
}

impl RejectFlags {
    /// Takes the lines that are skipped.
    pub fn create(&self) -> Option<Rejects> {
        self.rejects.as_deref().map(|path| Rejects(Arc::new(Mutex::new(output::create(path)))))
    }

    /// Where they go.
    pub fn output(&self) -> Option<Output<'_>> {
        self.rejects.as_deref().map(|path| Output::stream("--rejects", path))
    }
}

impl DataFlags {
    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
    }

    /// How to read data for a model that is there; data for prediction may be without labels.
    pub fn for_model(&self, unlabelled: bool, missing: MissingFlags) -> Reading {
        Reading::default()
            .format(self.format.0)
            .threads(self.threads())
            .on_bad_line(self.on_bad_line.into())
            .unlabelled(unlabelled)
            .incomplete(missing.are_ignored())
    }
}

/// A format, or none to find it.
#[derive(Debug, Clone, Copy)]
pub struct FormatChoice(pub Option<&'static Format>);

/// Reads the name of a format, or `auto`.
pub fn format_name(text: &str) -> Result<FormatChoice, String> {
    if text == "auto" {
        return Ok(FormatChoice(None));
    }
    let known = || FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    match Format::by_name(text) {
        Some(format) => Ok(FormatChoice(Some(format))),
        None => Err(format!("expected auto or one of {}", known())),
    }
}

fn format_help() -> String {
    let lines = FORMATS.iter().map(|format| format!("\n  {:<14} {}", format.name, format.about));
    "Format of the data. `auto` looks at the name and the first lines.\n".to_string()
        + &lines.collect::<String>()
}

words! {
    /// What to do with a line that cannot be read.
    BadLine => OnBadLine {
        /// Stop with an error
        Fail,
        /// Leave it out and count it
        Skip,
    }
}

/// The name of a picture to write, refused before any work is done.
pub fn plot_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    surefoot::plot::check_name(&path).map(|()| path).map_err(|error| error.to_string())
}

/// The sources that the user named; `-` is standard input.
pub fn sources(paths: &[PathBuf]) -> Vec<Source> {
    paths.iter().map(Source::from_argument).collect()
}

/// Whether the default learner can be tried on this data beside others: it sees features in its own way, so the data is read once
/// more, which standard input cannot be. If not, a note says so.
pub fn default_can_join(data: &[PathBuf]) -> bool {
    let can = !data.iter().any(|path| is_dash(path));
    if !can {
        let default = surefoot::DEFAULT_LEARNER;
        output::note(&format!(
            "note: standard input can be read only once, so the default, {default}, is left out; a file can be compared with it"
        ));
    }
    can
}

/// The file of the lines that were skipped. Shared, because lines are skipped by the reader and examples by the learner.
#[derive(Clone)]
pub struct Rejects(Arc<Mutex<Box<dyn Write + Send>>>);

impl Rejects {
    /// What the reader calls for each line.
    pub fn taker(&self) -> TakeReject {
        let rejects = self.clone();
        Box::new(move |reject| rejects.put(&reject.error.to_string(), &reject.record))
    }

    /// Notes a place with its reason, and the line if it is at hand.
    pub fn put(&self, reason: &str, line: &[u8]) {
        let note = [reason.as_bytes(), b"\t", line, b"\n"].concat();
        // The run goes on without the note, and says so when it is over.
        drop(self.lock().write_all(&note));
    }

    /// All of them are written.
    pub fn finish(&self) -> Result<()> {
        Ok(self.lock().flush()?)
    }

    fn lock(&self) -> MutexGuard<'_, Box<dyn Write + Send>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
