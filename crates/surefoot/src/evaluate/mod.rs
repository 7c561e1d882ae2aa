//! How good a model is on labelled data that it does not learn from.

mod metrics;
mod report;

pub use metrics::Metrics;
pub use report::{Accepted, Bin, ClassScores, Confused, Evaluation, UnknownLabel};

use std::collections::BTreeMap;

use surefoot_core::metric::{
    AccuracyAtRejection, ClassCounts, Confusion, Metric, MetricSet, Outcome, Reliability,
};
use surefoot_core::{Prediction, Target};
use surefoot_data::{Batch, Label, Labels, OnBadLine, Source};

use crate::{Error, Model, Predictor, Reading, Result};

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
    let mut reader = model.read(sources, reading)?;
    let (mut evaluator, mut unlabelled) = (Evaluator::new(model.labels()), 0);
    let (mut batch, mut predictor) = (Batch::new(), Predictor::new(model));
    while reader.next_batch(&mut batch)? {
        for example in batch.iter() {
            let Some(label) = example.label() else {
                if reading.on_bad_line == OnBadLine::Fail {
                    return Err(Error::Other("no label to compare with".into()).at(&batch, &example));
                }
                unlabelled += 1;
                continue;
            };
            evaluator.update(predictor.predict(&example.features), label);
        }
    }
    Ok(evaluator.finish(reader.bad_lines() + unlabelled))
}

/// Predictions below these probabilities are left for a person to decide, one table row each.
const THRESHOLDS: [f64; 6] = [0.5, 0.7, 0.8, 0.9, 0.95, 0.99];

/// Gathers predictions and truths, wherever they come from. Every example counts once, whatever its weight.
#[derive(Debug)]
pub struct Evaluator<'a> {
    labels: &'a Labels,
    /// Labels that the model does not know, with a class beyond its own.
    unknown: BTreeMap<Label, (usize, u64)>,
    examples: u64,
    metrics: MetricSet,
    reliability: Reliability,
    counts: ClassCounts,
    confusion: Confusion,
    rejection: Vec<(f64, AccuracyAtRejection)>,
    probabilities: Vec<f64>,
}

impl<'a> Evaluator<'a> {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(labels: &'a Labels) -> Self {
        Self {
            labels,
            unknown: BTreeMap::new(),
            examples: 0,
            metrics: MetricSet::of(|_| true),
            reliability: Reliability::default(),
            counts: ClassCounts::default(),
            confusion: Confusion::default(),
            rejection: THRESHOLDS.iter().map(|&t| (t, AccuracyAtRejection::new(t))).collect(),
            probabilities: Vec::new(),
        }
    }

    /// Takes in what was predicted of an example with this label.
    pub fn update(&mut self, prediction: &Prediction, label: &[u8]) {
        let truth = self.class_of(label);
        prediction.probabilities(&mut self.probabilities);
        let outcome = Outcome {
            truth: Target::Class(truth),
            predicted: prediction.label,
            probabilities: &self.probabilities,
            score: prediction.logit(),
        };
        self.examples += 1;
        self.metrics.update(&outcome, 1.0);
        self.reliability.update(&outcome, 1.0);
        self.rejection.iter_mut().for_each(|(_, metric)| metric.update(&outcome, 1.0));
        self.counts.update(&outcome, 1.0);
        self.confusion.update(&outcome, 1.0);
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
