//! Members that learn several examples at a time, one half of them beside the other half.
//!
//! No member knows of another, so it does not matter who learns first. What each of them said is kept until the bank's
//! last word, which is said of one example after the other.

use super::super::sequel::Said;
use super::super::{Both, Learner, Lesson};
use super::Seat;
use crate::{Features, Result};

/// What all members have said of several examples.
#[derive(Debug, Default)]
pub(super) struct Halves([Half; 2]);

impl Halves {
    /// Every member learns every example.
    pub(super) fn learn(
        &mut self,
        learners: &mut [Box<dyn Learner>],
        seats: &[Seat],
        bias: bool,
        lessons: &[Lesson<'_>],
        both: Both<'_>,
    ) -> Result<()> {
        let ((one, other), (seats, others)) =
            (learners.split_at_mut(middle(seats)), seats.split_at(middle(seats)));
        let (mut learned, mut too) = (Ok(()), Ok(()));
        let [half, rest] = &mut self.0;
        both(&mut || learned = half.learn(one, seats, bias, lessons), &mut || {
            too = rest.learn(other, others, bias, lessons)
        });
        learned.and(too)
    }

    /// Puts what was said of an example where it would stand had it been the last one. Returns how many classes there were
    /// before it.
    pub(super) fn recall(&mut self, example: usize, seats: &mut [Seat]) -> usize {
        let (seats, others) = seats.split_at_mut(middle(seats));
        let [half, rest] = &mut self.0;
        half.recall(example, seats);
        rest.recall(example, others);
        half.classes[example]
    }
}

fn middle(seats: &[Seat]) -> usize {
    seats.len().div_ceil(2)
}

/// What a half of the members has said of several examples.
#[derive(Debug, Default)]
struct Half {
    /// The example as a member sees it.
    values: Vec<f64>,
    /// Example by example, all members of this half side by side.
    said: Vec<Said>,
    /// How many classes there were before each example.
    classes: Vec<usize>,
}

impl Half {
    fn learn(
        &mut self,
        learners: &mut [Box<dyn Learner>],
        seats: &[Seat],
        bias: bool,
        lessons: &[Lesson<'_>],
    ) -> Result<()> {
        self.classes.clear();
        self.said.resize_with(self.said.len().max(lessons.len() * seats.len()), Said::default);
        let mut said = self.said.iter_mut();
        for (i, lesson) in lessons.iter().enumerate() {
            let next = lessons.get(i + 1).map_or(&[][..], |next| next.x.ids());
            for (learner, seat) in learners.iter_mut().zip(seats) {
                if let Some((classes, order)) = lesson.classes {
                    learner.set_classes(classes, order)?;
                }
                if self.classes.len() == i {
                    self.classes.push(learner.classes());
                }
                seat.view.apply(lesson.x, bias, &mut self.values);
                let seen = Features::new(lesson.x.ids(), &self.values)?.before(next);
                let round = learner.learn(seen, lesson.class, lesson.weight)?;
                if let Some(said) = said.next() {
                    said.take(round);
                }
            }
        }
        Ok(())
    }

    fn recall(&mut self, example: usize, seats: &mut [Seat]) {
        let from = example * seats.len();
        for (said, seat) in self.said[from..].iter_mut().zip(seats) {
            std::mem::swap(&mut seat.said, said);
        }
    }
}
