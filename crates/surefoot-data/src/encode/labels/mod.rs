//! Labels and classes: what the file calls them, and the numbers that learners know them by.
//!
//! The order is fixed once and for all: numbers before words, numbers by value, words alphabetically; of two labels the
//! larger is the positive one. `1`, `+1` and `1.0` are one label and are written `1`: a number is written as the shortest
//! text that reads back as the same number.

mod label;

use serde::{Deserialize, Serialize};
use surefoot_core::Task;
use thiserror::Error;

pub use label::Label;
use label::{Classes, label_number};

/// Labels that one model may have. A regression target in the label column would pass any limit.
pub const LABEL_LIMIT: usize = 1 << 20;

/// Which labels may still come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Class 0 is negative, class 1 positive.
    Binary,
    /// The same, but only the label 1 was met: the other may turn out to be 0 instead of −1.
    Half,
    /// Several labels, all declared.
    Closed,
    /// New labels may come at any time.
    Open,
    /// Two labels, neither of which was met.
    Pair,
    /// The same once one was met: it is the positive one, whatever the other turns out to be.
    HalfPair,
}

/// The labels of a model, each with its class.
///
/// ```
/// use surefoot_data::Labels;
///
/// let mut labels = Labels::declared(&["spam", "ham"]).unwrap();
/// assert!(labels.is_binary());
/// assert_eq!(labels.class(b"spam"), Some(1)); // of two labels the larger is positive
/// assert_eq!(labels.meet(b"eggs").unwrap_err().to_string(),
///     "label 'eggs' is a third label in a binary problem with the labels 'ham' and 'spam'; train with \
///      --task multiclass, declare all labels with --labels, or leave such lines out with --on-bad-line skip");
///
/// let mut labels = Labels::open();
/// assert_eq!(labels.meet(b"b").unwrap(), 0); // classes by first appearance
/// assert_eq!(labels.meet(b"+1").unwrap(), 1);
/// assert_eq!(labels.meet(b"1.0").unwrap(), 1);
/// assert_eq!(labels.order(), [1, 0]); // numbers before words
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    kind: Kind,
    /// Whether a row may have several, or none.
    several: bool,
    /// By class.
    names: Vec<Label>,
    classes: Classes,
    /// The classes in the order of their labels.
    order: Vec<u32>,
}

impl Labels {
    /// Labels that are known beforehand, in any order. Two of them make the task binary.
    pub fn declared<S: AsRef<str>>(names: &[S]) -> Result<Labels, LabelProblem> {
        let mut list: Vec<Label> = names.iter().map(|name| Label::read(name.as_ref())).collect();
        list.sort_unstable();
        if let Some(pair) = list.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(LabelProblem::Twice(pair[0].shown()));
        }
        match list.len() {
            0 => Err(LabelProblem::None),
            1 => Err(LabelProblem::OnlyOne(list[0].shown())),
            2 => Ok(Labels::with(Kind::Binary, list)),
            3..=LABEL_LIMIT => Ok(Labels::with(Kind::Closed, list)),
            _ => Err(LabelProblem::TooMany),
        }
    }

    /// Several declared labels, even if they are two.
    pub fn declared_multiclass<S: AsRef<str>>(names: &[S]) -> Result<Labels, LabelProblem> {
        Labels::declared(names).map(|labels| Labels { kind: Kind::Closed, ..labels })
    }

    /// No labels yet: each comes to life when it is first met.
    pub fn open() -> Labels {
        Labels::with(Kind::Open, Vec::new())
    }

    /// The same where a row may have several labels, or none.
    ///
    /// ```
    /// use surefoot_core::Task;
    /// use surefoot_data::Labels;
    ///
    /// assert_eq!(Labels::open().of_several().task(), Task::Multilabel);
    /// ```
    #[must_use]
    pub fn of_several(self) -> Labels {
        Labels { several: true, ..self }
    }

    /// Labels that are known beforehand, of which a row may have several, or none.
    pub fn declared_several<S: AsRef<str>>(names: &[S]) -> Result<Labels, LabelProblem> {
        match names {
            // One label is a problem here: a row has it or not.
            [only] => Ok(Labels::with(Kind::Closed, vec![Label::read(only.as_ref())]).of_several()),
            _ => Labels::declared_multiclass(names).map(Labels::of_several),
        }
    }

    /// Two labels that come to life when they are first met. The first one is the positive one: which of two is the larger is
    /// not known before both have come.
    ///
    /// ```
    /// use surefoot_data::Labels;
    ///
    /// let mut labels = Labels::open_pair();
    /// assert_eq!((labels.meet(b"spam")?, labels.meet(b"zebra")?, labels.meet(b"spam")?), (1, 0, 1));
    /// assert!(labels.is_binary() && labels.meet(b"ham").is_err());
    /// # Ok::<(), surefoot_data::LabelProblem>(())
    /// ```
    pub fn open_pair() -> Labels {
        Labels::with(Kind::Pair, ["?", "??"].map(Label::read).to_vec())
    }

    pub(super) fn with(kind: Kind, names: Vec<Label>) -> Labels {
        let mut classes = Classes::default();
        names.iter().enumerate().for_each(|(class, name)| classes.insert(name, class as u32));
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        order.sort_unstable_by_key(|&class| &names[class as usize]);
        Labels { kind, several: false, names, classes, order }
    }

    /// Whether there are a negative label (class 0) and a positive one (class 1).
    pub fn is_binary(&self) -> bool {
        matches!(self.kind, Kind::Binary | Kind::Half | Kind::Pair | Kind::HalfPair)
    }

    /// What is told apart.
    pub fn task(&self) -> Task {
        match self.several {
            true => Task::Multilabel,
            false if self.is_binary() => Task::Binary,
            false => Task::Multiclass,
        }
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none yet.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The label of a class.
    ///
    /// # Panics
    /// If `class` is not below [`Labels::len`].
    pub fn name(&self, class: u32) -> &Label {
        &self.names[class as usize]
    }

    /// The labels by class.
    pub fn names(&self) -> &[Label] {
        &self.names
    }

    /// The classes in the order of their labels. Ties between classes go to the earlier one.
    pub fn order(&self) -> Vec<u32> {
        self.order.clone()
    }

    /// The labels themselves in that order.
    pub fn in_order(&self) -> Vec<String> {
        self.order.iter().map(|&class| self.names[class as usize].to_string()).collect()
    }

    /// The place of each class in that order.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.order.len()];
        (0..).zip(&self.order).for_each(|(place, &class)| ranks[class as usize] = place);
        ranks
    }

    /// The labels of two models together; those of `self` keep their classes.
    ///
    /// ```
    /// use surefoot_data::Labels;
    ///
    /// let (mut one, mut two) = (Labels::open(), Labels::open());
    /// one.meet(b"a")?;
    /// two.meet(b"b")?;
    /// assert_eq!(one.union(&two)?.class(b"b"), Some(1));
    /// assert!(Labels::declared(&["a", "b"])?.union(&Labels::declared(&["a", "c"])?).is_err());
    /// # Ok::<(), surefoot_data::LabelProblem>(())
    /// ```
    pub fn union(&self, other: &Labels) -> Result<Labels, LabelProblem> {
        if self.several != other.several {
            return Err(LabelProblem::Tasks);
        }
        match (self.is_binary(), other.is_binary()) {
            (true, true) if other.kind == Kind::Pair => return Ok(self.clone()),
            (true, true) if self.kind == Kind::Pair => return Ok(other.clone()),
            // Of a half-known pair only the positive label was met.
            (true, true) if other.is_half() => return self.holding(&other.names[1..]),
            (true, true) if self.is_half() => return other.holding(&self.names[1..]),
            (true, true) => return self.holding(&other.names),
            (false, false) => {}
            _ => return Err(LabelProblem::Tasks),
        }
        let mut union = self.clone();
        if other.kind == Kind::Open {
            union.kind = Kind::Open;
        }
        for name in &other.names {
            if union.classes.get(&name.to_string()).is_none() {
                union.add(name.clone());
            }
        }
        Ok(union)
    }

    /// Whether only the positive one of two labels was met.
    fn is_half(&self) -> bool {
        matches!(self.kind, Kind::Half | Kind::HalfPair)
    }

    /// These two labels, if they hold those that another pair has met, the last of which is its positive one.
    fn holding(&self, met: &[Label]) -> Result<Labels, LabelProblem> {
        for (label, class) in met.iter().rev().zip([1, 0]) {
            match self.classes.get(&label.to_string()) {
                None => return Err(self.refuse(self.kind, label.to_string().as_bytes())),
                Some(own) if own != class => return Err(LabelProblem::Turned(label.shown())),
                Some(_) => {}
            }
        }
        Ok(self.clone())
    }

    /// The class of a label, if it is known. Changes nothing.
    pub fn class(&self, label: &[u8]) -> Option<u32> {
        let text = String::from_utf8_lossy(label);
        match self.classes.get(&text) {
            None if self.kind == Kind::Half && label_number(&text) == Some(0.0) => Some(0),
            found => found,
        }
    }

    /// Whether a label can be learned from: its class, none if it would be new. Changes nothing.
    pub fn admit(&self, label: &[u8]) -> Result<Option<u32>, LabelProblem> {
        match (self.class(label), self.kind) {
            (Some(0), Kind::Half | Kind::HalfPair) | (None, Kind::HalfPair) | (_, Kind::Pair) => Ok(None),
            (None, kind) if kind != Kind::Open || self.names.len() >= LABEL_LIMIT => {
                Err(self.refuse(kind, label))
            }
            (class, _) => Ok(class),
        }
    }

    /// The class of a label to learn from. A label that is new gets the next class where new ones may come.
    pub fn meet(&mut self, label: &[u8]) -> Result<u32, LabelProblem> {
        match self.admit(label)? {
            Some(class) => Ok(class),
            None if self.is_half() => {
                // Now the negative label has shown how it is spelt.
                *self = Labels::with(Kind::Binary, vec![Label::read_bytes(label), self.names[1].clone()]);
                Ok(0)
            }
            None if self.kind == Kind::Pair => {
                let (first, unknown) = (Label::read_bytes(label), self.names.iter().cloned());
                let other = unknown.rev().find(|unknown| *unknown != first);
                *self = Labels::with(Kind::HalfPair, other.into_iter().chain([first]).collect());
                Ok(1)
            }
            None => Ok(self.add(Label::read_bytes(label))),
        }
    }

    fn add(&mut self, label: Label) -> u32 {
        let class = self.names.len() as u32;
        // Sorting them all anew for every label would take most of the time where there are thousands.
        let place = self.order.partition_point(|&other| self.names[other as usize] < label);
        self.order.insert(place, class);
        self.classes.insert(&label, class);
        self.names.push(label);
        class
    }

    fn refuse(&self, kind: Kind, label: &[u8]) -> LabelProblem {
        let found = Label::read_bytes(label).shown();
        match kind {
            Kind::Open => LabelProblem::TooMany,
            Kind::Closed => LabelProblem::Undeclared { found, declared: self.listed() },
            Kind::Binary | Kind::Half | Kind::Pair | Kind::HalfPair => LabelProblem::Third {
                found,
                negative: self.names[0].shown(),
                positive: self.names[1].shown(),
            },
        }
    }

    /// The labels for an error message: all of them if they are few.
    fn listed(&self) -> String {
        let few: Vec<String> = self.names.iter().take(10).map(Label::shown).collect();
        let more = if self.names.len() > few.len() { ", …" } else { "" };
        few.join(", ") + more
    }

    /// JSON for the model file.
    pub fn to_json(&self) -> String {
        let (kind, several) = (self.kind, self.several);
        let stored = Stored { kind, several, names: self.names.iter().map(Label::to_string).collect() };
        serde_json::to_value(stored).map(|value| value.to_string()).unwrap_or_default()
    }

    /// Reads what [`Labels::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Labels, LabelProblem> {
        let stored: Stored =
            serde_json::from_str(text).map_err(|error| LabelProblem::Stored(error.to_string()))?;
        let names: Vec<Label> = stored.names.iter().map(|name| Label::read(name)).collect();
        let labels = Labels { several: stored.several, ..Labels::with(stored.kind, names) };
        let count = labels.names.len();
        let fits = match stored.kind {
            Kind::Half | Kind::Binary | Kind::Pair | Kind::HalfPair if stored.several => false,
            Kind::Closed if stored.several => count >= 1,
            Kind::Half => count == 2 && labels.names[0] < labels.names[1],
            Kind::Binary | Kind::Pair | Kind::HalfPair => count == 2,
            Kind::Closed => count >= 2,
            Kind::Open => count <= LABEL_LIMIT,
        };
        if labels.classes.len() != count {
            return Err(LabelProblem::Stored(format!("{count} labels that are not all different")));
        }
        if fits {
            Ok(labels)
        } else {
            Err(LabelProblem::Stored(format!("{count} labels do not fit the task")))
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    kind: Kind,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    several: bool,
    names: Vec<String>,
}

/// What can be wrong with labels.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LabelProblem {
    /// A third label where two were expected.
    #[error(
        "label '{found}' is a third label in a binary problem with the labels '{negative}' and '{positive}'; train \
         with --task multiclass, declare all labels with --labels, or leave such lines out with --on-bad-line skip"
    )]
    Third {
        /// The label.
        found: String,
        /// One of the two.
        negative: String,
        /// The other.
        positive: String,
    },
    /// A label that was not declared.
    #[error(
        "label '{found}' is not among the declared labels {declared}; add it to --labels, or declare none and let \
         labels come as they are met"
    )]
    Undeclared {
        /// The label.
        found: String,
        /// The declared ones.
        declared: String,
    },
    /// No labels where some are needed.
    #[error(
        "there are no labels to learn from: no line has one; --label-column names the column that holds it, and \
         --label-prefix what it begins with in fastText files"
    )]
    None,
    /// One label where two are needed.
    #[error(
        "there is only one label, '{0}'; learning needs two: declare them with --labels if the data has one"
    )]
    OnlyOne(String),
    /// A label declared twice.
    #[error("label '{0}' is declared twice")]
    Twice(String),
    /// So many labels that they are surely not labels.
    #[error(
        "there are more than {LABEL_LIMIT} different labels; is the label column a number to be estimated?"
    )]
    TooMany,
    /// Labels of a binary problem beside labels of one with many classes.
    #[error(
        "the models are of different tasks: two labels, any number of them, or several a row; train both with the same --task"
    )]
    Tasks,
    /// Several labels where there is to be one.
    #[error(
        "the line has {count} labels, '{first}' and others, where the task is one label a line; train with --task multilabel, or \
         leave such lines out with --on-bad-line skip"
    )]
    Several {
        /// How many.
        count: usize,
        /// The first.
        first: String,
    },
    /// Labels that came in another order.
    #[error(
        "label '{0}' is the positive one in one model and the negative one in the other; declare the labels of both"
    )]
    Turned(String),
    /// Labels in a model file that cannot be read.
    #[error("the labels of the model are not readable: {0}")]
    Stored(String),
}

#[cfg(test)]
mod tests;
