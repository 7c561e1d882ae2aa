//! `surefoot convert`: from one data format to another.

use std::path::{Path, PathBuf};

use clap::Args;
use surefoot::data::{FORMATS, Format, FormatOptions, ReadOptions, Source, convert};

use crate::failure::{Failure, Result};
use crate::flags::{ColumnFlags, DataFlags, FormatChoice, format_name};
use crate::output::{self, counted};

/// Convert data from one format to another
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot convert clicks.vw clicks.jsonl\n  \
                        surefoot convert tickets.tsv tickets.txt --to fasttext\n  \
                        surefoot convert news.svm.zst - --to vw | head")]
pub struct Convert {
    /// Data to read; `-` is standard input
    input: PathBuf,
    /// Where to write; `-` is standard output
    output: PathBuf,
    /// Format to write: auto (by the name of the output) or its name
    #[arg(long, default_value = "auto", value_name = "FORMAT", value_parser = format_name)]
    to: FormatChoice,
    #[command(flatten)]
    columns: ColumnFlags,
    #[command(flatten)]
    reading: DataFlags,
}

impl Convert {
    /// Converts.
    pub fn run(self) -> Result<()> {
        let format = self.to.0.or_else(|| by_extension(&self.output)).ok_or_else(|| {
            Failure::usage("the name of the output does not say its format; name it with --to")
        })?;
        let mut columns = FormatOptions { unlabelled: true, ..FormatOptions::default() };
        self.columns.apply(&mut columns);
        let options = ReadOptions {
            format: self.reading.format.0,
            columns: columns.clone(),
            threads: self.reading.threads(),
            on_bad_line: self.reading.on_bad_line.into(),
            ..ReadOptions::default()
        };
        let source = Source::from_argument(&self.input);
        source.check().map_err(surefoot::Error::from)?;
        let mut out = output::create(&self.output)?;
        let done = convert(&[source], &options, format, &columns, &mut out).map_err(surefoot::Error::from)?;
        if done.bad_lines > 0 {
            eprintln!("{} skipped", counted(done.bad_lines, "bad line"));
        }
        Ok(())
    }
}

/// The format that a file of this name should have: the one called like its extension, or else the first that uses it.
fn by_extension(path: &Path) -> Option<&'static Format> {
    let extension = path.extension()?.to_str()?;
    let usual = || FORMATS.iter().copied().find(|format| format.extensions.contains(&extension));
    Format::by_name(extension).or_else(usual)
}
