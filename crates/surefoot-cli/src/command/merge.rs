//! `surefoot merge`: one model from several that learned apart.

use std::path::PathBuf;

use clap::Args;
use surefoot::{Model, merge};

use crate::failure::Result;
use crate::output::{counted, thousands};

/// Make one model from several that learned apart
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot merge monday.model tuesday.model -o week.model\n  \
                        surefoot merge east.model west.model --from base.model -o all.model\n\n\
                        What the models learned adds up, and the prior counts once. Models continued from a common \
                        base need --from, or what the base knew would count once for each of them.")]
pub struct Merge {
    /// The models
    #[arg(required = true)]
    models: Vec<PathBuf>,
    /// The model that all of them were continued from
    #[arg(long, value_name = "BASE")]
    from: Option<PathBuf>,
    /// Where to write the merged model
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
}

impl Merge {
    /// Merges.
    pub fn run(self) -> Result<()> {
        let models = self.models.iter().map(|path| Model::load(path)).collect::<Result<Vec<_>, _>>()?;
        let base = self.from.as_deref().map(Model::load).transpose()?;
        let merged = merge(&models, base.as_ref())?;
        merged.save(&self.output)?;
        let examples = counted(merged.counts().examples, "example");
        let features = thousands(merged.preparer().space().len() as u64);
        println!("{} models, {examples}, {features} features", models.len());
        Ok(())
    }
}
