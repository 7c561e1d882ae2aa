//! How good a model is on labelled data that it does not learn from.

mod metrics;
mod ranked;
mod rare;
mod report;
mod tally;

pub use metrics::Metrics;
pub use ranked::{CoveragePoint, RankPoint, Ranked};
pub use rare::RarestLabel;
pub use report::{Accepted, Bin, ClassScores, Confused, Evaluation, UnknownLabel};
pub use tally::OutcomeTally;

use std::collections::BTreeMap;

use surefoot_core::{Prediction, Target, Task};
use surefoot_data::{Batch, Label, Labels, OnBadLine, Source};

use crate::{Error, LabelThresholds, Model, Predictor, Reading, Result};

/// Predicts every example of the sources and compares with its label. The model stays as it is.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::{Reading, evaluate, train::Silent};
///
/// let data = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\nspam\tcheap watches\n");
/// let (model, _) = train(vec![data.clone()], &TrainOptions::default(), &mut Silent)?;
/// let report = evaluate(&model, vec![data], &Reading::default())?;
/// assert_eq!((report.examples, report.mistakes(), report.metric("accuracy")), (3, 0, Some(1.0)));
/// assert_eq!(report.classes[1].label, "spam");
///
/// let odd = Source::memory("odd.tsv", *b"eggs\tlunch today\n");
/// let report = evaluate(&model, vec![odd], &Reading::default())?;
/// assert_eq!((report.mistakes(), report.unknown_labels[0].label.as_str()), (1, "eggs"));
/// # Ok::<(), Error>(())
/// ```
pub fn evaluate(model: &Model, sources: Vec<Source>, reading: &Reading) -> Result<Evaluation> {
    evaluate_with(model, sources, reading, None)
}

/// The same with thresholds of its own for labels of which a row may have several.
pub fn evaluate_with(
    model: &Model,
    sources: Vec<Source>,
    reading: &Reading,
    thresholds: Option<&LabelThresholds>,
) -> Result<Evaluation> {
    let mut reader = model.read(sources, reading)?;
    let (mut evaluator, mut unlabelled) = (Evaluator::new(model.labels()), 0);
    let (mut batch, mut predictor) = (Batch::new(), Predictor::new(model));
    while reader.next_batch(&mut batch)? {
        for example in batch.iter() {
            let several = model.task() == Task::Multilabel;
            if !several && example.labels().len() > 1 {
                let problem = "several labels to compare with, where the model predicts one";
                return Err(Error::Other(problem.into()).at(&batch, &example));
            }
            if example.label().is_none() && !several {
                if reading.on_bad_line == OnBadLine::Fail {
                    return Err(Error::Other("no label to compare with".into()).at(&batch, &example));
                }
                unlabelled += 1;
                continue;
            }
            predictor.predict(&example.features);
            if let Some(thresholds) = thresholds {
                predictor.choose_labels(thresholds);
            }
            evaluator.update(predictor.prediction(), example.labels());
        }
    }
    let mut found = evaluator.finish(reader.bad_lines() + unlabelled);
    found.familiarity = predictor.familiarity();
    found.notes = reader.findings().notes();
    Ok(found)
}

/// Gathers predictions and truths, wherever they come from. Every example counts once, whatever its weight.
#[derive(Debug)]
pub struct Evaluator<'a> {
    labels: &'a Labels,
    /// Labels that the model does not know, with a class beyond its own.
    unknown: BTreeMap<Label, (usize, u64)>,
    tally: OutcomeTally,
    /// The classes of an example's labels; reused.
    classes: Vec<u32>,
}

impl<'a> Evaluator<'a> {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(labels: &'a Labels) -> Self {
        Self { labels, unknown: BTreeMap::new(), tally: OutcomeTally::default(), classes: Vec::new() }
    }

    /// Takes in what was predicted of an example with this label, or these labels where it may have several.
    pub fn update<'l>(&mut self, prediction: &Prediction, labels: impl IntoIterator<Item = &'l [u8]>) {
        let mut classes = std::mem::take(&mut self.classes);
        classes.clear();
        classes.extend(labels.into_iter().map(|label| self.class_of(label) as u32));
        if self.labels.task() == Task::Multilabel {
            classes.sort_unstable();
            classes.dedup();
            self.tally.update(prediction, Target::Labels(&classes));
        } else if let Some(&class) = classes.first() {
            self.tally.update(prediction, Target::Class(class as usize));
        }
        self.classes = classes;
    }

    /// The report.
    #[must_use]
    pub fn finish(self, bad_lines: u64) -> Evaluation {
        let row = |(label, (_, count)): (&Label, &(usize, u64))| UnknownLabel {
            label: label.to_string(),
            count: *count,
        };
        let unknown_labels: Vec<_> = self.unknown.iter().map(row).collect();
        let mut by_class: Vec<_> = self.unknown.iter().collect();
        by_class.sort_by_key(|(_, (class, _))| *class);
        let by_class = by_class.into_iter().map(row).collect();
        Evaluation { unknown_labels, ..self.tally.evaluation(self.labels, by_class, bad_lines) }
    }

    fn class_of(&mut self, label: &[u8]) -> usize {
        if let Some(class) = self.labels.class(label) {
            return class as usize;
        }
        let next = self.labels.len() + self.unknown.len();
        let entry = self.unknown.entry(Label::read(&String::from_utf8_lossy(label))).or_insert((next, 0));
        entry.1 += 1;
        entry.0
    }
}
