//! `surefoot convert`: from one data format to another, a cache among them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use surefoot::core::LearnerSpec;
use surefoot::data::{
    Cache, Converted, FORMATS, Format, FormatOptions, PackedWriter, Packing, Plan, ReadOptions, Source,
    convert, convert_from_cache, convert_to_cache,
};

use crate::failure::{Failure, Result};
use crate::flags::{ColumnFlags, DataFlags, FormatChoice, format_name};
use crate::output;
use crate::places::{self, Output};

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
        let format = self.format()?;
        let (path, flag) = (self.output.as_path(), "OUTPUT");
        let output = if format.is_some() { Output::stream(flag, path) } else { Output::whole(flag, path) };
        let labels = format.filter(|format| format.numbers_labels()).and_then(|_| self.labels());
        let beside = labels.as_deref().map(|path| Output::stream("the map of labels,", path));
        places::check([&self.input], &[Some(output), beside].into_iter().flatten().collect::<Vec<_>>())?;
        let done = format.map_or_else(|| self.to_cache(), |format| self.to_format(format))?;
        output::note_skipped(done.bad_lines);
        if done.labels.is_empty() { Ok(()) } else { tell_labels(&done.labels, labels.as_deref()) }
    }

    /// Where the numbers of labels are written: beside the output, if that is a file.
    fn labels(&self) -> Option<PathBuf> {
        let is_file = fs::metadata(&self.output).map_or(true, |there| there.is_file());
        let mut name = self.output.clone().into_os_string();
        name.push(".labels");
        (is_file && !places::is_dash(&self.output)).then(|| name.into())
    }

    /// The format to write; none for a cache.
    fn format(&self) -> Result<Option<&'static Format>> {
        let nameless = "the name of the output does not say its format; name it with --to";
        let format = match self.to {
            ConvertTarget::Cache => None,
            ConvertTarget::Format(format) => Some(format),
            ConvertTarget::ByName if self.output.extension().is_some_and(|end| end == CACHE) => None,
            ConvertTarget::ByName => {
                let unpacked = Packing::of(&self.output).1;
                Some(by_extension(&unpacked).ok_or_else(|| Failure::usage(nameless))?)
            }
        };
        if let (Some(format), packing) = (format, self.packing())
            && packing != Packing::None
            && format.name == "parquet"
        {
            return Err(Failure::usage(
                "Parquet files are compressed inside: name the output without .gz and .zst",
            ));
        }
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
        let mut out = PackedWriter::new(self.packing(), output::create(&self.output));
        let done = if Cache::is_at(&self.input) {
            convert_from_cache(&self.input, format, &columns, &mut out)
        } else {
            convert(&[source], &self.options(columns.clone()), format, &columns, &mut out)
        };
        let done = done.map_err(surefoot::Error::from)?;
        out.finish()?;
        Ok(done)
    }

    /// How the output is compressed, as its name says.
    fn packing(&self) -> Packing {
        Packing::of(&self.output).0
    }
}

/// Says which number each label became: in a file beside the output, or on standard error where there is no such place.
fn tell_labels(labels: &[(i64, String)], path: Option<&Path>) -> Result<()> {
    let lines = labels.iter().map(|(number, label)| format!("{number}\t{}\n", output::plain(label)));
    let lines: String = lines.collect();
    match path {
        Some(path) => {
            let mut file = output::create(path);
            file.write_all(lines.as_bytes())?;
            file.flush()?;
            let (first, last) = (labels[0].0, labels[labels.len() - 1].0);
            let range = if labels.len() == 2 { "-1 and 1".into() } else { format!("{first} to {last}") };
            output::note(&format!("note: labels became {range}; which is which is in {}", path.display()));
        }
        None => output::note(&format!("note: labels became numbers:\n{}", lines.trim_end())),
    }
    Ok(())
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
