//! An ensemble: several learners side by side in one pass.
//!
//! Members of one kind share a table and a pass over each example; others learn one after the other ([`Group`]). The
//! [`Head`](super::Head) calibrates what each member says and weighs them by [`Stacking`]. What comes out is seldom worse
//! than the best member and often better.

mod group;
mod row_map;
mod scalings;
mod stacking;
mod table;
mod views;

use std::borrow::Cow;
use std::ops::Range;

use super::round::check_target;
use super::{Learner, LearnerPart, LearnerSum, Scores};
use crate::probability::Voter;
use crate::state::State;
use crate::store::Weight;
use crate::transform::{SeenRow, View};
use crate::{Error, Result, SparseVec, Spec, Target, Task, Vector};
use group::{Group, groups};
pub use row_map::RowMap;
pub(in crate::learner) use scalings::Scalings;
use scalings::Through;
pub(in crate::learner) use stacking::Stacking;
use views::Sight;

/// Learners side by side, each with its own view of the examples.
///
/// ```
/// use surefoot_core::{Learner, LearnerSpec, Scores, Target, Task, Vector};
/// let spec = LearnerSpec::parse("ensemble(arow:r=0.1@none; logistic@none)")?;
/// let mut learner = spec.build(Task::Binary, 2, false)?;
/// let (x, mut scores) = (Vector::from_pairs([(0, 1.0)])?, Scores::default());
/// learner.update(x.features(), Target::Class(1), 1.0, &mut scores)?;
/// learner.scores(x.features(), &mut scores);
/// assert_eq!((scores.members(), scores.label(0), scores.label(1)), (2, Some(1), Some(1)));
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ensemble {
    task: Task,
    members: Vec<(Spec, View)>,
    /// What members see their examples through, each once for all of them, and which of those each looks through.
    scalings: Scalings,
    through: Vec<Through>,
    groups: Vec<Group>,
    /// Whether the last feature of every example is the bias, which no view changes.
    bias: bool,
    scratch: Scratch,
}

/// Where the weights of some members of an ensemble are.
#[derive(Debug)]
pub struct MemberTable<'a> {
    /// What its tensors are called.
    pub name: String,
    /// Whose it is.
    pub members: Range<usize>,
    /// Whether it has a block for each of several members; or else it is the store of the one.
    pub shared: bool,
    /// The row of each feature, where that may be another number than the feature's.
    pub row_map: Option<&'a RowMap>,
}

/// Buffers of a round, reused.
#[derive(Debug, Clone, Default)]
struct Scratch {
    /// The example through each scaling.
    rows: Vec<SeenRow>,
    /// The example as a member alone sees it.
    values: Vec<f64>,
    /// What a group says of it.
    scores: Scores,
}

impl Ensemble {
    /// An ensemble of members at the start of their stream. With `bias` the last feature of every example is the bias.
    pub fn new(members: &[(Spec, View)], task: Task, classes: usize, bias: bool) -> Result<Self> {
        if members.is_empty() {
            return Err(Error::Conflict("an ensemble needs at least one learner".into()));
        }
        let (scalings, through) = Scalings::new(members)?;
        let groups = groups(members, &through, task, classes)?;
        let scratch = Scratch::default();
        Ok(Self { task, members: members.to_vec(), scalings, through, groups, bias, scratch })
    }

    /// The members: settings and view.
    pub fn members(&self) -> impl ExactSizeIterator<Item = (&Spec, View)> {
        self.members.iter().map(|(spec, view)| (spec, *view))
    }

    /// Where the weights are.
    pub fn tables(&self) -> impl Iterator<Item = MemberTable<'_>> {
        self.groups.iter().map(|group| MemberTable {
            name: group.name(),
            members: group.members.clone(),
            shared: group.shares_a_table(),
            row_map: group.row_map(),
        })
    }

    /// The group of a member.
    fn group(&self, member: usize) -> &Group {
        let holds = |group: &&Group| group.members.contains(&member);
        self.groups.iter().find(holds).expect("a member of the ensemble")
    }

    /// Whether a member has rows of its own numbers, because text was cut in several ways of which it does not see all.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn is_cut(&self, member: usize) -> bool {
        self.group(member).row_map().is_some_and(RowMap::is_cut)
    }

    /// A member alone: it goes on, bit for bit, as it would have gone on in the ensemble. Its head is
    /// [`Head::member`](super::Head::member)'s.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn member(&self, member: usize) -> Result<Box<dyn Learner>> {
        self.group(member).member(member, &self.members[member].0, self.task)
    }

    /// A member alone with its view, as an ensemble of one: it goes on as it would have gone on here.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn only(&self, member: usize) -> Result<Self> {
        let mut alone = Self::new(&self.members[member..=member], self.task, self.classes(), self.bias)?;
        alone.scalings.take_over(&self.scalings);
        alone.put_member(0, self.member(member)?)?;
        alone.groups[0].put_row_map(self.group(member).row_map().cloned().unwrap_or_default());
        Ok(alone)
    }

    /// The example as a member sees it now.
    ///
    /// # Panics
    /// If there is no such member.
    #[must_use]
    pub fn seen_by(&self, member: usize, x: SparseVec<'_>) -> Vector {
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        let sight = Sight { view: self.members[member].1, through: self.through[member] };
        Vector::from_features(sight.see(self.scalings.see(x, self.bias, &mut rows), &mut values))
    }

    /// What the members' scalings have counted, under the names that it has in a saved state, once feature i is called
    /// `features[i]` and those are left out that are called [`NOWHERE`](crate::store::NOWHERE).
    pub fn scalings_of(&self, features: &[u32]) -> Result<Vec<(String, State<'static>)>> {
        let mut renamed = Scalings::new(&self.members)?.0;
        renamed.add(&self.scalings, features, &(0..self.classes()).collect::<Vec<_>>(), 1.0);
        Ok(renamed.states().map(|(name, state)| (name, state.into_owned())).collect())
    }

    fn put_member(&mut self, member: usize, learner: Box<dyn Learner>) -> Result<()> {
        let own = self.groups.iter_mut().find(|group| group.members.contains(&member));
        own.map_or(Ok(()), |group| group.put_member(member, learner))
    }

    /// The ensemble with more members, which have seen nothing; the others go on as they would have gone on. Its head is
    /// [`Head::joined_by`](crate::Head::joined_by)'s. For many classes, [`set_classes`](crate::Learner::set_classes) has to
    /// tell the ranks once more.
    ///
    /// ```
    /// use surefoot_core::{Learner, LearnerSpec, Scores, Spec, Target, Task, Vector, transform::View};
    /// let spec = LearnerSpec::parse("ensemble(arow@none; logistic@none)")?;
    /// let mut learner = spec.build(Task::Binary, 2, false)?;
    /// let (x, mut scores) = (Vector::from_pairs([(0, 1.0)])?, Scores::default());
    /// learner.update(x.features(), Target::Class(1), 1.0, &mut scores)?;
    /// let newcomer = (Spec::parse("cw-stdev/factored")?, View::parse("none")?);
    /// let mut joined = learner.as_ensemble().expect("an ensemble").joined_by(&[newcomer])?;
    /// assert_eq!(joined.members().len(), 3);
    /// joined.update(x.features(), Target::Class(1), 1.0, &mut scores)?;
    /// # Ok::<(), surefoot_core::Error>(())
    /// ```
    pub fn joined_by(&self, newcomers: &[(Spec, View)]) -> Result<Self> {
        let members = [&self.members[..], newcomers].concat();
        let mut joined = Self::new(&members, self.task, self.classes(), self.bias)?;
        joined.scalings.take_over(&self.scalings);
        (0..self.members.len()).try_for_each(|i| joined.put_member(i, self.member(i)?))?;
        // Neighbours that were together still are; those that joined come last.
        for (own, before) in joined.groups.iter_mut().zip(&self.groups) {
            own.put_row_map(before.row_map().cloned().unwrap_or_default());
        }
        Ok(joined)
    }
}

impl Learner for Ensemble {
    fn classes(&self) -> usize {
        self.groups[0].classes()
    }

    fn set_classes(&mut self, classes: usize, ranks: &[u32]) -> Result<()> {
        self.groups.iter_mut().try_for_each(|group| group.set_classes(classes, ranks))
    }

    fn scores(&self, x: SparseVec<'_>, out: &mut Scores) {
        let (mut own, mut rows) = (Scores::default(), Vec::new());
        let x = self.scalings.see(x, self.bias, &mut rows);
        out.begin(self.task, 0);
        for group in &self.groups {
            group.scores(x, &mut own);
            out.append(&own);
        }
    }

    fn update(
        &mut self,
        x: SparseVec<'_>,
        target: Target<'_>,
        weight: f64,
        scores: &mut Scores,
    ) -> Result<()> {
        check_target(target, weight, self.task)?;
        let Scratch { rows, values, scores: own } = &mut self.scratch;
        // As what came before shows it.
        let seen = self.scalings.see(x, self.bias, rows);
        if weight > 0.0 {
            self.scalings.learn(x, self.bias, target)?;
        }
        scores.begin(self.task, 0);
        for group in &mut self.groups {
            group.update(seen, (target, weight), values, own)?;
            scores.append(own);
            if own.restarted {
                group.scalings().for_each(|scaling| self.scalings.restart(scaling));
            }
        }
        Ok(())
    }

    fn prefetch(&self, ids: &[u32]) {
        self.scalings.prefetch(ids);
        self.groups.iter().for_each(|group| group.prefetch(ids));
    }

    fn votes(&self, x: SparseVec<'_>, shares: &[f64], voter: &mut Voter, votes: &mut Vec<f64>) {
        votes.clear();
        votes.resize(self.classes(), 0.0);
        let mut rows = Vec::new();
        let x = self.scalings.see(x, self.bias, &mut rows);
        for group in &self.groups {
            group.add_votes(x, &shares[group.members.clone()], voter, votes);
        }
    }

    fn discount(&mut self, share: f64) {
        self.scalings.discount(share);
        self.groups.iter_mut().for_each(|group| group.discount(share));
    }

    fn weight(&self, member: usize, feature: usize, block: usize) -> Option<Weight> {
        self.group(member).weight(member, feature, block)
    }

    fn as_ensemble(&self) -> Option<&Ensemble> {
        Some(self)
    }

    fn add_to(&self, sum: &mut LearnerSum, part: &LearnerPart<'_>) -> Result<()> {
        sum.row_maps.resize_with(self.groups.len(), RowMap::default);
        for (at, group) in self.groups.iter().enumerate() {
            let rows = match group.row_map() {
                Some(own) => Cow::Owned(sum.row_maps[at].absorb(own, part.features)),
                None => Cow::Borrowed(part.features),
            };
            let part = LearnerPart { features: &rows, ..*part };
            let sums = sum.members(self.members.len())?;
            for member in group.members.clone() {
                let alone = group.borrow(member, &self.members[member].0, self.task)?;
                alone.get().add_to(&mut sums[member], &part)?;
            }
        }
        let times = sum.count(part.role);
        let scalings = match &mut sum.scalings {
            Some(scalings) => scalings,
            none => none.insert(Scalings::new(&self.members)?.0),
        };
        scalings.add(&self.scalings, part.features, part.classes, times);
        Ok(())
    }

    fn take(&mut self, mut sum: LearnerSum) -> Result<()> {
        sum.scalings.take().into_iter().for_each(|scalings| self.scalings = scalings);
        for (group, row_map) in self.groups.iter_mut().zip(std::mem::take(&mut sum.row_maps)) {
            group.put_row_map(row_map);
        }
        for (i, own) in sum.into_members(self.members.len())?.into_iter().enumerate() {
            let mut merged = self.member(i)?;
            merged.take(own)?;
            self.put_member(i, merged)?;
        }
        Ok(())
    }

    fn move_mean(&mut self, member: usize, feature: usize, block: usize, by: f64) -> Result<()> {
        let own = self.groups.iter_mut().find(|group| group.members.contains(&member));
        own.map_or(Ok(()), |group| group.move_mean(member, feature, block, by))
    }

    fn save(&self) -> State<'_> {
        let mut state = State::default();
        self.scalings.states().for_each(|(name, own)| state.join(&name, own));
        self.groups.iter().for_each(|group| state.join(&group.name(), group.save()));
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        self.scalings.restore(&mut state)?;
        for group in &mut self.groups {
            group.restore(state.split(&group.name()))?;
        }
        state.finish()
    }
}
