//! `surefoot convert`: from one data format to another, a cache among them.

use std::path::PathBuf;

use clap::Args;
use surefoot::core::LearnerSpec;
use surefoot::data::{
    Cache, Format, FormatOptions, Plan, ReadOptions, Source, convert, convert_from_cache, convert_to_cache,
};

use crate::failure::{Failure, Result};
use crate::flags::{ColumnFlags, DataFlags, FormatChoice, format_name};
use crate::output;
use crate::places::{self, Output};
use crate::records::{RecordOutput, format_by_name};

/// Convert data from one format to another
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot convert examples/tickets.tsv tickets.jsonl.gz\n  \
        surefoot convert examples/tickets.tsv tickets.txt --to fasttext\n  \
        surefoot convert examples/tickets.tsv tickets.vw\n  \
        surefoot convert examples/tickets.tsv tickets.parquet\n  \
        surefoot convert examples/tickets.tsv tickets.cache\n\n\
                        An output whose name ends in .gz or .zst is compressed. For Vowpal Wabbit labels become -1 and 1,\n\
                        or 1 to k, unless they are such; OUTPUT.labels says which is which.\n\n\
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
        match self.format()? {
            Some(format) => self.to_format(format),
            None => self.to_cache(),
        }
    }

    /// The format to write; none for a cache.
    fn format(&self) -> Result<Option<&'static Format>> {
        let nameless = "the name of the output does not say its format; name it with --to";
        let format = match self.to {
            ConvertTarget::Cache => None,
            ConvertTarget::Format(format) => Some(format),
            ConvertTarget::ByName if self.output.extension().is_some_and(|end| end == CACHE) => None,
            ConvertTarget::ByName => {
                Some(format_by_name(&self.output).ok_or_else(|| Failure::usage(nameless))?)
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
    fn to_cache(&self) -> Result<()> {
        places::check([&self.input], &[Output::whole(OUTPUT, &self.output)])?;
        let learner = self.learner.as_deref().unwrap_or(surefoot::DEFAULT_LEARNER);
        let learner = LearnerSpec::parse(learner).map_err(Failure::usage)?;
        let plan = Plan::new(surefoot::default_recipe_for(&learner)).map_err(Failure::usage)?;
        let mut columns = FormatOptions { look: true, ..FormatOptions::default() };
        self.columns.apply(&mut columns);
        let done = convert_to_cache(&[self.source()?], &self.options(columns), plan, &self.output);
        output::note_skipped(done.map_err(surefoot::Error::from)?.bad_lines);
        Ok(())
    }

    fn to_format(&self, format: &'static Format) -> Result<()> {
        let target = RecordOutput::new(OUTPUT, &self.output, format)?;
        places::check([&self.input], &target.outputs())?;
        let columns = self.columns.for_records();
        let source = self.source()?;
        let mut out = target.create();
        let done = if Cache::is_at(&self.input) {
            convert_from_cache(&self.input, format, &columns, &mut out)
        } else {
            convert(&[source], &self.options(columns.clone()), format, &columns, &mut out)
        };
        let done = done.map_err(surefoot::Error::from)?;
        out.finish()?;
        target.tell(&done)
    }
}

/// How the user names the output.
const OUTPUT: &str = "OUTPUT";

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
