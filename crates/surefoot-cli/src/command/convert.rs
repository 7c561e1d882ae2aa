//! `surefoot convert`: from one data format to another, a cache among them.

use std::path::{Path, PathBuf};

use clap::Args;
use surefoot::core::LearnerSpec;
use surefoot::data::{
    Cache, Converted, FORMATS, Format, FormatOptions, Plan, ReadOptions, Source, convert, convert_from_cache,
    convert_to_cache,
};

use crate::failure::{Failure, Result};
use crate::flags::{ColumnFlags, DataFlags, FormatChoice, format_name};
use crate::output;
use crate::places::{self, Output};

/// Convert data from one format to another
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot convert clicks.vw clicks.jsonl\n  \
                        surefoot convert tickets.tsv tickets.txt --to fasttext\n  \
                        surefoot convert news.svm.zst - --to vw | head\n  \
                        surefoot convert news.svm news.cache\n\n\
                        A cache is what `train --cache` makes: examples as the learner takes them, read faster than text.\n\
                        `train DATA --cache FILE` uses one that was made from the same data with the same settings.")]
pub struct Convert {
    /// Data to read; `-` is standard input
    input: PathBuf,
    /// Where to write; `-` is standard output
    output: PathBuf,
    /// Format to write: auto (by the name of the output), its name, or cache
    #[arg(long, default_value = "auto", value_name = "FORMAT", value_parser = target)]
    to: ConvertTarget,
    /// The learner that a cache is for [default: auto]
    #[arg(long, value_name = "SPEC")]
    learner: Option<String>,
    #[command(flatten)]
    columns: ColumnFlags,
    #[command(flatten)]
    reading: DataFlags,
}

impl Convert {
    /// Converts.
    pub fn run(self) -> Result<()> {
        let format = self.format()?;
        let (path, flag) = (self.output.as_path(), "OUTPUT");
        let output = if format.is_some() { Output::stream(flag, path) } else { Output::whole(flag, path) };
        places::check([&self.input], &[output])?;
        let done = format.map_or_else(|| self.to_cache(), |format| self.to_format(format))?;
        output::note_skipped(done.bad_lines);
        Ok(())
    }

    /// The format to write; none for a cache.
    fn format(&self) -> Result<Option<&'static Format>> {
        let nameless = "the name of the output does not say its format; name it with --to";
        let format = match self.to {
            ConvertTarget::Cache => None,
            ConvertTarget::Format(format) => Some(format),
            ConvertTarget::ByName if self.output.extension().is_some_and(|end| end == CACHE) => None,
            ConvertTarget::ByName => {
                Some(by_extension(&self.output).ok_or_else(|| Failure::usage(nameless))?)
            }
        };
        if format.is_some() && self.learner.is_some() {
            return Err(Failure::usage("--learner is for converting to a cache"));
        }
        Ok(format)
    }

    fn options(&self, columns: FormatOptions) -> ReadOptions {
        ReadOptions {
            format: self.reading.format.0,
            columns,
            threads: self.reading.threads(),
            on_bad_line: self.reading.on_bad_line.into(),
            ..ReadOptions::default()
        }
    }

    fn source(&self) -> Result<Source> {
        let source = Source::from_argument(&self.input);
        source.check().map_err(surefoot::Error::from)?;
        Ok(source)
    }

    /// As `train --cache` would make it.
    fn to_cache(&self) -> Result<Converted> {
        let learner = self.learner.as_deref().unwrap_or(surefoot::DEFAULT_LEARNER);
        let learner = LearnerSpec::parse(learner).map_err(Failure::usage)?;
        let plan = Plan::new(surefoot::default_recipe_for(&learner)).map_err(Failure::usage)?;
        let mut columns = FormatOptions { look: true, ..FormatOptions::default() };
        self.columns.apply(&mut columns);
        let done = convert_to_cache(&[self.source()?], &self.options(columns), plan, &self.output);
        Ok(done.map_err(surefoot::Error::from)?)
    }

    fn to_format(&self, format: &'static Format) -> Result<Converted> {
        // The names are those of a table that is written, too: what is read may be without columns.
        let mut columns = FormatOptions { unlabelled: true, columnless: true, ..FormatOptions::default() };
        self.columns.apply(&mut columns);
        let source = self.source()?;
        let mut out = output::create(&self.output);
        let done = if Cache::is_at(&self.input) {
            convert_from_cache(&self.input, format, &columns, &mut out)
        } else {
            convert(&[source], &self.options(columns.clone()), format, &columns, &mut out)
        };
        Ok(done.map_err(surefoot::Error::from)?)
    }
}

/// What to write.
#[derive(Debug, Clone, Copy)]
enum ConvertTarget {
    ByName,
    Cache,
    Format(&'static Format),
}

const CACHE: &str = "cache";

fn target(text: &str) -> Result<ConvertTarget, String> {
    match format_name(text) {
        _ if text == CACHE => Ok(ConvertTarget::Cache),
        Ok(FormatChoice(Some(format))) => Ok(ConvertTarget::Format(format)),
        Ok(FormatChoice(None)) => Ok(ConvertTarget::ByName),
        Err(problem) => Err(format!("{problem}, {CACHE}")),
    }
}

/// The format that a file of this name should have: the one called like its extension, or else the first that uses it.
fn by_extension(path: &Path) -> Option<&'static Format> {
    let extension = path.extension()?.to_str()?;
    let usual = || FORMATS.iter().copied().find(|format| format.extensions.contains(&extension));
    Format::by_name(extension).or_else(usual)
}
