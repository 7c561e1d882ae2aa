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

proptest! {
    #[test]
    fn sum_to_one_and_follow_a_permutation(scores in scores(), shift in -1e3..1e3_f64) {
        let (means, variances): (Vec<_>, Vec<_>) = scores.iter().copied().unzip();
        let found = votes(&means, &variances);
        prop_assert!(found.iter().all(|p| (0.0..=1.0).contains(p)));
        prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);

        // Reversal would hand a tie of certain scores to another label: make those scores differ.
        let distinct: Vec<f64> = (0..).zip(&means).map(|(k, m)| m + f64::from(k) * 1e-9).collect();
        let mut reversed = votes(
            &distinct.iter().rev().copied().collect::<Vec<_>>(),
            &variances.iter().rev().copied().collect::<Vec<_>>(),
        );
        reversed.reverse();
        prop_assert!(distance(&reversed, &votes(&distinct, &variances)) < 1e-12);

        // Only differences of the means matter, and the unit does not.
        let doubled: Vec<f64> = means.iter().map(|m| 1024.0 * m).collect();
        let rescaled: Vec<f64> = variances.iter().map(|v| 1024.0 * 1024.0 * v).collect();
        prop_assert!(distance(&votes(&doubled, &rescaled), &found) < 1e-12);
        let exact_shift = shift.round() * 1024.0;
        let coarse: Vec<f64> = means.iter().map(|m| (m * 1024.0).round() / 1024.0).collect();
        let moved: Vec<f64> = coarse.iter().map(|m| m + exact_shift).collect();
        prop_assert!(distance(&votes(&moved, &variances), &votes(&coarse, &variances)) < 1e-12);
    }

    #[test]
    fn two_labels_have_the_closed_form(a in -5.0..5.0_f64, b in -5.0..5.0_f64, v in 1e-6..4.0_f64, w in 0.0..4.0_f64) {
        let found = votes(&[a, b], &[v, w]);
        let t = (a - b) / (v + w).sqrt();
        prop_assert!((found[0] - normal::cdf(t)).abs() < 1e-15);
        // A hopeless third label takes the long way to the same numbers.
        let three = votes(&[a, -1e3, b], &[v, 1.0, w]);
        prop_assert!(distance(&[three[0], three[2]], &found) < 1e-12);
    }
}

#[test]
fn agree_with_a_million_samples() {
    let mut generator = Pcg64::seed_from_u64(7);
    let mut standard_normal = || gibbs::from_bits(generator.next_u64());
    let cases: [(&[f64], &[f64]); 3] = [
        (&[0.0, 0.3, -0.2, 0.1, 0.25], &[1.0, 0.5, 2.0, 0.1, 0.0]),
        (&[1.0, 1.0, 1.0], &[1e-6, 1.0, 1e6]),
        (&[0.5, 0.4, 0.3, 0.5], &[0.0, 0.2, 0.3, 0.0]),
    ];
    for (means, variances) in cases {
        let mut sampled = vec![0.0; means.len()];
        gibbs::sample(means, variances, 1_000_000, &mut standard_normal, &mut sampled);
        for (exact, sampled) in votes(means, variances).iter().zip(&sampled) {
            // Five standard errors of the sampled share.
            let error = 5.0 * (exact * (1.0 - exact) / 1e6).sqrt();
            assert!((exact - sampled).abs() <= error, "{exact} {sampled} for {means:?}");
        }
    }
}

#[test]
fn equal_labels_share_the_vote() {
    for labels in [3, 20, 1000] {
        let found = votes(&vec![0.7; labels], &vec![2.0; labels]);
        let expected = vec![1.0 / labels as f64; labels];
        assert!(distance(&found, &expected) < 1e-14, "{labels} labels");
    }
}

#[test]
fn certain_scores_are_exact() {
    assert_eq!(votes(&[], &[]), [0.0; 0]);
    assert_eq!(votes(&[-3.0], &[0.0]), [1.0]);
    assert_eq!(votes(&[1.0, 1.0], &[0.0, 0.0]), [1.0, 0.0]);
    assert_eq!(votes(&[0.0, 2.0, 2.0, 1.0], &[0.0; 4]), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(votes(&[0.0, 2.0, 2.0], &[0.0, 0.0, -1e-20]), [0.0, 1.0, 0.0]);
    // The certain champion wins when every other score is below: Φ(1)·Φ(2).
    let found = votes(&[1.0, 0.0, 1.0, -1.0, 0.5], &[0.0, 1.0, 0.0, 1.0, 0.0]);
    assert!((found[0] - normal::cdf(1.0) * normal::cdf(2.0)).abs() < 1e-14);
    assert_eq!((found[2], found[4]), (0.0, 0.0));
}

#[test]
fn narrow_gaussians_far_from_zero_keep_their_digits() {
    // One unit in the last place of 1e8 apart; the wide third label takes its share from both.
    let gap = 2.0_f64.powi(-26);
    let found = votes(&[1e8, 1e8 + gap, 1e8 - 1.0], &[1e-16, 3e-16, 1.0]);
    let expected = normal::cdf(gap / 2e-8) * normal::cdf(1.0);
    assert!((found[1] - expected).abs() < 1e-7, "{found:?} {expected}");
}

#[test]
fn extreme_magnitudes_are_finite() {
    for (means, variances) in [
        ([1e308, -1e308, 0.0], [1.0, 1e308, 1e-308]),
        ([0.0, 0.0, 0.0], [5e-324, 1e308, 1.0]),
        ([1e-300, 0.0, -1e-300], [1e-320, 1e-310, 0.0]),
    ] {
        let found = votes(&means, &variances);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{means:?} {variances:?}: {found:?}");
    }
}

#[test]
fn input_that_is_not_finite_says_nothing() {
    assert_eq!(votes(&[f64::NAN, 0.0, 1.0], &[1.0; 3]), [1.0 / 3.0; 3]);
    assert_eq!(votes(&[0.0, 0.0, 1.0], &[1.0, f64::INFINITY, 1.0]), [1.0 / 3.0; 3]);
}
