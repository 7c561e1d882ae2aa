//! A bank: several learners side by side in one pass, and one more that learns whom to believe.
//!
//! Each member says calibrated logits; `stack` weighs and adds them. What comes out is seldom worse than the best member
//! and often better. Members of one kind share a table and a pass over each example; others learn one after the other.

mod crew;
mod fused;
mod halves;
mod record;
mod row;
mod stack;
mod walk;

use std::sync::OnceLock;

use super::{Both, Learner, Lesson, Merging, Part, Prediction, Round, check_weight, one_by_one};
use crate::gaussian::{Gaussian, Weight};
use crate::probability::Voter;
use crate::state::State;
use crate::view::View;
use crate::{Error, Features, Result, Spec, Task};
use crew::Crew;
use halves::Halves;
pub use record::Record;
use stack::Stack;

/// One place in a bank: who sits there, and what it did in the last round.
#[derive(Debug)]
struct Seat {
    spec: Spec,
    view: View,
    /// Which of the bank's value buffers it reads.
    buffer: usize,
    prediction: Prediction,
    probability: f64,
    updated: bool,
}

/// Learners side by side.
///
/// ```
/// use surefoot_core::{Learner, Roster, Task, Vector};
/// let mut bank = Roster::parse("bank(arow:r=0.1@none; logistic@none)")?.build(Task::Binary, false)?;
/// let x = Vector::from_pairs([(0, 1.0)])?;
/// bank.learn(x.features(), 1, 1.0)?;
/// assert_eq!(bank.predict(x.features()).label, Some(1));
/// assert_eq!(bank.as_bank().unwrap().shares().len(), 2);
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Bank {
    task: Task,
    seats: Vec<Seat>,
    records: Vec<Record>,
    crew: Crew,
    views: Vec<View>,
    /// Whether the last feature of every example is the bias, which no view changes.
    bias: bool,
    values: Vec<Vec<f64>>,
    /// What the members said of several examples.
    halves: Halves,
    rounds: u64,
    stack: Stack,
    prediction: Prediction,
    /// The best member alone, made when somebody inspects it.
    shown: OnceLock<Box<dyn Learner>>,
}

impl Bank {
    /// A bank of members at the start of their stream.
    pub fn new(members: &[(Spec, View)], task: Task, bias: bool) -> Result<Self> {
        if members.is_empty() {
            return Err(Error::Conflict("a bank needs at least one learner".into()));
        }
        let mut views: Vec<View> = Vec::new();
        for (_, view) in members {
            if !views.contains(view) {
                views.push(*view);
            }
        }
        // Those of unit length last: they may start from what the others have made.
        views.sort_by_key(|view| view.unit);
        let mut seats = Vec::new();
        for (spec, view) in members {
            let buffer = views.iter().position(|v| v == view).unwrap_or(0);
            let (spec, view, prediction) = (spec.clone(), *view, Prediction::default());
            seats.push(Seat { spec, view, buffer, prediction, probability: 0.0, updated: false });
        }
        let specs: Vec<&Spec> = seats.iter().map(|seat| &seat.spec).collect();
        let crew = Crew::new(&specs, task)?;
        Ok(Self {
            task,
            records: vec![Record::default(); seats.len()],
            crew,
            bias,
            values: vec![Vec::new(); views.len()],
            views,
            halves: Halves::default(),
            rounds: 0,
            stack: Stack::new(members.len(), task)?,
            prediction: Prediction::default(),
            shown: OnceLock::new(),
            seats,
        })
    }

    /// The members: settings, view, and what each has done.
    pub fn members(&self) -> impl ExactSizeIterator<Item = (&Spec, View, Record)> {
        self.seats.iter().zip(&self.records).map(|(seat, record)| (&seat.spec, seat.view, *record))
    }

    /// Rounds so far.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The share of each member in the next prediction; they sum to 1.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        self.stack.shares()
    }

    /// The member with the smallest progressive log loss; ties go to the first.
    #[must_use]
    pub fn best(&self) -> usize {
        let better = |a: usize, b: usize| if self.records[b].loss < self.records[a].loss { b } else { a };
        (0..self.records.len()).reduce(better).unwrap_or(0)
    }

    /// A member alone: it goes on as it would have gone on in the bank.
    pub fn extract(&self, member: usize) -> Result<Box<dyn Learner>> {
        fused::alone(&self.seats[member].spec, self.task_now(), self.member_state(member))
    }

    /// The task with the classes there are by now.
    fn task_now(&self) -> Task {
        match self.task {
            Task::Binary => Task::Binary,
            Task::Multiclass { .. } => Task::Multiclass { classes: self.classes() },
        }
    }

    fn member_state(&self, member: usize) -> State<'_> {
        match &self.crew {
            Crew::Apart(learners) => learners[member].save(),
            Crew::Fused(fused) => fused.member(member),
        }
    }

    fn learn_members(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<()> {
        View::apply_all(&self.views, x, self.bias, &mut self.values);
        match &mut self.crew {
            Crew::Fused(fused) => fused.learn(x, &mut self.seats, &self.values, class, weight),
            Crew::Apart(learners) => {
                for (seat, learner) in self.seats.iter_mut().zip(learners) {
                    let seen = Features::new(x.ids(), &self.values[seat.buffer])?;
                    let round = learner.learn(seen, class, weight)?;
                    seat.prediction.copy_from(round.prediction);
                    (seat.probability, seat.updated) = (round.probability, round.updated);
                }
                Ok(())
            }
        }
    }

    /// The last word on an example that all members have learned; there were so many classes before it.
    fn conclude(&mut self, classes: usize, class: usize, weight: f64) -> Result<Round<'_>> {
        for (seat, record) in self.seats.iter().zip(&mut self.records).filter(|_| weight > 0.0) {
            record.update(seat.prediction.label != Some(class), seat.probability, weight);
        }
        self.rounds += u64::from(weight > 0.0);
        let said = self.seats.iter().map(|seat| &seat.prediction);
        let probability = self.stack.learn(said, classes, class, weight, &mut self.prediction)?;
        let updated = self.seats.iter().any(|seat| seat.updated);
        Ok(Round { prediction: &self.prediction, probability, updated })
    }

    fn predict_members(&self, x: Features<'_>) -> Vec<Prediction> {
        let mut values = vec![Vec::new(); self.views.len()];
        View::apply_all(&self.views, x, self.bias, &mut values);
        let mut out = vec![Prediction::default(); self.seats.len()];
        match &self.crew {
            Crew::Fused(fused) => fused.predict(x, &self.seats, &values, &mut out),
            Crew::Apart(learners) => {
                for ((seat, learner), out) in self.seats.iter().zip(learners).zip(&mut out) {
                    if let Ok(seen) = Features::new(x.ids(), &values[seat.buffer]) {
                        learner.predict_into(seen, out);
                    }
                }
            }
        }
        out
    }
}

/// What the tensors of a common table are called.
const TABLE: &str = "table";

/// What the tensors of the members' weights are called.
const STACK: &str = "stack";

/// What a member's tensors are called.
fn member_name(member: usize) -> String {
    format!("member{member:02}")
}

fn add_scaled(sum: &mut [f64], share: f64, part: &[f64]) {
    for (s, p) in sum.iter_mut().zip(part) {
        *s += share * p;
    }
}

impl Learner for Bank {
    fn classes(&self) -> usize {
        self.crew.classes()
    }

    fn set_classes(&mut self, classes: usize, order: &[u32]) -> Result<()> {
        self.crew.set_classes(classes, order)
    }

    fn predict_into(&self, x: Features<'_>, out: &mut Prediction) {
        self.stack.combine(self.predict_members(x).iter(), self.classes(), out);
    }

    fn learn(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<Round<'_>> {
        check_weight(weight)?;
        self.shown.take();
        let classes = self.classes();
        if self.task == Task::Binary && class > 1 {
            return Err(Error::Example(format!("class {class} in a binary learner: expected 0 or 1")));
        }
        self.learn_members(x, class, weight)?;
        self.conclude(classes, class, weight)
    }

    fn has_halves(&self) -> bool {
        matches!(&self.crew, Crew::Apart(learners) if learners.len() > 1)
    }

    fn learn_all(
        &mut self,
        lessons: &[Lesson<'_>],
        both: Both<'_>,
        heard: &mut dyn FnMut(usize, Round<'_>),
    ) -> Result<()> {
        let Crew::Apart(learners) = &mut self.crew else { return one_by_one(self, lessons, heard) };
        lessons.iter().try_for_each(|lesson| check_weight(lesson.weight))?;
        self.shown.take();
        self.halves.learn(learners, &self.seats, self.bias, lessons, both)?;
        for (i, lesson) in lessons.iter().enumerate() {
            let classes = self.halves.recall(i, &mut self.seats);
            heard(i, self.conclude(classes, lesson.class, lesson.weight)?);
        }
        Ok(())
    }

    fn vote_into(&self, x: Features<'_>, voter: &mut Voter, votes: &mut Vec<f64>) {
        let (mut mixture, mut values) = (vec![0.0; self.classes()], Vec::new());
        let predictions = self.predict_members(x);
        for (i, share) in self.shares().into_iter().enumerate() {
            self.seats[i].view.apply(x, self.bias, &mut values);
            match (&self.crew, Features::new(x.ids(), &values)) {
                (Crew::Apart(learners), Ok(seen)) => learners[i].vote_into(seen, voter, votes),
                _ => {
                    votes.clear();
                    votes.extend([predictions[i].negative_vote(), predictions[i].positive_vote()]);
                }
            }
            add_scaled(&mut mixture, share, votes);
        }
        *votes = mixture;
    }

    fn foresee(&mut self, ids: &[u32]) {
        self.crew.foresee(ids);
    }

    fn movable_cell(&self) -> Option<usize> {
        self.crew.movable_cell()
    }

    fn relocate(&mut self, places: &[u32]) {
        self.shown.take();
        self.crew.relocate(places);
    }

    fn gaussian(&self) -> &dyn Gaussian {
        match &self.crew {
            Crew::Apart(learners) => learners[self.best()].gaussian(),
            Crew::Fused(_) => {
                // The member's own state always fits the member's own SPEC.
                let fresh = || self.extract(self.best()).expect("a member's state fits its SPEC");
                self.shown.get_or_init(fresh).gaussian()
            }
        }
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        match &self.crew {
            Crew::Apart(learners) => learners[self.best()].weight(feature, block),
            Crew::Fused(fused) => Some(fused.weight(self.best(), feature)),
        }
    }

    fn prior(&self) -> f64 {
        match &self.crew {
            Crew::Apart(learners) => learners[self.best()].prior(),
            Crew::Fused(fused) => fused.prior(self.best()),
        }
    }

    fn as_bank(&self) -> Option<&Bank> {
        Some(self)
    }

    fn merge(&mut self, parts: &[Part<'_>], merging: Merging) -> Result<()> {
        let banks: Vec<&Bank> = parts.iter().filter_map(|part| part.learner.as_bank()).collect();
        if banks.len() != parts.len() || banks.iter().any(|bank| bank.seats.len() != self.seats.len()) {
            return Err(Error::Conflict("a bank merges only with banks of the same members".into()));
        }
        let mut state = State::default();
        for (i, seat) in self.seats.iter().enumerate() {
            let alone = banks.iter().map(|bank| bank.extract(i)).collect::<Result<Vec<_>>>()?;
            let own = parts.iter().zip(&alone).map(|(part, learner)| Part { learner: &**learner, ..*part });
            let mut merged = fused::alone(&seat.spec, self.task_now(), self.member_state(i))?;
            merged.merge(&own.collect::<Vec<_>>(), merging)?;
            let mut part = merged.save().into_owned();
            Record::sum(parts.iter().zip(&banks).map(|(part, bank)| (bank.records[i], part.times)))
                .save(&mut part);
            state.join(&member_name(i), part);
        }
        let mut stack = Stack::new(self.seats.len(), self.task)?;
        let stacks: Vec<_> = banks.iter().map(|bank| &bank.stack).zip(parts).collect();
        stack.merge(&stacks)?;
        state.join(STACK, stack.save().into_owned());
        let rounds: f64 = parts.iter().zip(&banks).map(|(part, bank)| part.times * bank.rounds as f64).sum();
        state.put_counts("rounds", &[rounds.max(0.0) as u64]);
        self.restore(state)
    }

    fn save(&self) -> State<'_> {
        let mut state = State::default();
        for (i, record) in self.records.iter().enumerate() {
            let mut part = match &self.crew {
                Crew::Apart(learners) => learners[i].save(),
                Crew::Fused(_) => State::default(),
            };
            record.save(&mut part);
            state.join(&member_name(i), part);
        }
        if let Crew::Fused(fused) = &self.crew {
            state.join(TABLE, fused.save());
        }
        state.join(STACK, self.stack.save());
        state.put_counts("rounds", &[self.rounds]);
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        self.shown.take();
        [self.rounds] = state.take_counts("rounds")?;
        let table = state.split(TABLE);
        let together = table.has("cells");
        match &mut self.crew {
            Crew::Fused(fused) if together => fused.restore(table)?,
            _ => table.finish()?,
        }
        self.stack.restore(state.split(STACK))?;
        for (i, record) in self.records.iter_mut().enumerate() {
            let mut part = state.split(&member_name(i));
            record.restore(&mut part)?;
            match &mut self.crew {
                Crew::Apart(learners) => learners[i].restore(part)?,
                Crew::Fused(_) if together => part.finish()?,
                // Members that were merged one by one.
                Crew::Fused(fused) => fused.put_member(i, part)?,
            }
        }
        state.finish()
    }
}
