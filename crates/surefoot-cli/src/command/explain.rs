//! `surefoot explain`: which features decided each prediction, and how sure each is.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use surefoot::data::Batch;
use surefoot::{Explanation, Model, explain};

use crate::failure::Result;
use crate::flags::{DataFlags, sources};
use crate::output::{self, percent};

/// Show the features that decided each prediction, each with its standard deviation
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot explain tickets.model new.txt\n  \
                        echo 'my card was charged twice' | surefoot explain tickets.model - --format text\n  \
                        surefoot explain tickets.model new.txt --most 3 --json")]
pub struct Explain {
    /// The model
    model: PathBuf,
    /// Data; `-` is standard input
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Features to show for each example
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Output")]
    most: usize,
    /// Print JSON lines
    #[arg(long, help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    reading: DataFlags,
}

impl Explain {
    /// Explains.
    pub fn run(self) -> Result<()> {
        let model = Model::load(&self.model)?;
        let mut reader = model.read(sources(&self.data), &self.reading.for_model(true))?;
        let mut out = output::stdout();
        let mut batch = Batch::new();
        while reader.next_batch(&mut batch).map_err(surefoot::Error::from)? {
            for example in batch.iter() {
                let found = explain(&model, &example.features, self.most)?;
                if self.json {
                    serde_json::to_writer(&mut out, &found)?;
                    writeln!(out)?;
                } else {
                    print(&found, example.line, &mut out)?;
                }
            }
            out.flush()?;
        }
        Ok(())
    }
}

fn print(found: &Explanation, line: u64, out: &mut dyn Write) -> Result<()> {
    let label = found.label.as_deref().unwrap_or("nothing");
    write!(out, "line {line}: {label} at {}", percent(found.probability))?;
    if let Some(second) = &found.runner_up {
        write!(out, ", before {} at {}", second.label, percent(second.probability))?;
    }
    writeln!(out, "; score {:.3} ± {:.3}", found.score, found.sd)?;
    for feature in &found.features {
        writeln!(
            out,
            "  {:>6}  {:<24} weight {:+.3} ± {:.3}  × {:.3} = {:+.3}",
            percent(feature.share),
            feature.feature,
            feature.mean,
            feature.sd,
            feature.value,
            feature.contribution
        )?;
    }
    if found.unknown > 0 {
        writeln!(out, "  {} features were never met", found.unknown)?;
    }
    Ok(())
}
