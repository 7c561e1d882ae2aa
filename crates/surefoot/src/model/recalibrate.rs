//! Recalibration of a model on rows that it has not learned, as after merging.

use surefoot_core::Task;
use surefoot_core::learner::{LabelledRow, recalibrate};
use surefoot_data::{Batch, OnBadLine, Row, Source};

use super::{Model, Predictor};
use crate::evaluate::{Evaluation, Evaluator};
use crate::{Error, Reading, Result};

impl Model {
    /// Learns anew, from labelled rows that no part of it has learned, how far its scores are to be trusted: the bias of every
    /// member, calibrations, and how much each member counts. All other weights stay. Returns how many rows there were.
    ///
    /// A merged model needs it where its parts saw other mixtures of labels, or few rows each; a few hundred rows are enough.
    /// Rows that it has learned make it too sure of itself.
    ///
    /// ```
    /// use surefoot::prelude::*;
    /// use surefoot::{Reading, train::Silent};
    ///
    /// let mail = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\n");
    /// let (mut model, _) = train(vec![mail], &TrainOptions::default(), &mut Silent)?;
    /// let held = Source::memory("held.tsv", *b"ham\tcheap lunch\nspam\tpills today\n");
    /// assert_eq!(model.recalibrate(vec![held], &Reading::default())?, 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn recalibrate(&mut self, sources: Vec<Source>, reading: &Reading) -> Result<u64> {
        self.check_one_label()?;
        let mut reader = self.read(sources, reading)?;
        let (mut batch, mut rows) = (Batch::new(), Vec::new());
        while reader.next_batch(&mut batch)? {
            self.label_rows(&batch, reading.on_bad_line, &mut rows)?;
        }
        if rows.is_empty() {
            return Err(Error::Other(
                "no rows with a label that the model knows: it cannot be recalibrated".into(),
            ));
        }
        self.recalibrate_on(&rows)?;
        Ok(rows.len() as u64)
    }

    /// Refuses a model whose rows may have several labels: each label has a calibration of its own, which merging keeps.
    pub(crate) fn check_one_label(&self) -> Result<()> {
        if self.task() == Task::Multilabel {
            return Err(Error::Other(
                "a model of several labels a row cannot be recalibrated; merge it without --recalibrate, and train its shards \
                 by themselves instead of with --shards"
                    .into(),
            ));
        }
        Ok(())
    }

    /// The examples of a batch with their classes, as this model sees them. A label that it does not know says nothing about its
    /// scores, and is left out.
    pub(crate) fn label_rows(
        &self,
        batch: &Batch,
        on_bad_line: OnBadLine,
        rows: &mut Vec<LabelledRow>,
    ) -> Result<()> {
        let mut row = Row::new();
        for example in batch.iter() {
            let Some(label) = example.label() else {
                if on_bad_line == OnBadLine::Fail {
                    return Err(Error::NoLabel.at(batch, &example));
                }
                continue;
            };
            if let Some(class) = self.labels().class(label) {
                self.encoder().encode_known(&example.features, &mut row);
                rows.push(LabelledRow::new(row.vector()?, class as usize));
            }
        }
        Ok(())
    }

    /// Error and log loss on labelled rows; none if there are none.
    pub(crate) fn tested_on(&self, batch: &Batch) -> (Option<f64>, Option<f64>) {
        let (mut evaluator, mut predictor) = (Evaluator::new(self.labels()), Predictor::new(self));
        for example in batch.iter() {
            if example.label().is_some() {
                evaluator.update(predictor.predict(&example.features), example.labels());
            }
        }
        let found = evaluator.finish(0);
        let some = (found.examples > 0).then_some(&found);
        (some.map(Evaluation::error_rate), some.and_then(|found| found.metric("log-loss")))
    }

    /// As [`Model::recalibrate`] for rows that are there already.
    pub(crate) fn recalibrate_on(&mut self, rows: &[LabelledRow]) -> Result<()> {
        let bias = self.learners.encoder.bias();
        let own = &mut self.learners.contestants[0];
        Ok(recalibrate(&mut *own.learner, &mut own.head, rows, bias)?)
    }
}
