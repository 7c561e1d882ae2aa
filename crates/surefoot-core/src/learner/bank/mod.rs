//! A bank: several learners side by side in one pass, and one more that learns whom to believe.
//!
//! Each member says calibrated logits; `stack` weighs and adds them. What comes out is seldom worse than the best member
//! and often better. Members of one kind share a table and a pass over each example; others learn one after the other.

mod crew;
mod halves;
mod joining;
mod last_word;
mod merged;
mod record;
mod stack;
mod table;
mod views;
mod vote;

use std::sync::OnceLock;

use super::sequel::{Links, Said};
use super::{
    Both, Calibration, Learner, Lesson, Merging, Moments, Part, Prediction, Round, Sequel, check_binary,
    check_weight, lends_nothing, one_by_one,
};
use crate::probability::Voter;
use crate::state::State;
use crate::store::{Store, Weight};
use crate::transform::View;
use crate::{Error, Features, Result, Spec, Task};
use crew::Crew;
use halves::Halves;
pub(super) use last_word::LastWord;
pub use record::Record;
use stack::Stack;
use views::Views;

/// One place in a bank: who sits there, and what it said last if it has a table of its own.
#[derive(Debug)]
struct Seat {
    spec: Spec,
    view: View,
    said: Said,
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
    crew: Crew,
    /// How members in one table see an example.
    looks: Views,
    /// Whether the last feature of every example is the bias, which no view changes.
    bias: bool,
    /// The example as a member sees it that has a table of its own.
    values: Vec<f64>,
    /// What the members said of several examples.
    halves: Halves,
    /// The calibrations of members in one table; others have their own.
    links: Links,
    word: LastWord,
    /// The best member alone, made when somebody inspects it.
    shown: OnceLock<Box<dyn Learner>>,
}

impl Bank {
    /// A bank of members at the start of their stream.
    pub fn new(members: &[(Spec, View)], task: Task, bias: bool) -> Result<Self> {
        if members.is_empty() {
            return Err(Error::Conflict("a bank needs at least one learner".into()));
        }
        let specs: Vec<&Spec> = members.iter().map(|(spec, _)| spec).collect();
        Self::of(members, Crew::new(&specs, task)?, task, bias)
    }

    /// A bank of members whose learners are there, nothing known of what they have done.
    fn of(members: &[(Spec, View)], crew: Crew, task: Task, bias: bool) -> Result<Self> {
        let seat =
            |(spec, view): &(Spec, View)| Seat { spec: spec.clone(), view: *view, said: Said::default() };
        let seats: Vec<Seat> = members.iter().map(seat).collect();
        let views: Vec<View> = members.iter().map(|(_, view)| *view).collect();
        let links = Links::new(vec![Calibration::default(); crew.sharing(seats.len())]);
        Ok(Self {
            task,
            crew,
            bias,
            values: Vec::new(),
            looks: Views::new(&views, bias),
            halves: Halves::default(),
            links,
            word: LastWord::new(members.len(), task)?,
            shown: OnceLock::new(),
            seats,
        })
    }

    /// The members: settings, view, and what each has done.
    pub fn members(&self) -> impl ExactSizeIterator<Item = (&Spec, View, Record)> {
        self.seats.iter().zip(&self.word.records).map(|(seat, record)| (&seat.spec, seat.view, *record))
    }

    /// Rounds so far.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.word.rounds
    }

    /// The share of each member in the next prediction; they sum to 1.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        self.word.stack.shares()
    }

    /// The member with the smallest progressive log loss; ties go to the first.
    #[must_use]
    pub fn best(&self) -> usize {
        self.word.best()
    }

    /// A member alone: it goes on as it would have gone on in the bank.
    pub fn extract(&self, member: usize) -> Result<Box<dyn Learner>> {
        table::alone(&self.seats[member].spec, self.task_now(), self.member_state(member))
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
            Crew::Fused(fused) => {
                let mut state = fused.member(member);
                state.join(LINK, self.links.each[member].save());
                state
            }
        }
    }

    /// A round of members that have tables of their own.
    fn learn_apart(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<()> {
        let Crew::Apart(learners) = &mut self.crew else { return Ok(()) };
        for (seat, learner) in self.seats.iter_mut().zip(learners) {
            seat.view.apply(x, self.bias, &mut self.values);
            let seen = Features::new(x.ids(), &self.values)?.before(x.next());
            seat.said.take(learner.learn(seen, class, weight)?);
        }
        Ok(())
    }

    fn predict_members(&self, x: Features<'_>) -> Vec<Prediction> {
        let mut out = vec![Prediction::default(); self.seats.len()];
        match &self.crew {
            Crew::Fused(fused) => fused.predict(self.looks.clone().see(x), &self.links.each, &mut out),
            Crew::Apart(learners) => {
                let mut values = Vec::new();
                for ((seat, learner), out) in self.seats.iter().zip(learners).zip(&mut out) {
                    seat.view.apply(x, self.bias, &mut values);
                    if let Ok(seen) = Features::new(x.ids(), &values) {
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

/// What the tensors of a calibration are called.
const LINK: &str = "calibration";

/// What the tensors of the members' weights are called.
const STACK: &str = "stack";

/// What the tensors of a calibration beside a common table are called.
fn link_name(member: usize) -> String {
    format!("{LINK}{member:02}")
}

/// What a member's tensors are called.
fn member_name(member: usize) -> String {
    format!("member{member:02}")
}

impl Learner for Bank {
    fn classes(&self) -> usize {
        self.crew.classes()
    }

    fn set_classes(&mut self, classes: usize, order: &[u32]) -> Result<()> {
        self.crew.set_classes(classes, order)?;
        self.word.stack.rank(order);
        Ok(())
    }

    fn predict_into(&self, x: Features<'_>, out: &mut Prediction) {
        self.word.stack.combine(self.predict_members(x).iter(), self.classes(), out);
    }

    fn learn(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<Round<'_>> {
        check_weight(weight)?;
        self.shown.take();
        if let Crew::Fused(fused) = &mut self.crew {
            check_binary(class)?;
            let (moments, steps) = fused.decide(self.looks.see(x), class, weight);
            // Calibrations wait for themselves more than for anything else: they do so while the weights move.
            self.links.hear(&moments);
            fused.absorb(x, &steps)?;
            return self.word.say(self.links.said().iter(), 2, class, weight);
        }
        let classes = self.classes();
        if self.task == Task::Binary {
            check_binary(class)?;
        }
        self.learn_apart(x, class, weight)?;
        self.word.say(self.seats.iter().map(|seat| &seat.said), classes, class, weight)
    }

    fn lend(&mut self, _ample: bool) -> Option<Sequel> {
        let Crew::Fused(_) = self.crew else { return None };
        let members = self.seats.len();
        let word = std::mem::replace(&mut self.word, LastWord::new(members, self.task).ok()?);
        let fresh = Links::new(vec![Calibration::default(); members]);
        Some(Sequel { links: std::mem::replace(&mut self.links, fresh), word: Some(word) })
    }

    fn learn_weights(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<Moments> {
        let Crew::Fused(fused) = &mut self.crew else { return Err(lends_nothing()) };
        check_weight(weight)?;
        check_binary(class)?;
        self.shown.take();
        let (moments, steps) = fused.decide(self.looks.see(x), class, weight);
        fused.absorb(x, &steps)?;
        Ok(moments)
    }

    fn take_back(&mut self, sequel: Sequel) {
        if let Sequel { links, word: Some(word) } = sequel {
            (self.links, self.word) = (links, word);
        }
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
            if let Some((_, order)) = lesson.classes {
                self.word.stack.rank(order);
            }
            let said = self.seats.iter().map(|seat| &seat.said);
            heard(i, self.word.say(said, classes, lesson.class, lesson.weight)?);
        }
        Ok(())
    }

    fn variances_into(&self, x: Features<'_>, variances: &mut Vec<f64>) {
        variances.clear();
        variances.resize(self.classes(), self.word.stack.variance(self.predict_members(x).iter()));
    }

    fn vote_into(&self, x: Features<'_>, voter: &mut Voter, votes: &mut Vec<f64>) {
        self.mix_votes(x, voter, votes);
    }

    fn gaussian(&self) -> &dyn Store {
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
        self.restore(self.merged(parts, merging)?)
    }

    fn save(&self) -> State<'_> {
        let mut state = State::default();
        for (i, record) in self.word.records.iter().enumerate() {
            let mut part = match &self.crew {
                Crew::Apart(learners) => learners[i].save(),
                Crew::Fused(_) => State::default(),
            };
            record.save(&mut part);
            state.join(&member_name(i), part);
        }
        if let Crew::Fused(fused) = &self.crew {
            let mut table = fused.save();
            for (i, link) in self.links.each.iter().enumerate() {
                table.join(&link_name(i), link.save());
            }
            state.join(TABLE, table);
        }
        state.join(STACK, self.word.stack.save());
        state.put_counts("rounds", &[self.word.rounds]);
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        self.shown.take();
        [self.word.rounds] = state.take_counts("rounds")?;
        let mut table = state.split(TABLE);
        let together = table.has("cells");
        match &mut self.crew {
            Crew::Fused(fused) if together => {
                for (i, link) in self.links.each.iter_mut().enumerate() {
                    link.restore(table.split(&link_name(i)))?;
                }
                fused.restore(table)?;
            }
            _ => table.finish()?,
        }
        self.word.stack.restore(state.split(STACK))?;
        for (i, record) in self.word.records.iter_mut().enumerate() {
            let mut part = state.split(&member_name(i));
            record.restore(&mut part)?;
            match &mut self.crew {
                Crew::Apart(learners) => learners[i].restore(part)?,
                Crew::Fused(_) if together => part.finish()?,
                // Members that were merged one by one.
                Crew::Fused(fused) => {
                    self.links.each[i].restore(part.split(LINK))?;
                    fused.put_member(i, part)?;
                }
            }
        }
        state.finish()
    }
}
