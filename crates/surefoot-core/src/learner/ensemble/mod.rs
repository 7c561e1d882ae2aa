//! An ensemble: several learners side by side in one pass.
//!
//! Members of one kind share a table and a pass over each example; others learn one after the other. The
//! [`Head`](super::Head) calibrates what each member says and weighs them by [`Stacking`]. What comes out is seldom worse
//! than the best member and often better.

mod stacking;
mod table;

use super::binary::{check_two_classes, two_votes};
use super::round::class_to_learn;
use super::{Learner, LearnerPart, Merging, Scores};
use crate::probability::Voter;
use crate::state::State;
use crate::store::Weight;
use crate::transform::{Transform, View, unit_divisor};
use crate::{Error, Result, SparseVec, Spec, Target, Task};
pub(in crate::learner) use stacking::Stacking;
use table::{LANES, SharedTable};

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
    learners: Members,
    /// How members in one table see an example.
    views: Views,
    /// Whether the last feature of every example is the bias, which no view changes.
    bias: bool,
    /// The example as a separate member sees it, and what that member says of it; reused.
    seen: (Vec<f64>, Scores),
}

/// The learners of all members.
#[derive(Debug, Clone)]
enum Members {
    /// One table, one pass over an example for all.
    Shared(Box<dyn SharedTable>),
    /// One after the other.
    Separate(Vec<Box<dyn Learner>>),
}

impl Ensemble {
    /// An ensemble of members at the start of their stream. With `bias` the last feature of every example is the bias.
    pub fn new(members: &[(Spec, View)], task: Task, classes: usize, bias: bool) -> Result<Self> {
        if members.is_empty() {
            return Err(Error::Conflict("an ensemble needs at least one learner".into()));
        }
        let specs: Vec<&Spec> = members.iter().map(|(spec, _)| spec).collect();
        let alone = || specs.iter().map(|spec| spec.build(task, classes)).collect::<Result<_>>();
        let learners = match table::table(&specs, task)? {
            Some(table) => Members::Shared(table),
            None => Members::Separate(alone()?),
        };
        Ok(Self::of(members.to_vec(), learners, task, bias))
    }

    /// An ensemble of learners that are there.
    fn of(members: Vec<(Spec, View)>, learners: Members, task: Task, bias: bool) -> Self {
        let views: Vec<View> = members.iter().map(|(_, view)| *view).collect();
        Self { task, learners, views: Views::new(&views, bias), bias, seen: Default::default(), members }
    }

    /// The members: settings and view.
    pub fn members(&self) -> impl ExactSizeIterator<Item = (&Spec, View)> {
        self.members.iter().map(|(spec, view)| (spec, *view))
    }

    /// Whether the weights of all members lie in one table, a block a member.
    #[must_use]
    pub fn shares_a_table(&self) -> bool {
        matches!(self.learners, Members::Shared(_))
    }

    /// A member alone: it goes on, bit for bit, as it would have gone on in the ensemble. Its head is
    /// [`Head::member`](super::Head::member)'s.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn member(&self, member: usize) -> Result<Box<dyn Learner>> {
        match &self.learners {
            Members::Separate(learners) => Ok(learners[member].clone()),
            Members::Shared(table) => {
                let mut alone = self.members[member].0.build(self.task, self.classes())?;
                alone.restore(table.member(member))?;
                Ok(alone)
            }
        }
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
        let mut learners = (0..self.members.len()).map(|i| self.member(i)).collect::<Result<Vec<_>>>()?;
        for (spec, _) in newcomers {
            learners.push(spec.build(self.task, self.classes())?);
        }
        let members = [&self.members[..], newcomers].concat();
        Ok(Self::of(members, Members::Separate(learners), self.task, self.bias))
    }
}

/// What the tensors of a common table are called.
const TABLE: &str = "table";

/// What a separate member's tensors are called.
fn member_name(member: usize) -> String {
    format!("member{member:02}")
}

impl Learner for Ensemble {
    fn classes(&self) -> usize {
        match &self.learners {
            Members::Shared(_) => 2,
            Members::Separate(learners) => learners[0].classes(),
        }
    }

    fn set_classes(&mut self, classes: usize, ranks: &[u32]) -> Result<()> {
        match &mut self.learners {
            Members::Shared(_) => check_two_classes("ensemble", classes, ranks),
            Members::Separate(learners) => {
                learners.iter_mut().try_for_each(|l| l.set_classes(classes, ranks))
            }
        }
    }

    fn scores(&self, x: SparseVec<'_>, out: &mut Scores) {
        match &self.learners {
            Members::Shared(table) => table.scores(self.views.clone().see(x), out),
            Members::Separate(learners) => {
                let (mut values, mut scores) = Default::default();
                out.begin(false, 0);
                for ((_, view), learner) in self.members.iter().zip(learners) {
                    view.apply(x, self.bias, &mut values);
                    learner.scores(SparseVec::of_finite(x.ids(), &values), &mut scores);
                    out.append(&scores);
                }
            }
        }
    }

    fn update(
        &mut self,
        x: SparseVec<'_>,
        target: Target<'_>,
        weight: f64,
        scores: &mut Scores,
    ) -> Result<()> {
        let class = class_to_learn(target, weight, self.task)?;
        match &mut self.learners {
            Members::Shared(table) => table.update(self.views.see(x), class, weight, scores),
            Members::Separate(learners) => {
                let (values, own) = &mut self.seen;
                scores.begin(false, 0);
                for ((_, view), learner) in self.members.iter().zip(learners) {
                    view.apply(x, self.bias, values);
                    learner.update(SparseVec::of_finite(x.ids(), values), target, weight, own)?;
                    scores.append(own);
                }
                Ok(())
            }
        }
    }

    fn prefetch(&self, ids: &[u32]) {
        match &self.learners {
            Members::Shared(table) => table.prefetch(ids),
            Members::Separate(learners) => learners.iter().for_each(|learner| learner.prefetch(ids)),
        }
    }

    fn votes(&self, x: SparseVec<'_>, shares: &[f64], voter: &mut Voter, votes: &mut Vec<f64>) {
        let (mut mixture, mut values, mut scores) =
            (vec![0.0; self.classes()], Vec::new(), Scores::default());
        if let Members::Shared(_) = &self.learners {
            self.scores(x, &mut scores);
        }
        for (i, (share, (_, view))) in shares.iter().zip(&self.members).enumerate() {
            match &self.learners {
                Members::Shared(_) => {
                    votes.clear();
                    votes.extend(two_votes((scores.of(i)[0], scores.variance(i))));
                }
                Members::Separate(learners) => {
                    view.apply(x, self.bias, &mut values);
                    learners[i].votes(SparseVec::of_finite(x.ids(), &values), &[1.0], voter, votes);
                }
            }
            mixture.iter_mut().zip(&*votes).for_each(|(sum, vote)| *sum += share * vote);
        }
        *votes = mixture;
    }

    fn discount(&mut self, share: f64) {
        match &mut self.learners {
            Members::Shared(table) => table.discount(share),
            Members::Separate(learners) => learners.iter_mut().for_each(|learner| learner.discount(share)),
        }
    }

    fn weight(&self, member: usize, feature: usize, block: usize) -> Option<Weight> {
        match &self.learners {
            Members::Shared(table) => Some(table.weight(member, feature)),
            Members::Separate(learners) => learners[member].weight(0, feature, block),
        }
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
        for i in 0..self.members.len() {
            let alone = ensembles.iter().map(|ensemble| ensemble.member(i)).collect::<Result<Vec<_>>>()?;
            let own =
                parts.iter().zip(&alone).map(|(part, learner)| LearnerPart { learner: &**learner, ..*part });
            let mut merged = self.member(i)?;
            merged.merge(&own.collect::<Vec<_>>(), merging)?;
            match &mut self.learners {
                Members::Shared(table) => table.put_member(i, merged.save())?,
                Members::Separate(learners) => learners[i] = merged,
            }
        }
        Ok(())
    }

    fn save(&self) -> State<'_> {
        let mut state = State::default();
        match &self.learners {
            Members::Shared(table) => state.join(TABLE, table.save()),
            Members::Separate(learners) => {
                let each = learners.iter().enumerate();
                each.for_each(|(i, learner)| state.join(&member_name(i), learner.save()));
            }
        }
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        match &mut self.learners {
            Members::Shared(table) => table.restore(state.split(TABLE))?,
            Members::Separate(learners) => {
                for (i, learner) in learners.iter_mut().enumerate() {
                    learner.restore(state.split(&member_name(i)))?;
                }
            }
        }
        state.finish()
    }
}

/// What it takes to see examples as members of a shared table do.
///
/// Each transform is applied once, however many members have it. Rows of unit length are not made: the pass over the values
/// divides them as it goes, by 1 where a member sees the row as long as it is. That leaves the bits of
/// [`View::apply`], and the division waits beside the memory of the weights.
#[derive(Debug, Clone)]
struct Views {
    /// The transforms that there are, and whether a member asks for the length of the row.
    transforms: Vec<(Transform, bool)>,
    /// The values after each transform.
    rows: Vec<Vec<f64>>,
    /// What makes rows of unit length of them.
    divisors: Vec<f64>,
    /// Which of the transforms each member wants, and whether the row is to have unit length.
    lanes: [(usize, bool); LANES],
    /// Whether the last feature of every example is the bias, which no view changes.
    bias: bool,
}

/// An example as each member sees it.
#[derive(Debug, Clone, Copy)]
struct ViewedExample<'a> {
    example: SparseVec<'a>,
    /// The values, to be divided,
    values: [&'a [f64]; LANES],
    /// each member's by its own number,
    divisors: [f64; LANES],
    /// but for those from here on, where the bias is.
    divided: usize,
}

impl Views {
    /// For members with these views; lanes without a member see what the first one sees, and learn nothing from it.
    fn new(views: &[View], bias: bool) -> Self {
        let mut transforms: Vec<(Transform, bool)> = Vec::new();
        let mut place = |view: &View| {
            let known = transforms.iter().position(|(known, _)| *known == view.transform);
            let place = known.unwrap_or(transforms.len());
            transforms.resize(transforms.len().max(place + 1), (view.transform, false));
            transforms[place].1 |= view.unit;
            (place, view.unit)
        };
        let lanes =
            std::array::from_fn(|lane| views.get(lane).or(views.first()).map_or((0, false), &mut place));
        let (rows, divisors) = (vec![Vec::new(); transforms.len()], vec![1.0; transforms.len()]);
        Self { transforms, rows, divisors, lanes, bias }
    }

    /// The example as the members see it.
    fn see<'a>(&'a mut self, x: SparseVec<'a>) -> ViewedExample<'a> {
        let divided = x.len() - usize::from(self.bias && !x.is_empty());
        let plain = View::default();
        for (&(transform, _), row) in self.transforms.iter().zip(&mut self.rows) {
            if transform != plain.transform {
                View { transform, ..plain }.apply(x, self.bias, row);
            }
        }
        let Self { transforms, rows, divisors, lanes, .. } = self;
        let values = |place: usize| {
            if transforms[place].0 == plain.transform { x.values() } else { &rows[place][..] }
        };
        for (place, divisor) in divisors.iter_mut().enumerate() {
            if transforms[place].1 {
                *divisor = unit_divisor(&values(place)[..divided]);
            }
        }
        let divisors = lanes.map(|(place, unit)| if unit { divisors[place] } else { 1.0 });
        ViewedExample { example: x, values: lanes.map(|(place, _)| values(place)), divisors, divided }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_see_what_their_views_say() -> Result<()> {
        for words in
            [&["none", "sqrt", "sqrt+l2", "none+l2"][..], &["log+l2", "binary", "none"], &["sqrt+l2"]]
        {
            let views: Vec<View> = words.iter().map(|word| View::parse(word)).collect::<Result<_>>()?;
            for (values, bias) in [
                (&[0.3, -4.0, 1.5, 1.0][..], true),
                (&[2.0, -0.1, 7.0], false),
                (&[1e300, 1e300], false),
                (&[1.0], true),
                (&[], true),
            ] {
                let ids: Vec<u32> = (0..values.len() as u32).collect();
                let (mut shared, mut alone) = (Views::new(&views, bias), Vec::new());
                let seen = shared.see(SparseVec::new(&ids, values)?);
                for (lane, view) in views.iter().enumerate() {
                    view.apply(SparseVec::new(&ids, values)?, bias, &mut alone);
                    let divided = |(i, value): (usize, &f64)| {
                        if i < seen.divided { value / seen.divisors[lane] } else { *value }
                    };
                    let found: Vec<f64> = seen.values[lane].iter().enumerate().map(divided).collect();
                    assert_eq!(alone, found, "{view} {values:?}");
                }
            }
        }
        Ok(())
    }
}
