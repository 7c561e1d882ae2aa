//! `surefoot train --shards`: models that learn apart on this machine, and are merged.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use surefoot::train::{ShardRound, Shards, train_shards};
use surefoot::{Model, evaluate};

use super::Train;
use super::watch::TrainWatch;
use crate::failure::Result;
use crate::flags::sources;
use crate::output::{self, counted};

/// Models that learn apart.
#[derive(Args, Debug)]
#[command(next_help_heading = "Shards")]
pub struct ShardFlags {
    /// Deal the examples to N models that learn apart, and merge them
    ///
    /// Each learns on a thread of its own. Of the first rows one in 20 is held out, 2,000 at most, to recalibrate what is merged.
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..),
        conflicts_with_all = [
            "resume", "checkpoint_every", "cache", "save", "compact", "skip", "predictions", "plot", "report", "rejects",
            "passes", "progress",
        ],
    )]
    pub shards: Option<u16>,
    /// So often at most all models go on from what was merged [default: 1]
    ///
    /// Over the same examples; it ends where that no longer helps on the held-out rows.
    #[arg(long, value_name = "R", default_value_t = 1, hide_default_value = true, requires = "shards", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
}

impl Train {
    /// Learns in shards, saves, reports.
    pub(super) fn run_shards(&self, shards: u16) -> Result<()> {
        let options = self.options(None)?;
        let spread = Shards::default().shards(shards.into()).rounds(self.sharding.rounds.into());
        let mut watch = TrainWatch::new(self, &options)?;
        let (model, rounds) = train_shards(sources(&self.data), &options, &spread, &mut watch)
            .inspect_err(|_| watch.give_up())?;
        watch.finish()?;
        self.output.as_ref().map_or(Ok(()), |path| model.save(path))?;
        let found = Sharded { shards, rounds, tests: self.tests(&model)? };
        if self.telling.json {
            return output::json(&found);
        }
        if self.prints() { found.print(&model) } else { Ok(()) }
    }

    /// How good a model is on each file of --test.
    fn tests(&self, model: &Model) -> Result<Vec<Tested>> {
        let reading = self.reading.for_model(false, self.missing);
        let test = |path| {
            let found = evaluate(model, sources(std::slice::from_ref(path)), &reading)?;
            let (error_rate, log_loss) = (found.error_rate(), found.metric("log-loss"));
            Ok(Tested { file: path.display().to_string(), error_rate, log_loss })
        };
        self.telling.test.iter().map(test).collect()
    }
}

/// What came out.
#[derive(Serialize)]
struct Sharded {
    shards: u16,
    rounds: Vec<ShardRound>,
    #[serde(rename = "test", skip_serializing_if = "Vec::is_empty")]
    tests: Vec<Tested>,
}

/// A model on held-out data.
#[derive(Serialize)]
struct Tested {
    file: String,
    error_rate: f64,
    log_loss: Option<f64>,
}

impl Sharded {
    fn print(&self, model: &Model) -> Result<()> {
        let mut out = output::stdout();
        let labels = counted(model.labels().len() as u64, "label");
        let features = counted(model.encoder().index().len() as u64, "feature");
        writeln!(out, "merged {}: {labels}, {features}\n", counted(self.shards.into(), "shard"))?;
        writeln!(out, "round     examples  held out     error  log loss")?;
        for round in &self.rounds {
            let shown =
                |number: Option<f64>, digits| number.map_or("–".into(), |n| format!("{n:.digits$}"));
            writeln!(
                out,
                "{:<5} {:>12} {:>9} {:>9} {:>9}{}",
                round.round,
                round.examples,
                round.held_out,
                shown(round.error_rate, 4),
                shown(round.log_loss, 4),
                if round.kept { "" } else { "  (not kept)" },
            )?;
        }
        for Tested { file, error_rate, log_loss } in &self.tests {
            let loss = log_loss.map_or(String::new(), |loss| format!(", log loss {loss:.4}"));
            writeln!(out, "\n{file}: error {error_rate:.4}{loss}")?;
        }
        Ok(out.flush()?)
    }
}
