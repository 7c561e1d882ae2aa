//! What stands before a learner: everything that turns data into what it understands.

use std::sync::Arc;

use surefoot_core::{Features as Numbers, Task};
use surefoot_data::{Features, FormatOptions, Labels, Plan, Preparer, Recipe, Vectors};

use crate::Result;

/// Labels, feature space and running statistics: shared by all learners that see the same examples.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) labels: Labels,
    pub(crate) preparer: Preparer,
    pub(crate) plan: Arc<Plan>,
    pub(crate) columns: FormatOptions,
    vectors: Vectors,
    /// The label of the last example and its class: streams repeat themselves.
    last: (Vec<u8>, usize),
}

/// Tells learners of new classes: how many there were, and the place of each class among the labels.
type Grow<'a> = &'a mut dyn FnMut(usize, &[u32]) -> surefoot_core::Result<()>;

impl Front {
    /// Nothing seen yet.
    pub(crate) fn new(labels: Labels, recipe: Recipe, columns: FormatOptions) -> Result<Self> {
        let plan = Plan::new(recipe)?;
        Ok(Self::with(labels, Preparer::new(&plan), plan, columns))
    }

    /// Around a space and statistics that are there already.
    pub(crate) fn with(labels: Labels, preparer: Preparer, plan: Plan, columns: FormatOptions) -> Self {
        let last = (Vec::new(), usize::MAX);
        Self { labels, preparer, plan: Arc::new(plan), columns, vectors: Vectors::new(), last }
    }

    /// Binary or multi-class.
    pub(crate) fn task(&self) -> Task {
        if self.labels.is_binary() { Task::Binary } else { Task::Multiclass { classes: self.labels.len() } }
    }

    /// Whether the last feature of every example is the bias.
    pub(crate) fn bias(&self) -> bool {
        self.plan.recipe().bias
    }

    /// The class of a label to learn from; `grow` is called if it is new.
    pub(crate) fn class_of(&mut self, label: &[u8], grow: Grow<'_>) -> Result<usize> {
        if self.last.0 != label || self.last.1 == usize::MAX {
            let known = self.labels.len();
            let class = self.labels.meet(label)? as usize;
            if self.labels.len() > known {
                grow(known, &self.ranks())?;
            }
            self.last.0.clear();
            self.last.0.extend_from_slice(label);
            self.last.1 = class;
        }
        Ok(self.last.1)
    }

    /// The numbers of an example to learn from.
    pub(crate) fn prepare(&mut self, features: &Features<'_>) -> Result<Numbers<'_>> {
        self.preparer.learn(features, &mut self.vectors)?;
        Ok(Numbers::new(&self.vectors.ids, &self.vectors.values)?)
    }

    /// The numbers of an example to predict; changes nothing that is kept.
    pub(crate) fn look(&mut self, features: &Features<'_>) -> Result<Numbers<'_>> {
        self.preparer.predict(features, &mut self.vectors);
        Ok(Numbers::new(&self.vectors.ids, &self.vectors.values)?)
    }

    /// The place of each class among the labels.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.labels.len()];
        for (place, class) in self.labels.order().into_iter().enumerate() {
            ranks[class as usize] = place as u32;
        }
        ranks
    }
}
