//! How often detectors cry wolf, and how soon they find a change.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use surefoot_core::drift::{Change, DETECTORS, Detector, DetectorSpec};

const STREAMS: u64 = 100;

/// Mistakes, drawn with an error that may change from example to example.
fn mistakes(seed: u64, error: impl Fn(u64) -> f64) -> impl Iterator<Item = f64> {
    let mut random = Pcg64::seed_from_u64(seed);
    (0..).map(move |n| {
        let drawn = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        f64::from(drawn < error(n))
    })
}

/// The alarms of a detector, each with the number of examples by then.
fn alarms(spec: &DetectorSpec, numbers: impl Iterator<Item = f64>, count: usize) -> Vec<(u64, Change)> {
    let mut detector: Box<dyn Detector> = (spec.build)();
    let each = numbers.take(count).zip(1..);
    each.filter_map(|(number, n)| detector.update(number).map(|change| (n, change))).collect()
}

#[test]
fn where_nothing_changes_there_is_hardly_an_alarm() {
    for error in [0.01, 0.1, 0.3] {
        let mut total = 0;
        for spec in DETECTORS {
            let found: usize =
                (0..STREAMS).map(|seed| alarms(spec, mistakes(seed, |_| error), 30_000).len()).sum();
            println!("{}: {found} alarms in {} examples of error {error}", spec.name, STREAMS * 30_000);
            total += found;
        }
        assert!(total <= 3, "error {error}: {total} alarms");
    }
}

/// Nor where the error falls, as that of a learner does, unless a detector looks for that too.
#[test]
fn a_falling_error_is_no_rise() {
    let falling = |n: u64| 0.05 + 0.4 / (1.0 + n as f64 / 500.0);
    for spec in DETECTORS {
        for seed in 0..20 {
            let found = alarms(spec, mistakes(seed, falling), 20_000);
            assert!(found.iter().all(|(_, change)| change.after < change.before), "{}: {found:?}", spec.name);
        }
    }
}

#[test]
fn an_error_that_doubles_is_found_soon() {
    for calm in [2_000, 20_000] {
        for spec in DETECTORS {
            let mut soon = Vec::new();
            for seed in 0..STREAMS {
                let rise = move |n| if n < calm { 0.1 } else { 0.2 };
                let found = alarms(spec, mistakes(seed, rise), calm as usize + 1000);
                soon.extend(found.into_iter().find(|(n, _)| *n > calm).map(|(n, _)| n - calm));
            }
            soon.sort_unstable();
            println!(
                "{} after {calm}: {} of {STREAMS}, median {:?}",
                spec.name,
                soon.len(),
                soon.get(soon.len() / 2)
            );
            // The paper's method compares with the whole past, and gets slower with it.
            if spec.name != "ddm" {
                assert!(soon.len() >= 95, "{} after {calm}: {} of {STREAMS}", spec.name, soon.len());
            }
        }
    }
}

#[test]
fn alarms_tell_what_changed_and_when() {
    for spec in DETECTORS {
        let rise = |n| if n < 5000 { 0.05 } else { 0.6 };
        let found = alarms(spec, mistakes(3, rise), 7000);
        let [(at, change)] = found[..] else { panic!("{}: {found:?}", spec.name) };
        let began = at - change.since;
        assert!(at < 6000 && change.after > change.before, "{}: {at} {change:?}", spec.name);
        // The lowest error, from which ddm counts, may have been long before the change.
        if spec.name != "ddm" {
            assert!((4950..5200).contains(&began) && at < 5400, "{}: {at} {change:?}", spec.name);
            assert!((change.before - 0.05).abs() < 0.02 && change.after > 0.4, "{}: {change:?}", spec.name);
        }
    }
}
