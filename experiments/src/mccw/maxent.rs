//! Maximum entropy (multinomial logistic regression with a Gaussian prior), trained to convergence.
//!
//! The batch method that the paper compares its probabilities with; Surefoot itself has no batch learner. At the optimum
//! w_k = variance · Σ a_ik x_i with a_i = e_y − Pr[·|x_i]. So the a_i of one example after the other are set to what
//! that asks for while the others stay (exact block coordinate ascent in the dual), until none of them moves any more.
//! An example costs two looks at its features and a small Newton iteration, however many features there are.

use surefoot_core::SparseVec;

use super::climb::climb;
use super::parts::Split;
use crate::Result;
use crate::data::DataSet;
use crate::stream::{Example, shuffled};

const MOST_PASSES: usize = 400;
/// Converged when the probabilities of the examples move by less than this in a pass, on average.
const TOLERANCE: f64 = 1e-4;
const MOST_NEWTON_STEPS: usize = 30;

/// The variances of the prior that are tried.
pub(super) const VARIANCES: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

/// The variance that does best on the tuning split.
pub(super) fn tuned_variance(set: &DataSet, split: &Split) -> Result<f64> {
    let count = |at: usize| {
        let right = Maxent::fit(set, &split.train, VARIANCES[at]).right(set, &split.test);
        Ok(right.iter().filter(|right| **right).count())
    };
    Ok(climb(VARIANCES.len(), count)?.map_or(1.0, |(at, _)| VARIANCES[at]))
}

/// Weights of a maximum entropy model.
#[derive(Debug)]
pub(super) struct Maxent {
    classes: usize,
    /// Those of a feature's classes side by side.
    weights: Vec<f64>,
    /// Passes until convergence.
    passes: usize,
}

impl Maxent {
    /// Fits the examples of a set under a prior of the given variance.
    pub(super) fn fit(set: &DataSet, train: &[usize], variance: f64) -> Self {
        let (classes, features) =
            (set.labels.len(), set.examples.iter().map(|(x, _)| x.features().dimension()).max());
        let mut model = Self { classes, weights: vec![0.0; features.unwrap_or(0) * classes], passes: 0 };
        let mut duals = vec![0.0; train.len() * classes];
        let places: Vec<usize> = (0..train.len()).collect();
        while model.passes < MOST_PASSES {
            model.passes += 1;
            let mut moved = 0.0;
            // A new order each time: one order for all passes needs thirty times as many.
            for at in shuffled(&places, model.passes as u64) {
                let dual = &mut duals[at * classes..(at + 1) * classes];
                moved += model.settle(&set.examples[train[at]], dual, variance);
            }
            if moved <= TOLERANCE * train.len() as f64 {
                break;
            }
        }
        model
    }

    /// Pr[y|x] of every class.
    pub(super) fn probabilities(&self, x: SparseVec<'_>, out: &mut Vec<f64>) {
        self.scores(x, out);
        softmax(out);
    }

    /// Which of these examples are predicted rightly.
    pub(super) fn right(&self, set: &DataSet, test: &[usize]) -> Vec<bool> {
        let mut p = Vec::new();
        let mut is_right = |&i: &usize| {
            let (x, class) = &set.examples[i];
            self.scores(x.features(), &mut p);
            (0..p.len()).reduce(|a, b| if p[b] > p[a] { b } else { a }) == Some(*class)
        };
        test.iter().map(&mut is_right).collect()
    }

    fn scores(&self, x: SparseVec<'_>, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.classes, 0.0);
        for (feature, value) in x.iter() {
            let row = &self.weights[feature * self.classes..(feature + 1) * self.classes];
            out.iter_mut().zip(row).for_each(|(score, w)| *score += value * w);
        }
    }

    /// Solves for the dual of one example; returns how far it moved.
    fn settle(&mut self, (x, class): &Example, dual: &mut [f64], variance: f64) -> f64 {
        let x = x.features();
        let mut scores = Vec::new();
        self.scores(x, &mut scores);
        let own = variance * x.squared_norm();
        let mut goal: Vec<f64> = scores.iter().zip(&*dual).map(|(s, a)| s - own * a).collect();
        goal[*class] += own;
        let mut change = settled_probabilities(scores, own, &goal);
        for (k, (change, dual)) in change.iter_mut().zip(dual).enumerate() {
            let next = f64::from(u8::from(k == *class)) - *change;
            *change = next - *dual;
            *dual = next;
        }
        for (feature, value) in x.iter() {
            let row = &mut self.weights[feature * self.classes..(feature + 1) * self.classes];
            row.iter_mut().zip(&change).for_each(|(w, c)| *w += variance * value * c);
        }
        change.iter().map(|c| c.abs()).sum()
    }
}

/// The softmax p of the z with z + own·p(z) = goal, by Newton's method from a guess. That z minimises
/// ½‖z − goal‖² + own·ln Σ exp z, which decides how far a step may go.
fn settled_probabilities(mut z: Vec<f64>, own: f64, goal: &[f64]) -> Vec<f64> {
    let (mut p, mut value) = look(&z, own, goal);
    for _ in 0..MOST_NEWTON_STEPS {
        let step = newton_step(&z, &p, own, goal);
        let mut stride = 1.0;
        loop {
            let next: Vec<f64> = z.iter().zip(&step).map(|(z, s)| z + stride * s).collect();
            let (next_p, next_value) = look(&next, own, goal);
            if next_value <= value || stride < 1e-6 {
                (z, p, value) = (next, next_p, next_value);
                break;
            }
            stride *= 0.5;
        }
        if step.iter().all(|s| s.abs() <= 1e-8) {
            break;
        }
    }
    p
}

/// The softmax of z, and what z is to minimise.
fn look(z: &[f64], own: f64, goal: &[f64]) -> (Vec<f64>, f64) {
    let mut p = z.to_vec();
    let log_total = softmax(&mut p);
    let distance: f64 = z.iter().zip(goal).map(|(z, g)| (z - g) * (z - g)).sum();
    (p, 0.5 * distance + own * log_total)
}

/// Solves (I + own·(diag p − ppᵀ))·step = goal − z − own·p.
fn newton_step(z: &[f64], p: &[f64], own: f64, goal: &[f64]) -> Vec<f64> {
    let rest: Vec<f64> = (0..z.len()).map(|k| goal[k] - z[k] - own * p[k]).collect();
    let weighted = |what: &dyn Fn(usize) -> f64| -> f64 {
        (0..z.len()).map(|k| what(k) * p[k] / (1.0 + own * p[k])).sum()
    };
    let along = weighted(&|k| rest[k]) / weighted(&|_| 1.0);
    (0..z.len()).map(|k| (rest[k] + own * p[k] * along) / (1.0 + own * p[k])).collect()
}

/// Turns scores into probabilities; returns the logarithm of the sum of their exponentials.
fn softmax(scores: &mut [f64]) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = libm::exp(*score - largest));
    let total: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|p| *p /= total);
    largest + libm::log(total)
}

#[cfg(test)]
mod tests {
    use surefoot_data::Zipf;

    use super::*;
    use crate::stream::generated;

    #[test]
    fn the_gradient_vanishes_at_what_was_fitted() -> Result<()> {
        let examples = generated(&mut Zipf::new(50, 6, 0.3, 0.1, 4, 3), 60)?;
        let set = DataSet { name: String::new(), labels: vec![String::new(); 5], examples };
        let (train, variance) = ((0..60).collect::<Vec<_>>(), 0.5);
        let model = Maxent::fit(&set, &train, variance);
        let mut gradient: Vec<f64> = model.weights.iter().map(|w| w / variance).collect();
        let mut p = Vec::new();
        for (x, class) in &set.examples {
            model.probabilities(x.features(), &mut p);
            p[*class] -= 1.0;
            for (feature, value) in x.features().iter() {
                (0..5).for_each(|k| gradient[feature * 5 + k] += value * p[k]);
            }
        }
        let largest = gradient.iter().fold(0.0f64, |most, g| most.max(g.abs()));
        assert!(largest < 0.01 && model.passes < MOST_PASSES, "{largest} after {} passes", model.passes);
        Ok(())
    }
}
