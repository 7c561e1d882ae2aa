//! `surefoot merge`: one model from several that were trained apart.

use std::path::PathBuf;

use clap::Args;
use surefoot::core::learner::Merging;
use surefoot::merge_files;

use crate::failure::Result;
use crate::flags::{DataFlags, MissingFlags, sources};
use crate::output::{self, counted};
use crate::places::{self, Output};

/// Make one model of several that were trained apart
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot train past.tsv -o base.model\n  \
        head -50 held-out.tsv | surefoot train - --resume base.model -o monday.model\n  \
        tail -50 held-out.tsv | surefoot train - --resume base.model -o tuesday.model\n  \
        surefoot merge monday.model tuesday.model --from base.model -o both.model\n\n\
                  What the models learned adds up, and the prior is counted once. Models that were continued from a common\n\
                  base need --from BASE: how far they moved since is averaged, so rounds do not diverge. All must have the\n\
                  same settings; their order changes nothing.\n\n\
                  Diagonal models add up their precisions; rules other than arow hold the means back a little, which\n\
                  measured better than the exact product of the Gaussians, which --exact takes.")]
pub struct Merge {
    /// The models
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// The model that all of them were continued from
    #[arg(long, value_name = "BASE")]
    from: Option<PathBuf>,
    /// Merge the means of diagonal models by the exact product of the Gaussians
    #[arg(long)]
    exact: bool,
    /// Labelled rows that no model has learned: how far to trust the merged scores is learned anew from them
    #[arg(long, value_name = "FILE")]
    recalibrate: Vec<PathBuf>,
    #[command(flatten)]
    reading: DataFlags,
    #[command(flatten)]
    missing: MissingFlags,
    /// Where to save the merged model
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Merge {
    /// Merges.
    pub fn run(self) -> Result<()> {
        places::check(
            self.models.iter().chain(&self.from).chain(&self.recalibrate),
            &[Output::whole("-o", &self.output)],
        )?;
        self.models.iter().try_for_each(|path| places::check_model(path))?;
        let base = self.from.as_deref().map(places::load).transpose()?;
        let merging = if self.exact { Merging::Exact } else { Merging::Measured };
        let mut merged = merge_files(&self.models, base.as_ref(), merging)?;
        let rows = match self.recalibrate.is_empty() {
            true => 0,
            false => {
                let reading = self.reading.for_model(false, self.missing);
                merged.recalibrate(sources(&self.recalibrate), &reading)?
            }
        };
        merged.save(&self.output)?;
        let (counts, features) = (merged.counts(), merged.encoder().index().len());
        if self.json {
            return output::json(&serde_json::json!({
                "models": self.models.len(), "examples": counts.examples, "features": features,
                "labels": merged.labels().len(), "recalibrated": rows, "model": self.output.display().to_string(),
            }));
        }
        let parts = counted(self.models.len() as u64, "model");
        let (examples, labels) =
            (counted(counts.examples, "example"), counted(merged.labels().len() as u64, "label"));
        let recalibrated =
            if rows > 0 { format!("; recalibrated on {}", counted(rows, "row")) } else { String::new() };
        let text = format!(
            "merged {parts}: {examples}, {labels}, {}{recalibrated}\n\nNext\n  surefoot test {} HELD-OUT\n",
            counted(features as u64, "feature"),
            self.output.display()
        );
        output::bytes(text.as_bytes())
    }
}
