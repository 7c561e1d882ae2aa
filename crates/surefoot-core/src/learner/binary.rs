//! Two classes: z = y·x with y = +1 for class 1 and −1 for class 0.

use super::merge::{Pooling, Summand};
use super::restart::Restart;
use super::round::class_to_learn;
use super::row_unit::RowUnit;
use super::{Learner, LearnerPart, LearnerSum, Scores};
use crate::param::Params;
use crate::probability::Voter;
use crate::rule::{FlooredRule, RuleSpec};
use crate::state::State;
use crate::store::{Projection, Shape, Store, StoreSpec, Weight};
use crate::{Error, Result, SparseVec, Target, Task};

/// A rule on a store for two classes.
///
/// ```
/// use surefoot_core::{Learner, Scores, Spec, Target, Task, Vector};
/// let mut learner = Spec::parse("arow:r=1")?.build(Task::Binary, 2)?;
/// let (x, mut scores) = (Vector::from_pairs([(0, 1.0)])?, Scores::default());
/// learner.update(x.features(), Target::Class(1), 1.0, &mut scores)?;
/// assert!(scores.updated());
/// assert_eq!(scores.label(0), Some(1)); // a score of exactly 0 predicts the positive class
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Binary {
    rule: FlooredRule,
    store: Box<dyn Store>,
    /// Whether the store predicts with other weights than those that learn.
    averages: bool,
    restart: Option<Restart>,
    row_unit: Option<RowUnit>,
    projection: Projection,
}

impl Binary {
    /// Builds the rule and the store from checked parameters.
    pub fn new(rule: &RuleSpec, store: &StoreSpec, params: &Params) -> Result<Self> {
        let store = (store.build)(params, Shape { blocks: 1, all_touched: true })?;
        Ok(Self {
            rule: FlooredRule::new(rule, params),
            averages: !store.predicts_as_it_learns(),
            store,
            restart: Restart::new(params),
            row_unit: RowUnit::new(params),
            projection: Projection::default(),
        })
    }

    /// The score with the weights that predict, and its variance.
    fn moments(&self, x: SparseVec<'_>) -> (f64, f64) {
        let (mut mean, mut variance) = ([0.0], [0.0]);
        self.store.scores(x, &mut mean, Some(&mut variance), &mut Projection::default());
        (mean[0], variance[0])
    }

    /// Moves the Gaussian by a rule's step for the projected example. True if anything moved.
    fn absorb(&mut self, x: SparseVec<'_>, y: f64, weight: f64) -> Result<bool> {
        let (mean, variance) = (self.projection.mean, self.projection.variance);
        let prior = || self.store.prior_variance(x);
        let Some(step) = self.rule.step(y, mean, variance, weight, prior) else { return Ok(false) };
        self.store.absorb(x, 0, &mut self.projection, step)?;
        Ok(true)
    }

    /// Starts anew, or takes back what it knew before, where its mistakes ask for it.
    fn watch_itself(
        &mut self,
        x: SparseVec<'_>,
        truth: (Target<'_>, f64),
        scores: &mut Scores,
    ) -> Result<()> {
        let Some(mut restart) = self.restart.take() else { return Ok(()) };
        let done = restart.act(self, x, truth, scores);
        self.restart = Some(restart);
        done
    }
}

impl Learner for Binary {
    fn classes(&self) -> usize {
        2
    }

    fn set_classes(&mut self, classes: usize, ranks: &[u32]) -> Result<()> {
        check_two_classes("learner", classes, ranks)
    }

    fn scores(&self, x: SparseVec<'_>, out: &mut Scores) {
        out.put_binary([self.moments(x)]);
    }

    fn update(
        &mut self,
        x: SparseVec<'_>,
        target: Target<'_>,
        weight: f64,
        scores: &mut Scores,
    ) -> Result<()> {
        let class = class_to_learn(target, weight, Task::Binary)?;
        if weight > 0.0 {
            self.store.begin_round(x);
        }
        self.projection.ready = false;
        self.store.project(x, 0, &mut self.projection);
        let Projection { mean, variance, .. } = self.projection;
        scores.put_binary([if self.averages { self.moments(x) } else { (mean, variance) }]);
        if weight > 0.0 {
            let weighed = RowUnit::weigh(&mut self.row_unit, x, weight);
            scores.updated = self.absorb(x, if class == 1 { 1.0 } else { -1.0 }, weighed)?;
            self.store.end_round();
            self.watch_itself(x, (target, weight), scores)?;
        }
        Ok(())
    }

    fn prefetch(&self, ids: &[u32]) {
        self.store.prefetch(ids);
    }

    fn votes(&self, x: SparseVec<'_>, _: &[f64], _: &mut Voter, votes: &mut Vec<f64>) {
        votes.clear();
        votes.extend(two_votes(self.moments(x)));
    }

    fn discount(&mut self, share: f64) {
        self.restart.iter_mut().for_each(Restart::end_trial);
        self.store.discount(share);
        self.rule.floor.discount(share);
    }

    fn weight(&self, _: usize, feature: usize, block: usize) -> Option<Weight> {
        self.store.weight(feature, block)
    }

    fn store(&self) -> Option<&dyn Store> {
        Some(&*self.store)
    }

    fn add_to(&self, sum: &mut LearnerSum, part: &LearnerPart<'_>) -> Result<()> {
        let pooling = Pooling { share: self.rule.rule.prior_share(), common: None };
        sum.add(Summand { store: &*self.store, blocks: 1, unit: self.row_unit, pooling }, part)
    }

    fn take(&mut self, sum: LearnerSum) -> Result<()> {
        // Of the merged learner no mistakes are known.
        self.restart.iter_mut().for_each(|restart| *restart = Restart::default());
        sum.fill(&mut *self.store, &mut self.row_unit)
    }

    fn move_mean(&mut self, _: usize, feature: usize, block: usize, by: f64) -> Result<()> {
        self.store.move_mean(feature, block, by)
    }

    fn save(&self) -> State<'_> {
        let mut state = State::default();
        state.join("store", self.store.save());
        state.join("floor", self.rule.floor.save());
        self.restart.iter().for_each(|restart| state.join("restart", restart.save()));
        RowUnit::save(self.row_unit, &mut state);
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        self.store.restore(state.split("store"), 1)?;
        self.rule.floor.restore(state.split("floor"))?;
        if let Some(mut restart) = self.restart.take() {
            restart.restore(state.split("restart"), || Ok(Box::new(self.clone())))?;
            self.restart = Some(restart);
        }
        RowUnit::restore(&mut self.row_unit, &mut state)?;
        state.finish()
    }
}

/// Refuses a third class.
pub(super) fn check_two_classes(what: &str, classes: usize, ranks: &[u32]) -> Result<()> {
    if classes <= 2 && ranks.len() <= 2 {
        return Ok(());
    }
    let found = ranks.len();
    Err(Error::Conflict(format!("a binary {what} has 2 classes, not {found}; use the multi-class task")))
}

/// The papers' votes for the negative and the positive of two classes, Φ(∓m/√v): how sure the weights are. Each is accurate
/// where it is tiny.
pub(super) fn two_votes((score, variance): (f64, f64)) -> [f64; 2] {
    [-1.0, 1.0].map(|side| {
        if variance > 0.0 {
            let t = side * score / variance.sqrt();
            // Both are beyond all numbers: nothing is known.
            if t.is_nan() { 0.5 } else { crate::normal::cdf(t) }
        } else {
            // All the mass is on one side; a score of exactly 0 predicts the positive label.
            f64::from(u8::from((score >= 0.0) == (side > 0.0)))
        }
    })
}
