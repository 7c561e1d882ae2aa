//! CW-Stdev and CW-Var solve the problem they claim to solve: the constraint is met with equality (Lemma 1), and
//! no feasible Gaussian is closer in KL divergence ([ECCW] Eqs. 3, 4).

use nalgebra::DVector;
use surefoot_core::rule::Step;
use surefoot_core::{Spec, Task, normal};

use crate::common::{Random, pair, pair_of, stream};
use crate::dense::{Dense, dense, nearby, sign};

/// The margin that a confidence rule asks for when its variance is `u`.
fn required(rule: &str, phi: f64, u: f64) -> f64 {
    if rule == "cw-var" { phi * u } else { phi * u.sqrt() }
}

#[test]
fn the_constraint_is_tight_after_every_update_on_the_full_store() {
    for rule in ["cw-stdev", "cw-var"] {
        for confidence in [0.6, 0.75, 0.9, 0.99] {
            let phi = normal::quantile(confidence);
            let text = format!("{rule}/full:confidence={confidence},floor=0");
            let mut learner = pair(&text, Task::Binary, 2);
            let mut updates = 0;
            for (x, class) in stream(17, 8, 300, 0.0) {
                let round = learner.learn(x.features(), class, 1.0).unwrap();
                let (before, updated) = (round.prediction.clone(), round.updated);
                let after = learner.predict(x.features());
                let margin = sign(class) * after.score;
                let asked = required(rule, phi, after.variance);
                if updated {
                    updates += 1;
                    assert!((margin - asked).abs() <= 1e-9 * asked, "{text}: {margin} for {asked}");
                } else {
                    assert!(sign(class) * before.score >= required(rule, phi, before.variance), "{text}");
                    assert_eq!((before.score, before.variance), (after.score, after.variance), "{text}");
                }
            }
            assert!(updates > 10, "{text}: {updates} updates");
        }
    }
}

/// A feasible Gaussian near another: moved at random by `scale`, then along Σz until the constraint is just met.
fn feasible_near(
    random: &mut Random,
    at: &Dense,
    z: &DVector<f64>,
    scale: f64,
    asked: impl Fn(f64) -> f64,
) -> Dense {
    let covariance = nearby(random, &at.covariance, scale);
    let shift = DVector::from_fn(z.len(), |_, _| scale * random.normal());
    let mut moved = Dense { mean: &at.mean + shift, covariance };
    let (m, v) = moved.margin(z);
    let missing = asked(v) - m;
    if missing > 0.0 {
        moved.mean += &moved.covariance * z * (missing / v);
    }
    moved
}

/// The least KL among many feasible Gaussians around one.
fn least_kl_nearby(
    random: &mut Random,
    from: &Dense,
    at: &Dense,
    z: &DVector<f64>,
    asked: impl Fn(f64) -> f64,
) -> f64 {
    let scales = [1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4];
    let mut near = |scale| feasible_near(random, at, z, scale, &asked).kl(from);
    scales.iter().flat_map(|&scale| [scale; 60]).map(&mut near).fold(f64::INFINITY, f64::min)
}

#[test]
fn no_feasible_gaussian_is_closer() {
    let mut random = Random(23);
    for rule in ["cw-stdev", "cw-var"] {
        for confidence in [0.6, 0.9, 0.99] {
            let phi = normal::quantile(confidence);
            let spec = Spec::parse(&format!("{rule}:confidence={confidence}")).unwrap();
            let built = (spec.rule().build)(&spec.params().unwrap());
            let asked = |u: f64| required(rule, phi, u);
            for _ in 0..20 {
                let from = Dense::random(&mut random, 3);
                let z = DVector::from_fn(3, |_, _| random.normal());
                let (m, v) = from.margin(&z);
                let Some(step) = built.step(m, v, 1.0) else { continue };
                let best = from.after(&z, step);
                let least = least_kl_nearby(&mut random, &from, &best, &z, asked);
                assert!(least >= best.kl(&from) - 1e-12, "{rule} {confidence}: {least} < {}", best.kl(&from));
                // The test has teeth: the feasible point that keeps Σ is beaten.
                let lazy = from.after(&z, Step { alpha: (asked(v) - m) / v, gain: 0.0 });
                assert!(least_kl_nearby(&mut random, &from, &lazy, &z, asked) < lazy.kl(&from));
            }
        }
    }
}

#[test]
fn the_mean_alone_is_a_projection_lemma_6() {
    let (phi, mut random) = (normal::quantile(0.9), Random(29));
    let rule = surefoot_core::rule::cw_stdev::CwStdev { phi };
    for _ in 0..200 {
        let from = Dense::random(&mut random, 4);
        let z = DVector::from_fn(4, |_, _| random.normal());
        let (m, v) = from.margin(&z);
        let Some(alpha) = rule.alpha(m, v) else { continue };
        let after = from.after(&z, Step { alpha, gain: rule.gain(alpha, v) });
        let (margin, u) = after.margin(&z);
        // The solution of min ½(μ−μ_i)ᵀΣ_i⁻¹(μ−μ_i), z·μ ≥ φ√u, is on the boundary and along Σ_i z.
        let projected = &from.mean + &from.covariance * &z * ((phi * u.sqrt() - m) / v);
        assert!((&after.mean - projected).norm() < 1e-10 * after.mean.norm());
        assert!((margin - phi * u.sqrt()).abs() < 1e-11);
        let precision = crate::dense::inverse(&from.covariance);
        let length = |mean: &DVector<f64>| (mean - &from.mean).dot(&(&precision * (mean - &from.mean)));
        for _ in 0..20 {
            let mut other = &after.mean + DVector::from_fn(4, |_, _| 0.1 * random.normal());
            let missing = (phi * u.sqrt() - other.dot(&z)).max(0.0);
            other += &z * (missing / z.norm_squared());
            assert!(length(&other) >= length(&after.mean) - 1e-10);
        }
    }
}

#[test]
fn the_full_store_is_the_dense_definition() {
    for rule in ["cw-stdev", "cw-var", "arow", "nherd", "scw2"] {
        let text = format!("{rule}/full:floor=0");
        let spec = Spec::parse(&text).unwrap();
        let built = (spec.rule().build)(&spec.params().unwrap());
        let mut learner = pair_of(&spec, Task::Binary, 2);
        let mut judge = Dense::prior(6, 1.0);
        for (x, class) in stream(31, 6, 60, 0.0) {
            let z = dense(&x, 6) * sign(class);
            let (m, v) = judge.margin(&z);
            if let Some(step) = built.step(m, v, 1.0) {
                judge = judge.after(&z, step);
            }
            learner.learn(x.features(), class, 1.0).unwrap();
        }
        let found = Dense::of(learner.store(), 0, 6);
        assert!((&found.mean - &judge.mean).norm() < 1e-8 * judge.mean.norm(), "{text}");
        assert!((&found.covariance - &judge.covariance).norm() < 1e-8 * judge.covariance.norm(), "{text}");
    }
}
