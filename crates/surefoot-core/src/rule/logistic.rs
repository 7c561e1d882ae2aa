//! Online Bayesian logistic regression: a Laplace step on the likelihood σ(m/s) of each example.
//!
//! The new mean is the mode of prior × likelihood along Σz, the gain is the curvature of the log-likelihood there.

use super::{Rule, RuleSpec, Step};
use crate::param::{Param, Range};

/// Solves alpha = w·σ(−(m + alpha·v)/s)/s; the gain is w·σ(1 − σ)/s² at that margin.
///
/// ```
/// use surefoot_core::rule::{Rule, logistic::Logistic};
/// let step = Logistic { scale: 1.0 }.step(0.0, 1.0, 1.0).unwrap();
/// assert!((step.alpha - 1.0 / (1.0 + step.alpha.exp())).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct Logistic {
    /// The scale s of the link: larger trusts single examples less.
    pub scale: f64,
}

/// σ(−t) and σ(t) at the root of t = a + c·σ(−t), all in units of the scale.
///
/// Halley's steps from the inflection point 0 (or from the end of the bracket [a, a + c] nearest to it) come from one
/// side and, other than Newton's, cube the error. A rough e^−t leads to the neighbourhood; there a single exact one is
/// enough, because what is left to go is too short for more than a few terms of a series.
fn tails_after(a: f64, c: f64) -> (f64, f64) {
    let t = if c <= SHORT { a + c * tails(rough_exp(-a)).0 } else { rough_root(a, c) };
    let power = crate::power::exp((-t).min(LARGEST));
    let step = halley(t, a, c, tails(power));
    let (tail, head) = tails(power * short_exp(step));
    let rest = halley(t - step, a, c, (tail, head));
    let bent = rest - 0.5 * rest * rest * (tail - head);
    (tail * (1.0 + head * bent), head * (1.0 - tail * bent))
}

/// The root to 0.015.
fn rough_root(a: f64, c: f64) -> f64 {
    let mut t = if a >= 0.0 { a } else { (a + c).min(0.0) };
    for _ in 0..MOST_ROUGH_STEPS {
        let step = halley(t, a, c, tails(rough_exp(-t)));
        t -= step;
        if step.abs() <= NEAR {
            break;
        }
    }
    t
}

/// With so small a c the root is within c of a, and σ changes by at most a quarter of that between the two: a + c·σ(−a) is
/// off by at most c²/4 = 0.01.
const SHORT: f64 = 0.2;

/// Enough for v up to 1e100: far out on the exponential tail each step gains two scales.
const MOST_ROUGH_STEPS: usize = 400;

/// After a step so short the error is at most half its cube, and that of the rough e^−t: 0.015. The exact step leaves
/// 2e-6 of it, and the rest less than can be told.
const NEAR: f64 = 0.3;

/// Beyond this e^−t says nothing more, and stays finite.
const LARGEST: f64 = 700.0;

/// How far t is above the root, to second order.
fn halley(t: f64, a: f64, c: f64, (tail, head): (f64, f64)) -> f64 {
    let excess = t - a - c * tail;
    let curve = c * tail * head;
    let slope = 1.0 + curve;
    excess * slope / (slope * slope - 0.5 * excess * curve * (tail - head))
}

/// σ(−t) and σ(t) from e^−t.
fn tails(power: f64) -> (f64, f64) {
    let head = 1.0 / (1.0 + power);
    (power * head, head)
}

/// e^x to 1e-3: the nearest power of 2 times a few terms of the series for the rest.
fn rough_exp(x: f64) -> f64 {
    // Beside so large a number only whole ones have room: the sum rounds, and its lowest bits are the whole number.
    const ROUND: f64 = 1.5 * (1u64 << 52) as f64;
    let x = x.clamp(-LARGEST, LARGEST);
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let rest = x - (rounded - ROUND) * std::f64::consts::LN_2;
    let series = (1.0 + rest) + rest * rest * (0.5 + rest * (1.0 / 6.0));
    series * f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52)
}

/// e^x for |x| ≤ 0.015: terms in pairs, so that a processor can work on several at a time.
fn short_exp(x: f64) -> f64 {
    let square = x * x;
    let [first, second, third] =
        [(1.0, 1.0), (1.0 / 2.0, 1.0 / 6.0), (1.0 / 24.0, 1.0 / 120.0)].map(|(a, b)| a + b * x);
    first + square * (second + square * (third + square * (1.0 / 720.0)))
}

impl Rule for Logistic {
    fn step(&self, m: f64, v: f64, weight: f64) -> Option<Step> {
        let s = self.scale;
        let (tail, head) = tails_after(m / s, v * weight / (s * s));
        let alpha = weight * tail / s;
        Some(Step { alpha, gain: alpha * head / s })
    }
}

const SCALE: Param = Param {
    name: "scale",
    range: Range::Positive,
    default: "1",
    help: "scale s of the logistic link: larger trusts single examples less",
};

/// The entry in the list of rules.
pub static SPEC: RuleSpec = RuleSpec {
    name: "logistic",
    title: "Bayesian logistic regression, a Laplace step an example",
    paper: "Spiegelhalter, Lauritzen 1990; MacKay 1992",
    params: &[SCALE],
    store: "diagonal",
    // One-vs-rest: docs/defaults.md.
    defaults: &[("projection", "precision"), ("floor", "0"), ("schedule", "one-vs-rest")],
    weighted: true,
    build: |params| Box::new(Logistic { scale: params.number(SCALE.name) }),
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_rough_power_is_rough_and_no_more(x in -690.0..690.0_f64) {
            prop_assert!((rough_exp(x) / libm::exp(x) - 1.0).abs() < 1e-3);
            prop_assert!((short_exp(x / 46e3) / libm::exp(x / 46e3) - 1.0).abs() <= 2.0 * f64::EPSILON);
        }

        #[test]
        fn the_usual_root_is_found_to_the_last_digits(a in -20.0..20.0_f64, exponent in -12.0..4.0_f64) {
            let c = libm::exp(exponent);
            let (tail, head) = tails_after(a, c);
            let exact = tails(libm::exp(-(a + c * tail)));
            // A margin is known to |t|·ε, and c times what its tail is off comes back in the next one.
            let slack = 4.0 * f64::EPSILON * (1.0 + a.abs()) * (1.0 + c * tail);
            prop_assert!((tail - exact.0).abs() <= slack * tail && (head - exact.1).abs() <= slack * head);
        }
    }
}
