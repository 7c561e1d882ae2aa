//! Two files as one stream that changes.

use std::path::{Path, PathBuf};

use clap::Args;
use surefoot::data::{Drift, Format, ReadOptions, Source, format_of, join_with_drift};

use crate::failure::{Failure, Result};
use crate::flags::{ColumnFlags, DataFlags, FormatChoice, format_name};
use crate::places::{self, is_dash};
use crate::records::{RecordOutput, format_by_name};

/// The flags of such a stream.
#[derive(Args, Debug)]
#[command(next_help_heading = "A stream that changes")]
pub struct DriftingFiles {
    /// In place of a named stream: examples of the first file, and from example N on those of the second. The stream ends where
    /// the file whose turn it is has no more
    #[arg(long, num_args = 2, value_names = ["FILE_A", "FILE_B"], requires = "at")]
    pub drift: Option<Vec<PathBuf>>,
    /// The example after which the stream changes
    #[arg(long, value_name = "N", requires = "drift")]
    at: Option<u64>,
    /// Change gradually, around N: the chance of the second file is a sigmoid of about so many examples [default: 0, at once]
    #[arg(long, value_name = "W", requires = "drift")]
    width: Option<u64>,
    /// Change again after every P examples, back and forth
    #[arg(long, value_name = "P", requires = "drift", value_parser = clap::value_parser!(u64).range(1..))]
    period: Option<u64>,
    /// Format to write: its name, or auto: by the name of the output, or else that of the first file
    #[arg(long, default_value = "auto", value_name = "FORMAT", value_parser = format_name, requires = "drift")]
    to: FormatChoice,
    #[command(flatten)]
    columns: ColumnFlags,
    #[command(flatten)]
    reading: DataFlags,
}

impl DriftingFiles {
    /// Writes the stream of two files.
    pub fn run(&self, files: &[PathBuf], count: Option<u64>, seed: u64, output: &Path) -> Result<()> {
        let ([first, second], Some(at)) = (files, self.at) else {
            return Err(Failure::usage(
                "--drift takes two files, and --at says when the second has its turn",
            ));
        };
        if is_dash(first) && is_dash(second) {
            return Err(Failure::usage("standard input can be one of the two files, not both"));
        }
        if let Some(count) = count.filter(|count| *count <= at) {
            return Err(Failure::usage(format!(
                "a stream of {count} examples does not come to a change after {at}"
            )));
        }
        let sources = [first, second].map(|path| Source::from_argument(path.as_path()));
        let columns = self.columns.for_records();
        let options = ReadOptions {
            format: self.reading.format.0,
            columns: columns.clone(),
            on_bad_line: self.reading.on_bad_line.into(),
            ..ReadOptions::default()
        };
        let format = self.format(output, &sources[0], &options)?;
        let target = RecordOutput::new("-o", output, format)?;
        places::check(files, &target.outputs())?;
        let drift = Drift { at, width: self.width.unwrap_or_default(), period: self.period, seed };
        let mut out = target.create();
        let done = join_with_drift(&sources, drift, count, &options, format, &columns, &mut out);
        let done = done.map_err(surefoot::Error::from)?;
        out.finish()?;
        target.tell(&done)
    }

    fn format(&self, output: &Path, first: &Source, options: &ReadOptions) -> Result<&'static Format> {
        let named = || self.to.0.or_else(|| format_by_name(output)).or(options.format);
        if let Some(format) = named() {
            return Ok(format);
        }
        let found = format_of(first, options).map_err(surefoot::Error::from)?;
        found.ok_or_else(|| {
            Failure::usage("name the format to write with --to: the first file does not tell it")
        })
    }
}
