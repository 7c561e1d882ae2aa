//! Two classes: z = y·x with y = +1 for class 1 and −1 for class 0.

use super::merge::{merge_calibrations, merge_stores};
use super::pool::Common;
use super::sequel::{LANES, Links};
use super::{
    Calibration, Learner, Merging, Moments, Part, Prediction, Round, Sequel, VarianceFloor, check_binary,
    check_weight,
};
use crate::param::Params;
use crate::probability::Voter;
use crate::rule::{Rule, RuleSpec, Step};
use crate::state::State;
use crate::store::{Projection, Shape, Store, StoreSpec};
use crate::{Error, Features, Result};

/// How often a round asks for some of the memory of the next.
const ASKED: usize = 3;

/// A rule on a store for two classes.
///
/// ```
/// use surefoot_core::{Learner, Spec, Task, Vector};
/// let mut learner = Spec::parse("arow:r=1")?.build(Task::Binary)?;
/// let x = Vector::from_pairs([(0, 1.0)])?;
/// let round = learner.learn(x.features(), 1, 1.0)?;
/// assert!(round.updated);
/// assert_eq!(round.prediction.label, Some(1)); // a score of exactly 0 predicts the positive class
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Binary {
    head: Head,
    calibration: Calibration,
    store: Box<dyn Store>,
    projection: Projection,
    prediction: Prediction,
}

impl Binary {
    /// Builds both halves from checked parameters.
    pub fn new(rule: &RuleSpec, store: &StoreSpec, params: &Params) -> Result<Self> {
        Ok(Self {
            head: Head::new(rule, params),
            calibration: Calibration::default(),
            store: (store.build)(params, Shape { blocks: 1, all_touched: true })?,
            projection: Projection::default(),
            prediction: Prediction::default(),
        })
    }

    /// The score of an example and its variance; leaves its projection.
    fn score(&mut self, x: Features<'_>) -> (f64, f64) {
        self.projection.ready = false;
        self.store.prefetch(x.next_part(0, ASKED));
        self.store.project(x, 0, &mut self.projection);
        let seen = if self.store.predicts_as_it_learns() {
            (self.projection.mean, self.projection.variance)
        } else {
            self.moments(x)
        };
        self.store.prefetch(x.next_part(1, ASKED));
        seen
    }

    /// The score that a prediction has, and its variance.
    fn moments(&self, x: Features<'_>) -> (f64, f64) {
        let (mut mean, mut variance) = ([0.0], [0.0]);
        self.store.scores(x, &mut mean, Some(&mut variance), &mut Projection::default());
        (mean[0], variance[0])
    }

    /// Learns the class of the projected example. True if anything moved.
    fn move_weights(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<bool> {
        let mut moved = false;
        if weight > 0.0 {
            moved = self.absorb(x, if class == 1 { 1.0 } else { -1.0 }, weight)?;
            self.store.end_round();
        }
        self.store.prefetch(x.next_part(2, ASKED));
        Ok(moved)
    }

    /// Moves the Gaussian by a rule's step for the projected example. True if anything moved.
    fn absorb(&mut self, x: Features<'_>, y: f64, weight: f64) -> Result<bool> {
        let (mean, variance) = (self.projection.mean, self.projection.variance);
        let prior = || self.store.prior_variance(x);
        let Some(step) = self.head.step(y, mean, variance, weight, prior) else { return Ok(false) };
        self.store.absorb(x, 0, &mut self.projection, step)?;
        Ok(true)
    }
}

/// What a learner of two classes is besides its store.
#[derive(Debug, Clone)]
pub(super) struct Head {
    rule: Box<dyn Rule>,
    pub(super) guard: VarianceFloor,
}

impl Head {
    pub(super) fn new(rule: &RuleSpec, params: &Params) -> Self {
        Self { rule: (rule.build)(params), guard: VarianceFloor::new(params) }
    }

    /// The step along x for a label y = ±1, or none.
    pub(super) fn step(
        &mut self,
        y: f64,
        mean: f64,
        variance: f64,
        weight: f64,
        prior: impl FnOnce() -> f64,
    ) -> Option<Step> {
        let step = self.rule.checked_step(y * mean, variance, weight)?;
        let step = if self.guard.is_below(variance, prior) { self.guard.clamp(step, 0) } else { step };
        Some(Step { alpha: y * step.alpha, gain: step.gain })
    }
}

impl Learner for Binary {
    fn classes(&self) -> usize {
        2
    }

    fn set_classes(&mut self, classes: usize, order: &[u32]) -> Result<()> {
        if classes <= 2 && order.len() <= 2 {
            return Ok(());
        }
        Err(Error::Conflict(format!(
            "a binary learner has 2 classes, not {}; use the multi-class task",
            order.len()
        )))
    }

    fn predict_into(&self, x: Features<'_>, out: &mut Prediction) {
        let (mean, variance) = self.moments(x);
        self.calibration.fill(out, mean, variance);
    }

    fn learn(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<Round<'_>> {
        check_weight(weight)?;
        check_binary(class)?;
        let (mean, variance) = self.score(x);
        self.calibration.fill(&mut self.prediction, mean, variance);
        let updated = self.move_weights(x, class, weight)?;
        let probability = if weight > 0.0 {
            self.calibration.learn(&self.prediction, class, weight)
        } else {
            self.prediction.probability(class)
        };
        Ok(Round { prediction: &self.prediction, probability, updated })
    }

    fn lend(&mut self, ample: bool) -> Option<Sequel> {
        ample.then(|| Sequel { links: Links::new(vec![std::mem::take(&mut self.calibration)]), word: None })
    }

    fn learn_weights(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<Moments> {
        check_weight(weight)?;
        check_binary(class)?;
        let (mut means, mut variances) = ([0.0; LANES], [0.0; LANES]);
        (means[0], variances[0]) = self.score(x);
        let updates = usize::from(self.move_weights(x, class, weight)?);
        Ok(Moments { means, variances, class, weight, updates })
    }

    fn take_back(&mut self, mut sequel: Sequel) {
        self.calibration = sequel.links.each.pop().unwrap_or_default();
    }

    fn vote_into(&self, x: Features<'_>, _: &mut Voter, votes: &mut Vec<f64>) {
        let prediction = self.predict(x);
        votes.clear();
        votes.extend([prediction.negative_vote(), prediction.positive_vote()]);
    }

    fn gaussian(&self) -> &dyn Store {
        &*self.store
    }

    fn calibration(&self) -> Option<&Calibration> {
        Some(&self.calibration)
    }

    fn merge(&mut self, parts: &[Part<'_>], merging: Merging) -> Result<()> {
        merge_stores(&mut *self.store, 1, &*self.head.rule, parts, merging, Common::Largest)?;
        self.calibration = merge_calibrations(parts);
        Ok(())
    }

    fn save(&self) -> State<'_> {
        let mut state = State::default();
        state.join("store", self.store.save());
        state.join("calibration", self.calibration.save());
        state.join("guard", self.head.guard.save());
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        self.store.restore(state.split("store"), 1)?;
        self.calibration.restore(state.split("calibration"))?;
        self.head.guard.restore(state.split("guard"))?;
        state.finish()
    }
}
