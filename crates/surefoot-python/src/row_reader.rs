//! Rows in memory as batches of examples: what the loop that learns reads, and what predictions are made of.

use std::ops::Range;
use std::sync::Arc;

use pyo3::pybacked::PyBackedStr;
use surefoot::data::{Batch, BatchReader, Builder, Error, Fault, Order, Plan, Progress, Sink};

use crate::rows::RowSource;

/// Examples of a batch.
const BATCH_ROWS: usize = 256;
/// A batch with so many features is full, however few its examples.
const BATCH_FEATURES: usize = 1 << 16;

/// What there is to know of rows to learn from.
pub struct RowLabels<'a> {
    /// The place of each row's label in `labels`; where rows have any number of them, those of one row behind those of another.
    pub codes: &'a [i64],
    /// Where rows have any number of labels, where those of each row begin, and behind them where the last end.
    pub starts: Option<&'a [i64]>,
    /// Labels as a file spells them.
    pub labels: &'a [PyBackedStr],
    /// The importance of each row.
    pub weights: Option<&'a [f64]>,
    /// The order of the rows.
    pub order: Option<&'a [i64]>,
}

impl RowLabels<'_> {
    /// Refuses arrays that do not fit so many rows, before anything is learned.
    pub fn check(&self, rows: usize) -> Result<(), String> {
        let labels = self.starts.map_or(self.codes.len(), |starts| starts.len().saturating_sub(1));
        if let Some(starts) = self.starts
            && (starts.first() != Some(&0)
                || !starts.is_sorted()
                || starts.last() != Some(&(self.codes.len() as i64)))
        {
            return Err("the labels of each row are to begin where those of the row before end".into());
        }
        let lengths = [Some(labels), self.weights.map(<[_]>::len), self.order.map(<[_]>::len)];
        if let Some(found) = lengths.into_iter().flatten().find(|&length| length != rows) {
            return Err(format!("{rows} rows, but {found} labels, weights or places in the order"));
        }
        self.weights.unwrap_or_default().iter().try_for_each(|&weight| check_weight(weight))?;
        check_below("label", self.codes, self.labels.len())?;
        check_below("place", self.order.unwrap_or_default(), rows)
    }
}

/// Refuses a weight that no learner takes, before its label becomes known to the model.
pub fn check_weight(weight: f64) -> Result<(), String> {
    surefoot::core::check_weight(weight).map_err(|error| error.to_string())
}

fn check_below(what: &str, numbers: &[i64], limit: usize) -> Result<(), String> {
    match numbers.iter().find(|&&number| number < 0 || number as u64 >= limit as u64) {
        None => Ok(()),
        Some(found) => Err(format!("{what} {found} where there are {limit}")),
    }
}

/// Reads some of the rows, in the order that is asked for. The line of an example is its row, from 1.
pub struct RowReader<'a> {
    rows: &'a dyn RowSource,
    truth: Option<&'a RowLabels<'a>>,
    plan: Arc<Plan>,
    /// Places in the order.
    places: Range<usize>,
    next: usize,
}

impl<'a> RowReader<'a> {
    /// All rows, for prediction.
    pub fn unlabelled(rows: &'a dyn RowSource, plan: Arc<Plan>) -> Self {
        Self { rows, truth: None, plan, places: 0..rows.len(), next: 0 }
    }

    /// The rows at these places of the order, with labels and weights that were checked.
    pub fn labelled(
        rows: &'a dyn RowSource,
        truth: &'a RowLabels<'a>,
        plan: Arc<Plan>,
        places: Range<usize>,
    ) -> Self {
        Self { rows, truth: Some(truth), plan, next: places.start, places }
    }

    /// Puts the next rows into `batch`; false if there are none. A row that is refused ends the batch of the rows before
    /// it, and is an error when it comes first.
    pub fn fill(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        batch.clear();
        while self.next < self.places.end
            && batch.len() < BATCH_ROWS
            && batch.feature_count() < BATCH_FEATURES
        {
            let order = self.truth.and_then(|truth| truth.order);
            let row = order.map_or(self.next, |order| order[self.next] as usize);
            let mut builder = Builder::new(&self.plan, batch);
            builder.begin(row as u64 + 1);
            if let Some(truth) = self.truth {
                let label = |&code: &i64| truth.labels[code as usize].as_bytes();
                match truth.starts {
                    None => builder.label(label(&truth.codes[row])),
                    Some(starts) => {
                        let own = starts[row] as usize..starts[row + 1] as usize;
                        builder.labels(truth.codes[own].iter().map(label));
                    }
                }
                builder.weight(truth.weights.map_or(1.0, |weights| weights[row]));
            }
            self.rows.read(row, &mut builder);
            match builder.finish() {
                Ok(()) => self.next += 1,
                Err(problem) if batch.is_empty() => {
                    return Err(Error::line(&Arc::from(""), row as u64 + 1, b"", Fault::from(problem)));
                }
                Err(_) => break,
            }
        }
        Ok(!batch.is_empty())
    }
}

impl BatchReader for RowReader<'_> {
    fn start_pass(&mut self, order: Order) -> Result<(), Error> {
        if order != Order::File {
            return Err(Error::Reading("rows in memory have the order that they are given with".into()));
        }
        self.next = self.places.start;
        Ok(())
    }

    fn next_batch(&mut self, batch: &mut Batch, _stop: &mut dyn FnMut() -> bool) -> Result<bool, Error> {
        self.fill(batch)
    }

    fn progress(&self) -> Progress {
        let (read, all) = (self.next - self.places.start, self.places.len());
        Progress { bytes_read: read as u64, bytes_total: Some(all as u64) }
    }
}
