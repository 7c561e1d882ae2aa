//! Learners that join an ensemble in the middle of its stream.

use super::{Ensemble, Members};
use crate::transform::View;
use crate::{Learner, Result, Spec};

impl Ensemble {
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
