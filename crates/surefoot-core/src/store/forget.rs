//! Forgetting: what was learned counts half after so many examples.
//!
//! A Gaussian N(μ, Σ) has the natural parameters Λ = Σ⁻¹ and η = Λμ, and starts at Λ₀ = I/a, η = 0. With a half-life of H
//! examples and λ = 2^(−1/H), every round of positive weight ends with
//!
//! ```text
//! discount:  Λ ← λΛ + (1−λ)Λ₀,  η ← λη          what was learned fades, mean and certainty alike
//! inflate:   Λ ← λΛ + (1−λ)Λ₀,  μ stays         only the certainty fades: weights may move again
//! ```
//!
//! After n rounds that is the same with λⁿ in the place of λ, so a weight that was not looked at meanwhile catches up in one
//! step: with f = λⁿ and the variances σ² before and a at the start,
//!
//! ```text
//! d = σ²/a + f·(1 − σ²/a)      σ² ← σ²/d      discount: μ ← μ·f/d
//! ```
//!
//! A variance far below the prior's is divided by f, as where variances are inflated by a factor and cut off at the prior,
//! σ² ← min(a, σ²/f); but it comes near the prior smoothly, one formula serves both forms and every store that can tell its
//! precision, and the prior itself is left to the last bit, so what was never learned needs no time of its own. On electricity
//! prices and a rotating hyperplane both erred the same, within 1.2 points either way over three learners and two half-lives.
//!
//! First-order stores have no Λ: there weights fade, w ← λw. The kernel store cannot take its precision apart at the cost of a
//! round: there what the supports add to mean and covariance fades by their age ([`super::kernel`]). Full and factored
//! stores pay for every feature when they forget, and do it every `H/64` rounds at most ([`Intervals`]).

use super::{FORGET, half_life};
use crate::param::Params;
use crate::state::State;
use crate::{Error, Result};

/// How fast a store forgets, and what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Forgetting {
    half_life: f64,
    keeps_means: bool,
}

/// What some rounds leave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share {
    /// f = λⁿ.
    pub(crate) left: f64,
    /// n.
    pub(crate) rounds: f64,
    /// Whether means stay as they are.
    pub(crate) keeps_means: bool,
}

impl Share {
    /// The share that is left of what was learned, at once and of means and certainty alike; none if nothing is lost.
    pub(crate) fn at_once(left: f64) -> Option<Self> {
        (left < 1.0).then(|| Share { left: left.max(0.0), rounds: 0.0, keeps_means: false })
    }
}

impl Forgetting {
    /// What the parameters ask for; none without a half-life.
    pub(crate) fn new(params: &Params) -> Option<Self> {
        let keeps_means = params.word(FORGET.name) == "inflate";
        half_life(params).map(|half_life| Self { half_life, keeps_means })
    }

    /// What so many rounds leave; never quite nothing, so that it may stand below a fraction.
    pub(crate) fn share(self, rounds: u32) -> Share {
        let rounds = f64::from(rounds);
        let left = libm::exp2(-rounds / self.half_life).max(f64::MIN_POSITIVE);
        Share { left, rounds, keeps_means: self.keeps_means }
    }

    /// 1 + λ + λ² + … over so many rounds: how many of them are remembered.
    pub(super) fn remembered(self, rounds: u64) -> f64 {
        let ln_lambda = -std::f64::consts::LN_2 / self.half_life;
        libm::expm1(ln_lambda * rounds as f64) / libm::expm1(ln_lambda)
    }
}

/// What rounds leave of a cell of `N` numbers; a type, so that walks over rows are compiled with it.
pub(crate) trait Fade<const N: usize>: 'static {
    /// What is left of `cell`, which was `origin` before anything was learned.
    fn fade(share: Share, cell: [f64; N], origin: [f64; N]) -> [f64; N];
}

/// A mean and a variance that started at 0 and at the prior's.
pub(crate) struct FadeGaussian;

impl Fade<2> for FadeGaussian {
    #[inline(always)]
    fn fade(share: Share, [mean, variance]: [f64; 2], [_, prior]: [f64; 2]) -> [f64; 2] {
        if share.left == 0.0 {
            return [if share.keeps_means { mean } else { 0.0 }, prior];
        }
        // A file may say anything; far above the prior the quotient would leave the numbers.
        let known = (variance / prior).min(f64::MAX);
        let whole = known + share.left * (1.0 - known);
        let mean = if share.keeps_means { mean } else { mean * (share.left / whole) };
        [mean, variance / whole]
    }
}

/// A weight of a first-order store.
pub(super) struct FadeWeight;

impl Fade<1> for FadeWeight {
    #[inline(always)]
    fn fade(share: Share, [weight]: [f64; 1], _: [f64; 1]) -> [f64; 1] {
        [weight * share.left]
    }
}

/// A weight w and the sum S of what it was at the end of every round, each faded by its age: after n rounds λⁿw and
/// Σⱼλⁿ⁻ʲ·λʲw more, λⁿ(S + n·w).
pub(super) struct FadeAverage;

impl Fade<2> for FadeAverage {
    #[inline(always)]
    fn fade(share: Share, [weight, sum]: [f64; 2], _: [f64; 2]) -> [f64; 2] {
        [weight * share.left, (sum + share.rounds * weight) * share.left]
    }
}

/// In a half-life the stores that pay for every feature forget so many times at most.
const STEPS: f64 = 64.0;

/// Counts rounds for stores that forget by and by: every `H/64` rounds (every round for short half-lives) they do what those
/// rounds would have done, 1 % at most.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Intervals {
    forgetting: Forgetting,
    every: u32,
    passed: u32,
}

/// What the count of rounds is called in a saved state.
const PASSED: &str = "passed";

impl Intervals {
    pub(super) fn new(params: &Params) -> Option<Self> {
        let forgetting = Forgetting::new(params)?;
        // A half-life is a count of 32 bits.
        let every = (forgetting.half_life / STEPS).max(1.0) as u32;
        Some(Self { forgetting, every, passed: 0 })
    }

    /// Ends a round; what the rounds since last time leave, if it is time.
    pub(super) fn tick(&mut self) -> Option<Share> {
        self.passed += 1;
        (self.passed == self.every).then(|| self.forgetting.share(std::mem::take(&mut self.passed)))
    }

    /// Adds the rounds since last time to a state; nothing of a store that does not forget.
    pub(super) fn save(own: Option<&Self>, state: &mut State<'_>) {
        own.iter().for_each(|own| state.put_counts(PASSED, &[own.passed.into()]));
    }

    /// Takes them out again.
    pub(super) fn restore(own: Option<&mut Self>, state: &mut State<'_>) -> Result<()> {
        let Some(own) = own else { return Ok(()) };
        let [passed] = state.take_counts(PASSED)?;
        match u32::try_from(passed) {
            Ok(passed) if passed < own.every => own.passed = passed,
            _ => {
                let every = own.every;
                return Err(Error::State(format!(
                    "`{PASSED}`: {passed} rounds since it last forgot, which is every {every}"
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgetting(half_life: f64, keeps_means: bool) -> Forgetting {
        Forgetting { half_life, keeps_means }
    }

    #[test]
    fn the_prior_stays_to_the_last_bit() {
        for prior in [1.0, 0.3, 1e-30, 7e20, 1.0 / 3.0] {
            for rounds in [1, 7, 1000, u32::MAX] {
                let share = forgetting(10.0, false).share(rounds);
                assert_eq!(FadeGaussian::fade(share, [0.0, prior], [0.0, prior]), [0.0, prior]);
            }
        }
    }

    #[test]
    fn natural_parameters_halve_in_a_half_life() {
        for keeps_means in [false, true] {
            let share = forgetting(10.0, keeps_means).share(10);
            let [mean, variance] = FadeGaussian::fade(share, [0.6, 0.1], [0.0, 2.0]);
            // Λ − Λ₀ was 9.5, η was 6.
            assert!((1.0 / variance - 5.25).abs() < 1e-12, "{variance}");
            let expected = if keeps_means { 0.6 } else { 3.0 / 5.25 };
            assert!((mean - expected).abs() < 1e-12, "{mean}");
        }
    }

    /// Variances at the ends of the range of numbers, and ages without end.
    #[test]
    fn nothing_leaves_the_numbers() {
        for variance in [0.0, 5e-324, 1e-300, 1.0, 1e300] {
            for rounds in [1, 2000, u32::MAX] {
                let share = forgetting(1.0, false).share(rounds);
                let [mean, variance] = FadeGaussian::fade(share, [1e3, variance], [0.0, 1.0]);
                assert!(mean.abs() <= 1e3 && (0.0..=1e300).contains(&variance), "{mean} {variance}");
            }
        }
    }

    #[test]
    fn remembered_rounds_are_the_sum_of_what_is_left_of_each() {
        let forgetting = forgetting(7.0, false);
        let sum: f64 = (0..20).map(|age| forgetting.share(age).left).sum();
        assert!((forgetting.remembered(20) - sum).abs() < 1e-12);
    }
}
