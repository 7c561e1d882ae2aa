//! Predictions that need to be sure of a label, or not even half sure: labels with a probability of their own.

use surefoot_core::{F1Average, Task};
use surefoot_data::Label;

use crate::{Error, Model, Result};

/// From which probability on a label is predicted. A label with a threshold that its probability reaches goes before all
/// labels without one; of several that reach theirs, the most probable is predicted. If none does, it is the most probable of
/// the labels without a threshold.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::{Thresholds, data::Label, train::Silent};
///
/// let mail = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\nspam\tcheap watches\n");
/// let (model, _) = train(vec![mail], &TrainOptions::default(), &mut Silent)?;
/// let careful = Thresholds::new(&model, &[(Label::read("spam"), 0.9)])?;
/// // Class 0 is ham, class 1 is spam.
/// assert_eq!(careful.choose(&[0.2, 0.8], Some(1)), Some(0));
/// assert_eq!(careful.choose(&[0.05, 0.95], Some(1)), Some(1));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Thresholds {
    /// The classes, labels in order: of equally probable ones the smaller label goes first.
    order: Vec<usize>,
    /// The threshold of each class that has one.
    least: Vec<Option<f64>>,
}

impl Thresholds {
    /// Thresholds on labels of a model; one label at least must be without.
    pub fn new(model: &Model, thresholds: &[(Label, f64)]) -> Result<Self> {
        let labels = model.labels();
        let mut least = vec![None; labels.len()];
        put(model, thresholds, &mut least)?;
        if !least.is_empty() && least.iter().all(Option::is_some) {
            let problem =
                "every label has a threshold; leave out the one to be predicted where none is reached";
            return Err(Error::Other(problem.into()));
        }
        Ok(Self { order: labels.order().into_iter().map(|class| class as usize).collect(), least })
    }

    /// The class to predict by these probabilities; `predicted` is the model's own choice.
    #[must_use]
    pub fn choose(&self, probabilities: &[f64], predicted: Option<usize>) -> Option<usize> {
        let of = |class: usize| probabilities.get(class).copied().unwrap_or(0.0);
        let more = |a: usize, b: usize| if of(b) > of(a) { b } else { a };
        let classes = || self.order.iter().copied();
        let reached = classes().filter(|&class| self.least[class].is_some_and(|least| of(class) >= least));
        let others = || classes().filter(|&class| self.least[class].is_none());
        // The model decides ties in its own way.
        let own = predicted.filter(|&class| self.least.get(class).is_some_and(Option::is_none));
        predicted.and(reached.reduce(more).or(own).or_else(|| others().reduce(more)))
    }
}

/// Writes the thresholds of labels to the places of their classes.
fn put(model: &Model, thresholds: &[(Label, f64)], least: &mut [Option<f64>]) -> Result<()> {
    let labels = model.labels();
    for (label, probability) in thresholds {
        let Some(class) = labels.class(label.to_string().as_bytes()) else {
            let known: Vec<String> =
                labels.order().into_iter().map(|class| labels.name(class).to_string()).collect();
            let known = known.join(", ");
            return Err(Error::Other(format!("the model has no label `{label}`; its labels are {known}")));
        };
        if !(0.0..=1.0).contains(probability) {
            return Err(Error::Other(format!("{probability} is no probability: expected 0 to 1")));
        }
        least[class as usize] = Some(*probability);
    }
    Ok(())
}

/// What all labels have for a threshold that have none of their own, where a row may have several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CommonThreshold {
    /// This probability.
    Probability(f64),
    /// The one that makes F1 largest, as the model has learned it on the way.
    F1(F1Average),
}

impl Default for CommonThreshold {
    fn default() -> Self {
        Self::Probability(0.5)
    }
}

/// Above which probability each label is predicted, where a row may have several.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::{CommonThreshold, LabelThresholds, data::Label, train::Silent};
///
/// let news = Source::memory("news.ft", *b"__label__grain __label__ship wheat by ship\n__label__ship ship\n");
/// let (model, _) = train(vec![news], &TrainOptions::default(), &mut Silent)?;
/// let careful = LabelThresholds::new(&model, CommonThreshold::default(), &[(Label::read("ship"), 0.9)])?;
/// let mut labels = Vec::new();
/// // Class 0 is grain, class 1 is ship.
/// careful.choose(&[0.6, 0.8], &mut labels);
/// assert_eq!(labels, [0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LabelThresholds(Vec<f64>);

impl LabelThresholds {
    /// Thresholds on labels of a model that predicts several; those of `own` have their own.
    pub fn new(model: &Model, common: CommonThreshold, own: &[(Label, f64)]) -> Result<Self> {
        if model.task() != Task::Multilabel {
            let problem = "the model predicts one label a row; give a threshold to a label, as LABEL=P";
            return Err(Error::Other(problem.into()));
        }
        let mut least = vec![None; model.labels().len()];
        put(model, own, &mut least)?;
        let all = match common {
            CommonThreshold::Probability(p) if (0.0..=1.0).contains(&p) => vec![p; least.len()],
            CommonThreshold::Probability(p) => {
                return Err(Error::Other(format!("{p} is no probability: expected 0 to 1")));
            }
            CommonThreshold::F1(average) => model.head().f1_thresholds(average, least.len()),
        };
        Ok(Self(least.into_iter().zip(all).map(|(own, common)| own.unwrap_or(common)).collect()))
    }

    /// The labels above their thresholds, ascending.
    pub fn choose(&self, probabilities: &[f64], labels: &mut Vec<u32>) {
        labels.clear();
        let above = probabilities.iter().zip(&self.0).zip(0..).filter(|((p, least), _)| p > least);
        labels.extend(above.map(|(_, label)| label));
    }
}
