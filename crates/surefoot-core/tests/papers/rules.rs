//! The numbers of every rule: against its definition at benign points, and against 32-digit arithmetic where
//! double precision is in danger.

use surefoot_core::rule::{self, RULES, Rule, SMALLEST_VARIANCE, Step};
use surefoot_core::{Spec, normal};

use crate::common::Random;
use crate::double::{Double, exact};

const CONFIDENCES: [&str; 6] = ["0.500001", "0.6", "0.9", "0.99", "0.999999", "0.999999999999"];

fn build(text: &str) -> Box<dyn Rule> {
    let spec = Spec::parse(text).unwrap();
    (spec.rule().build)(&spec.params().unwrap())
}

/// Every rule with its range of confidences, and prices that matter.
fn every_rule() -> Vec<(String, Box<dyn Rule>)> {
    let texts = RULES.iter().flat_map(|spec| {
        let takes = |name: &str| spec.params.iter().any(|p| p.name == name);
        let confidences: &[&str] = if takes("confidence") { &CONFIDENCES } else { &[""] };
        let prices: &[&str] = if takes("c") { &["0.001", "1", "1000"] } else { &[""] };
        let mut texts = Vec::new();
        for confidence in confidences {
            for price in prices {
                let mut text = format!("{}:", spec.name);
                if !confidence.is_empty() {
                    text += &format!("confidence={confidence},");
                }
                if !price.is_empty() {
                    text += &format!("c={price}");
                }
                texts.push(text);
            }
        }
        texts
    });
    texts.map(|text| (text.clone(), build(&text))).collect()
}

fn close(found: f64, expected: f64, relative: f64) -> bool {
    (found - expected).abs() <= relative * expected.abs()
}

/// The table of rules as the papers print it, for c = 0.7, r = 0.3, scale = 1 and confidence = 0.85.
fn printed(rule: &str, m: f64, v: f64) -> Option<Step> {
    let (c, r, phi) = (0.7, 0.3, normal::quantile(0.85));
    let (psi, xi) = (1.0 + phi * phi / 2.0, 1.0 + phi * phi);
    let stdev = || (-m * psi + (m * m * phi.powi(4) / 4.0 + v * phi * phi * xi).sqrt()) / (v * xi);
    let zeta = |alpha: f64| {
        let avp = alpha * v * phi;
        alpha * phi / ((-avp + (avp * avp + 4.0 * v).sqrt()) / 2.0)
    };
    let n = v + 1.0 / (2.0 * c);
    let with_zeta = |alpha: f64| (alpha, zeta(alpha));
    let (moves, (alpha, gain)) = match rule {
        "perceptron" => (m <= 0.0, (1.0, 0.0)),
        "pa" => (m < 1.0, ((1.0 - m) / v, 0.0)),
        "pa1" => (m < 1.0, (((1.0 - m) / v).min(c), 0.0)),
        "pa2" => (m < 1.0, ((1.0 - m) / n, 0.0)),
        "sop" => (m <= 0.0, ((1.0 - m) / (1.0 + v), 1.0)),
        "cw-var" => {
            let b = 1.0 + 2.0 * phi * m;
            let alpha = (-b + (b * b - 8.0 * phi * (m - phi * v)).sqrt()) / (4.0 * phi * v);
            (m < phi * v, (alpha, 2.0 * alpha * phi))
        }
        "cw-stdev" => (m < phi * v.sqrt(), with_zeta(stdev())),
        "scw1" => (m < phi * v.sqrt(), with_zeta(stdev().min(c))),
        "scw2" => {
            let p2 = phi * phi;
            let root = phi * (p2 * m * m * v * v + 4.0 * n * v * (n + v * p2)).sqrt();
            let alpha = (-m * (2.0 * n + p2 * v) + root) / (2.0 * (n * n + n * v * p2));
            (m < phi * v.sqrt(), with_zeta(alpha))
        }
        "arow" => (m < 1.0, ((1.0 - m) / (v + r), 1.0 / r)),
        "nherd" => (m < 1.0, ((1.0 - m) / (v + 1.0 / c), 2.0 * c + c * c * v)),
        "logistic" => {
            // The fixed point by halving: alpha − σ(−(m + alpha·v)) increases from below 0 to above it.
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..100 {
                let alpha = f64::midpoint(low, high);
                let sigma = 1.0 / (1.0 + (m + alpha * v).exp());
                if alpha < sigma { low = alpha } else { high = alpha }
            }
            (true, (low, low * (1.0 - low)))
        }
        other => panic!("{other} is not in the table: add its definition here"),
    };
    moves.then_some(Step { alpha, gain })
}

#[test]
fn every_rule_is_its_printed_definition_at_benign_points() {
    let mut random = Random(5);
    for spec in RULES {
        let mut settings = Spec::new(spec.name, None).unwrap();
        for (name, value) in [("c", "0.7"), ("r", "0.3"), ("scale", "1"), ("confidence", "0.85")] {
            if spec.params.iter().any(|p| p.name == name) {
                settings.set(name, value).unwrap();
            }
        }
        let rule = (spec.build)(&settings.params().unwrap());
        let mut moved = 0;
        for _ in 0..2_000 {
            let (m, v) = (2.0 * random.normal(), 10f64.powf(2.0 * random.uniform() - 1.0));
            match (rule.step(m, v, 1.0), printed(spec.name, m, v)) {
                (None, None) => {}
                (Some(found), Some(expected)) => {
                    moved += 1;
                    let agree = (found.alpha - expected.alpha).abs() <= 1e-10 * expected.alpha.max(1e-4)
                        && (found.gain - expected.gain).abs() <= 1e-10 * expected.gain.max(1e-4);
                    assert!(agree, "{rule:?} at m={m} v={v}: {found:?}, printed {expected:?}");
                }
                (found, expected) => panic!("{rule:?} at m={m} v={v}: {found:?}, printed {expected:?}"),
            }
        }
        assert!(moved > 500, "{rule:?} moved only {moved} times");
    }
}

/// Margins up to 1e8 in size, and the neighbourhood of the rule's own boundary at √v and v.
fn margins(v: f64) -> Vec<f64> {
    let mut margins = vec![0.0, 1.0 - 1e-12, 1.0];
    for exponent in -8..=8 {
        margins.extend([10f64.powi(exponent), -10f64.powi(exponent)]);
    }
    for boundary in [v, v.sqrt()] {
        let scales = [1e-6, 0.1, 0.5, 1.0, 1.28, 2.3, 4.7, 7.0];
        margins.extend(scales.iter().flat_map(|s| [s * boundary, -s * boundary]).filter(|m| m.abs() <= 1e8));
    }
    margins
}

fn variances() -> impl Iterator<Item = f64> {
    (-100..=100).step_by(4).map(|exponent| 10f64.powi(exponent).max(SMALLEST_VARIANCE))
}

#[test]
fn no_step_is_nan_or_infinite_anywhere() {
    for (name, rule) in every_rule() {
        for v in variances() {
            for m in margins(v) {
                for weight in [1e-3, 1.0, 1e3] {
                    let Some(step) = rule.step(m, v, weight) else { continue };
                    assert!(step.is_finite(), "{name} at m={m} v={v} w={weight}: {step:?}");
                    assert!(step.alpha >= 0.0 && step.gain >= 0.0, "{name} at m={m} v={v}: {step:?}");
                    let kept = 1.0 / (1.0 + step.gain * v);
                    assert!(kept.is_finite(), "{name} at m={m} v={v}: gain·v overflows");
                }
            }
        }
        for v in [0.0, 1e-320, 9.9e-101, f64::NAN] {
            assert!(rule.checked_step(-1.0, v, 1.0).is_none(), "{name} moved at v={v}");
        }
    }
}

/// What a constraint m + α·n ≥ required(α) asks after a step of α, and how fast that falls as α grows.
struct Required {
    margin: Double,
    fall: Double,
}

/// φ·u with u = v/(1 + 2αφv).
fn required_var(phi: f64, alpha: f64, v: f64) -> Required {
    let (phi, alpha, v) = (exact(phi), exact(alpha), exact(v));
    let u = v / (exact(1.0) + exact(2.0) * alpha * phi * v);
    Required { margin: phi * u, fall: exact(2.0) * phi * phi * u * u }
}

/// φ·√u with √u the positive root of (√u)² + αvφ·√u − v = 0.
fn required_stdev(phi: f64, alpha: f64, v: f64) -> Required {
    let (phi, v) = (exact(phi), exact(v));
    let t = exact(alpha) * v * phi;
    let root_u = exact(2.0) * v / (t + (t * t + exact(4.0) * v).sqrt());
    Required { margin: phi * root_u, fall: phi * phi * v * root_u / (root_u + root_u + t) }
}

/// The relative error of α: one Newton step on its constraint, in 32 digits.
fn alpha_error(m: f64, n: Double, alpha: f64, required: &Required) -> f64 {
    let residual = exact(m) + exact(alpha) * n - required.margin;
    (residual / (n + required.fall) / exact(alpha)).value().abs()
}

/// The relative error of a gain against gain = αφ/√u, u = v/(1 + gain·v), with κ = gain·v: κ² = α²φ²v·(1 + κ).
fn gain_error(phi: f64, step: Step, v: f64) -> f64 {
    let (kappa, t) = (exact(step.gain) * exact(v), exact(step.alpha) * exact(phi) * exact(v).sqrt());
    (kappa * kappa / (t * t * (exact(1.0) + kappa)) - exact(1.0)).value().abs()
}

#[test]
fn confidence_rules_meet_their_constraints_to_full_precision() {
    for (name, rule) in every_rule() {
        let parameter = |key: &str| {
            let (_, rest) = name.split_once(key)?;
            rest.split(',').next()?.parse::<f64>().ok()
        };
        let Some(phi) = parameter("confidence=").map(normal::phi_of_confidence) else { continue };
        let half_price = parameter(",c=").map_or(0.0, |c| 0.5 / c);
        for v in variances() {
            for m in margins(v) {
                let Some(step) = rule.step(m, v, 1.0) else { continue };
                let kind = name.split(':').next().unwrap();
                if kind == "scw1" && step.alpha == 0.5 / half_price {
                    assert!(gain_error(phi, step, v) < 1e-13, "{name} at m={m} v={v}: {step:?}");
                    continue;
                }
                let n = if kind == "scw2" { exact(v) + exact(half_price) } else { exact(v) };
                let (required, asked) = if kind == "cw-var" {
                    (required_var(phi, step.alpha, v), phi * v)
                } else {
                    (required_stdev(phi, step.alpha, v), phi * v.sqrt())
                };
                // Near the boundary the inputs themselves no longer determine α: allow their rounding.
                let condition = asked / (asked - m).min(asked);
                if condition > 1e10 {
                    continue;
                }
                let error = alpha_error(m, n, step.alpha, &required);
                assert!(error < 4e-15 * condition, "{name} at m={m} v={v}: α is off by {error:e}");
                let error = if kind == "cw-var" {
                    (step.gain / (2.0 * phi * step.alpha) - 1.0).abs()
                } else {
                    gain_error(phi, step, v)
                };
                assert!(error < 4e-15, "{name} at m={m} v={v}: the gain is off by {error:e}");
            }
        }
    }
}

#[test]
fn steps_fade_out_smoothly_at_the_boundary() {
    // The last doubles before the constraint holds: α falls towards 0 and never below, without a ripple. The printed
    // forms end in the noise of a cancellation here.
    for (name, rule) in every_rule().iter().filter(|(name, _)| name.contains("confidence=")) {
        for v in [1e-90, 1e-3, 0.7, 40.0, 1e80] {
            let boundary = boundary(&**rule, v);
            let mut last = 0.0;
            let mut m = boundary;
            for _ in 0..400 {
                m = m.next_down();
                let alpha = rule.step(m, v, 1.0).unwrap().alpha;
                assert!(alpha >= last && alpha > 0.0, "{name} at v={v}, m={m}: {alpha} after {last}");
                last = alpha;
            }
        }
    }
}

/// The smallest margin at which a rule rests, by bisection.
fn boundary(rule: &dyn Rule, v: f64) -> f64 {
    let (mut moves, mut rests) = (0.0, 1e100);
    while moves < f64::midpoint(moves, rests) && f64::midpoint(moves, rests) < rests {
        let middle = f64::midpoint(moves, rests);
        if rule.step(middle, v, 1.0).is_some() { moves = middle } else { rests = middle }
    }
    rests
}

#[test]
fn the_logistic_step_solves_its_equation() {
    let rule = rule::logistic::Logistic { scale: 0.5 };
    let sigma = |t: f64| if t > 0.0 { (-t).exp() / (1.0 + (-t).exp()) } else { 1.0 / (1.0 + t.exp()) };
    for v in variances() {
        for m in margins(v) {
            let alpha = rule.step(m, v, 1.0).unwrap().alpha;
            // alpha − σ(−(m + alpha·v)/s)/s increases: a little less is too little, a little more too much.
            let excess = |a: f64| a - sigma((m + a * v) / 0.5) / 0.5;
            // e^t turns the rounding of t into a relative error of |t|·ε.
            let slack = 1e-14 * (1.0 + m.abs().max(alpha * v));
            assert!(
                excess(alpha * (1.0 - slack)) <= 0.0 && excess(alpha * (1.0 + slack)) >= 0.0,
                "m={m} v={v}: alpha={alpha}"
            );
        }
    }
}

#[test]
fn importance_weights_act_through_the_documented_parameter() {
    // (rule, the same rule as if its parameter had been changed by the weight 4)
    for (plain, changed) in [
        ("pa1:c=0.3", "pa1:c=1.2"),
        ("pa2:c=0.3", "pa2:c=1.2"),
        ("scw1:c=0.3", "scw1:c=1.2"),
        ("scw2:c=0.3", "scw2:c=1.2"),
        ("nherd:c=0.3", "nherd:c=1.2"),
        ("arow:r=2", "arow:r=0.5"),
        ("pa", "pa"),
        ("cw-var", "cw-var"),
        ("cw-stdev", "cw-stdev"),
    ] {
        let (plain, changed) = (build(plain), build(changed));
        for (m, v) in [(-1.3, 0.7), (0.2, 2.0), (0.9, 5.0), (-40.0, 0.1)] {
            let (found, expected) = (plain.step(m, v, 4.0).unwrap(), changed.step(m, v, 1.0).unwrap());
            assert!(close(found.alpha, expected.alpha, 1e-14), "{plain:?}: {found:?}, {expected:?}");
            assert!((found.gain - expected.gain).abs() <= 1e-14 * expected.gain, "{plain:?}");
        }
    }
    assert_eq!(build("perceptron").step(-1.0, 1.0, 4.0).unwrap().alpha, 4.0);
    // Four copies of an example multiply its likelihood by itself four times; so does the weight 4 in logistic:
    // alpha = w·σ(−t/s)/s and gain = w·σ(1−σ)/s² at the margin t after the step.
    let step = build("logistic:scale=2").step(-0.4, 3.0, 4.0).unwrap();
    let sigma = 1.0 / (1.0 + ((-0.4 + step.alpha * 3.0) / 2.0f64).exp());
    assert!(close(step.alpha, 4.0 * sigma / 2.0, 1e-14));
    assert!(close(step.gain, 4.0 * sigma * (1.0 - sigma) / 4.0, 1e-14));
    for spec in RULES {
        assert!(build(spec.name).checked_step(-1.0, 1.0, 0.0).is_none(), "{} moved at weight 0", spec.name);
    }
}
