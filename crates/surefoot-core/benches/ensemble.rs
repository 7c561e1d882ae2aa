//! A pass of the bank `auto` over two classes against a pass of one of its members alone.
//!
//! `cargo bench -p surefoot-core --bench bank`. Only ratios inside one run count: the machine is noisy. The large stream is
//! the one of `--bench diagonal`; the small one stays in the caches, so that it shows what a round computes.

mod stream;

use stream::{Stream, generate, learn_ahead, seconds};
use surefoot_core::{Learner, Roster, Task};

const ROUNDS: usize = 7;

fn build(roster: &str) -> Box<dyn Learner> {
    Roster::parse(roster).and_then(|roster| roster.build(Task::Binary, false)).expect("a roster")
}

/// The best of several passes of each learner, taking turns.
fn compare(name: &str, stream: &Stream, passes: usize) {
    let rosters = ["arow:r=0.1", "auto"];
    let mut best = [f64::INFINITY; 2];
    for _ in 0..passes {
        for (best, roster) in best.iter_mut().zip(rosters) {
            let mut learner = build(roster);
            *best = best.min(seconds(|| learn_ahead(&mut *learner, stream)));
        }
    }
    let [alone, bank] = best.map(|time| 1e9 * time / stream.len() as f64);
    println!("{name:28} arow {alone:.0} ns a round  auto {bank:.0} ns  ratio {:.2}", bank / alone);
}

fn main() {
    compare("a million features", &generate(200_000, 1_000_000), ROUNDS);
    compare("ten thousand, in the caches", &generate(2000, 10_000), 50 * ROUNDS);
}
