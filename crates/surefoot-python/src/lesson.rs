//! A batch to learn from: rows, their classes and weights, in an order.

use std::ops::Range;

use pyo3::pybacked::PyBackedStr;
use surefoot::data::{Batch, Builder, Features, Plan};

use crate::rows::Source;

/// Rows with what there is to know of them.
pub struct Lesson<'a> {
    /// The rows.
    pub rows: &'a dyn Source,
    /// The place of each row's label in `labels`.
    pub codes: &'a [i64],
    /// Labels as a file spells them.
    pub labels: &'a [PyBackedStr],
    /// The importance of each row.
    pub weights: Option<&'a [f64]>,
    /// A factor on the importance of the rows of each label.
    pub class_weights: Option<&'a [f64]>,
    /// The order of the rows.
    pub order: Option<&'a [i64]>,
    /// Whether the rows are met for the first time: later passes are not counted as examples.
    pub first: bool,
}

impl Lesson<'_> {
    /// Refuses arrays that do not fit the rows, before anything is learned.
    pub fn check(&self) -> Result<(), String> {
        let count = self.rows.len();
        let lengths = [Some(self.codes.len()), self.weights.map(<[_]>::len), self.order.map(<[_]>::len)];
        if let Some(found) = lengths.into_iter().flatten().find(|&length| length != count) {
            return Err(format!("{count} rows, but {found} labels, weights or places in the order"));
        }
        let known = self.labels.len();
        if self.class_weights.is_some_and(|all| all.len() != known) {
            return Err(format!("a weight is needed for each of the {known} labels"));
        }
        self.weights.unwrap_or_default().iter().try_for_each(|&weight| check_weight(weight))?;
        check_below("label", self.codes, known)?;
        check_below("place", self.order.unwrap_or_default(), count)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Learns from the rows at these places of the order; a refusal comes with the row and how many were learned.
    pub fn learn(
        &self,
        model: &mut surefoot::Model,
        places: Range<usize>,
        reader: &mut Reader,
    ) -> Result<(), (surefoot::Error, Place)> {
        let plan = model.plan();
        let row_at = |place: usize| self.order.map_or(place, |order| order[place] as usize);
        for place in places.clone() {
            let row = row_at(place);
            if place + 1 < places.end && plan.takes_as_given() {
                reader.ahead.clear();
                self.rows.keys(row_at(place + 1), &mut reader.ahead);
                model.foresee(&reader.ahead);
            }
            let code = self.codes[row] as usize;
            let weight =
                self.weights.map_or(1.0, |all| all[row]) * self.class_weights.map_or(1.0, |all| all[code]);
            let at = Place { row, learned: place };
            let features = reader.read(self.rows, row, &plan).map_err(|error| (error, at))?;
            let round = model.learn(&features, self.labels[code].as_bytes(), weight);
            let round = round.map_err(|error| (error, at))?;
            let (mistake, updated) = (round.prediction.label != Some(round.class), round.updated);
            model.counts_mut().add_round(self.first, mistake, updated);
        }
        Ok(())
    }
}

/// Where learning ended.
#[derive(Clone, Copy)]
pub struct Place {
    /// The row that was refused.
    pub row: usize,
    /// How many rows were learned before it.
    pub learned: usize,
}

/// Reads one row after another into buffers that are reused.
#[derive(Default)]
pub struct Reader {
    /// Where a builder puts a row.
    pub batch: Batch,
    desk: (Vec<u64>, Vec<f64>),
    /// The keys of the row after this one.
    ahead: Vec<u64>,
}

impl Reader {
    /// The features of one row.
    pub fn read<'a>(
        &'a mut self,
        rows: &'a dyn Source,
        row: usize,
        plan: &Plan,
    ) -> surefoot::Result<Features<'a>> {
        if plan.takes_as_given()
            && let Some(features) = rows.canonical(row, &mut self.desk)
        {
            return Ok(features);
        }
        self.batch.clear();
        let mut builder = Builder::new(plan, &mut self.batch);
        builder.begin(row as u64 + 1);
        rows.read(row, &mut builder);
        builder.finish().map_err(|problem| surefoot::Error::Other(problem.to_string()))?;
        Ok(self.batch.example(0).features)
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
