//! Examples that a model takes one by one, in file order, and then learns together: a learner that has halves learns them
//! on two threads. Labels and features get their numbers as they are taken, so nothing depends on how many are together.

use std::ops::Range;
use std::thread;

use surefoot_core::{Features as Numbers, Lesson, Work};
use surefoot_data::Example;
use surefoot_data::model_file::Counts;

use crate::front::Front;
use crate::{Learned, Model, Result};

/// Examples that are learned together, at most.
pub(super) const TOGETHER: usize = 256;

/// Examples that were taken and not yet learned.
#[derive(Debug, Default)]
pub(super) struct Group {
    ids: Vec<u32>,
    values: Vec<f64>,
    /// The orders of the classes after each new label, one behind the other.
    orders: Vec<u32>,
    rows: Vec<Row>,
}

/// One of them.
#[derive(Debug)]
pub(super) struct Row {
    /// Where the example stands in its batch.
    pub(super) position: usize,
    /// Features that the model knew when it had taken it.
    pub(super) features: usize,
    class: usize,
    weight: f64,
    numbers: Range<usize>,
    /// If its label was new: how many classes there were, and where their order stands.
    classes: Option<(usize, Range<usize>)>,
}

impl Group {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Where the last of them stands in its batch.
    pub(super) fn last(&self) -> usize {
        self.rows.last().map_or(0, |row| row.position)
    }

    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.values.clear();
        self.orders.clear();
        self.rows.clear();
    }

    /// Takes an example.
    pub(super) fn take(
        &mut self,
        model: &mut Model,
        position: usize,
        example: &Example<'_>,
        label: &[u8],
        weight: f64,
    ) -> Result<()> {
        let Self { ids, values, orders, rows } = self;
        // Those that wait have the old indices, and are learned first.
        model.plan_move();
        let mut classes = None;
        let mut grow = |known: usize, order: &[u32]| {
            let start = orders.len();
            orders.extend_from_slice(order);
            classes = Some((known, start..orders.len()));
            Ok(())
        };
        let (class, numbers) = model.front.take(&example.features, label, weight, &mut grow)?;
        let start = ids.len();
        ids.extend_from_slice(numbers.ids());
        values.extend_from_slice(numbers.values());
        let features = model.front.preparer.space().len();
        rows.push(Row { position, features, class, weight, numbers: start..ids.len(), classes });
        Ok(())
    }

    /// Learns all of them; `heard` is told of each.
    pub(super) fn learn(
        &self,
        model: &mut Model,
        heard: &mut dyn FnMut(&Front, &mut Counts, &Row, &Learned<'_>),
    ) -> Result<()> {
        let lessons = self.rows.iter().map(|row| self.lesson(row)).collect::<Result<Vec<_>>>()?;
        let Model { learner, front, counts, .. } = model;
        learner.learn_all(&lessons, &on_two_threads, &mut |i, round| {
            let row = &self.rows[i];
            let (prediction, probability, updated) = (round.prediction, round.probability, round.updated);
            heard(front, counts, row, &Learned { class: row.class, prediction, probability, updated });
        })?;
        model.make_move();
        Ok(())
    }

    fn lesson<'a>(&'a self, row: &'a Row) -> Result<Lesson<'a>> {
        let x = Numbers::new(&self.ids[row.numbers.clone()], &self.values[row.numbers.clone()])?;
        let order = |(known, place): &'a (usize, Range<usize>)| (*known, &self.orders[place.clone()]);
        let classes = row.classes.as_ref().map(order);
        Ok(Lesson { x, class: row.class, weight: row.weight, classes })
    }
}

/// Two pieces of work at once.
fn on_two_threads(one: Work<'_>, other: Work<'_>) {
    thread::scope(|scope| {
        scope.spawn(other);
        one();
    });
}
