//! The exact votes against independent computations: adaptive quadrature, sampling, closed forms, symmetries.

use proptest::prelude::*;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use surefoot_core::normal;
use surefoot_core::probability::{Voter, gibbs};

fn votes(means: &[f64], variances: &[f64]) -> Vec<f64> {
    let mut votes = vec![f64::NAN; means.len()];
    Voter::new().distribution(means, variances, &mut votes);
    votes
}

/// Largest difference of two distributions.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// The 7-point Gauss and 15-point Kronrod rules: (node ≥ 0, Kronrod weight, Gauss weight).
const KRONROD: [(f64, f64, f64); 8] = [
    (0.0, 0.20948214108472782, 0.4179591836734694),
    (0.20778495500789848, 0.20443294007529889, 0.0),
    (0.4058451513773972, 0.19035057806478542, 0.3818300505051189),
    (0.5860872354676911, 0.1690047266392679, 0.0),
    (0.7415311855993945, 0.14065325971552592, 0.27970539148927664),
    (0.8648644233597691, 0.10479001032225019, 0.0),
    (0.9491079123427585, 0.06309209262997856, 0.1294849661688697),
    (0.9914553711208126, 0.022935322010529224, 0.0),
];

/// ∫ f over [a, b] by bisection until the two rules agree.
fn adaptive(f: &impl Fn(f64) -> f64, a: f64, b: f64, depth: u32) -> f64 {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let (mut fine, mut coarse) = (0.0, 0.0);
    for (node, kronrod, gauss) in KRONROD {
        let value = if node == 0.0 { f(middle) } else { f(middle - half * node) + f(middle + half * node) };
        fine += kronrod * value;
        coarse += gauss * value;
    }
    if (fine - coarse).abs() * half < 1e-14 || depth == 0 {
        return fine * half;
    }
    adaptive(f, a, middle, depth - 1) + adaptive(f, middle, b, depth - 1)
}

/// The probability that every label but one (and but those without variance) scores below `s`.
fn all_below(means: &[f64], sds: &[f64], s: f64, but: usize) -> f64 {
    let varying = (0..means.len()).filter(|&k| k != but && sds[k] > 0.0);
    varying.map(|k| normal::cdf((s - means[k]) / sds[k])).product()
}

/// The votes straight from their definition, one integral a label.
fn reference(means: &[f64], variances: &[f64]) -> Vec<f64> {
    let labels = 0..means.len();
    let sds: Vec<f64> = variances.iter().map(|v| v.sqrt()).collect();
    let highest = |t: f64| labels.clone().map(|k| means[k] + t * sds[k]).fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = (highest(-9.5), highest(9.5));
    let mut cuts: Vec<f64> = labels
        .clone()
        .flat_map(|k| [-8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0].map(|t| means[k] + t * sds[k]))
        .chain([low, high])
        .filter(|s| (low..=high).contains(s))
        .collect();
    cuts.sort_by(f64::total_cmp);
    let certain = labels.clone().filter(|&k| sds[k] == 0.0);
    let champion = certain.fold(None, |best: Option<usize>, k| match best {
        Some(b) if means[b] >= means[k] => best,
        _ => Some(k),
    });
    let vote = |z: usize| match champion {
        Some(best) if best == z => all_below(means, &sds, means[z], z),
        _ if sds[z] == 0.0 => 0.0,
        _ => {
            let density =
                |s: f64| normal::pdf((s - means[z]) / sds[z]) / sds[z] * all_below(means, &sds, s, z);
            cuts.windows(2).map(|w| adaptive(&density, w[0], w[1], 12)).sum()
        }
    };
    labels.clone().map(vote).collect()
}

/// Means and variances of up to 14 labels, standard deviations over six decades, some of them zero.
fn scores() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let sd = prop_oneof![1 => Just(0.0), 6 => (-3.0..3.0_f64).prop_map(libm::exp10), 3 => 0.5..2.0];
    let score = (-3.0..3.0_f64, prop_oneof![Just(1.0), Just(1e-2), Just(0.0)], sd);
    prop::collection::vec(score.prop_map(|(m, scale, sd)| (m * scale, sd * sd)), 1..15)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn agree_with_adaptive_quadrature(scores in scores()) {
        let (means, variances): (Vec<_>, Vec<_>) = scores.into_iter().unzip();
        let found = votes(&means, &variances);
        let expected = reference(&means, &variances);
        prop_assert!(distance(&found, &expected) < 1e-12, "{found:?}\n{expected:?}");
    }
}
