//! `surefoot generate`: the papers' synthetic streams.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use surefoot::data::{Point, STREAMS, stream};

use crate::failure::{Failure, Result};
use crate::output::{self, exact};
use crate::places::{self, Output};

/// Write a synthetic stream of labelled points in svmlight format
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  surefoot generate coins | surefoot train - --no-bias\n  \
                  surefoot generate zipf -n 100000 --seed 7 -o zipf.svm",
    after_long_help = streams_help()
)]
pub struct Generate {
    /// Name of the stream
    name: String,
    /// Parameters of the stream
    #[arg(value_name = "PARAM=VALUE", value_parser = setting)]
    set: Vec<(String, f64)>,
    /// How many points
    #[arg(short = 'n', long, default_value_t = 1000)]
    count: u64,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write them
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

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
    text + "\nExamples:\n  surefoot generate coins | surefoot train - --no-bias\n  \
            surefoot generate zipf -n 100000 --seed 7 -o zipf.svm"
}

impl Generate {
    /// Writes the points.
    pub fn run(self) -> Result<()> {
        let set: Vec<(&str, f64)> = self.set.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let mut stream = stream(&self.name, &set, self.seed).map_err(Failure::usage)?;
        places::check([], &[Output::stream("-o", &self.output)])?;
        let mut out = output::create(&self.output);
        let mut point = Point::default();
        for _ in 0..self.count {
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
