//! One learning pass over the diagonal store against a bare loop that only reads the same cells.
//!
//! `cargo bench -p surefoot-core --bench diagonal`. Only ratios inside one run count: the machine is noisy.

mod stream;

use stream::{NONZEROS, Stream, build, generate, learn_ahead, seconds};

const EXAMPLES: usize = 200_000;
const FEATURES: usize = 1_000_000;
const ROUNDS: usize = 7;

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

/// What one prediction with its probability costs, one at a time.
fn predict_alone(stream: &Stream) {
    let mut pair = build("arow:r=0.1");
    learn_ahead(&mut pair, stream);
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        best = best.min(seconds(|| {
            stream.examples().fold(0.0, |sum, (x, _)| {
                pair.learner.scores(x, &mut pair.scores);
                pair.head.predict(&pair.scores, &mut pair.prediction);
                sum + pair.prediction.probability(1)
            })
        }));
    }
    println!("a prediction alone            {:.2} µs", 1e6 * best / EXAMPLES as f64);
}

fn main() {
    let stream = generate(EXAMPLES, FEATURES);
    let cells = vec![[0.5, 0.5]; FEATURES + NONZEROS];
    predict_alone(&stream);
    for spec in ["arow:r=0.1", "cw-stdev:confidence=0.9", "cw-var:confidence=0.9", "logistic", "pa1"] {
        let (mut bare_best, mut learn_best) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            bare_best = bare_best.min(seconds(|| bare(&stream, &cells)));
            learn_best = learn_best.min(seconds(|| learn_ahead(&mut build(spec), &stream)));
        }
        let mistakes = learn_ahead(&mut build(spec), &stream);
        println!(
            "{spec:28} learn {:.3} s  bare read {:.3} s  ratio {:.2}  ({mistakes} mistakes of {EXAMPLES})",
            learn_best,
            bare_best,
            learn_best / bare_best
        );
    }
}
