//! Calibrated probabilities, learned online from the progressive scores.
//!
//! The papers' vote Φ(m/√v) says how sure the weights are, not how often the label is right. A calibrated
//! probability adds what the weights do not know: noise of variance τ² in the margin, and a slope a,
//!
//! ```text
//! z = a · m / √(v + τ²),   P = σ(z) for two classes, softmax of the z's for many (v of the winner).
//! ```
//!
//! a and τ are positive, so the predicted class is always the most probable one, and the order of the
//! probabilities is that of the standardised margins. They follow the log loss by a damped online Newton step in
//! their logarithms, with slow forgetting, because scores grow while the learner learns.
//!
//! A logarithm has no way back from 0: where scores were wrong for long, as after a change of what is true, a would fall
//! until its gradient, which is proportional to the logit, is gone too. So no step makes logits smaller that are next to 0
//! already (a mean square below that of [`FAINT`]): they say nothing as it is, and from there a few hundred right scores
//! lead back.

use std::array::from_fn;

use super::round::{LARGEST_LOGIT, Prediction, Scores};
use crate::Result;
use crate::power::{exp, exp_each};
use crate::state::{State, Tensor, check_finite};

/// The two parameters of the link, the curvature gathered so far, and how large logits are.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The slope a.
    slope: f64,
    /// The noise τ².
    noise: f64,
    /// The curvature of the log loss in (ln a, ln τ): entries 00, 01, 11.
    curvature: [f64; 3],
    /// The mean square of the last logits.
    size: f64,
}

/// Curvature before any data: the start is worth about a hundred examples at the decision boundary.
const PRIOR_CURVATURE: [f64; 3] = [2.0, 0.0, 2.0];
/// How much of the curvature survives a round: some thousand rounds of memory.
const MEMORY: f64 = 0.999;
/// Logits of this size say nothing: a probability of 0.525. On pure noise they cost 0.00125 of log loss.
const FAINT: f64 = 0.1;
/// The share of the newest logit in their mean square: some hundred rounds of memory.
const NEWEST: f64 = 0.01;
/// The longest step in each parameter, in natural logarithms.
const LONGEST_STEP: f64 = 0.5;
/// Slope and noise stay within these bounds, far outside of anything useful.
const SMALLEST: f64 = 1e-120;

impl Default for Calibration {
    fn default() -> Self {
        Self { slope: 1.0, noise: 0.1, curvature: PRIOR_CURVATURE, size: 1.0 }
    }
}

impl Calibration {
    /// The link that takes scores for logits, until it learns better.
    #[must_use]
    pub fn of_logits() -> Self {
        Self { noise: 1.0, ..Self::default() }
    }

    /// The factor a/√(v + τ²) between a score and its logit, and the share τ²/(v + τ²) of the noise.
    fn factor(&self, variance: f64) -> (f64, f64) {
        let total = variance.max(0.0) + self.noise;
        (self.slope / total.sqrt(), self.noise / total)
    }

    /// The prediction that the scores of a member make.
    pub fn interpret(&self, scores: &Scores, member: usize, out: &mut Prediction) {
        out.label = scores.label(member);
        out.scores.clear();
        out.scores.extend_from_slice(scores.of(member));
        (out.binary, out.relative) = (scores.binary(), false);
        let of_label = if out.binary { Some(0) } else { out.label };
        out.score = of_label.map_or(0.0, |place| out.scores[place]);
        out.variance = scores.variance(member);
        self.stamp(out);
    }

    /// Writes the slope of this moment into a prediction.
    pub fn stamp(&self, p: &mut Prediction) {
        p.slope = self.factor(p.variance).0;
    }

    /// Learns from the truth about a prediction; returns the probability that it had given to the true class.
    pub fn learn(&mut self, p: &Prediction, class: usize, weight: f64) -> f64 {
        if p.binary_score().is_some() {
            let [probability] = Self::learn_each([self], [p], class, weight);
            return probability;
        }
        let (_, share) = self.factor(p.variance);
        let Some(&score) = p.scores.get(class) else { return 0.0 };
        let logit = |score: f64| (p.slope * (score - p.score)).clamp(-LARGEST_LOGIT, LARGEST_LOGIT);
        let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
        for z in p.scores.iter().map(|&score| logit(score)) {
            let q = exp(z);
            total += q;
            first += q * z;
            second += q * z * z;
        }
        let (mean, z) = (first / total, logit(score));
        let size = second / total;
        self.step(mean - z, (size - mean * mean).max(0.0), size, share, weight);
        exp(z) / total
    }

    /// As [`Calibration::learn`] for several learners of two classes at a time.
    pub(super) fn learn_each<const N: usize>(
        calibrations: [&mut Calibration; N],
        predictions: [&Prediction; N],
        class: usize,
        weight: f64,
    ) -> [f64; N] {
        let z = predictions.map(|p| p.binary_score().map_or(0.0, |score| p.slope * score));
        let z = z.map(|z| z.clamp(-LARGEST_LOGIT, LARGEST_LOGIT));
        // By a product: a branch on the label would be mispredicted.
        let sign = [-1.0, 1.0][usize::from(class == 1)];
        let signed = z.map(|z| sign * z);
        let miss = exp_each(signed).map(|odds| 1.0 / (1.0 + odds));
        let shares: [f64; N] = from_fn(|i| calibrations[i].factor(predictions[i].variance).1);
        for (i, calibration) in calibrations.into_iter().enumerate() {
            let curvature = miss[i] * (1.0 - miss[i]) * z[i] * z[i];
            calibration.step(-miss[i] * signed[i], curvature, z[i] * z[i], shares[i], weight);
        }
        miss.map(|miss| 1.0 - miss)
    }

    /// A Newton step: slope and curvature are those of the log loss along a common factor on the logits; ln τ acts
    /// like −share of it. `size` is the square of the logit.
    fn step(&mut self, slope: f64, curvature: f64, size: f64, share: f64, weight: f64) {
        // Where a vote prefers another class than the scores do, a logit may be so large that its power overflows.
        if !slope.is_finite() || !curvature.is_finite() || !size.is_finite() {
            return;
        }
        self.size += NEWEST * (size - self.size);
        let factors = [1.0, -share, share * share];
        self.curvature = from_fn(|i| {
            let start = PRIOR_CURVATURE[i];
            start + MEMORY * (self.curvature[i] - start) + weight * curvature * factors[i]
        });
        let [aa, at, tt] = self.curvature;
        let determinant = aa * tt - at * at;
        let gradient = [weight * slope, -share * weight * slope];
        let change = [tt * gradient[0] - at * gradient[1], aa * gradient[1] - at * gradient[0]];
        // Against a gradient above 0, logits get smaller.
        let stays = slope > 0.0 && self.size < FAINT * FAINT;
        let change = change.map(|change| if stays { 0.0 } else { change / determinant });
        [self.slope, self.noise] = moved([self.slope, self.noise], [change[0], 2.0 * change[1]]);
    }

    /// Goes back towards the start, by the logarithms of slope and noise: all of the way with a share of 0.
    pub(super) fn discount(&mut self, share: f64) {
        let start = Self::default();
        let share = share.clamp(0.0, 1.0);
        if share < 1.0 {
            *self = Self::mean([(&*self, share), (&start, 1.0 - share)].into_iter());
        }
    }

    /// The mean of calibrations by weight: geometric for slope and noise, which act by their logarithms.
    pub fn mean<'a>(parts: impl Iterator<Item = (&'a Calibration, f64)>) -> Self {
        let (mut total, mut logs, mut curvature, mut size) = (0.0, [0.0; 2], [0.0; 3], 0.0);
        for (part, weight) in parts {
            total += weight;
            logs[0] += weight * libm::log(part.slope);
            logs[1] += weight * libm::log(part.noise);
            size += weight * part.size;
            curvature.iter_mut().zip(part.curvature).for_each(|(sum, own)| *sum += weight * own);
        }
        if total == 0.0 {
            return Self::default();
        }
        let [slope, noise] = logs.map(|sum| libm::exp(sum / total));
        Self { slope, noise, curvature: curvature.map(|sum| sum / total), size: size / total }
    }

    /// Everything learned.
    #[must_use]
    pub fn save(&self) -> State<'_> {
        let mut state = State::default();
        let [aa, at, tt] = self.curvature;
        state.put("link", Tensor::F64(vec![self.slope, self.noise, aa, at, tt, self.size].into()));
        state
    }

    /// Takes over what [`Calibration::save`] gave.
    pub fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        let link = state.take_f64("link")?;
        check_finite("calibration.link", &link)?;
        let [slope, noise, aa, at, tt, size] =
            link.try_into().map_err(|_| crate::Error::State("`calibration.link` needs 6 numbers".into()))?;
        if slope <= 0.0 || noise <= 0.0 || size < 0.0 {
            let what = "`calibration.link` needs a positive slope and noise, and no negative square";
            return Err(crate::Error::State(what.into()));
        }
        *self = Self { slope, noise, curvature: [aa, at, tt], size };
        state.finish()
    }
}

/// Positive numbers after a step against `change` in their logarithms, to first order: no exp in the loop, and no branch.
fn moved(numbers: [f64; 2], change: [f64; 2]) -> [f64; 2] {
    from_fn(|i| {
        let step = change[i].clamp(-LONGEST_STEP, LONGEST_STEP);
        // One of the two factors is 1.
        let factor = (1.0 - step.min(0.0)) / (1.0 + step.max(0.0));
        let number = (numbers[i] * factor).clamp(SMALLEST, 1.0 / SMALLEST);
        if change[i].is_finite() { number } else { numbers[i] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learn(calibration: &mut Calibration, score: f64, class: usize) -> f64 {
        let mut p = Prediction {
            scores: vec![score],
            score,
            binary: true,
            variance: score * score,
            ..Prediction::default()
        };
        calibration.stamp(&mut p);
        calibration.learn(&p, class, 1.0)
    }

    /// Thousands of wrong scores leave probabilities that say nothing; right ones lead back from there, whatever the scale.
    #[test]
    fn a_slope_comes_back_after_scores_that_were_wrong_for_long() {
        for scale in [1e-3, 1.0, 1e4] {
            let mut own = Calibration::default();
            let mut last = |rounds: usize, right: bool| {
                let mut run = |round: usize| {
                    let score = if round.is_multiple_of(2) { -scale } else { scale };
                    learn(&mut own, score, usize::from((score > 0.0) == right))
                };
                (0..rounds).map(&mut run).last().unwrap()
            };
            assert!(last(1000, true) > 0.9, "{scale}: trusted while right");
            let lost = last(5000, false);
            assert!((0.4..0.5).contains(&lost), "{scale}: wrong for long, {lost}");
            let found = last(1000, true);
            assert!(found > 0.8, "{scale}: right again, {found}");
        }
    }
}
