//! A pass of the ensemble `auto` over two classes against a pass of one of its members alone.
//!
//! `cargo bench -p surefoot-core --bench ensemble`. Only ratios inside one run count: the machine is noisy. The large stream is
//! the one of `--bench diagonal`; the small one stays in the caches, so that it shows what a round computes.

mod stream;

use stream::{Stream, build, generate, learn_ahead, seconds};

const ROUNDS: usize = 7;

/// The best of several passes of each learner, taking turns.
fn compare(name: &str, stream: &Stream, passes: usize) {
    let specs = ["arow:r=0.1", "auto"];
    let mut best = [f64::INFINITY; 2];
    for _ in 0..passes {
        for (best, spec) in best.iter_mut().zip(specs) {
            let mut pair = build(spec);
            *best = best.min(seconds(|| learn_ahead(&mut pair, stream)));
        }
    }
    let [alone, auto] = best.map(|time| 1e9 * time / stream.len() as f64);
    println!("{name:28} arow {alone:.0} ns a round  auto {auto:.0} ns  ratio {:.2}", auto / alone);
}

fn main() {
    compare("a million features", &generate(200_000, 1_000_000), ROUNDS);
    compare("ten thousand, in the caches", &generate(2000, 10_000), 50 * ROUNDS);
}
