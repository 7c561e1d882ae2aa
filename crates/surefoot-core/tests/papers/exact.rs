//! The exact multi-class update ([MCCW] §5.2): the conditions of its optimum, read off the weights before and after,
//! and a search for anything better.

use nalgebra::{DMatrix, DVector};
use surefoot_core::{Spec, Task, Vector, normal};

use crate::common::{Pair, Random, many_class_stream, pair, pair_of};
use crate::dense::{Dense, dense, inverse, nearby};

const CLASSES: usize = 4;
const FEATURES: usize = 3;

fn build(text: &str) -> Pair {
    pair(text, Task::Multiclass, CLASSES)
}

fn blocks(learner: &Pair) -> Vec<Dense> {
    (0..CLASSES).map(|k| Dense::of(learner.store(), k, FEATURES)).collect()
}

/// A confidence constraint as the papers state it.
#[derive(Clone, Copy)]
struct Constraint {
    var: bool,
    phi: f64,
}

impl Constraint {
    fn required(self, u: f64) -> f64 {
        self.phi * if self.var { u } else { u.sqrt() }
    }

    /// ζ that belongs to α when the variance of the margin is `u` after the update.
    fn gain(self, alpha: f64, u: f64) -> f64 {
        if self.var { 2.0 * self.phi * alpha } else { self.phi * alpha / u.sqrt() }
    }
}

/// One round of one block: how far it moved along Σx, and what its precision gained along xxᵀ.
struct Move {
    alpha: f64,
    gain: f64,
    /// Variance of the block's score before and after.
    v: f64,
    u: f64,
    /// Mean score after.
    score: f64,
}

/// Reads a block's move, and checks that it is of the form the conditions allow.
fn read_move(text: &str, x: &DVector<f64>, before: &Dense, after: &Dense, diagonal: bool) -> Move {
    let (_, v) = before.margin(x);
    let (score, u) = after.margin(x);
    let shift = &after.mean - &before.mean;
    let alpha = shift.dot(x) / v;
    assert!(
        (shift - &before.covariance * x * alpha).norm() < 1e-8,
        "{text}: the mean left the line along Σx"
    );
    let mut shape = x * x.transpose();
    if diagonal {
        shape = DMatrix::from_diagonal(&shape.diagonal());
    }
    let (old, new) = (inverse(&before.covariance), inverse(&after.covariance));
    let gained = &new - &old;
    let gain = gained.dot(&shape) / shape.norm_squared();
    assert!(
        (gained - shape * gain).norm() < 1e-8 * new.norm(),
        "{text}: the precision gained something else"
    );
    Move { alpha, gain, v, u, score }
}

/// The KKT conditions of one round; returns how many constraints were active.
fn check_round(
    text: &str,
    x: &DVector<f64>,
    y: usize,
    before: &[Dense],
    after: &[Dense],
    floor: f64,
) -> usize {
    let constraint = Constraint { var: text.starts_with("cw-var"), phi: normal::quantile(0.9) };
    let diagonal = text.contains("diagonal");
    let moves: Vec<Move> =
        (0..CLASSES).map(|k| read_move(text, x, &before[k], &after[k], diagonal)).collect();
    let (mut alphas, mut gains, mut active) = (0.0, 0.0, 0);
    for r in (0..CLASSES).filter(|&r| r != y) {
        let (alpha, u) = (-moves[r].alpha, moves[y].u + moves[r].u);
        let frozen = moves[y].v + moves[r].v < floor * 2.0 * x.norm_squared();
        let slack = moves[y].score - moves[r].score - constraint.required(u);
        let scale = 1.0 + moves[y].score.abs() + moves[r].score.abs();
        assert!(alpha >= -1e-9, "{text}: α = {alpha}");
        assert!(slack >= -1e-8 * scale, "{text}: a constraint is broken by {slack:e}");
        assert!(alpha * slack.abs() <= 1e-8 * scale, "{text}: α = {alpha} with a slack of {slack}");
        let gain = if frozen { 0.0 } else { constraint.gain(alpha, u) };
        assert!(
            (moves[r].gain - gain).abs() <= 1e-8 * (1.0 / moves[r].u),
            "{text}: ζ = {}, {gain}",
            moves[r].gain
        );
        (alphas, gains, active) = (alphas + alpha, gains + gain, active + usize::from(alpha > 1e-9));
    }
    assert!((moves[y].alpha - alphas).abs() <= 1e-8 * (1.0 + alphas), "{text}: A is not Σα");
    assert!((moves[y].gain - gains).abs() <= 1e-8 * (1.0 / moves[y].u), "{text}: Z is not Σζ");
    active
}

#[test]
fn the_exact_update_meets_its_kkt_conditions() {
    for rule in ["cw-var", "cw-stdev"] {
        for store in ["diagonal", "full"] {
            for floor in [0.0, 0.3] {
                let text = format!("{rule}/{store}:schedule=exact,top=all,confidence=0.9,floor={floor}");
                let mut learner = build(&text);
                let mut several = 0;
                for (x, class) in many_class_stream(103, CLASSES, FEATURES, 60) {
                    let before = blocks(&learner);
                    learner.learn(x.features(), class, 1.0).unwrap();
                    let after = blocks(&learner);
                    let active = check_round(&text, &dense(&x, FEATURES), class, &before, &after, floor);
                    several += usize::from(active > 1);
                }
                assert!(several >= 5, "{text}: only {several} rounds with more than one active constraint");
            }
        }
    }
}

/// A feasible point near another one, in the store's family: moved at random, then repaired constraint by
/// constraint, by the truth or by the rival.
fn feasible_near(
    random: &mut Random,
    at: &[Dense],
    x: &DVector<f64>,
    y: usize,
    diagonal: bool,
    scale: f64,
    c: Constraint,
) -> Vec<Dense> {
    let mut moved: Vec<Dense> = at
        .iter()
        .map(|block| {
            let mut covariance = nearby(random, &block.covariance, scale);
            if diagonal {
                covariance = DMatrix::from_diagonal(&covariance.diagonal());
            }
            let shift = DVector::from_fn(FEATURES, |_, _| scale * random.normal());
            Dense { mean: &block.mean + shift, covariance }
        })
        .collect();
    for r in (0..CLASSES).filter(|&r| r != y) {
        let ((my, vy), (mr, vr)) = (moved[y].margin(x), moved[r].margin(x));
        let missing = (c.required(vy + vr) - (my - mr)).max(0.0);
        let share = random.uniform();
        for (k, v, part) in [(y, vy, share), (r, vr, share - 1.0)] {
            let along = &moved[k].covariance * x * (missing * part / v);
            moved[k].mean += along;
        }
    }
    moved
}

fn kl(blocks: &[Dense], from: &[Dense]) -> f64 {
    blocks.iter().zip(from).map(|(block, from)| block.kl(from)).sum()
}

#[test]
fn no_feasible_point_is_closer_than_the_exact_update() {
    let mut random = Random(107);
    for rule in ["cw-var", "cw-stdev"] {
        for store in ["diagonal", "full"] {
            let text = format!("{rule}/{store}:schedule=exact,top=all,confidence=0.9,floor=0");
            let constraint = Constraint { var: rule == "cw-var", phi: normal::quantile(0.9) };
            let mut learner = build(&text);
            for (x, class) in many_class_stream(109, CLASSES, FEATURES, 12) {
                let before = blocks(&learner);
                if !learner.learn(x.features(), class, 1.0).unwrap().updated {
                    continue;
                }
                let best = blocks(&learner);
                let (dense_x, least) = (dense(&x, FEATURES), kl(&best, &before));
                for scale in [0.3, 0.1, 0.03, 0.01, 1e-3] {
                    for _ in 0..40 {
                        let other = feasible_near(
                            &mut random,
                            &best,
                            &dense_x,
                            class,
                            store == "diagonal",
                            scale,
                            constraint,
                        );
                        let found = kl(&other, &before);
                        assert!(found >= least - 1e-10, "{text}: {found} < {least}");
                    }
                }
            }
        }
    }
}

#[test]
fn collapsed_variances_do_not_throw_the_means_about() {
    // Without the guard the variances of some classes are lost beside those of others, and so are their alphas.
    let mut random = Random(139);
    let spec = Spec::parse("cw-stdev/diagonal:schedule=exact,top=all,floor=0").unwrap();
    let mut learner = pair_of(&spec, Task::Multiclass, 20);
    for _ in 0..2000 {
        let x = Vector::from_dense(&random.dense(10)).unwrap();
        learner.learn(x.features(), random.below(20), 1.0).unwrap();
    }
    let weights = (0..20).flat_map(|k| (0..10).map(move |f| (f, k)));
    let largest = weights.map(|(f, k)| learner.store().weight(f, k).unwrap().mean.abs()).fold(0.0, f64::max);
    assert!(largest < 1e5, "a mean of {largest}");
}

#[test]
fn one_rival_exact_is_not_one_rival_sequential() {
    // Exact minimises within blocks; sequential takes the step of the whole z and projects it.
    let x = Vector::from_dense(&[1.0, 2.0, -1.0]).unwrap();
    let after = |schedule: &str| {
        let mut learner = build(&format!("cw-stdev/diagonal:projection=precision,schedule={schedule},top=1"));
        learner.learn(x.features(), 2, 1.0).unwrap();
        learner.store().weight(1, 2).unwrap().mean
    };
    assert!((after("exact") - after("sequential")).abs() > 1e-4);
}

#[test]
fn the_inner_bound_keeps_the_vote_at_the_confidence() {
    // For cw-stdev, whose constraint is the probability; m ≥ φv of cw-var promises none.
    for store in ["diagonal", "full"] {
        for confidence in [0.6, 0.9, 0.99] {
            let text = format!(
                "cw-stdev/{store}:schedule=exact,top=all,bound=inner,floor=0,confidence={confidence}"
            );
            let mut learner = build(&text);
            for (x, class) in many_class_stream(113, CLASSES, FEATURES, 60) {
                learner.learn(x.features(), class, 1.0).unwrap();
                let vote = learner.vote(x.features())[class];
                assert!(vote >= confidence - 1e-9, "{text}: a vote of {vote}");
            }
        }
    }
}

/// The dual of k-best PA by brute force: every active set, with the price C binding or not.
/// max Σα(1 − m) − ½(A²v_y + Σα²v),  α ≥ 0,  A = Σα ≤ C.
fn brute_force(margins: &[f64], variances: &[f64], v_truth: f64, cap: f64) -> Vec<f64> {
    let k = margins.len();
    let value = |alphas: &[f64]| {
        let total: f64 = alphas.iter().sum();
        let linear: f64 = alphas.iter().zip(margins).map(|(a, m)| a * (1.0 - m)).sum();
        let square: f64 = alphas.iter().zip(variances).map(|(a, v)| a * a * v).sum();
        linear - 0.5 * (total * total * v_truth + square)
    };
    let mut best = vec![0.0; k];
    for set in 1..1usize << k {
        let members: Vec<usize> = (0..k).filter(|j| set >> j & 1 == 1).collect();
        for binding in [false, true] {
            // Unknowns: the α of the set, and the multiplier of A ≤ C if it binds.
            let size = members.len() + usize::from(binding);
            let mut matrix = DMatrix::zeros(size, size);
            let mut right = DVector::zeros(size);
            for (row, &j) in members.iter().enumerate() {
                for column in 0..members.len() {
                    matrix[(row, column)] = v_truth + if row == column { variances[j] } else { 0.0 };
                }
                right[row] = 1.0 - margins[j];
            }
            if binding {
                for i in 0..members.len() {
                    (matrix[(i, size - 1)], matrix[(size - 1, i)]) = (1.0, 1.0);
                }
                right[size - 1] = cap;
            }
            let Some(solution) = matrix.lu().solve(&right) else { continue };
            let mut alphas = vec![0.0; k];
            members.iter().enumerate().for_each(|(i, &j)| alphas[j] = solution[i]);
            let feasible =
                alphas.iter().all(|a| *a >= 0.0) && alphas.iter().sum::<f64>() <= cap * (1.0 + 1e-12);
            if feasible && value(&alphas) > value(&best) {
                best = alphas;
            }
        }
    }
    best
}

#[test]
fn k_best_passive_aggressive_solves_its_quadratic_programme() {
    for (rule, cap) in [("pa", f64::INFINITY), ("pa1:c=2", 2.0), ("pa1:c=8", 8.0)] {
        let (name, price) = rule.split_once(':').unwrap_or((rule, ""));
        let mut learner = build(&format!("{name}/diagonal:{price},schedule=exact,top=all,floor=0"));
        // Variances that differ between classes, from a second-order rule on the same store.
        let mut warm = build("arow/diagonal:top=all,floor=0,projection=precision");
        for (x, class) in many_class_stream(127, CLASSES, FEATURES, 10) {
            warm.learn(x.features(), class, 1.0).unwrap();
        }
        learner.restore(warm.save()).unwrap();
        let (mut several, mut capped) = (0, 0);
        let mut random = Random(131);
        for _ in 0..60 {
            // Labels without sense, so that several rivals are wrong at once.
            let (x, y) = (Vector::from_dense(&random.dense(FEATURES)).unwrap(), random.below(CLASSES));
            let (before, dense_x) = (blocks(&learner), dense(&x, FEATURES));
            learner.learn(x.features(), y, 1.0).unwrap();
            let after = blocks(&learner);
            let rivals: Vec<usize> = (0..CLASSES).filter(|&r| r != y).collect();
            let own = |k: usize| before[k].margin(&dense_x);
            let margins: Vec<f64> = rivals.iter().map(|&r| own(y).0 - own(r).0).collect();
            let variances: Vec<f64> = rivals.iter().map(|&r| own(r).1).collect();
            let expected = brute_force(&margins, &variances, own(y).1, cap);
            for (&r, alpha) in rivals.iter().zip(&expected) {
                let found = (own(r).0 - after[r].margin(&dense_x).0) / own(r).1;
                assert!((found - alpha).abs() < 1e-9 * (1.0 + alpha), "{rule}: {found}, {alpha}");
            }
            let total: f64 = expected.iter().sum();
            let found = (after[y].margin(&dense_x).0 - own(y).0) / own(y).1;
            assert!((found - total).abs() < 1e-9 * (1.0 + total), "{rule}: A = {found}, {total}");
            several += usize::from(expected.iter().filter(|a| **a > 0.0).count() > 1);
            capped += usize::from(total > cap * (1.0 - 1e-12));
        }
        assert!(several >= 3, "{rule}: {several} rounds with several active rivals");
        assert!(cap > 8.0 || capped >= 3, "{rule}: the price bound {capped} times");
    }
}

/// A shorter move for one rival would break the constraints of the others: nothing shrinks here.
#[test]
fn a_settling_floor_is_its_number() {
    let learned = |floor: &str| {
        let mut learner = build(&format!("cw-stdev:schedule=exact,top=2,floor={floor}"));
        for (i, (x, class)) in many_class_stream(9, CLASSES, FEATURES, 400).iter().enumerate() {
            // Every fifth label is wrong, so that variances reach the floor.
            let class = if i % 5 == 0 { (class + 1) % CLASSES } else { *class };
            learner.learn(x.features(), class, 1.0).unwrap();
        }
        format!("{:?}", learner.save())
    };
    assert_eq!(learned("auto"), learned("0.0001"));
    assert_ne!(learned("auto"), learned("0"));
}
