//! An ensemble: several learners side by side in one pass.
//!
//! Members of one kind share a table and a pass over each example; others learn one after the other ([`Group`]). The
//! [`Head`](super::Head) calibrates what each member says and weighs them by [`Stacking`]. What comes out is seldom worse
//! than the best member and often better.

mod group;
mod scalings;
mod stacking;
mod table;
mod views;

use std::ops::Range;

use super::round::check_target;
use super::{Learner, LearnerPart, Merging, Scores};
use crate::probability::Voter;
use crate::state::State;
use crate::store::Weight;
use crate::transform::{SeenRow, View};
use crate::{Error, Result, SparseVec, Spec, Target, Task, Vector};
use group::{Group, groups};
use scalings::{Scalings, Through};
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

    /// Where the weights are: for each group of members the name of its tensors, and whether they share one table, a block a
    /// member.
    pub fn tables(&self) -> impl Iterator<Item = (String, Range<usize>, bool)> {
        self.groups.iter().map(|group| (group.name(), group.members.clone(), group.shares_a_table()))
    }

    /// The group of a member.
    fn group(&self, member: usize) -> &Group {
        let holds = |group: &&Group| group.members.contains(&member);
        self.groups.iter().find(holds).expect("a member of the ensemble")
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

    fn merge(&mut self, parts: &[LearnerPart<'_>], merging: Merging) -> Result<()> {
        let ensembles: Vec<&Ensemble> = parts.iter().filter_map(|part| part.learner.as_ensemble()).collect();
        let alike = |ensemble: &&Ensemble| ensemble.members.len() == self.members.len();
        if ensembles.len() != parts.len() || !ensembles.iter().all(alike) {
            return Err(Error::Conflict("an ensemble merges only with ensembles of the same members".into()));
        }
        for (part, ensemble) in parts.iter().zip(&ensembles) {
            self.scalings.add(&ensemble.scalings, part.features, part.classes, part.times);
        }
        for i in 0..self.members.len() {
            let alone = ensembles.iter().map(|ensemble| ensemble.member(i)).collect::<Result<Vec<_>>>()?;
            let own =
                parts.iter().zip(&alone).map(|(part, learner)| LearnerPart { learner: &**learner, ..*part });
            let mut merged = self.member(i)?;
            merged.merge(&own.collect::<Vec<_>>(), merging)?;
            self.put_member(i, merged)?;
        }
        Ok(())
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
