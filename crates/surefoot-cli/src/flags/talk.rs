//! How much is said besides what was asked for.

use clap::Args;
use surefoot::Model;
use surefoot::core::{LearnerSpec, Task};
use surefoot::data::Recipe;
use surefoot::train::TrainOptions;

use crate::output;

/// How much is said.
#[derive(Args, Debug, Clone, Copy)]
#[command(next_help_heading = "Output")]
pub struct TalkFlags {
    /// Say nothing but errors and what other flags ask for
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say on standard error which settings are taken
    #[arg(long, short)]
    verbose: bool,
}

impl TalkFlags {
    /// From now on notes are said, or not.
    pub fn begin(self) {
        if self.quiet {
            output::be_quiet();
        }
    }

    /// Says what a model is made of and how its data is read.
    pub fn model(self, model: &Model, threads: usize) {
        if !self.verbose {
            return;
        }
        if let Some(layout) = &model.columns().layout {
            self.setting("data", &layout.to_string());
        }
        let labels: Vec<String> = model.labels().names().iter().map(ToString::to_string).collect();
        self.setting("task", model.task().word());
        let labels = if labels.is_empty() { "as they are met".into() } else { labels.join(", ") };
        self.setting("labels", &labels);
        self.setting("learner", &model.spec().unwrap_or_default());
        self.reading(model.encoder().recipe(), threads);
    }

    /// Says which learners are compared and how their data is read.
    pub fn contest(self, learners: impl Iterator<Item = LearnerSpec>, options: &TrainOptions) {
        let task = options.task.unwrap_or(Task::Binary);
        learners.for_each(|learner| self.setting("learner", &learner.text(task).unwrap_or_default()));
        self.reading(&options.recipe, options.threads);
    }

    /// Says how data is read and prepared.
    fn reading(self, recipe: &Recipe, threads: usize) {
        self.setting("recipe", &recipe.to_json());
        self.setting("threads", &threads.to_string());
    }

    /// Says which format each file had.
    pub fn files(self, files: &[String]) {
        files.iter().for_each(|file| self.setting("read", file));
    }

    fn setting(self, name: &str, value: &str) {
        if self.verbose {
            output::note(&format!("{name:<8} {}", output::plain(value)));
        }
    }
}
