//! What a training run is told.

use std::collections::BTreeMap;
use std::path::PathBuf;

use surefoot_core::drift::DetectorSpec;
use surefoot_core::{LearnerSpec, Task};
use surefoot_data::{Format, FormatOptions, Label, OnBadLine, Order, PassOptions, ReadOptions, Recipe};

use super::changes::{OnDrift, default_detectors};
use crate::options::options;
use crate::{Error, Result};

options! {
    /// How to train. Every setting has a default and a method of its name that sets it.
    ///
    /// ```
    /// use surefoot::prelude::*;
    ///
    /// let options = TrainOptions::default().learner(LearnerSpec::parse("arow:r=0.1")?).passes(3).shuffle(true);
    /// assert_eq!((options.passes, options.threads), (3, 1));
    /// # Ok::<(), surefoot::Error>(())
    /// ```
    pub struct TrainOptions {
        /// The learner or ensemble. docs/defaults.md tells how its default was chosen.
        learner: LearnerSpec =
            // A SPEC of ours always parses.
            LearnerSpec::parse(crate::DEFAULT_LEARNER).unwrap_or(LearnerSpec::Ensemble(Vec::new())),
        /// Binary or multi-class; none for what the labels say.
        task: Option<Task> = None,
        /// Labels known beforehand; empty lets them come.
        labels: Vec<String> = Vec::new(),
        /// From parsed pieces to numbers.
        recipe: Recipe = crate::default_recipe_for(&learner),
        /// How columns are understood.
        columns: FormatOptions = FormatOptions::default(),
        /// Whether files may lack columns that a model which goes on was trained on.
        incomplete: bool = false,
        /// The format of all sources; none finds it.
        format: Option<&'static Format> = None,
        /// Passes over the data.
        passes: usize = 1,
        /// Whether each pass has an order of its own, drawn from the seed.
        shuffle: bool = false,
        /// Examples at the start that are left out, to go on where an earlier run was cut off.
        skip: u64 = 0,
        /// Threads that read and evaluate beside the one that learns. The result does not depend on it.
        threads: usize = 1,
        /// What to do with bad lines.
        on_bad_line: OnBadLine = OnBadLine::Fail,
        /// Factors on the importance weights of the examples of a label.
        class_weights: BTreeMap<Label, f64> = BTreeMap::new(),
        /// Whether all labels count alike, however rare some are: an example weighs more the fewer of its label were met so far. A
        /// model that began so goes on so.
        balanced: bool = false,
        /// What watches the first pass for changes of the data; nothing if there are none. A model that does something about changes
        /// goes on with the detectors that it began with.
        detectors: Vec<&'static DetectorSpec> = default_detectors(),
        /// What is done where error or log loss rise by more than chance explains. A model goes on as it began.
        on_drift: OnDrift = OnDrift::Report,
        /// Rounds between two checkpoints; 0 for none.
        checkpoint_every: u64 = 0,
        /// Where parsed examples are kept for later runs of the same files.
        cache: Option<PathBuf> = None,
        /// Seed of everything that is drawn at random.
        seed: u64 = 0,
    }
}

impl TrainOptions {
    /// The order of a pass.
    pub(crate) fn order(&self, pass: usize) -> Order {
        match self.shuffle {
            true => Order::Shuffled(self.seed.wrapping_add(pass as u64)),
            false => Order::File,
        }
    }

    /// Refuses weights of labels where a row may have several: a row has one importance.
    pub(super) fn check_weights(&self, task: Task) -> Result<()> {
        if task != Task::Multilabel || (!self.balanced && self.class_weights.is_empty()) {
            return Ok(());
        }
        let hint = "with several, leave --class-weight out, and give rows an importance, or rare labels thresholds when predicting";
        Err(Error::Other(format!("labels have weights only where a row has one label; {hint}")))
    }

    /// How often and in what order the sources are read.
    pub(crate) fn pass_options(&self) -> PassOptions {
        PassOptions { passes: self.passes, shuffle: self.shuffle, cache: self.cache.clone() }
    }

    /// How the columns of files for a new model are understood: their first rows are looked at.
    #[must_use]
    pub fn columns_to_find(&self) -> FormatOptions {
        FormatOptions { look: true, ..self.columns.clone() }
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
}
