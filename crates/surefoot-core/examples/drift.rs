//! The measurement behind the default detectors: how often they cry wolf on streams that stay as they are, and how soon they
//! find a change. docs/guides/changing-streams.md has the tables.
//!
//! ```text
//! cargo run --release -p surefoot-core --example drift [EXAMPLES [FIRST_SEED]]
//! ```
//!
//! Every stream is drawn 100 times, with seeds from FIRST_SEED on; EXAMPLES is the length of those that stay as they are.

use std::ops::Range;

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use surefoot_core::drift::{DETECTORS, DetectorSpec, Observation, SIGNALS, Watch};

const STREAMS: u64 = 100;

/// What is true of a stream at some moment.
#[derive(Debug, Clone, Copy)]
struct World {
    /// The share of mistakes.
    error: f64,
    /// How frequent the first label is; the others share the rest as 1, 1/2, 1/3, …
    first: f64,
    labels: usize,
    /// The mean share of unknown features.
    unknown: f64,
}

const CALM: World = World { error: 0.1, first: 0.5, labels: 2, unknown: 0.02 };

struct Drawn(Pcg64);

impl Drawn {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An example of 20 features. Right predictions are sure to some degree, wrong ones too.
    fn example(&mut self, world: World) -> Observation {
        let mistake = self.uniform() < world.error;
        let sure = 0.5 + 0.5 * self.uniform().sqrt();
        let probability = if mistake { 1.0 - sure } else { sure };
        let unknown = (0..20).filter(|_| self.uniform() < world.unknown).count() as f64 / 20.0;
        Observation { mistake, probability, class: self.class(world), unknown }
    }

    fn class(&mut self, world: World) -> usize {
        let drawn = self.uniform();
        if drawn < world.first || world.labels == 2 {
            return usize::from(drawn >= world.first);
        }
        let total: f64 = (1..world.labels).map(|rank| 1.0 / rank as f64).sum();
        let mut left = (drawn - world.first) / (1.0 - world.first) * total;
        (1..world.labels)
            .find(|&rank| {
                left -= 1.0 / rank as f64;
                left <= 0.0
            })
            .unwrap_or(1)
    }
}

/// An alarm: which signal, and at which example it was noticed.
type Noticed = (&'static str, u64);

/// The alarms in each of 100 streams.
fn watch(
    detectors: &[&'static DetectorSpec],
    seeds: Range<u64>,
    length: u64,
    world: impl Fn(u64) -> World,
) -> Vec<Vec<Noticed>> {
    let each = seeds.map(|seed| {
        let (mut drawn, mut watch) = (Drawn(Pcg64::seed_from_u64(seed)), Watch::new(detectors));
        let mut alarms = Vec::new();
        for n in 0..length {
            let found = watch.update(&drawn.example(world(n)));
            alarms.extend(found.iter().map(|alarm| (alarm.signal.name, alarm.noticed)));
        }
        alarms
    });
    each.collect()
}

/// Each detector alone, and all of them together; the first is the default.
fn watches() -> Vec<(String, Vec<&'static DetectorSpec>)> {
    let alone = DETECTORS.iter().map(|spec| (spec.name.to_string(), vec![*spec]));
    alone.chain([("all three".to_string(), DETECTORS.to_vec())]).collect()
}

/// What makes a world of a seed, with its name.
type NamedWorld = (String, Box<dyn Fn(u64) -> World>);

/// Streams that stay as they are, and one of a learner that gets better.
fn calm_worlds() -> Vec<NamedWorld> {
    let mut worlds: Vec<NamedWorld> = Vec::new();
    for (name, first, labels) in [("2 labels", 0.5, 2), ("2 labels, 95 : 5", 0.95, 2), ("20 labels", 0.2, 20)]
    {
        for error in [0.01, 0.1, 0.3] {
            let world = World { error, first, labels, ..CALM };
            worlds.push((format!("{:.0} % error, {name}", 100.0 * error), Box::new(move |_| world)));
        }
    }
    let learning = |n: u64| {
        let left = (1.0 + n as f64 / 200.0).powf(-0.5);
        World { error: 0.05 + 0.4 * left, unknown: left, ..CALM }
    };
    worlds.push(("error and unknown features fall".into(), Box::new(learning)));
    worlds
}

fn false_alarms(length: u64, seeds: &Range<u64>) {
    println!("False alarms of all signals together in {STREAMS} streams of {length} examples each:\n");
    let watches = watches();
    let names: Vec<&str> = watches.iter().map(|(name, _)| name.as_str()).collect();
    println!("| stream | {} |\n| --- |{}", names.join(" | "), " --: |".repeat(names.len()));
    let (worlds, mut of_signals) = (calm_worlds(), vec![[0; SIGNALS.len()]; watches.len()]);
    for (place, (name, world)) in worlds.iter().enumerate() {
        // Other numbers for each: that of the error decides about mistakes in the same way whatever the labels are.
        let first = seeds.start + place as u64 * STREAMS;
        let counts = watches.iter().zip(&mut of_signals).map(|((_, detectors), of_signals)| {
            let alarms = watch(detectors, first..first + STREAMS, length, world);
            for (signal, _) in alarms.iter().flatten() {
                let place = SIGNALS.iter().position(|spec| spec.name == *signal);
                of_signals[place.unwrap_or(0)] += 1;
            }
            alarms.iter().flatten().count().to_string()
        });
        println!("| {name} | {} |", counts.collect::<Vec<_>>().join(" | "));
    }
    let examples = worlds.len() as u64 * STREAMS * length;
    let rate = |counts: &[u64; SIGNALS.len()]| counts.iter().sum::<u64>() as f64 * 1e6 / examples as f64;
    let rates: Vec<String> = of_signals.iter().map(|counts| format!("{:.2}", rate(counts))).collect();
    println!("| **in 10⁶ of {examples} examples** | {} |", rates.join(" | "));
    for (place, signal) in SIGNALS.iter().enumerate() {
        let counts: Vec<String> = of_signals.iter().map(|counts| counts[place].to_string()).collect();
        println!("| of {} | {} |", signal.name, counts.join(" | "));
    }
}

fn found(seeds: &Range<u64>) {
    println!(
        "\nChanges found within 1,000 examples in {STREAMS} streams, and after how many in the median:\n"
    );
    let watches = watches();
    let names: Vec<&str> = watches.iter().map(|(name, _)| name.as_str()).collect();
    println!("| change | after | {} |\n| --- | --: |{}", names.join(" | "), " --- |".repeat(names.len()));
    let changes: [(&str, &[&str], World); 4] = [
        ("error 10 % to 20 %", &["error", "log-loss"], World { error: 0.2, ..CALM }),
        ("error 10 % to 50 %", &["error", "log-loss"], World { error: 0.5, ..CALM }),
        ("a label 50 % to 70 %", &["label-mix"], World { first: 0.7, ..CALM }),
        ("unknown features 2 % to 10 %", &["unknown-features"], World { unknown: 0.1, ..CALM }),
    ];
    for (name, signals, then) in changes {
        for calm in [2_000, 20_000] {
            let cells = watches.iter().map(|(_, detectors)| {
                let world = |n| if n < calm { CALM } else { then };
                let streams = watch(detectors, seeds.clone(), calm + 1000, world);
                let own = |&&(signal, at): &&Noticed| signals.contains(&signal) && at > calm;
                let first = |alarms: &Vec<Noticed>| alarms.iter().find(own).map(|(_, at)| at - calm);
                let mut soon: Vec<u64> = streams.iter().filter_map(first).collect();
                soon.sort_unstable();
                let median = soon.get(soon.len() / 2).map_or_else(|| "–".into(), u64::to_string);
                format!("{}, {median}", soon.len())
            });
            println!("| {name} | {calm} | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
    }
}

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().expect("a whole number"));
    let (length, first) = (numbers.next().unwrap_or(100_000), numbers.next().unwrap_or(0));
    let seeds = first..first + STREAMS;
    false_alarms(length, &seeds);
    found(&seeds);
}
