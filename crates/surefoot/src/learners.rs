//! Learners behind one encoder: the examples are turned into vectors once, for as many learners as there are. A model has
//! one; comparing, tuning and cross-validation have several.

use std::sync::Arc;

use surefoot_core::{Head, Learner, LearnerSpec, Prediction, RowKind, Scores, Task};
use surefoot_data::model_file::Counts;
use surefoot_data::{Encoder, FoundFeatures, KeyedFeatures, Label, LabelProblem, Row};

use crate::balance::ClassBalance;
use crate::beginning::Beginning;
use crate::first_rows::FirstRows;
use crate::train::changes::{ChangeWatch, OnDrift};
use crate::train::round::{Learned, OwnedTarget, Truth, evaluate, update};
use crate::{Error, Result};

/// The share of what was learned that is left where a learner adapts to a change; docs/guides/streams.md tells how it was
/// chosen.
const KEPT: f64 = 0.03;

/// A learner, its head, and what they have seen.
#[derive(Debug, Clone)]
pub(crate) struct Contestant {
    pub(crate) spec: LearnerSpec,
    pub(crate) learner: Box<dyn Learner>,
    pub(crate) head: Head,
    pub(crate) counts: Counts,
    /// What it has learned of each class, if all are to count alike.
    pub(crate) balance: Option<ClassBalance>,
    /// Whether its data changed.
    pub(crate) watch: ChangeWatch,
}

impl Contestant {
    /// A learner at the start of its stream that knows the labels.
    pub(crate) fn new(spec: &LearnerSpec, encoder: &Encoder) -> Result<Self> {
        let (task, ranks) = (encoder.task(), encoder.ranks());
        let mut learner = spec.build(task, ranks.len(), encoder.recipe().bias)?;
        learner.set_classes(ranks.len(), &ranks)?;
        let mut head = spec.head(task)?;
        head.set_classes(&ranks);
        Ok(Self {
            spec: spec.clone(),
            learner,
            head,
            counts: Counts::default(),
            balance: None,
            watch: ChangeWatch::default(),
        })
    }

    /// One more example to learn from: the truth about it with the importance that it has for this learner. `new` if it is met for
    /// the first time.
    pub(crate) fn weigh(&mut self, truth: &mut Truth, new: bool) {
        let Some(balance) = self.balance.as_mut().filter(|_| truth.weight > 0.0) else { return };
        // Of several labels a row none has a weight of its own.
        let Some(class) = truth.target().class() else { return };
        truth.weight *= balance.factor(class, new);
        if new {
            balance.count(class);
        }
    }

    /// Does what is to be done about a change of the data, if there was one.
    pub(crate) fn react(&mut self, encoder: &Encoder) -> Result<()> {
        if !self.watch.is_due() {
            return Ok(());
        }
        match self.watch.on_drift {
            OnDrift::Report => {}
            OnDrift::Adapt => {
                self.learner.discount(KEPT);
                self.head.discount(KEPT);
            }
            OnDrift::Reset => {
                let fresh = Self::new(&self.spec, encoder)?;
                (self.learner, self.head) = (fresh.learner, fresh.head);
            }
        }
        Ok(())
    }

    /// Members that join rows of this kind join now; others never will.
    pub(crate) fn settle(&mut self, rows: RowKind, ranks: &[u32]) -> Result<()> {
        let newcomers = self.spec.joining(rows);
        if let (false, Some(ensemble)) = (newcomers.is_empty(), self.learner.as_ensemble()) {
            let mut joined = ensemble.joined_by(newcomers)?;
            joined.set_classes(ensemble.classes(), ranks)?;
            self.head = self.head.joined_by(newcomers.len())?;
            self.head.set_classes(ranks);
            self.learner = Box::new(joined);
        }
        self.spec = self.spec.clone().for_rows(rows);
        Ok(())
    }
}

/// Buffers of one round, reused.
#[derive(Debug, Clone, Default)]
pub(crate) struct RoundBuffers {
    pub(crate) row: Row,
    scores: Scores,
    prediction: Prediction,
    truth: Truth,
}

/// The label of an example that is to have one.
fn only<'l>(mut labels: impl ExactSizeIterator<Item = &'l [u8]>) -> Result<&'l [u8]> {
    let count = labels.len();
    let label = labels.next().ok_or(Error::NoLabel)?;
    if count > 1 {
        let first = Label::read(&String::from_utf8_lossy(label)).to_string();
        return Err(LabelProblem::Several { count, first }.into());
    }
    Ok(label)
}

/// Learners that see the same examples.
#[derive(Debug, Clone)]
pub(crate) struct Learners {
    pub(crate) encoder: Encoder,
    pub(crate) contestants: Vec<Contestant>,
    /// The first rows, while they still decide which members learn.
    pub(crate) first_rows: Option<FirstRows>,
    /// What the stream began with.
    pub(crate) beginning: Beginning,
}

impl Learners {
    /// Learners at the start of their stream.
    pub(crate) fn new(encoder: Encoder, specs: &[LearnerSpec]) -> Result<Self> {
        let contestants = specs.iter().map(|spec| Contestant::new(spec, &encoder)).collect::<Result<_>>()?;
        let (first_rows, beginning) = (FirstRows::for_any(specs.iter()), Beginning::default());
        Ok(Self { encoder, contestants, first_rows, beginning })
    }

    /// What the rows are, where that is to be decided and is clear by now.
    pub(crate) fn row_verdict(&self) -> Option<RowKind> {
        let features = self.encoder.index().len().saturating_sub(usize::from(self.encoder.recipe().bias));
        self.first_rows?.verdict(features)
    }

    /// Decides which members learn.
    pub(crate) fn settle_rows(&mut self, rows: RowKind) -> Result<()> {
        self.first_rows = None;
        let ranks = self.encoder.ranks();
        self.contestants.iter_mut().try_for_each(|own| own.settle(rows, &ranks))
    }

    /// The truth about an example to learn from, and its vector in `row`; `found` is where its features were found before, if they
    /// were looked up. A label that is new comes to life in the round that learns it.
    pub(crate) fn encode<'l>(
        &mut self,
        features: &KeyedFeatures<'_>,
        found: &FoundFeatures,
        labels: impl ExactSizeIterator<Item = &'l [u8]> + Clone,
        weight: f64,
        row: &mut Row,
    ) -> Result<Truth> {
        let known = self.encoder.index().len();
        let (target, before) = match self.encoder.task() {
            Task::Multilabel => {
                let mut classes = Vec::new();
                let before =
                    self.encoder.encode_labels(features, found, labels, weight, row, &mut classes)?;
                (OwnedTarget::Labels(classes), before)
            }
            Task::Binary | Task::Multiclass => {
                let label = only(labels)?;
                let encoded = self.encoder.encode_found(features, found, label, weight, row)?;
                (OwnedTarget::Class(encoded.class), encoded.known)
            }
        };
        // The bias may be new too.
        let unknown = (self.encoder.index().len() - known).min(features.len());
        self.first_rows.iter_mut().for_each(|rows| rows.see(features));
        let new_class = before.map(|known| (known, Arc::from(self.encoder.ranks())));
        let unknown = unknown as f64 / features.len().max(1) as f64;
        Ok(Truth { target, weight, unknown, new_class })
    }

    /// The same for an example that is only predicted; its labels must be known.
    pub(crate) fn encode_known<'l>(
        &self,
        features: &KeyedFeatures<'_>,
        labels: impl ExactSizeIterator<Item = &'l [u8]>,
        weight: f64,
        row: &mut Row,
    ) -> Result<Truth> {
        let class = |label: &[u8]| self.encoder.labels().admit(label)?.ok_or(Error::NoLabel);
        let target = match self.encoder.task() {
            Task::Multilabel => {
                let mut classes = labels.map(class).collect::<Result<Vec<u32>>>()?;
                classes.sort_unstable();
                classes.dedup();
                OwnedTarget::Labels(classes)
            }
            Task::Binary | Task::Multiclass => OwnedTarget::Class(class(only(labels)?)? as usize),
        };
        self.encoder.encode_known(features, row);
        Ok(Truth { target, weight, unknown: 0.0, new_class: None })
    }

    /// A whole round of the first learner: predict, score, update, count.
    pub(crate) fn round<'b, 'l>(
        &mut self,
        features: &KeyedFeatures<'_>,
        labels: impl ExactSizeIterator<Item = &'l [u8]> + Clone,
        weight: f64,
        buffers: &'b mut RoundBuffers,
    ) -> Result<Learned<'b>> {
        // What the last rounds said of the data.
        self.contestants[0].react(&self.encoder)?;
        let RoundBuffers { row, scores, prediction, truth } = buffers;
        *truth = self.encode(features, &FoundFeatures::default(), labels.clone(), weight, row)?;
        self.beginning.see(labels, features);
        self.contestants[0].weigh(truth, true);
        let Contestant { learner, head, counts, watch, .. } = &mut self.contestants[0];
        update(&mut **learner, row.vector()?, truth, scores)?;
        let probability = evaluate(head, scores, truth, prediction)?;
        let updated = scores.updated();
        let learned = Learned { truth: truth.target(), prediction, probability, updated };
        learned.count(counts, true);
        watch.update(&learned, truth);
        // Example by example, all that comes is one long pass.
        counts.passes = counts.passes.max(1);
        if let Some(rows) = self.row_verdict() {
            self.settle_rows(rows)?;
        }
        Ok(learned)
    }
}
