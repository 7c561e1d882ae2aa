//! The measurement behind the default detectors: how often they cry wolf on streams that stay as they are, and how soon they
//! find a change. docs/guides/streams.md has the tables.
//!
//! ```text
//! cargo run --release -p surefoot-core --example drift [EXAMPLES]
//! ```
//!
//! Every stream is drawn 100 times; EXAMPLES is the length of those that stay as they are.

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

/// The alarms of each signal in 100 streams: at which example, and whether it was a rise.
fn watch(
    detector: &'static DetectorSpec,
    length: u64,
    world: impl Fn(u64) -> World,
) -> Vec<Vec<(usize, u64)>> {
    let each = (0..STREAMS).map(|seed| {
        let (mut drawn, mut watch) = (Drawn(Pcg64::seed_from_u64(seed)), Watch::new(&[detector]));
        let mut alarms = Vec::new();
        for n in 0..length {
            for alarm in watch.update(&drawn.example(world(n))) {
                let place = SIGNALS.iter().position(|spec| spec.name == alarm.signal.name);
                alarms.push((place.unwrap_or(0), alarm.noticed));
            }
        }
        alarms
    });
    each.collect()
}

fn false_alarms(length: u64) {
    println!("False alarms in {STREAMS} streams of {length} examples, by signal:\n");
    let names: Vec<&str> = SIGNALS.iter().map(|spec| spec.name).collect();
    println!("| stream | detector | {} | in 10^6 examples |", names.join(" | "));
    println!("| --- | --- |{} --: |", " --: |".repeat(names.len()));
    type Course = Box<dyn Fn(u64) -> World>;
    let worlds: [(&str, Course); 5] = [
        ("1 % error, 2 labels", Box::new(|_| World { error: 0.01, ..CALM })),
        ("10 % error, 2 labels", Box::new(|_| CALM)),
        ("30 % error, 20 labels", Box::new(|_| World { error: 0.3, first: 0.2, labels: 20, ..CALM })),
        ("10 % error, 100 labels", Box::new(|_| World { first: 0.1, labels: 100, ..CALM })),
        (
            "learning: error and unknown features fall",
            Box::new(|n| {
                let left = (1.0 + n as f64 / 200.0).powf(-0.5);
                World { error: 0.05 + 0.4 * left, unknown: left, ..CALM }
            }),
        ),
    ];
    for (name, world) in &worlds {
        for detector in DETECTORS {
            let alarms: Vec<(usize, u64)> = watch(detector, length, world).into_iter().flatten().collect();
            let of = |signal: usize| alarms.iter().filter(|(own, _)| *own == signal).count().to_string();
            let counts: Vec<String> = (0..names.len()).map(of).collect();
            let rate = alarms.len() as f64 * 1e6 / (STREAMS * length) as f64;
            println!("| {name} | {} | {} | {rate:.2} |", detector.name, counts.join(" | "));
        }
    }
}

fn found() {
    println!(
        "\nChanges found within 1,000 examples in {STREAMS} streams, and after how many in the median:\n"
    );
    println!("| change | signal | after | {} |", DETECTORS.map(|spec| spec.name).join(" | "));
    println!("| --- | --- | --: |{}", " --- |".repeat(DETECTORS.len()));
    let changes: [(&str, &str, World); 5] = [
        ("error 10 % to 20 %", "error", World { error: 0.2, ..CALM }),
        ("error 10 % to 20 %", "log-loss", World { error: 0.2, ..CALM }),
        ("error 10 % to 50 %", "error", World { error: 0.5, ..CALM }),
        ("a label 50 % to 70 %", "label-mix", World { first: 0.7, ..CALM }),
        ("unknown features 2 % to 10 %", "unknown-features", World { unknown: 0.1, ..CALM }),
    ];
    for (name, signal, then) in changes {
        for calm in [2_000, 20_000] {
            let cells = DETECTORS.map(|detector| {
                let streams = watch(detector, calm + 1000, |n| if n < calm { CALM } else { then });
                let first = |alarms: &Vec<(usize, u64)>| {
                    let own = |&&(place, at): &&(usize, u64)| SIGNALS[place].name == signal && at > calm;
                    alarms.iter().find(own).map(|(_, at)| at - calm)
                };
                let mut soon: Vec<u64> = streams.iter().filter_map(first).collect();
                soon.sort_unstable();
                let median = soon.get(soon.len() / 2).map_or_else(|| "–".into(), u64::to_string);
                format!("{}, {median}", soon.len())
            });
            println!("| {name} | {signal} | {calm} | {} |", cells.join(" | "));
        }
    }
}

fn main() {
    let length = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000);
    false_alarms(length);
    found();
}
