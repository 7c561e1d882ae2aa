//! Members that learn together: those whose weights fit side by side share a table and one pass over an example, every
//! other one learns alone.

use std::ops::Range;

use super::super::binary::{check_two_classes, two_votes};
use super::super::round::class_to_learn;
use super::super::{Learner, Scores};
use super::row_map::RowMap;
use super::scalings::{ScaledExample, Through};
use super::table::{LANES, SharedTable, table};
use super::views::{Sight, Views};
use crate::probability::Voter;
use crate::state::State;
use crate::store::Weight;
use crate::transform::{Cuts, View};
use crate::{Result, SparseVec, Spec, Target, Task};

/// Some members of an ensemble, one after the other in its list.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// Which of the ensemble's members they are.
    pub(super) members: Range<usize>,
    weights: Weights,
    /// The row of each feature in the tables of the group, if its members do not see all cuts of a text.
    row_map: Option<RowMap>,
}

/// What the tensors of the row map are called.
const ROW_MAP: &str = "row-map";

/// Where the weights of a group are.
#[derive(Debug, Clone)]
enum Weights {
    /// A block a member in one table; the members' views of an example.
    Shared(Box<dyn SharedTable>, Views),
    /// The one member has its own.
    Alone(Box<dyn Learner>, Sight),
}

/// A member alone.
#[derive(Debug)]
pub(super) enum MemberLearner<'a> {
    Borrowed(&'a dyn Learner),
    Copied(Box<dyn Learner>),
}

impl MemberLearner<'_> {
    pub(super) fn get(&self) -> &dyn Learner {
        match self {
            Self::Borrowed(learner) => *learner,
            Self::Copied(learner) => &**learner,
        }
    }
}

/// A member as it is to learn: its SPEC, its view, and what the ensemble prepares for it.
fn sight(((_, view), through): (&(Spec, View), &Through)) -> Sight {
    Sight { view: *view, through: *through }
}

/// Whether members of two views see the same features.
fn same_features(one: View, other: View) -> bool {
    let columns = |view: View| view.scaling.filter(|scaling| scaling.every_column);
    columns(one) == columns(other) && one.cuts == other.cuts
}

/// An example to learn, with the rows of a group in the place of its features; new features get theirs.
fn meet<'a>(row_map: &'a mut Option<RowMap>, x: SparseVec<'a>, cut: bool) -> SparseVec<'a> {
    match row_map {
        Some(row_map) => row_map.meet(x, cut),
        None => x,
    }
}

/// The groups of these members at the start of their stream, for which this is prepared: neighbours in the
/// list share a table if they can.
pub(super) fn groups(
    members: &[(Spec, View)],
    through: &[Through],
    task: Task,
    classes: usize,
) -> Result<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    while let Some(next) = members.get(groups.last().map_or(0, |group| group.members.end)..)
        && let [(first, view), ..] = next
    {
        let from = members.len() - next.len();
        let precision = first.store().side_by_side.filter(|_| task == Task::Binary);
        let alike = |(spec, own): &&(Spec, View)| {
            precision.is_some() && spec.store().side_by_side == precision && same_features(*own, *view)
        };
        let together = next.iter().take(LANES).take_while(alike).count().max(1);
        let specs: Vec<&Spec> = next[..together].iter().map(|(spec, _)| spec).collect();
        let shared = if together > 1 { table(&specs, precision)? } else { None };
        let sights: Vec<Sight> = next[..together].iter().zip(&through[from..]).map(sight).collect();
        let weights = match shared {
            Some(table) => Weights::Shared(table, Views::new(&sights)),
            None => Weights::Alone(first.build(task, classes)?, sights[0]),
        };
        let row_map = (view.cuts != Cuts::ALL).then(RowMap::default);
        groups.push(Group { members: from..from + together, weights, row_map });
    }
    Ok(groups)
}

impl Group {
    /// Whether the members have one table, a block a member.
    pub(super) fn shares_a_table(&self) -> bool {
        matches!(self.weights, Weights::Shared(..))
    }

    /// What the tensors of the group are called.
    pub(super) fn name(&self) -> String {
        let kind = if self.shares_a_table() { "table" } else { "member" };
        format!("{kind}{:02}", self.members.start)
    }

    pub(super) fn classes(&self) -> usize {
        match &self.weights {
            Weights::Shared(..) => 2,
            Weights::Alone(learner, _) => learner.classes(),
        }
    }

    pub(super) fn set_classes(&mut self, classes: usize, ranks: &[u32]) -> Result<()> {
        match &mut self.weights {
            Weights::Shared(..) => check_two_classes("ensemble", classes, ranks),
            Weights::Alone(learner, _) => learner.set_classes(classes, ranks),
        }
    }

    pub(super) fn scores(&self, x: ScaledExample<'_>, out: &mut Scores) {
        let rows = &mut Vec::new();
        match &self.weights {
            Weights::Shared(table, views) => {
                let mut views = views.clone();
                let mut seen = views.see(x);
                seen.example = self.find(seen.example, rows);
                table.scores(seen, out);
            }
            Weights::Alone(learner, sight) => {
                learner.scores(self.find(sight.see(x, &mut Vec::new()), rows), out);
            }
        }
    }

    /// A round of all members; `values` is memory for the example as a member alone sees it.
    pub(super) fn update(
        &mut self,
        x: ScaledExample<'_>,
        (target, weight): (Target<'_>, f64),
        values: &mut Vec<f64>,
        scores: &mut Scores,
    ) -> Result<()> {
        let Self { row_map, weights, .. } = self;
        match weights {
            Weights::Shared(table, views) => {
                let class = class_to_learn(target, weight, Task::Binary)?;
                let mut seen = views.see(x);
                seen.example = meet(row_map, seen.example, x.is_cut());
                table.update(seen, class, weight, scores)
            }
            Weights::Alone(learner, sight) => {
                let seen = meet(row_map, sight.see(x, values), x.is_cut());
                learner.update(seen, target, weight, scores)
            }
        }
    }

    /// An example with the group's rows in the place of its features; `rows` is memory for it.
    fn find<'a>(&self, x: SparseVec<'a>, rows: &'a mut Vec<u32>) -> SparseVec<'a> {
        match &self.row_map {
            Some(row_map) => row_map.find(x, rows),
            None => x,
        }
    }

    /// The row of each feature in the group's tables, where that is not its index for ever.
    pub(super) fn row_map(&self) -> Option<&RowMap> {
        self.row_map.as_ref()
    }

    /// Takes over the rows of another group of the same members, or merged ones, if it has rows of its own numbers.
    pub(super) fn put_row_map(&mut self, row_map: RowMap) {
        if let Some(own) = &mut self.row_map {
            *own = row_map;
        }
    }

    /// The scalings that members look through.
    pub(super) fn scalings(&self) -> impl Iterator<Item = usize> + '_ {
        let (alone, shared) = match &self.weights {
            Weights::Shared(_, views) => (None, Some(views.scalings())),
            Weights::Alone(_, sight) => (sight.through.scaling, None),
        };
        alone.into_iter().chain(shared.into_iter().flatten())
    }

    pub(super) fn prefetch(&self, ids: &[u32]) {
        let ask = |ids: &[u32]| match &self.weights {
            Weights::Shared(table, _) => table.prefetch(ids),
            Weights::Alone(learner, _) => learner.prefetch(ids),
        };
        match &self.row_map {
            Some(row_map) => row_map.prefetch(ids, ask),
            None => ask(ids),
        }
    }

    /// Adds each member's votes, times its share, to `mixture`.
    pub(super) fn add_votes(
        &self,
        x: ScaledExample<'_>,
        shares: &[f64],
        voter: &mut Voter,
        mixture: &mut [f64],
    ) {
        let mut add = |share: f64, votes: &[f64]| {
            mixture.iter_mut().zip(votes).for_each(|(sum, vote)| *sum += share * vote);
        };
        match &self.weights {
            Weights::Shared(..) => {
                let mut scores = Scores::default();
                self.scores(x, &mut scores);
                for (lane, share) in shares.iter().enumerate() {
                    add(*share, &two_votes((scores.of(lane)[0], scores.variance(lane))));
                }
            }
            Weights::Alone(learner, sight) => {
                let (mut votes, values, rows) = (Vec::new(), &mut Vec::new(), &mut Vec::new());
                learner.votes(self.find(sight.see(x, values), rows), &[1.0], voter, &mut votes);
                shares.iter().for_each(|share| add(*share, &votes));
            }
        }
    }

    pub(super) fn discount(&mut self, share: f64) {
        match &mut self.weights {
            Weights::Shared(table, _) => table.discount(share),
            Weights::Alone(learner, _) => learner.discount(share),
        }
    }

    /// The weight of a member of the ensemble that is in this group.
    pub(super) fn weight(&self, member: usize, feature: usize, block: usize) -> Option<Weight> {
        let feature = self.row_map.as_ref().map_or(feature, |row_map| row_map.place(feature));
        match &self.weights {
            Weights::Shared(table, _) => Some(table.weight(member - self.members.start, feature)),
            Weights::Alone(learner, _) => learner.weight(0, feature, block),
        }
    }

    /// A member of this group, which has that SPEC, alone.
    pub(super) fn member(&self, member: usize, spec: &Spec, task: Task) -> Result<Box<dyn Learner>> {
        match &self.weights {
            Weights::Alone(learner, _) => Ok(learner.clone()),
            Weights::Shared(table, _) => {
                let mut alone = spec.build(task, 2)?;
                alone.restore(table.member(member - self.members.start))?;
                Ok(alone)
            }
        }
    }

    /// A member of this group, which has that SPEC; one that shares a table is copied.
    pub(super) fn borrow(&self, member: usize, spec: &Spec, task: Task) -> Result<MemberLearner<'_>> {
        Ok(match &self.weights {
            Weights::Alone(learner, _) => MemberLearner::Borrowed(&**learner),
            Weights::Shared(..) => MemberLearner::Copied(self.member(member, spec, task)?),
        })
    }

    /// Moves the mean of one weight of a member.
    pub(super) fn move_mean(&mut self, member: usize, feature: usize, block: usize, by: f64) -> Result<()> {
        let feature = self.row_map.as_ref().map_or(feature, |row_map| row_map.place(feature));
        match &mut self.weights {
            Weights::Shared(table, _) => table.move_mean(member - self.members.start, feature, by),
            Weights::Alone(learner, _) => learner.move_mean(0, feature, block, by),
        }
    }

    /// Puts a member of the same SPEC in the place of one of this group.
    pub(super) fn put_member(&mut self, member: usize, learner: Box<dyn Learner>) -> Result<()> {
        match &mut self.weights {
            Weights::Shared(table, _) => table.put_member(member - self.members.start, learner.save()),
            Weights::Alone(own, _) => {
                *own = learner;
                Ok(())
            }
        }
    }

    pub(super) fn save(&self) -> State<'_> {
        let mut state = match &self.weights {
            Weights::Shared(table, _) => table.save(),
            Weights::Alone(learner, _) => learner.save(),
        };
        self.row_map.iter().for_each(|row_map| state.join(ROW_MAP, row_map.save()));
        state
    }

    pub(super) fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        if let Some(row_map) = &mut self.row_map {
            *row_map = RowMap::restored(state.split(ROW_MAP))?;
        }
        match &mut self.weights {
            Weights::Shared(table, _) => table.restore(state),
            Weights::Alone(learner, _) => learner.restore(state),
        }
    }
}
