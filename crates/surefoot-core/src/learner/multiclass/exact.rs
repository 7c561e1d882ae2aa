//! The exact many-constraint update (`[MCCW]` §5.2): the KKT conditions of the joint problem.
//!
//! With rivals j, v_y and v_j the variances of the scores at the start of the round, A = Σα_j and Z = Σζ_j:
//!
//! ```text
//! μ_y += A·Σ_y x,  μ_j −= α_j·Σ_j x,  Σ_y⁻¹ += Z·xxᵀ,  Σ_j⁻¹ += ζ_j·xxᵀ
//! m_j + A·v_y + α_j·v_j ≥ required(u_j),  u_j = v_y'(Z) + v_j'(ζ_j),  α_j ≥ 0, one of the two tight.
//! ```
//!
//! For fixed A and Z each rival has one unknown and an increasing residual, so its gain is a scalar root. That leaves
//! the two totals. Their ratio q = Z/A hardly moves (for cw-var it is a constant), so q is the outer unknown and A the
//! inner one: with Z = q·A every alpha falls as A grows. Solved read-only, then applied with one call a class.

use super::Multiclass;
use crate::rule::{Confidence, Demand, Step, can_step};
use crate::{Result, SparseVec};

/// One constraint of the round.
#[derive(Debug, Clone)]
struct Rival {
    slot: usize,
    block: usize,
    /// The margin at the start of the round.
    m: f64,
    /// The variance of the rival's score at the start.
    v: f64,
    /// Whether the floor withholds the gain.
    frozen: bool,
}

/// Buffers of the solver, reused.
#[derive(Debug, Clone, Default)]
pub(super) struct Workspace {
    rivals: Vec<Rival>,
    /// One a rival.
    steps: Vec<Step>,
    /// Rivals by margin.
    order: Vec<usize>,
}

impl Multiclass {
    /// The joint update against all rivals; `work` is memory to work in.
    pub(super) fn exact(
        &mut self,
        work: &mut Workspace,
        x: SparseVec<'_>,
        class: usize,
        weight: f64,
    ) -> Result<bool> {
        self.project_truth(x, class);
        self.collect(x, &mut work.rivals);
        let truth = match self.rule.demand(weight) {
            Some(Demand::Margin { required, cap }) => {
                margin_steps(work, self.scratch.truth.variance, required, cap);
                total(&work.steps)
            }
            Some(Demand::Confidence(rule)) => {
                Joint { learner: self, x, class, rule, rivals: &work.rivals }.solve(&mut work.steps)
            }
            None => return self.sequential(x, class, weight),
        };
        let whole = self.scratch.truth.variance;
        let kept = |(rival, step): (&Rival, &Step)| step.keeps_numbers_finite(rival.v);
        let finite = truth.keeps_numbers_finite(whole) && work.rivals.iter().zip(&work.steps).all(kept);
        if truth.alpha == 0.0 || !finite {
            return Ok(false);
        }
        for (rival, step) in work.rivals.iter().zip(&work.steps).filter(|(_, s)| s.alpha > 0.0) {
            self.move_rival(x, rival.slot, rival.block, *step)?;
        }
        self.move_truth(x, class, truth)?;
        Ok(true)
    }

    /// The constraints of the round: one a rival whose margin has a variance.
    fn collect(&mut self, x: SparseVec<'_>, rivals: &mut Vec<Rival>) {
        rivals.clear();
        for slot in 0..self.scratch.rivals.len() {
            let block = self.scratch.rivals[slot];
            self.project_rival(x, slot, block);
            let (truth, own) = (&self.scratch.truth, &self.scratch.projections[slot]);
            let (m, v) = (truth.mean - own.mean, truth.variance + own.variance);
            let frozen = self.floor.is_below(v, || 2.0 * self.store.prior_variance(x));
            if can_step(v) {
                rivals.push(Rival { slot, block, m, v: own.variance, frozen });
            }
        }
    }
}

/// Fixed margins: α_j = max(0, (τ − m_j)/v_j), with τ from the sum of the alphas, which is at most `cap`.
///
/// The active rivals are those with the smallest margins, so the active set is found by going through them in order.
fn margin_steps(work: &mut Workspace, v_truth: f64, required: f64, cap: f64) {
    let Workspace { rivals, steps, order } = work;
    order.clear();
    order.extend(0..rivals.len());
    order.sort_unstable_by(|&a, &b| rivals[a].m.total_cmp(&rivals[b].m).then(a.cmp(&b)));
    let (mut inverse, mut weighted, mut threshold) = (0.0, 0.0, f64::NEG_INFINITY);
    for (i, &at) in order.iter().enumerate() {
        let rival = &rivals[at];
        inverse += 1.0 / rival.v;
        weighted += rival.m / rival.v;
        let free = (required * inverse - weighted) / (1.0 + v_truth * inverse);
        let total = free.min(cap);
        threshold = if free <= cap { required - free * v_truth } else { (total + weighted) / inverse };
        if order.get(i + 1).is_none_or(|&next| rivals[next].m >= threshold) {
            break;
        }
    }
    steps.clear();
    let alpha = |r: &Rival| ((threshold - r.m) / r.v).max(0.0); // [MCCW] §6, k-best PA
    steps.extend(rivals.iter().map(|r| Step { alpha: alpha(r), gain: 0.0 }));
}

/// The joint problem of a confidence rule.
struct Joint<'a> {
    learner: &'a Multiclass,
    x: SparseVec<'a>,
    class: usize,
    rule: &'a dyn Confidence,
    rivals: &'a [Rival],
}

impl Joint<'_> {
    /// The step of every rival; returns that of the truth, (A, Z).
    fn solve(&self, steps: &mut Vec<Step>) -> Step {
        steps.clear();
        steps.resize(self.rivals.len(), Step { alpha: 0.0, gain: 0.0 });
        if self.rivals.iter().all(|r| r.m >= self.rule.required(self.learner.scratch.truth.variance + r.v)) {
            return total(steps);
        }
        let (mut alpha, likely) = (0.0, 1.0 / self.rule.alpha(1.0, self.scale()));
        let ratio = increasing_root(likely, likely, |ratio| {
            alpha = self.solve_alpha(ratio, alpha, steps);
            let found = total(steps);
            settled(ratio, found.gain / found.alpha) // [MCCW] §5.2, exact
        });
        shrink_to(alpha, steps);
        Step { alpha, gain: ratio * alpha }
    }

    /// For a given ratio Z/A, the A at which the alphas add up to it; fills the steps.
    fn solve_alpha(&self, ratio: f64, guess: f64, steps: &mut [Step]) -> f64 {
        let truth = &self.learner.scratch.truth;
        let likely = self.rule.required(self.scale()) / self.scale();
        increasing_root(guess, likely, |alpha| {
            let u_truth = self.learner.store.variance_after(self.x, self.class, truth, ratio * alpha);
            for (rival, step) in self.rivals.iter().zip(steps.iter_mut()) {
                *step = self.solve_rival(rival, alpha * truth.variance, u_truth, step.gain);
            }
            settled(alpha, total(steps).alpha)
        })
    }

    /// A variance of the size of the problem's, to start brackets from.
    fn scale(&self) -> f64 {
        self.rivals.iter().map(|r| r.v).fold(self.learner.scratch.truth.variance, f64::max)
    }

    /// For a given A·v_y and v_y', the step of one rival.
    fn solve_rival(&self, rival: &Rival, lift: f64, u_truth: f64, guess: f64) -> Step {
        let missing = |alpha: f64, u: f64| rival.m + lift + alpha * rival.v - self.rule.required(u);
        if missing(0.0, u_truth + rival.v) >= 0.0 {
            return Step { alpha: 0.0, gain: 0.0 };
        }
        if rival.frozen {
            let alpha = -missing(0.0, u_truth + rival.v) / rival.v;
            return Step { alpha, gain: 0.0 };
        }
        let p = &self.learner.scratch.projections[rival.slot];
        let after = |gain| u_truth + self.learner.store.variance_after(self.x, rival.block, p, gain);
        let gain = increasing_root(guess, 1.0 / rival.v, |gain| {
            let u = after(gain);
            missing(self.rule.alpha(gain, u), u)
        });
        Step { alpha: self.rule.alpha(gain, after(gain)), gain }
    }
}

/// Σα_j and Σζ_j.
fn total(steps: &[Step]) -> Step {
    Step { alpha: steps.iter().map(|s| s.alpha).sum(), gain: steps.iter().map(|s| s.gain).sum() }
}

/// How far a number is above what it should equal; nothing if the two differ by rounding only.
fn settled(number: f64, should_be: f64) -> f64 {
    let above = number - should_be;
    if above.abs() <= 1e-14 * number { 0.0 } else { above }
}

/// Keeps the alphas within their sum. Where a rival's variance is lost beside that of the truth, its alpha is the
/// rounding of a difference, divided by almost nothing.
fn shrink_to(alpha: f64, steps: &mut [Step]) {
    let found = total(steps).alpha;
    if found > alpha {
        let share = alpha / found;
        steps.iter_mut().for_each(|s| *s = Step { alpha: share * s.alpha, gain: share * s.gain });
    }
}

/// A point and the function's value there.
type Sample = (f64, f64);

/// The root of an increasing function on [0, ∞), from a guess and a first stride; 0 if the function starts above 0.
///
/// A bracket by growing strides, then regula falsi (Illinois) with bisection where it stalls. The function is last
/// called at the root that is returned, so that what it computes on the side belongs to it.
fn increasing_root(guess: f64, stride: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let guess = guess.max(0.0);
    let start = (guess, f(guess));
    let stride = if guess > 0.0 { 1e-3 * guess } else { stride };
    let bracket =
        if start.1 > 0.0 { search_down(start, stride, &mut f) } else { search_up(start, stride, &mut f) };
    let root = match bracket {
        (low, high) if low.1 < 0.0 && high.1 > 0.0 => refine(low, high, &mut f),
        (low, _) => low.0,
    };
    f(root);
    root
}

/// Two points around the root, or one point twice if it is the answer (a root, or 0).
fn search_down(start: Sample, mut stride: f64, f: &mut impl FnMut(f64) -> f64) -> (Sample, Sample) {
    let (mut low, mut high) = (start, start);
    while low.1 > 0.0 && low.0 > 0.0 {
        high = low;
        low.0 = (low.0 - stride).max(0.0);
        low.1 = f(low.0);
        stride *= 8.0;
    }
    if low.1 < 0.0 { (low, high) } else { (low, low) }
}

fn search_up(start: Sample, mut stride: f64, f: &mut impl FnMut(f64) -> f64) -> (Sample, Sample) {
    let (mut low, mut high) = (start, start);
    while high.1 < 0.0 && high.0.is_finite() {
        low = high;
        high.0 += stride;
        high.1 = f(high.0);
        stride *= 8.0;
    }
    if high.1 > 0.0 { (low, high) } else { (high, high) }
}

fn refine(mut low: Sample, mut high: Sample, f: &mut impl FnMut(f64) -> f64) -> f64 {
    let mut last = 0.0;
    for round in 0..200 {
        if high.0 - low.0 <= 2.0 * f64::EPSILON * high.0 {
            break;
        }
        let falsi = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        let inside = low.0 < falsi && falsi < high.0;
        // A bisection now and then bounds the number of rounds where the function is a step.
        let at = if inside && round % 4 != 3 { falsi } else { f64::midpoint(low.0, high.0) };
        let value = f(at);
        if value == 0.0 {
            return at;
        }
        // Illinois: an end that stays twice loses half its weight.
        let (moved, kept) = if value < 0.0 { (&mut low, &mut high) } else { (&mut high, &mut low) };
        *moved = (at, value);
        if last == value.signum() {
            kept.1 *= 0.5;
        }
        last = value.signum();
    }
    // Illinois changes the stored values of the ends, not their order: the root is between them.
    f64::midpoint(low.0, high.0)
}

#[cfg(test)]
mod tests {
    use super::increasing_root;

    #[test]
    fn finds_roots_from_any_guess() {
        for guess in [0.0, 1e-6, 0.3, 2.0, 1e6] {
            let root = increasing_root(guess, 1.0, |x| x * x * x - 0.5);
            assert!((root - 0.5f64.cbrt()).abs() < 1e-15, "{guess}: {root}");
        }
        assert_eq!(increasing_root(3.0, 1.0, |x| x + 1.0), 0.0);
    }
}
