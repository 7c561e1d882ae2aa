//! A million noisy rounds: the variances of CW-Stdev must not collapse, and the learner must stay alive.

use surefoot_core::{SparseVec, Task};

use crate::common::{Random, pair};

const FEATURES: usize = 50;
const ROUNDS: usize = 1_000_000;
const TENTH: usize = ROUNDS / 10;

/// What a run was like.
struct Run {
    /// Mistakes in each tenth.
    mistakes: [usize; 10],
    /// Updates in the last hundredth.
    late_updates: usize,
    /// Whether every weight is finite at the end.
    finite: bool,
}

/// A million rounds of labels of which a tenth are flipped.
fn run(text: &str) -> Run {
    let mut learner = pair(text, Task::Binary, 2);
    let mut random = Random(137);
    let truth = random.dense(FEATURES);
    let ids: Vec<u32> = (0..FEATURES as u32).collect();
    let mut values = vec![0.0; FEATURES];
    let (mut mistakes, mut late_updates) = ([0; 10], 0);
    for round in 0..ROUNDS {
        // Uniform values: fifty million quantiles of the normal would cost more than the learning.
        values.iter_mut().for_each(|value| *value = 2.0 * random.uniform() - 1.0);
        let score: f64 = values.iter().zip(&truth).map(|(a, b)| a * b).sum();
        let class = usize::from((score >= 0.0) != (random.uniform() < 0.1));
        let seen = learner.learn(SparseVec::new(&ids, &values).unwrap(), class, 1.0).unwrap();
        mistakes[round / TENTH] += usize::from(seen.prediction.label != Some(class));
        late_updates += usize::from(seen.updated && round >= ROUNDS - ROUNDS / 100);
    }
    let finite = (0..FEATURES)
        .filter_map(|f| learner.store().weight(f, 0))
        .all(|weight| weight.mean.is_finite() && weight.variance.is_finite() && weight.variance > 0.0);
    Run { mistakes, late_updates, finite }
}

/// A tenth of the labels cannot be known. The default guard lets the mean settle, so that what is made beyond that
/// becomes less and less: between the second tenth and the last by much more than chance.
fn assert_alive(text: &str) {
    let Run { mistakes, late_updates, finite } = run(text);
    assert!(finite, "{text}");
    assert!(late_updates > 0, "{text}: dead at the end");
    let beyond = |tenth: usize| mistakes[tenth] as f64 - 0.1 * TENTH as f64;
    assert!(beyond(9) < 0.8 * beyond(1), "{text}: {mistakes:?}");
}

#[test]
fn a_million_noisy_rounds_on_the_diagonal_store() {
    assert_alive("cw-stdev/diagonal");
}

#[test]
fn a_million_noisy_rounds_on_the_full_store() {
    assert_alive("cw-stdev/full");
}

#[test]
fn a_floor_that_was_asked_for_does_not_settle() {
    let Run { mistakes, .. } = run("cw-stdev/diagonal:floor=0.0001");
    assert!(mistakes[9] > TENTH / 5, "a constant guard keeps a constant rate: {mistakes:?}");
}

#[test]
fn without_the_guard_the_learner_dies() {
    let unguarded = run("cw-stdev/full:floor=0");
    assert!(unguarded.finite && unguarded.late_updates == 0, "the guard has become pointless");
    assert!(unguarded.mistakes[9] > unguarded.mistakes[0], "{:?}", unguarded.mistakes);
}
