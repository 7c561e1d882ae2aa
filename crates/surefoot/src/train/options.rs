//! What a training run is told.

use std::collections::BTreeMap;
use std::path::PathBuf;

use surefoot_core::{LearnerSpec, Task};
use surefoot_data::{
    Example, Format, FormatOptions, Label, OnBadLine, Order, PassOptions, ReadOptions, Recipe,
};

use crate::setters::setters;
use crate::{Error, Result};

/// How to train. Every setting has a default and a method of its name that sets it.
///
/// ```
/// use surefoot::prelude::*;
///
/// let options = TrainOptions::default().learner(LearnerSpec::parse("arow:r=0.1")?).passes(3).shuffle(true);
/// assert_eq!((options.passes, options.threads), (3, 1));
/// # Ok::<(), surefoot::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TrainOptions {
    /// The learner or ensemble.
    pub learner: LearnerSpec,
    /// Binary or multi-class; none for what the labels say.
    pub task: Option<Task>,
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
    /// Threads that read and evaluate beside the one that learns. The result does not depend on it.
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
        let learner = LearnerSpec::parse(crate::DEFAULT_LEARNER).unwrap_or(LearnerSpec::Ensemble(Vec::new()));
        Self {
            recipe: crate::default_recipe_for(&learner),
            learner,
            task: None,
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

setters! { TrainOptions:
    learner: LearnerSpec,
    task: Option<Task>,
    labels: Vec<String>,
    recipe: Recipe,
    columns: FormatOptions,
    format: Option<&'static Format>,
    passes: usize,
    shuffle: bool,
    skip: u64,
    threads: usize,
    on_bad_line: OnBadLine,
    class_weights: BTreeMap<Label, f64>,
    checkpoint_every: u64,
    cache: Option<PathBuf>,
    seed: u64,
}

impl TrainOptions {
    /// The order of a pass.
    pub(crate) fn order(&self, pass: usize) -> Order {
        match self.shuffle {
            true => Order::Shuffled(self.seed.wrapping_add(pass as u64)),
            false => Order::File,
        }
    }

    /// How often and in what order the sources are read.
    pub(crate) fn pass_options(&self) -> PassOptions {
        PassOptions { passes: self.passes, shuffle: self.shuffle, cache: self.cache.clone() }
    }

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
        let Some(label) = example.label() else { return Err(Error::NoLabel) };
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
