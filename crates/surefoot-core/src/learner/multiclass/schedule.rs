//! The schedules: how the updates of one round against several rivals are combined.

use super::Multiclass;
use crate::rule::Step;
use crate::store::Projection;
use crate::{Result, SparseVec, Target};

/// How the updates against several rivals are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Schedule {
    /// One rival after the other, each seeing what the one before changed.
    Sequential,
    /// All rivals from the same start, averaged.
    Parallel,
    /// The joint problem, solved.
    Exact,
    /// Every label its own binary problem.
    OneVsRest,
}

impl Schedule {
    pub(super) fn from_word(word: &str) -> Self {
        match word {
            "parallel" => Self::Parallel,
            "exact" => Self::Exact,
            "one-vs-rest" => Self::OneVsRest,
            _ => Self::Sequential,
        }
    }
}

impl Multiclass {
    /// One rival after the other; with a single rival this is the single-constraint update.
    pub(super) fn sequential(&mut self, x: SparseVec<'_>, class: usize, weight: f64) -> Result<bool> {
        let mut updated = false;
        self.project_truth(x, class);
        for i in 0..self.scratch.rivals.len() {
            let rival = self.scratch.rivals[i];
            self.project_rival(x, 0, rival);
            let Some(step) = self.step_against(x, class, 0, weight) else { continue };
            let v = self.scratch.truth.variance + self.scratch.projections[0].variance;
            let own = |p: &Projection| Step { gain: self.block_gain(step.gain, v, p.variance), ..step };
            let (truth, away) = (own(&self.scratch.truth), own(&self.scratch.projections[0]));
            self.move_truth(x, class, truth)?;
            self.move_rival(x, 0, rival, away)?; // [MCCW] §5.2, sequential
            updated = true;
            if i + 1 < self.scratch.rivals.len() {
                self.project_truth(x, class);
            }
        }
        Ok(updated)
    }

    /// All rivals from the same start with λ = 1/k: means and precisions are averaged, so the true label absorbs once.
    pub(super) fn parallel(&mut self, x: SparseVec<'_>, class: usize, weight: f64) -> Result<bool> {
        let count = self.scratch.rivals.len();
        let share = 1.0 / count as f64;
        self.project_truth(x, class);
        let mut total = Step { alpha: 0.0, gain: 0.0 };
        let mut updated = false;
        for i in 0..count {
            let rival = self.scratch.rivals[i];
            self.project_rival(x, i, rival);
            let Some(step) = self.step_against(x, class, i, weight) else { continue };
            let part = Step { alpha: share * step.alpha, gain: share * step.gain }; // [MCCW] §5.2, parallel
            total = Step { alpha: total.alpha + part.alpha, gain: total.gain + part.gain };
            self.move_rival(x, i, rival, part)?;
            updated = true;
        }
        if updated {
            self.move_truth(x, class, total)?;
        }
        Ok(updated)
    }

    /// Every label against the rest: the binary rule on each block. Where a row may have several labels, of those that it has not
    /// the `top` best learn.
    pub(super) fn one_vs_rest(&mut self, x: SparseVec<'_>, target: Target<'_>, weight: f64) -> Result<bool> {
        let classes = self.scratch.scores.len();
        let buffers = &mut self.scratch.scoring;
        let (mut variances, mut averages) =
            (std::mem::take(&mut buffers.variances), std::mem::take(&mut buffers.votes));
        // A class that came to life in this round was not there when the scores and their variances were taken.
        if variances.len() != classes {
            variances.resize(classes, 0.0);
            averages.resize(classes, 0.0);
            self.store.scores(x, &mut averages, Some(&mut variances), &mut self.scratch.truth);
        }
        let mut steps = std::mem::take(&mut self.scratch.steps);
        steps.clear();
        if self.several && self.top < classes {
            self.rank_rivals(target);
            steps.resize(classes, None);
            let rivals = std::mem::take(&mut self.scratch.rivals);
            for block in target.classes().chain(rivals.iter().copied()) {
                let score = self.scratch.scores[block];
                steps[block] = self.step_of_label(x, block, target, (score, variances[block]), weight);
            }
            self.scratch.rivals = rivals;
        } else {
            for (block, &v) in variances.iter().enumerate() {
                let score = self.scratch.scores[block];
                steps.push(self.step_of_label(x, block, target, (score, v), weight));
            }
        }
        let updated = steps.iter().any(Option::is_some);
        if updated {
            self.store.absorb_all(x, &variances, &steps, &mut self.scratch.truth)?;
        }
        self.scratch.steps = steps;
        (self.scratch.scoring.variances, self.scratch.scoring.votes) = (variances, averages);
        Ok(updated)
    }

    /// Labels of which a row may have several stand above or below 0: so the true ones and their rivals also learn each against the
    /// rest. It is as if a label of score 0, which never changes, stood between them (Fürnkranz et al. 2008, calibrated ranking).
    pub(super) fn against_zero(&mut self, x: SparseVec<'_>, target: Target<'_>, weight: f64) -> Result<bool> {
        let mut updated = false;
        let rivals = std::mem::take(&mut self.scratch.rivals);
        for block in target.classes().chain(rivals.iter().copied()) {
            self.project_truth(x, block);
            let moments = (self.scratch.truth.mean, self.scratch.truth.variance);
            if let Some(step) = self.step_of_label(x, block, target, moments, weight) {
                self.move_truth(x, block, step)?;
                updated = true;
            }
        }
        self.scratch.rivals = rivals;
        Ok(updated)
    }

    /// The binary rule's step for a label against the rest, whose score and variance these are.
    fn step_of_label(
        &mut self,
        x: SparseVec<'_>,
        block: usize,
        target: Target<'_>,
        (score, v): (f64, f64),
        weight: f64,
    ) -> Option<Step> {
        let y = if target.holds(block) { 1.0 } else { -1.0 };
        let step = self.rule.checked_step(y * score, v, weight)?;
        let frozen = self.floor.is_below(v, || self.store.prior_variance(x));
        let step = if frozen { self.floor.clamp(step, block) } else { step };
        Some(Step { alpha: y * step.alpha, gain: step.gain })
    }

    pub(super) fn project_truth(&mut self, x: SparseVec<'_>, class: usize) {
        self.scratch.truth.ready = false;
        self.store.project(x, class, &mut self.scratch.truth);
    }

    pub(super) fn project_rival(&mut self, x: SparseVec<'_>, slot: usize, rival: usize) {
        if self.scratch.projections.len() <= slot {
            self.scratch.projections.resize_with(slot + 1, Default::default);
        }
        self.scratch.projections[slot].ready = false;
        self.store.project(x, rival, &mut self.scratch.projections[slot]);
    }

    /// The rule's step for the true label against a projected rival.
    fn step_against(&mut self, x: SparseVec<'_>, class: usize, slot: usize, weight: f64) -> Option<Step> {
        let (truth, rival) = (&self.scratch.truth, &self.scratch.projections[slot]);
        let m = truth.mean - rival.mean; // [MCCW] Eq. 7: g = f(x, y) − f(x, r)
        let v = truth.variance + rival.variance;
        let step = self.rule.checked_step(m, v, weight)?;
        let frozen = self.floor.is_below(v, || 2.0 * self.store.prior_variance(x));
        Some(if frozen { self.floor.clamp(step, class) } else { step })
    }

    /// The gain of one block, so that the store needs only its own variance: the covariance projection's
    /// β = gain/(1 + gain·v) is that of the whole z.
    fn block_gain(&self, gain: f64, v: f64, own: f64) -> f64 {
        if self.covariance { gain / (1.0 + gain * (v - own)) } else { gain }
    }

    pub(super) fn move_truth(&mut self, x: SparseVec<'_>, class: usize, step: Step) -> Result<()> {
        self.store.absorb(x, class, &mut self.scratch.truth, step)
    }

    pub(super) fn move_rival(
        &mut self,
        x: SparseVec<'_>,
        slot: usize,
        rival: usize,
        step: Step,
    ) -> Result<()> {
        let away = Step { alpha: -step.alpha, gain: step.gain };
        self.store.absorb(x, rival, &mut self.scratch.projections[slot], away)
    }
}
