//! What is to be told apart, and how often and in which order the data is gone through.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use surefoot::Model;
use surefoot::core::{LARGEST_WEIGHT, LearnerSpec, Task, check_weight};
use surefoot::data::{Label, Recipe};
use surefoot::train::TrainOptions;

use super::{ColumnFlags, DataFlags, FeatureFlags};

/// The problem and the passes over its data.
#[derive(Args, Debug, Clone)]
pub struct ProblemFlags {
    /// Passes over the data
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    pub passes: usize,
    /// Learn in random order, a new one each pass
    #[arg(long)]
    pub shuffle: bool,
    /// Seed of everything that is drawn at random; 0 if nothing is said
    #[arg(long, value_name = "S", hide_short_help = true)]
    seed: Option<u64>,
    /// What is to be told apart; auto decides from the labels
    #[arg(long, value_enum, value_name = "TASK", default_value = "auto")]
    task: TaskWord,
    /// Labels known beforehand; otherwise they come to life when first met
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', allow_hyphen_values = true)]
    labels: Vec<String>,
    /// Factors on the importance of labels, or `balanced`
    #[arg(
        long,
        value_name = "LABEL=W,…",
        value_delimiter = ',',
        value_parser = class_weight,
        allow_hyphen_values = true
    )]
    class_weight: Vec<ClassWeight>,
}

impl ProblemFlags {
    /// Everything of a run with this learner; `recipe` holds where nothing is said about features.
    pub fn options(
        &self,
        mut learner: LearnerSpec,
        recipe: Recipe,
        features: &FeatureFlags,
        columns: &ColumnFlags,
        reading: &DataFlags,
    ) -> TrainOptions {
        let mut options = TrainOptions::default().recipe(recipe);
        features.apply(&mut learner, &mut options.recipe);
        columns.apply(&mut options.columns);
        options
            .learner(learner)
            .task(self.task.into())
            .labels(self.labels.clone())
            .format(reading.format.0)
            .passes(self.passes)
            .shuffle(self.shuffle)
            .threads(reading.threads())
            .on_bad_line(reading.on_bad_line.into())
            .class_weights(self.class_weights())
            .balanced(self.class_weight.iter().any(|weight| matches!(weight, ClassWeight::Balanced)))
            .seed(self.seed.unwrap_or(0))
    }

    /// What these flags say that a model which goes on was not begun with, if they do.
    pub fn differs_from(&self, model: &Model) -> Option<&'static str> {
        let labels = model.labels();
        if Option::from(self.task).is_some_and(|task: Task| task != model.task()) {
            Some("another task")
        } else if self.labels.iter().any(|label| !labels.names().contains(&Label::read(label))) {
            Some("other labels")
        } else if self.seed.is_some_and(|seed| seed != model.seed()) {
            Some("another seed")
        } else {
            None
        }
    }

    fn class_weights(&self) -> BTreeMap<Label, f64> {
        let factor = |one: &ClassWeight| match one {
            ClassWeight::Of(label, weight) => Some((label.clone(), *weight)),
            ClassWeight::Balanced => None,
        };
        self.class_weight.iter().filter_map(factor).collect()
    }
}

/// The task as users type it.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum TaskWord {
    /// Two labels make it binary, more multi-class, several in a row multi-label
    Auto,
    /// Two labels
    Binary,
    /// Any number of labels
    Multiclass,
    /// Any number of labels, of which a row has none, one or several
    Multilabel,
}

impl From<TaskWord> for Option<Task> {
    fn from(word: TaskWord) -> Self {
        match word {
            TaskWord::Auto => None,
            TaskWord::Binary => Some(Task::Binary),
            TaskWord::Multiclass => Some(Task::Multiclass),
            TaskWord::Multilabel => Some(Task::Multilabel),
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n| n > 0).ok_or_else(|| "expected a whole number of at least 1".into())
}

/// What the examples of a label count.
#[derive(Debug, Clone)]
enum ClassWeight {
    /// The more the fewer there are.
    Balanced,
    /// By this factor.
    Of(Label, f64),
}

fn class_weight(text: &str) -> Result<ClassWeight, String> {
    if text == "balanced" {
        return Ok(ClassWeight::Balanced);
    }
    let pair = text.rsplit_once('=').and_then(|(label, weight)| Some((label, weight.parse::<f64>().ok()?)));
    match pair {
        Some((label, weight)) if check_weight(weight).is_ok() => {
            Ok(ClassWeight::Of(Label::read(label), weight))
        }
        _ => Err(format!("expected LABEL=WEIGHT with a weight from 0 to {LARGEST_WEIGHT:e}, or `balanced`")),
    }
}
