//! What CW-Stdev does not see: the prior variance and the norm of an example ([ECCW] Lemma 3).

use surefoot_core::store::{self as stores, Precision, STORES};
use surefoot_core::{SparseVec, Task, Vector};

use crate::common::{Pair, Random, pair, stream};

/// Every store that learns a covariance of the features themselves.
fn stores() -> impl Iterator<Item = &'static str> {
    STORES.iter().filter(|s| s.learns_covariance && s.name != "kernel").map(|s| s.name)
}

fn build(text: &str) -> Pair {
    pair(text, Task::Binary, 2)
}

fn close(store: &str, found: f64, expected: f64) -> bool {
    let single = stores::find(store).unwrap().side_by_side == Some(Precision::Single);
    let tolerance = if single { 1e-3 } else { 1e-7 };
    (found - expected).abs() <= tolerance * expected.abs().max(1e-3)
}

#[test]
fn the_prior_only_scales_the_gaussian() {
    for store in stores() {
        for a in [0.04, 0.5, 30.0] {
            let text = |prior: f64| format!("cw-stdev/{store}:confidence=0.9,prior={prior}");
            let (mut one, mut scaled) = (build(&text(1.0)), build(&text(a)));
            for (x, class) in stream(41, 7, 200, 0.05) {
                let (first, second) = (
                    one.learn(x.features(), class, 1.0).unwrap(),
                    scaled.learn(x.features(), class, 1.0).unwrap(),
                );
                assert_eq!(first.updated, second.updated, "{store}");
                let (m, v) = (first.prediction.score, first.prediction.variance);
                assert!(close(store, second.prediction.score, a.sqrt() * m), "{store}: [ECCW] Eq. 17, m");
                assert!(close(store, second.prediction.variance / v, a), "{store}: [ECCW] Eq. 17, v");
            }
        }
    }
}

#[test]
fn the_norm_of_an_example_does_not_matter() {
    let mut random = Random(43);
    for store in stores() {
        let text = format!("cw-stdev/{store}:confidence=0.9");
        let (mut plain, mut rescaled) = (build(&text), build(&text));
        for (x, class) in stream(47, 7, 200, 0.05) {
            let factor = 10f64.powf(4.0 * random.uniform() - 2.0);
            let values: Vec<f64> = x.features().values().iter().map(|value| factor * value).collect();
            let longer = SparseVec::new(x.features().ids(), &values).unwrap();
            let first = plain.learn(x.features(), class, 1.0).unwrap().updated;
            assert_eq!(first, rescaled.learn(longer, class, 1.0).unwrap().updated, "{store}");
        }
        for feature in 0..7 {
            let (p, r) = (plain.store().weight(feature, 0), rescaled.store().weight(feature, 0));
            let (p, r) = (p.unwrap(), r.unwrap());
            assert!(
                close(store, r.mean, p.mean) && close(store, r.variance / p.variance, 1.0),
                "{store}: {p:?}, {r:?}"
            );
        }
    }
}

#[test]
fn cw_var_sees_both() {
    let first_margin = |text: &str, length: f64| {
        let mut learner = build(text);
        let x = Vector::from_pairs([(0, length)]).unwrap();
        learner.learn(x.features(), 1, 1.0).unwrap();
        let p = learner.predict(x.features());
        p.score / p.variance.sqrt()
    };
    let base = first_margin("cw-var/diagonal:prior=1", 1.0);
    assert!((first_margin("cw-var/diagonal:prior=4", 1.0) - base).abs() > 0.1);
    assert!((first_margin("cw-var/diagonal:prior=1", 2.0) - base).abs() > 0.1);
}

#[test]
fn signs_keep_all_diagonal_variances_equal() {
    let mut random = Random(53);
    for projection in ["covariance", "precision"] {
        let mut learner = build(&format!("cw-stdev/diagonal:projection={projection},confidence=0.75"));
        for _ in 0..100 {
            let signs: Vec<f64> = (0..6).map(|_| if random.uniform() < 0.5 { -1.0 } else { 1.0 }).collect();
            let x = Vector::from_dense(&signs).unwrap();
            learner.learn(x.features(), usize::from(signs[0] + signs[1] + signs[2] > 0.0), 1.0).unwrap();
        }
        let variances: Vec<f64> = (0..6).map(|f| learner.store().weight(f, 0).unwrap().variance).collect();
        assert!(variances[0] < 0.5, "{projection}: nothing was learned");
        assert!(variances.iter().all(|v| (v / variances[0] - 1.0).abs() < 1e-12), "{variances:?}");
    }
    assert!(stores::find("diagonal").unwrap().learns_covariance);
}

/// Two classes as one problem of stacked features, g = f(x, 1) − f(x, 0) = (x, −x): the definition of K = 2.
fn stacked(x: &Vector, d: u32) -> Vector {
    let pairs = x.features().iter().flat_map(|(f, value)| [(f as u32, value), (f as u32 + d, -value)]);
    Vector::from_pairs(pairs).unwrap()
}

#[test]
fn two_classes_equal_binary_from_twice_the_prior_only_with_full_covariance() {
    let run = |store: &str| {
        let mut two = build(&format!("cw-var/{store}:prior=1,floor=0"));
        let mut binary = build(&format!("cw-var/{store}:prior=2,floor=0"));
        let mut worst: f64 = 0.0;
        for (x, class) in stream(59, 5, 80, 0.0) {
            let first = two.learn(stacked(&x, 5).features(), class, 1.0).unwrap().prediction.score;
            let second = binary.learn(x.features(), class, 1.0).unwrap().prediction.score;
            worst = worst.max((first - second).abs());
        }
        worst
    };
    assert!(run("full") < 1e-9);
    assert!(run("diagonal") > 1e-3);
}
