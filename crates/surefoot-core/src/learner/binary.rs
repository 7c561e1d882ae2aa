//! Two classes: z = y·x with y = +1 for class 1 and −1 for class 0.

use super::{Calibration, Guard, Learner, Prediction, Round, check_weight};
use crate::gaussian::{FLOOR, Gaussian, Projection, Shape, StoreSpec};
use crate::param::Params;
use crate::probability::Voter;
use crate::rule::{Rule, RuleSpec, Step};
use crate::state::State;
use crate::{Error, Features, Result};

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
    rule: Box<dyn Rule>,
    store: Box<dyn Gaussian>,
    guard: Guard,
    calibration: Calibration,
    projection: Projection,
    prediction: Prediction,
}

impl Binary {
    /// Builds both halves from checked parameters.
    pub fn new(rule: &RuleSpec, store: &StoreSpec, params: &Params) -> Result<Self> {
        Ok(Self {
            rule: (rule.build)(params),
            store: (store.build)(params, Shape { blocks: 1, all_touched: true })?,
            guard: Guard::new(params.number(FLOOR.name)),
            calibration: Calibration::default(),
            projection: Projection::default(),
            prediction: Prediction::default(),
        })
    }

    /// Moves the Gaussian by a rule's step for the projected example. True if anything moved.
    fn absorb(&mut self, x: Features<'_>, y: f64, weight: f64) -> Result<bool> {
        let (m, v) = (y * self.projection.mean, self.projection.variance);
        let Some(step) = self.rule.checked_step(m, v, weight) else { return Ok(false) };
        let step = self.guard.apply(step, v, || self.store.prior_variance(x));
        let along = Step { alpha: y * step.alpha, gain: step.gain };
        self.store.absorb(x, 0, &mut self.projection, along)?;
        Ok(true)
    }
}

/// Score and variance into a prediction of one of two classes.
fn fill(out: &mut Prediction, score: f64, variance: f64) {
    out.label = Some(usize::from(score >= 0.0));
    (out.score, out.variance) = (score, variance);
    out.scores.clear();
    out.scores.push(score);
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
        let (mut mean, mut variance) = ([0.0], [0.0]);
        self.store.moments(x, &mut mean, &mut variance, &mut Projection::default());
        fill(out, mean[0], variance[0]);
        self.calibration.stamp(out);
    }

    fn learn(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<Round<'_>> {
        check_weight(weight)?;
        if class > 1 {
            return Err(Error::Example(format!("class {class} in a binary learner: expected 0 or 1")));
        }
        self.projection.ready = false;
        self.store.project(x, 0, &mut self.projection);
        if self.store.predicts_as_it_learns() {
            fill(&mut self.prediction, self.projection.mean, self.projection.variance);
            self.calibration.stamp(&mut self.prediction);
        } else {
            let mut prediction = std::mem::take(&mut self.prediction);
            self.predict_into(x, &mut prediction);
            self.prediction = prediction;
        }
        let mut updated = false;
        let probability = if weight > 0.0 {
            updated = self.absorb(x, if class == 1 { 1.0 } else { -1.0 }, weight)?;
            self.store.end_round();
            self.calibration.learn(&self.prediction, class, weight)
        } else {
            self.prediction.probability(class)
        };
        Ok(Round { prediction: &self.prediction, probability, updated })
    }

    fn vote_into(&self, x: Features<'_>, _: &mut Voter, votes: &mut Vec<f64>) {
        let prediction = self.predict(x);
        votes.clear();
        votes.extend([prediction.negative_vote(), prediction.positive_vote()]);
    }

    fn gaussian(&self) -> &dyn Gaussian {
        &*self.store
    }

    fn save(&self) -> State {
        let mut state = State::default();
        state.join("store", self.store.save());
        state.join("calibration", self.calibration.save());
        state
    }

    fn restore(&mut self, mut state: State) -> Result<()> {
        self.store.restore(state.split("store"))?;
        self.calibration.restore(state.split("calibration"))?;
        state.finish()
    }
}
