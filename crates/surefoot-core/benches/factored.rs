//! The factored store against the diagonal one on a sparse stream, and against a straightforward full one on a dense.
//!
//! `cargo bench -p surefoot-core --bench factored`. Only ratios inside one run count: the machine is noisy.

mod stream;

use std::time::Instant;

use stream::{NONZEROS, Stream, build, generate, learn, seconds};
use surefoot_core::Vector;
use surefoot_core::rule::Rule;
use surefoot_core::rule::cw_stdev::CwStdev;
use surefoot_core::state::{State, Tensor};

const EXAMPLES: usize = 200_000;
const FEATURES: usize = 1_000_000;
const ROUNDS: usize = 3;

/// Examples where the whole stream would take too long.
const SOME: usize = 40_000;

/// The best of some times.
fn best(mut work: impl FnMut() -> f64) -> f64 {
    (0..ROUNDS).map(|_| work()).fold(f64::INFINITY, f64::min)
}

/// The middle one of some times.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The stores take turns, so that a busy moment of the machine meets all of them alike.
fn sparse(stream: &Stream) {
    let mut specs = vec!["cw-stdev/diagonal:confidence=0.9".to_string()];
    specs.extend([2, 4, 8, 16].map(|rank| format!("cw-stdev/factored:confidence=0.9,rank={rank}")));
    let mut times = vec![Vec::new(); specs.len()];
    let mut mistakes = vec![0; specs.len()];
    for _ in 0..ROUNDS {
        for (i, spec) in specs.iter().enumerate() {
            times[i].push(seconds(|| mistakes[i] = learn(&mut build(spec), stream)));
        }
    }
    println!("sparse stream, {EXAMPLES} examples of {NONZEROS} non-zeros over {FEATURES} features");
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    for ((spec, time), mistakes) in specs.iter().zip(&medians).zip(mistakes) {
        let (each, ratio) = (time * 1e6 / EXAMPLES as f64, time / medians[0]);
        println!("  {spec:45} {each:6.2} µs a round, ratio {ratio:5.2} ({mistakes} mistakes)");
    }
}

/// Time a round after `seen` features were met once each.
fn after(seen: usize, stream: &Stream) -> f64 {
    let mut learner = build("cw-stdev/factored:confidence=0.9");
    let values = [1.0 / (NONZEROS as f64).sqrt(); NONZEROS];
    for i in 0..seen / NONZEROS {
        let first = (FEATURES + NONZEROS + i * NONZEROS) as u32;
        let ids: Vec<u32> = (first..first + NONZEROS as u32).collect();
        let x = surefoot_core::SparseVec::new(&ids, &values).expect("finite");
        learner.learn(x, i % 2);
    }
    learn(&mut learner, stream); // warm-up
    seconds(|| learn(&mut learner, stream)) * 1e6 / SOME as f64
}

fn ever_seen() {
    let stream = generate(SOME, FEATURES);
    let (mut few, mut many) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        few = few.min(after(500_000, &stream));
        many = many.min(after(1_500_000, &stream));
    }
    println!("features ever seen, the same {SOME} examples after some that never come again");
    println!("  0.5 million {few:6.2} µs a round, 1.5 million {many:6.2}, ratio {:.3}", many / few);
}

/// The full store written the straightforward way: Σ as a square, two passes over it.
struct Straightforward {
    mean: Vec<f64>,
    sigma: Vec<Vec<f64>>,
}

impl Straightforward {
    fn new(d: usize) -> Self {
        let row = |i: usize| (0..d).map(|j| f64::from(u8::from(i == j))).collect();
        Self { mean: vec![0.0; d], sigma: (0..d).map(row).collect() }
    }

    fn learn(&mut self, rule: &CwStdev, x: &[f64], y: f64) {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let image: Vec<f64> = self.sigma.iter().map(|row| dot(row, x)).collect();
        let v = dot(&image, x);
        let Some(step) = rule.step(y * dot(&self.mean, x), v, 1.0) else { return };
        self.mean.iter_mut().zip(&image).for_each(|(mean, s)| *mean += y * step.alpha * s);
        let beta = step.gain / (1.0 + step.gain * v);
        for (row, s) in self.sigma.iter_mut().zip(&image) {
            row.iter_mut().zip(&image).for_each(|(entry, t)| *entry -= beta * s * t);
        }
    }
}

/// 1000 examples of ten coins, each copied 100 times, 5 % of the copies flipped ([FACT] §3.3).
fn coins() -> Vec<(Vec<f64>, usize)> {
    let mut seed = 1u64;
    let mut uniform = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let truth: Vec<f64> = (0..10).map(|_| uniform() - 0.5).collect();
    let mut example = || {
        let coins: Vec<f64> = (0..10).map(|_| if uniform() < 0.5 { 1.0 } else { -1.0 }).collect();
        let score: f64 = coins.iter().zip(&truth).map(|(z, w)| z * w).sum();
        let copies = (0..1000).map(|i| if uniform() < 0.05 { -coins[i % 10] } else { coins[i % 10] });
        (copies.collect(), usize::from(score >= 0.0))
    };
    (0..1000).map(|_| example()).collect()
}

/// Bytes of a saved state.
fn bytes(state: &State<'_>) -> usize {
    let size = |tensor: &Tensor| match tensor {
        Tensor::F64(data) => 8 * data.len(),
        Tensor::U32(data) => 4 * data.len(),
        Tensor::F32(data) => 4 * data.len(),
        Tensor::U64(data) => 8 * data.len(),
        Tensor::U8(data) => data.len(),
    };
    state.iter().map(|(_, tensor)| size(tensor)).sum()
}

fn dense() {
    let examples = coins();
    let rule = CwStdev { phi: surefoot_core::normal::phi_of_confidence(0.9) };
    let straightforward = best(|| {
        let mut full = Straightforward::new(1000);
        seconds(|| examples.iter().for_each(|(x, y)| full.learn(&rule, x, 2.0 * *y as f64 - 1.0)))
    });
    println!("dense stream, 1000 examples of 1000 features");
    println!("  straightforward full   {straightforward:.3} s");
    let vectors: Vec<(Vector, usize)> =
        examples.iter().map(|(x, y)| (Vector::from_dense(x).expect("finite"), *y)).collect();
    for spec in
        ["diagonal", "factored:rank=2", "factored:rank=4", "factored:rank=8", "factored:rank=16", "full"]
    {
        let spec = format!("cw-stdev/{spec}");
        let mut size = 0;
        let time = best(|| {
            let mut learner = build(&spec);
            let start = Instant::now();
            for (x, class) in &vectors {
                learner.learn(x.features(), *class);
            }
            let time = start.elapsed().as_secs_f64();
            size = bytes(&learner.learner.save());
            time
        });
        println!(
            "  {spec:26} {time:.4} s, {:6.1} times faster, {:6.1} kB",
            straightforward / time,
            size as f64 / 1e3
        );
    }
}

fn main() {
    // `-- sparse`, `-- seen` or `-- dense` runs one of the three.
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |part: &str| asked.is_empty() || asked.iter().any(|word| word == part);
    if wants("sparse") {
        sparse(&generate(EXAMPLES, FEATURES));
    }
    if wants("seen") {
        ever_seen();
    }
    if wants("dense") {
        dense();
    }
}
