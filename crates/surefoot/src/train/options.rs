//! What a training run is told, and who watches it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use surefoot_core::Roster;
use surefoot_data::{
    Batch, Example, Format, FormatOptions, Label, Labels, OnBadLine, Progress, ReadOptions, Recipe, Reject,
    Task,
};

use super::Progressive;
use crate::{Error, Learned, Model, Result};

/// How to train.
#[derive(Debug, Clone)]
pub struct TrainOptions {
    /// The learner or bank.
    pub learner: Roster,
    /// Binary, multi-class, or what the labels say.
    pub task: Task,
    /// Labels known beforehand; empty lets them come.
    pub labels: Vec<String>,
    /// From parsed pieces to numbers.
    pub recipe: Recipe,
    /// How columns are understood.
    pub columns: FormatOptions,
    /// The format of all sources; none finds it.
    pub format: Option<&'static Format>,
    /// Passes over the data.
    pub passes: usize,
    /// Whether each pass has an order of its own, drawn from the seed.
    pub shuffle: bool,
    /// Examples at the start that are left out, to go on where an earlier run was cut off.
    pub skip: u64,
    /// Threads that read, and on which a bank of many classes learns. The result does not depend on it.
    pub threads: usize,
    /// What to do with bad lines.
    pub on_bad_line: OnBadLine,
    /// Factors on the importance weights of the examples of a label.
    pub class_weights: BTreeMap<Label, f64>,
    /// Rounds between two checkpoints; 0 for none.
    pub checkpoint_every: u64,
    /// Where parsed examples are kept for later runs of the same files.
    pub cache: Option<PathBuf>,
    /// Seed of everything that is drawn at random.
    pub seed: u64,
}

impl Default for TrainOptions {
    fn default() -> Self {
        // The default of `train`; docs/defaults.md tells how it was chosen. A SPEC of ours always parses.
        let learner = Roster::parse(crate::DEFAULT_LEARNER).unwrap_or(Roster::Bank(Vec::new()));
        Self {
            recipe: crate::default_recipe_for(&learner),
            learner,
            task: Task::Auto,
            labels: Vec::new(),
            columns: FormatOptions::default(),
            format: None,
            passes: 1,
            shuffle: false,
            skip: 0,
            threads: 1,
            on_bad_line: OnBadLine::Fail,
            class_weights: BTreeMap::new(),
            checkpoint_every: 0,
            cache: None,
            seed: 0,
        }
    }
}

impl TrainOptions {
    /// How the files are read.
    #[must_use]
    pub fn read_options(&self, columns: &FormatOptions) -> ReadOptions {
        ReadOptions {
            format: self.format,
            columns: columns.clone(),
            threads: self.threads.max(1),
            on_bad_line: self.on_bad_line,
            ..ReadOptions::default()
        }
    }

    /// The label of an example to learn from, and its weight.
    pub(crate) fn labelled<'a>(&self, example: &Example<'a>) -> Result<(&'a [u8], f64)> {
        let Some(label) = example.label else { return Err(Error::NoLabel) };
        Ok((label, example.weight * self.class_weight(label)))
    }

    /// The factor on the weight of an example of this label.
    #[must_use]
    pub fn class_weight(&self, label: &[u8]) -> f64 {
        if self.class_weights.is_empty() {
            return 1.0;
        }
        let label = Label::read(&String::from_utf8_lossy(label));
        self.class_weights.get(&label).copied().unwrap_or(1.0)
    }
}

/// One round as an observer sees it.
#[derive(Debug)]
pub struct RoundView<'a> {
    /// What the model predicted and learned.
    pub round: &'a Learned<'a>,
    /// The batch that has the example, and where it stands there.
    pub(super) place: (&'a Batch, usize),
    /// Whether this is the first time the example is seen.
    pub first_pass: bool,
    /// The labels of the model.
    pub labels: &'a Labels,
    /// Features that the model knows, the bias included.
    pub features: usize,
}

impl<'a> RoundView<'a> {
    /// The example. It is looked up, because most who watch do without.
    #[must_use]
    pub fn example(&self) -> Example<'a> {
        let (batch, position) = self.place;
        batch.example(position)
    }
}

/// The end of a pass.
#[derive(Debug)]
pub struct Pass<'a> {
    /// Its number, from 0.
    pub number: usize,
    /// The model so far.
    pub model: &'a Model,
    /// The progressive scores of the first pass.
    pub progressive: &'a Progressive,
}

/// Takes each line that is skipped.
pub type TakeReject = Box<dyn FnMut(&Reject) + Send>;

/// Watches a run. Every method has a default that does nothing.
pub trait Observer {
    /// After every round.
    fn round(&mut self, _round: &RoundView<'_>) {}

    /// After some batches of examples; the scores are of the rounds that were told by then.
    fn progress(&mut self, _reading: Progress, _progressive: &Progressive) {}

    /// Every `checkpoint_every` rounds.
    fn checkpoint(&mut self, _model: &Model) -> Result<()> {
        Ok(())
    }

    /// After every pass.
    fn pass(&mut self, _pass: &Pass<'_>) -> Result<()> {
        Ok(())
    }

    /// An example was left out because of its label; `record` is its line, empty if nobody takes rejects, or if the example was
    /// parsed before this pass.
    fn refused(&mut self, _error: &Error, _record: &[u8]) {}

    /// Whether to end the run here and keep what was learned. Asked after some examples, and now and then while none come.
    fn stop(&mut self) -> bool {
        false
    }

    /// Who takes the lines that are skipped; asked for at the start of each pass, of which the first reads the files.
    fn take_rejects(&mut self) -> Option<TakeReject> {
        None
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
