//! The multi-class updates of [MCCW] §5 against their definitions: one Gaussian over the stacked weights of all
//! classes, g = f(x, y) − f(x, r), and what the store cannot represent dropped after each step.

use nalgebra::{DMatrix, DVector};
use surefoot_core::rule::{Rule, Step};
use surefoot_core::{Spec, Task};

use crate::common::{Pair, many_class_stream, pair_of};
use crate::dense::{Dense, dense, inverse};

const CLASSES: usize = 4;
const FEATURES: usize = 3;

/// What of Σ (or Σ⁻¹) survives a step.
#[derive(Clone, Copy)]
struct Kept {
    diagonal: bool,
    covariance: bool,
    /// Identity stores never change Σ.
    nothing: bool,
}

impl Kept {
    fn mask(self, matrix: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| {
            let keep = if self.diagonal { i == j } else { i / FEATURES == j / FEATURES };
            if keep { matrix[(i, j)] } else { 0.0 }
        })
    }

    /// The Gaussian after a step along g, in the family.
    fn after(self, from: &Dense, g: &DVector<f64>, step: Step) -> Dense {
        let gain = if self.nothing { 0.0 } else { step.gain };
        let free = from.after(g, Step { gain, ..step });
        let covariance = if self.covariance {
            self.mask(&free.covariance)
        } else {
            inverse(&self.mask(&inverse(&free.covariance)))
        };
        Dense { mean: free.mean, covariance }
    }
}

/// f(x, y) − f(x, r).
fn difference(x: &DVector<f64>, y: usize, r: usize) -> DVector<f64> {
    let mut g = DVector::zeros(CLASSES * FEATURES);
    g.rows_mut(y * FEATURES, FEATURES).copy_from(x);
    g.rows_mut(r * FEATURES, FEATURES).copy_from(&-x);
    g
}

/// Scores that are equal by symmetry differ here by rounding; the learner sees them equal.
fn settle(score: f64) -> f64 {
    (score * 1e11).round() / 1e11
}

/// The labels other than y, best mean first.
fn ranked(from: &Dense, x: &DVector<f64>, y: usize, top: usize) -> Vec<usize> {
    let score = |k: usize| settle(from.mean.rows(k * FEATURES, FEATURES).dot(x));
    let mut rivals: Vec<usize> = (0..CLASSES).filter(|&k| k != y).collect();
    rivals.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    rivals.truncate(top);
    rivals
}

/// The definition of a learner.
struct Judge {
    rule: Box<dyn Rule>,
    kept: Kept,
    floor: f64,
    top: usize,
    now: Dense,
}

impl Judge {
    fn step(&self, from: &Dense, x: &DVector<f64>, g: &DVector<f64>) -> Option<Step> {
        let (m, v) = from.margin(g);
        let step = self.rule.step(if m.abs() < 1e-11 { 0.0 } else { m }, v, 1.0)?;
        let frozen = v < self.floor * 2.0 * x.norm_squared();
        Some(if frozen { Step { gain: 0.0, ..step } } else { step })
    }

    fn sequential(&mut self, x: &DVector<f64>, y: usize) {
        for r in ranked(&self.now, x, y, self.top) {
            let g = difference(x, y, r);
            if let Some(step) = self.step(&self.now, x, &g) {
                self.now = self.kept.after(&self.now, &g, step);
            }
        }
    }

    fn parallel(&mut self, x: &DVector<f64>, y: usize) {
        let rivals = ranked(&self.now, x, y, self.top);
        let share = 1.0 / rivals.len() as f64;
        let size = CLASSES * FEATURES;
        let (mut mean, mut precision) = (DVector::zeros(size), DMatrix::zeros(size, size));
        for &r in &rivals {
            let g = difference(x, y, r);
            let step = self.step(&self.now, x, &g);
            let own = step.map_or_else(|| self.now.clone(), |step| self.kept.after(&self.now, &g, step));
            mean += own.mean * share;
            precision += inverse(&own.covariance) * share;
        }
        self.now = Dense { mean, covariance: inverse(&precision) };
    }
}

fn assert_same(text: &str, learner: &Pair, judge: &Dense) {
    for block in 0..CLASSES {
        let found = Dense::of(learner.store(), block, FEATURES);
        let start = block * FEATURES;
        let mean = judge.mean.rows(start, FEATURES);
        let covariance = judge.covariance.view((start, start), (FEATURES, FEATURES));
        assert!((&found.mean - mean).norm() < 1e-8 * judge.mean.norm(), "{text}: block {block}, mean");
        let error = (&found.covariance - covariance).norm();
        assert!(error < 1e-8 * judge.covariance.norm(), "{text}: block {block}, covariance {error:e}");
    }
}

/// Runs a learner beside its definition.
fn compare(text: &str, schedule: &str, top: usize, floor: f64) {
    let spec = Spec::parse(text).unwrap();
    let params = spec.params().unwrap();
    let mut judge = Judge {
        rule: (spec.rule().build)(&params),
        kept: Kept {
            diagonal: spec.store().name != "full",
            covariance: params.word("projection") == "covariance",
            nothing: spec.store().name == "identity",
        },
        floor,
        top,
        now: Dense::prior(CLASSES * FEATURES, 1.0),
    };
    let mut learner = pair_of(&spec, Task::Multiclass, CLASSES);
    for (x, class) in many_class_stream(97, CLASSES, FEATURES, 40) {
        learner.learn(x.features(), class, 1.0).unwrap();
        let dense_x = dense(&x, FEATURES);
        if schedule == "parallel" {
            judge.parallel(&dense_x, class);
        } else {
            judge.sequential(&dense_x, class);
        }
    }
    assert_same(text, &learner, &judge.now);
}

#[test]
fn schedules_are_their_definitions() {
    let stores = [
        "identity",
        "diagonal:projection=precision",
        "diagonal:projection=covariance",
        "full:projection=precision",
        "full:projection=covariance",
    ];
    for rule in ["cw-var", "cw-stdev", "arow", "pa1", "scw1", "sop", "perceptron"] {
        for store in stores {
            for schedule in ["sequential", "parallel"] {
                for top in [1, 2, CLASSES - 1] {
                    if schedule == "parallel" && store.ends_with("covariance") {
                        continue;
                    }
                    let (name, rest) = store.split_once(':').unwrap_or((store, ""));
                    let guard = if name == "identity" { "" } else { ",floor=0" };
                    let text = format!("{rule}/{name}:{rest},schedule={schedule},top={top}{guard}");
                    compare(&text, schedule, top, 0.0);
                }
            }
        }
    }
}

#[test]
fn the_guard_withholds_the_gain_of_each_constraint() {
    for schedule in ["sequential", "parallel"] {
        for store in ["diagonal", "full"] {
            let text = format!("cw-stdev/{store}:projection=precision,schedule={schedule},top=all,floor=0.3");
            compare(&text, schedule, CLASSES, 0.3);
        }
    }
}

#[test]
fn one_vs_rest_is_a_binary_learner_a_label() {
    for rule in surefoot_core::rule::RULES {
        for store in surefoot_core::store::STORES {
            let spec = Spec::parse(&format!("{}/{}:schedule=one-vs-rest", rule.name, store.name)).unwrap();
            let mut many = pair_of(&spec, Task::Multiclass, CLASSES);
            let mut each: Vec<_> = (0..CLASSES).map(|_| pair_of(&spec, Task::Binary, 2)).collect();
            for (x, class) in many_class_stream(101, CLASSES, FEATURES, 60) {
                let scores = many.learn(x.features(), class, 1.0).unwrap().prediction.scores.clone();
                for (k, binary) in each.iter_mut().enumerate() {
                    let score =
                        binary.learn(x.features(), usize::from(k == class), 1.0).unwrap().prediction.score;
                    let close = (score - scores[k]).abs() <= 1e-12 * score.abs().max(1.0);
                    assert!(close, "{}/{}: {score} {}", rule.name, store.name, scores[k]);
                }
            }
        }
    }
}
