//! The mistake bound and what leads to it: Lemmas 5 and 7 and Theorem 4 of [ECCW], corrected.

use nalgebra::DVector;
use surefoot_core::analysis::{Bounds, Certificate, ConfidenceLoss, Covariance};
use surefoot_core::{Task, Vector, normal};

use crate::common::{Pair, Random, pair};
use crate::dense::{Dense, dense, inverse, ln_det, sign};

const CONFIDENCES: [f64; 4] = [0.6, 0.75, 0.9, 0.99];

/// Separable examples with their separator.
fn separable(seed: u64, d: usize, n: usize) -> (Vec<f64>, Vec<(Vector, usize)>) {
    let mut random = Random(seed);
    let truth = random.dense(d);
    let example = |random: &mut Random| loop {
        let x = random.dense(d);
        let score: f64 = x.iter().zip(&truth).map(|(a, b)| a * b).sum();
        if score.abs() > 0.05 {
            return (Vector::from_dense(&x).unwrap(), usize::from(score > 0.0));
        }
    };
    let examples = (0..n).map(|_| example(&mut random)).collect();
    (truth, examples)
}

#[test]
fn the_confidence_loss_has_the_properties_of_lemma_5() {
    for confidence in [0.51, 0.6, 0.75, 0.9, 0.99, 0.999999] {
        let loss = ConfidenceLoss::new(confidence).unwrap();
        let phi = loss.phi();
        let (psi, xi) = (1.0 + phi * phi / 2.0, 1.0 + phi * phi);
        let printed = |x: f64| {
            (-x * psi + (x * x * phi.powi(4) / 4.0 + phi * phi * xi).sqrt()).powi(2) / (phi * phi * xi)
        };
        // (1), and the definition.
        assert!(loss.at(phi) == 0.0 && loss.at(phi + 1.0) == 0.0 && (loss.at(0.0) - 1.0).abs() < 1e-14);
        let grid: Vec<f64> = (0..400).map(|i| phi - 0.02 * f64::from(i) * (1.0 + phi)).collect();
        for &x in &grid {
            assert!((loss.at(x) - printed(x)).abs() <= 1e-12 * (1.0 + printed(x)), "η={confidence} x={x}");
        }
        // (2) convex and decreasing, (3) at least the 0-1 loss.
        for w in grid.windows(3) {
            let [right, middle, left] = [loss.at(w[0]), loss.at(w[1]), loss.at(w[2])];
            assert!(left > middle && middle > right, "η={confidence}: not decreasing at {}", w[1]);
            assert!(left + right - 2.0 * middle > -1e-9 * left, "η={confidence}: not convex at {}", w[1]);
        }
        assert!(grid.iter().filter(|x| **x <= 0.0).all(|&x| loss.at(x) >= 1.0));
        // (4) far on the left x²·(1+φ²)/φ².
        let far = -1e6 * (1.0 + 1.0 / phi);
        assert!((loss.at(far) / (far * far * xi / (phi * phi)) - 1.0).abs() < 1e-5);
        // (5) near φ A(x−φ)², A = ξ/(φ²ψ²): the printed Aφ² is a misprint.
        let near = phi * (1.0 - 1e-6);
        let quadratic = xi / (phi * phi * psi * psi) * (near - phi).powi(2);
        assert!((loss.at(near) / quadratic - 1.0).abs() < 1e-4);
    }
}

#[test]
fn the_confidence_loss_is_the_squared_step_lemma_5_6() {
    let mut random = Random(73);
    for confidence in CONFIDENCES {
        let loss = ConfidenceLoss::new(confidence).unwrap();
        let rule = surefoot_core::rule::cw_stdev::CwStdev { phi: loss.phi() };
        for _ in 0..500 {
            let (m, v) = (3.0 * random.normal(), 10f64.powf(4.0 * random.uniform() - 2.0));
            let alpha = rule.alpha(m, v).unwrap_or(0.0);
            let expected = (1.0 + loss.phi().powi(2)) / loss.phi().powi(2) * alpha * alpha * v;
            assert!((loss.at(m / v.sqrt()) - expected).abs() <= 1e-11 * expected);
        }
    }
}

/// A run with its certificate; the learner is given back for its Σ.
fn certified(confidence: f64, prior: f64, d: usize, n: usize) -> (Bounds, Pair, Vec<f64>) {
    let (truth, examples) = separable(79, d, n);
    let text = format!("cw-stdev/full:confidence={confidence},floor=0,prior={prior}");
    let mut learner = pair(&text, Task::Binary, 2);
    let mut certificate = Certificate::new(confidence, prior, &truth).unwrap();
    for (x, class) in &examples {
        let round = learner.learn(x.features(), *class, 1.0).unwrap();
        certificate.follow(x.features(), *class, round.prediction);
    }
    (certificate.bounds(learner.store()), learner, truth)
}

#[test]
fn mistakes_stay_below_the_corrected_theorem_4() {
    for confidence in CONFIDENCES {
        let (bounds, ..) = certified(confidence, 1.0, 10, 600);
        assert!(bounds.mistakes > 5 && bounds.updates >= bounds.mistakes, "{bounds:?}");
        assert!(bounds.mistakes as f64 <= bounds.confidence_loss, "η={confidence}: {bounds:?}");
        assert!(bounds.confidence_loss <= bounds.theorem, "η={confidence}: {bounds:?}");
        assert!(bounds.theorem <= bounds.simplified && bounds.simplified.is_finite(), "{bounds:?}");
        // The prior changes nothing (Lemma 3).
        let (scaled, ..) = certified(confidence, 7.0, 10, 600);
        assert_eq!(scaled.mistakes, bounds.mistakes);
        assert!((scaled.theorem / bounds.theorem - 1.0).abs() < 1e-6);
    }
}

#[test]
fn the_printed_middle_term_of_theorem_4_is_too_small() {
    // One example at μ = 0, a mistake: α²v = φ²/(1+φ²) < 1.
    let rule = surefoot_core::rule::cw_stdev::CwStdev { phi: 1.0 };
    let alpha = rule.alpha(0.0, 2.0).unwrap();
    assert!((alpha * alpha * 2.0 - 0.5).abs() < 1e-15);
}

#[test]
fn a_vector_that_does_not_separate_gives_no_bound() {
    let mut learner = pair("cw-stdev/full:floor=0", Task::Binary, 2);
    let mut certificate = Certificate::new(0.9, 1.0, &[-1.0]).unwrap();
    let x = Vector::from_pairs([(0, 1.0)]).unwrap();
    let round = learner.learn(x.features(), 1, 1.0).unwrap();
    certificate.follow(x.features(), 1, round.prediction);
    assert_eq!(certificate.bounds(learner.store()).theorem, f64::INFINITY);
    assert!(Certificate::new(0.9, 0.0, &[1.0]).is_err() && Certificate::new(1.0, 1.0, &[1.0]).is_err());
    assert!(Certificate::new(0.9, 1.0, &[f64::NAN]).is_err());
}

#[test]
fn the_certificate_agrees_with_the_matrices_it_never_inverts() {
    for confidence in CONFIDENCES {
        let phi = normal::quantile(confidence);
        let (bounds, learner, truth) = certified(confidence, 1.0, 6, 60);
        let last = Dense::of(learner.store(), 0, 6);
        // The least multiple of μ* for Eq. 18, found by running again.
        let (_, examples) = separable(79, 6, 60);
        let mut again = Dense::prior(6, 1.0);
        let star = DVector::from_vec(truth);
        let (mut stretch, mut simple) = (0.0f64, 0.0f64);
        let rule = surefoot_core::rule::cw_stdev::CwStdev { phi };
        for (x, class) in &examples {
            let z = dense(x, 6) * sign(*class);
            let (m, v) = again.margin(&z);
            let Some(alpha) = rule.alpha(m, v) else { continue };
            again = again.after(&z, surefoot_core::rule::Step { alpha, gain: rule.gain(alpha, v) });
            stretch = stretch.max(again.margin(&z).0 / star.dot(&z));
            simple = simple.max(z.norm() / star.dot(&z));
        }
        let spread = -ln_det(&last.covariance) + last.covariance.trace() - 6.0;
        let quadratic = star.dot(&(inverse(&last.covariance) * &star));
        let factor = (1.0 + phi * phi) / (phi * phi);
        let theorem = factor * (spread + stretch * stretch * quadratic);
        let simplified = factor * spread + (phi * phi + 1.0) * simple * simple * quadratic;
        assert!((bounds.theorem / theorem - 1.0).abs() < 1e-6, "{bounds:?}: {theorem}");
        assert!((bounds.simplified / simplified - 1.0).abs() < 1e-6, "{bounds:?}: {simplified}");
    }
}

#[test]
fn lemma_7_holds_for_other_gaussians_too() {
    // Any μ* that clears Eq. 27 and any Σ* below every Σ_{i+1} in the directions of the updates.
    let (truth, examples) = separable(83, 5, 200);
    let star = DVector::from_vec(truth);
    for confidence in CONFIDENCES {
        let loss = ConfidenceLoss::new(confidence).unwrap();
        let rule = surefoot_core::rule::cw_stdev::CwStdev { phi: loss.phi() };
        let mut now = Dense::prior(5, 1.0);
        let (mut total, mut stretch, mut precision) = (0.0, 0.0f64, now.covariance.clone());
        for (x, class) in &examples {
            let z = dense(x, 5) * sign(*class);
            let (m, v) = now.margin(&z);
            let Some(alpha) = rule.alpha(m, v) else { continue };
            let gain = rule.gain(alpha, v);
            now = now.after(&z, surefoot_core::rule::Step { alpha, gain });
            total += loss.at(m / v.sqrt());
            stretch = stretch.max(now.margin(&z).0 / star.dot(&z));
            precision += &z * z.transpose() * gain;
        }
        assert!((inverse(&precision) - &now.covariance).norm() < 1e-7 * now.covariance.norm(), "Eq. 29");
        for (longer, smaller) in [(1.0, 1.0), (1.5, 0.9), (3.0, 0.3)] {
            let other = Dense { mean: &star * stretch * longer, covariance: &now.covariance * smaller };
            let energy =
                other.mean.dot(&((&precision - inverse(&Dense::prior(5, 1.0).covariance)) * &other.mean));
            let bound = loss.factor() * (2.0 * other.kl(&Dense::prior(5, 1.0)) + energy);
            assert!(total <= bound, "η={confidence}: {total} > {bound}");
        }
    }
}

#[test]
fn covariance_looks_agree_with_dense_algebra() {
    let mut random = Random(89);
    for d in [1, 2, 5, 20] {
        let matrix = Dense::random(&mut random, d).covariance;
        let look = Covariance::from_fn(d, |i, j| matrix[(i, j)]);
        let eigenvalues = matrix.clone().symmetric_eigenvalues();
        assert!((look.trace() - matrix.trace()).abs() < 1e-12 * matrix.trace());
        assert!((look.log_det().unwrap() - ln_det(&matrix)).abs() < 1e-10);
        assert!((look.largest_eigenvalue() / eigenvalues.max() - 1.0).abs() < 1e-6);
        assert!((look.effective_dimension() - matrix.trace() / eigenvalues.max()).abs() < 1e-5);
    }
    assert_eq!(Covariance::from_fn(2, |_, _| 1.0).log_det(), None);
    let sphere = Covariance::from_fn(4, |i, j| if i == j { 1e-90 } else { 0.0 });
    assert!((sphere.effective_dimension() - 4.0).abs() < 1e-12);
}

#[test]
fn learning_lowers_the_effective_dimension() {
    let (_, learner, _) = certified(0.9, 1.0, 10, 30);
    let squashed = Covariance::of(learner.store(), 0, 10).effective_dimension();
    assert!((1.0..9.0).contains(&squashed), "{squashed}");
}
