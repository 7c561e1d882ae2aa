//! Members that learn together: those whose weights fit side by side share a table and one pass over an example, every
//! other one learns alone.

use std::ops::Range;

use super::super::binary::{check_two_classes, two_votes};
use super::super::round::class_to_learn;
use super::super::{Learner, Scores};
use super::scalings::{ScaledExample, Through};
use super::table::{LANES, SharedTable, table};
use super::views::{Sight, Views};
use crate::probability::Voter;
use crate::state::State;
use crate::store::Weight;
use crate::transform::View;
use crate::{Result, Spec, Target, Task};

/// Some members of an ensemble, one after the other in its list.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// Which of the ensemble's members they are.
    pub(super) members: Range<usize>,
    weights: Weights,
}

/// Where the weights of a group are.
#[derive(Debug, Clone)]
enum Weights {
    /// A block a member in one table; the members' views of an example.
    Shared(Box<dyn SharedTable>, Views),
    /// The one member has its own.
    Alone(Box<dyn Learner>, Sight),
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
        groups.push(Group { members: from..from + together, weights });
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
        match &self.weights {
            Weights::Shared(table, views) => table.scores(views.clone().see(x), out),
            Weights::Alone(learner, sight) => learner.scores(sight.see(x, &mut Vec::new()), out),
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
        match &mut self.weights {
            Weights::Shared(table, views) => {
                let class = class_to_learn(target, weight, Task::Binary)?;
                table.update(views.see(x), class, weight, scores)
            }
            Weights::Alone(learner, sight) => learner.update(sight.see(x, values), target, weight, scores),
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
        match &self.weights {
            Weights::Shared(table, _) => table.prefetch(ids),
            Weights::Alone(learner, _) => learner.prefetch(ids),
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
                let mut votes = Vec::new();
                learner.votes(sight.see(x, &mut Vec::new()), &[1.0], voter, &mut votes);
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
        match &self.weights {
            Weights::Shared(table, _) => table.save(),
            Weights::Alone(learner, _) => learner.save(),
        }
    }

    pub(super) fn restore(&mut self, state: State<'_>) -> Result<()> {
        match &mut self.weights {
            Weights::Shared(table, _) => table.restore(state),
            Weights::Alone(learner, _) => learner.restore(state),
        }
    }
}
