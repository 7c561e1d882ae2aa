//! Metrics of several labels a row against what scikit-learn 1.9 says of the same random cases.

use surefoot_core::Target;
use surefoot_core::metric::{self, Outcome};

/// The metrics in the order of the recorded numbers.
const NAMES: [&str; 7] =
    ["f1-micro", "f1-macro", "f1-example", "hamming-loss", "subset-accuracy", "lrap", "label-log-loss"];

/// Seed, examples, labels, and what scikit-learn says: `f1_score` (micro, macro, samples with zero_division=1), `hamming_loss`,
/// `accuracy_score`, `label_ranking_average_precision_score`, and the mean of `log_loss` over the labels.
#[rustfmt::skip]
const RECORDED: [(u64, u64, u64, [f64; 7]); 3] = [
    (1, 50, 6, [0.39344262295081966, 0.3929059488600379, 0.31552380952380954, 0.49333333333333335, 0.04, 0.5849222222222221, 1.0508010399882053]),
    (2, 200, 12, [0.35956227201667534, 0.3565128813451774, 0.33679304029304036, 0.5120833333333333, 0.0, 0.40963989297739284, 0.9788299194450452]),
    (3, 30, 3, [0.3333333333333333, 0.3246031746031746, 0.22666666666666666, 0.5333333333333333, 0.03333333333333333, 0.7222222222222221, 1.108328333697071]),
];

/// A number from 0 to 1 that Python makes of the same integers.
fn uniform(seed: u64, example: u64, label: u64, series: u64) -> f64 {
    let word = |x: u64| x & 0xffff_ffff;
    let x = word(example * 7919 + label * 104_729 + seed * 1_299_709 + series * 15_485_863 + 12_345);
    let x = word(x.wrapping_mul(2_654_435_761));
    let x = word((x ^ (x >> 15)).wrapping_mul(2_246_822_519));
    (x ^ (x >> 13)) as f64 / 4_294_967_296.0
}

fn every_example(seed: u64, examples: u64, labels: u64, mut see: impl FnMut(&Outcome<'_>)) {
    for example in 0..examples {
        let random = (0..labels).map(|label| uniform(seed, example, label, 0));
        // In the second case many labels are as probable as each other.
        let probabilities: Vec<f64> =
            random.map(|p| if seed == 2 { (p * 8.0).floor() / 8.0 + 1.0 / 16.0 } else { p }).collect();
        let truth: Vec<u32> =
            (0..labels).filter(|&label| uniform(seed, example, label, 1) < 0.3).map(|l| l as u32).collect();
        let told: Vec<u32> =
            (0..labels).filter(|&label| probabilities[label as usize] > 0.5).map(|l| l as u32).collect();
        see(&Outcome {
            truth: Target::Labels(&truth),
            predicted: None,
            probabilities: &probabilities,
            score: 0.0,
            labels: &told,
        });
    }
}

#[test]
fn metrics_of_labels_are_those_of_scikit_learn() {
    for (seed, examples, labels, expected) in RECORDED {
        for (name, expected) in NAMES.iter().zip(expected) {
            let mut own = (metric::find(name).unwrap().build)();
            every_example(seed, examples, labels, |outcome| own.update(outcome, 1.0));
            let found = own.value().unwrap();
            assert!((found - expected).abs() <= 1e-12, "{name} of case {seed}: {found}, not {expected}");
        }
    }
}

#[test]
fn precision_at_k_is_the_share_of_the_best_that_is_true() {
    for (name, k) in [("precision-at-1", 1), ("precision-at-3", 3), ("precision-at-5", 5)] {
        let (mut own, mut sum) = ((metric::find(name).unwrap().build)(), 0.0);
        every_example(1, 40, 9, |outcome| {
            own.update(outcome, 1.0);
            let mut order: Vec<usize> = (0..9).collect();
            order.sort_by(|&a, &b| outcome.probabilities[b].total_cmp(&outcome.probabilities[a]));
            sum += order[..k].iter().filter(|&&label| outcome.truth.holds(label)).count() as f64 / k as f64;
        });
        assert!((own.value().unwrap() - sum / 40.0).abs() < 1e-12, "{name}");
    }
}
