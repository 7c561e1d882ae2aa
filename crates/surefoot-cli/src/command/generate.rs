//! `surefoot generate`: the papers' synthetic streams, and streams of two files that change.

mod drift;

use std::io::Write;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use surefoot::data::{Point, STREAMS, stream};

use crate::failure::{Failure, Result};
use crate::output::{self, exact};
use crate::places::{self, Output};
use drift::DriftingFiles;

/// What both helps end with.
const EXAMPLES: &str = "Examples:\n  surefoot generate coins | surefoot train - --no-bias\n  \
        surefoot generate zipf -n 100000 --seed 7 -o zipf.svm\n  \
        surefoot generate sea -n 50000 -o before.svm\n  \
        surefoot generate sea -n 50000 --seed 1 -o after.svm\n  \
        surefoot generate --drift before.svm after.svm --at 5000 -o both.svm\n  \
        surefoot generate --drift before.svm after.svm --at 5000 --width 1000 | surefoot train -\n  \
        surefoot generate --drift before.svm after.svm --at 5000 --period 2000 -o recurring.svm";

/// Write a synthetic stream of labelled points in svmlight format, or one of two files that changes
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = streams_help())]
#[command(mut_group("ColumnFlags", needs_files), mut_group("DataFlags", needs_files))]
#[expect(clippy::duplicated_attributes, reason = "two groups need the same")]
pub struct Generate {
    /// Name of the stream
    name: Option<String>,
    /// Parameters of the stream
    #[arg(value_name = "PARAM=VALUE", value_parser = setting)]
    set: Vec<(String, f64)>,
    /// How many points [default: 1000; of files as many as there are]
    #[arg(short = 'n', long)]
    count: Option<u64>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write them
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    files: DriftingFiles,
}

/// Flags of reading say nothing of a named stream.
fn needs_files(flags: ArgGroup) -> ArgGroup {
    flags.requires("drift")
}

/// Points of a named stream if nothing is said.
const POINTS: u64 = 1000;

fn setting(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected PARAM=VALUE")?;
    let value = value.parse().map_err(|_| format!("expected a number after '=', found '{value}'"))?;
    Ok((name.to_string(), value))
}

fn streams_help() -> String {
    let mut text = String::from("Streams:\n");
    for stream in &STREAMS {
        text += &format!("  {:<10} {}\n", stream.name, stream.about);
        for parameter in stream.parameters {
            text += &format!("    {}={:<10} {}\n", parameter.name, parameter.default, parameter.about);
        }
    }
    text + "\n" + EXAMPLES
}

impl Generate {
    /// Writes the examples.
    pub fn run(self) -> Result<()> {
        match (&self.files.drift, &self.name) {
            (Some(files), None) => self.files.run(files, self.count, self.seed, &self.output),
            (None, Some(name)) => self.points(name),
            _ => Err(Failure::usage("name a stream, or two files with --drift; not both")),
        }
    }

    fn points(&self, name: &str) -> Result<()> {
        let set: Vec<(&str, f64)> = self.set.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let mut stream = stream(name, &set, self.seed).map_err(Failure::usage)?;
        places::check([], &[Output::stream("-o", &self.output)])?;
        let mut out = output::create(&self.output);
        let mut point = Point::default();
        for _ in 0..self.count.unwrap_or(POINTS) {
            stream.fill(&mut point);
            write!(out, "{}", point.label)?;
            for (id, value) in point.ids.iter().zip(&point.values) {
                write!(out, " {id}:{}", exact(*value))?;
            }
            out.write_all(b"\n")?;
        }
        Ok(out.flush()?)
    }
}
