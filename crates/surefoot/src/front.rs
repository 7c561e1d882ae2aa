//! What stands before a learner: everything that turns data into what it understands.

use std::sync::Arc;

use surefoot_core::{Features as Numbers, Learner, Roster, Task, check_weight};
use surefoot_data::{Features, FormatOptions, Labels, Plan, Prepared, Preparer, Recipe, Vectors};

use crate::Result;
use crate::density::Density;

/// Labels that need not be looked up.
const RECENT: usize = 2;

/// The class of a place among the recent labels that has none yet.
const NOBODY: usize = usize::MAX;

/// So few features have all their weights in the caches anyway.
const FEW_FEATURES: usize = 1 << 12;

/// Labels, feature space and running statistics: shared by all learners that see the same examples.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) labels: Labels,
    pub(crate) preparer: Preparer,
    pub(crate) plan: Arc<Plan>,
    pub(crate) columns: FormatOptions,
    /// The first rows, while somebody has to know what they are like.
    pub(crate) density: Option<Density>,
    vectors: Vectors,
    /// The indices of the example after the one that is learned next, if somebody has told.
    ahead: Vec<u32>,
    is_told: bool,
    /// The labels met last and their classes: streams repeat themselves.
    recent: [(Vec<u8>, usize); RECENT],
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
        let recent = std::array::from_fn(|_| (Vec::new(), NOBODY));
        Self {
            labels,
            preparer,
            plan: Arc::new(plan),
            columns,
            density: None,
            vectors: Vectors::new(),
            ahead: Vec::new(),
            is_told: false,
            recent,
        }
    }

    /// Binary or multi-class.
    pub(crate) fn task(&self) -> Task {
        if self.labels.is_binary() { Task::Binary } else { Task::Multiclass { classes: self.labels.len() } }
    }

    /// A learner at the start of its stream that knows the labels.
    pub(crate) fn learner(&self, roster: &Roster) -> Result<Box<dyn Learner>> {
        let mut learner = roster.build(self.task(), self.bias())?;
        learner.set_classes(self.labels.len(), &self.ranks())?;
        Ok(learner)
    }

    /// Whether rows are dense, once that is clear; to be asked before an example, and then nobody has to know any more.
    pub(crate) fn settle_density(&mut self) -> Option<bool> {
        let density = self.density?;
        let features = self.preparer.space().len().saturating_sub(usize::from(self.bias()));
        let verdict = density.verdict(features)?;
        self.density = None;
        Some(verdict)
    }

    /// Whether the last feature of every example is the bias.
    pub(crate) fn bias(&self) -> bool {
        self.plan.recipe().bias
    }

    /// The class and the numbers of an example to learn from; `grow` is called if the label is new. What cannot be
    /// learned from is refused before it has changed the labels, so that they stay in step with the learners' classes.
    pub(crate) fn take<'v>(
        &'v mut self,
        features: &Features<'v>,
        label: &[u8],
        weight: f64,
        grow: Grow<'_>,
    ) -> Result<(usize, Numbers<'v>)> {
        check_weight(weight)?;
        let recent = self.recent.iter().find(|(known, class)| known == label && *class != NOBODY);
        let recent = recent.map(|(_, class)| *class);
        let known = if recent.is_some() { None } else { self.labels.admit(label)? };
        let Prepared { ids, values, finite } = self.preparer.learn(features, &mut self.vectors)?;
        self.density.iter_mut().for_each(|density| density.see(features.len()));
        let numbers = if finite { Numbers::of_finite(ids, values) } else { Numbers::new(ids, values)? };
        let numbers = numbers.before(if std::mem::take(&mut self.is_told) { &self.ahead } else { &[] });
        let class = match (recent, known) {
            (Some(class), _) => return Ok((class, numbers)),
            (None, Some(class)) => class,
            (None, None) => meet(&mut self.labels, label, grow)?,
        };
        self.recent.rotate_right(1);
        let (newest, of) = &mut self.recent[0];
        newest.clear();
        newest.extend_from_slice(label);
        *of = class as usize;
        Ok((*of, numbers))
    }

    /// The example after the one that is learned next has these keys.
    pub(crate) fn foresee(&mut self, keys: &[u64]) {
        self.is_told = self.preparer.space().len() >= FEW_FEATURES;
        if self.is_told {
            self.preparer.known(keys, &mut self.ahead);
        }
    }

    /// The numbers of an example to predict; changes nothing that is kept.
    pub(crate) fn look(&mut self, features: &Features<'_>) -> Result<Numbers<'_>> {
        self.preparer.predict(features, &mut self.vectors);
        Ok(Numbers::new(&self.vectors.ids, &self.vectors.values)?)
    }

    /// The place of each class among the labels.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        ranks(&self.labels)
    }
}

/// The class of a label that was not met before.
fn meet(labels: &mut Labels, label: &[u8], grow: Grow<'_>) -> Result<u32> {
    let known = labels.len();
    let class = labels.meet(label)?;
    if labels.len() > known {
        grow(known, &ranks(labels))?;
    }
    Ok(class)
}

fn ranks(labels: &Labels) -> Vec<u32> {
    let mut ranks = vec![0; labels.len()];
    for (place, class) in labels.order().into_iter().enumerate() {
        ranks[class as usize] = place as u32;
    }
    ranks
}
