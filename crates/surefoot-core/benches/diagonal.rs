//! One learning pass over the diagonal store against a bare loop that only reads the same cells.
//!
//! `cargo bench -p surefoot-core --bench diagonal`. Only ratios inside one run count: the machine is noisy.

use std::hint::black_box;
use std::time::Instant;

use surefoot_core::{Features, Spec, Task};

const EXAMPLES: usize = 200_000;
const NONZEROS: usize = 75;
const FEATURES: usize = 1_000_000;
const ROUNDS: usize = 7;

/// Examples back to back: ids, values, labels.
struct Stream {
    ids: Vec<u32>,
    values: Vec<f64>,
    labels: Vec<usize>,
}

/// Zipf over the features, by inversion of the log-uniform law.
fn generate() -> Stream {
    let mut seed = 1u64;
    let mut uniform = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let (mut ids, mut values, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..EXAMPLES {
        let mut row: Vec<u32> = (0..NONZEROS).map(|_| (FEATURES as f64).powf(uniform()) as u32 - 1).collect();
        row.sort_unstable();
        // Repeated draws move to the next free id, so that every example has its ids distinct.
        for i in 1..row.len() {
            row[i] = row[i].max(row[i - 1] + 1);
        }
        let score: f64 = row.iter().map(|&f| if f % 3 == 0 { 1.0 } else { -0.5 }).sum();
        labels.push(usize::from(score > 0.0));
        values.extend((0..NONZEROS).map(|_| 1.0 / (NONZEROS as f64).sqrt()));
        ids.extend(row);
    }
    Stream { ids, values, labels }
}

impl Stream {
    fn examples(&self) -> impl Iterator<Item = (Features<'_>, usize)> {
        let rows = self.ids.chunks_exact(NONZEROS).zip(self.values.chunks_exact(NONZEROS));
        rows.zip(&self.labels)
            .map(|((ids, values), &label)| (Features::new(ids, values).expect("finite"), label))
    }
}

/// Reads the cells of every example and sums m and v, nothing else.
fn bare(stream: &Stream, cells: &[[f64; 2]]) -> f64 {
    let mut total = 0.0;
    for (x, _) in stream.examples() {
        let (mut m, mut v) = (0.0, 0.0);
        for (id, value) in x.iter() {
            let [mean, variance] = cells[id];
            m += value * mean;
            v += value * value * variance;
        }
        total += m + v;
    }
    total
}

fn learn(stream: &Stream, spec: &str) -> usize {
    let mut learner = Spec::parse(spec).and_then(|s| s.build(Task::Binary)).expect("a SPEC");
    let mut mistakes = 0;
    for (x, label) in stream.examples() {
        let round = learner.learn(x, label, 1.0).expect("learns");
        mistakes += usize::from(round.prediction.label != Some(label));
    }
    mistakes
}

fn seconds<T>(work: impl Fn() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

fn main() {
    let stream = generate();
    let cells = vec![[0.5, 0.5]; FEATURES + NONZEROS];
    for spec in ["arow:r=0.1", "cw-stdev:confidence=0.9", "cw-var:confidence=0.9", "logistic", "pa1"] {
        let (mut bare_best, mut learn_best) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            bare_best = bare_best.min(seconds(|| bare(&stream, &cells)));
            learn_best = learn_best.min(seconds(|| learn(&stream, spec)));
        }
        let mistakes = learn(&stream, spec);
        println!(
            "{spec:28} learn {:.3} s  bare read {:.3} s  ratio {:.2}  ({mistakes} mistakes of {EXAMPLES})",
            learn_best,
            bare_best,
            learn_best / bare_best
        );
    }
}
