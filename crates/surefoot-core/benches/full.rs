//! The full store against a bare read of its triangle: a round with an update may cost three of them.
//!
//! `cargo bench -p surefoot-core --bench full`; every ratio compares two times of the same run. The bare read is a
//! plain iterator sum, whose additions wait for each other; the sum in eight lanes shows what the memory allows.

use std::hint::black_box;
use std::time::Instant;

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use surefoot_core::probability::gibbs;
use surefoot_core::rule::Step;
use surefoot_core::store::{Full, Projection, Store};
use surefoot_core::{Scores, Spec, Target, Task, Vector};

const REPEATS: usize = 40;
/// Rounds that are timed together: the updates of sixteen are written to the triangle at once.
const ROUNDS: usize = 16;
const EXAMPLES: usize = 96;

/// One round of something, to which the number of the round is told.
type Timed<'a> = Box<dyn FnMut(usize) + 'a>;

/// The best time of each, in microseconds a round. They take turns, so that a busy machine is unfair to none.
fn best<const N: usize>(mut timed: [Timed<'_>; N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for repeat in 0..REPEATS {
        for (run, best) in timed.iter_mut().zip(&mut best) {
            let start = Instant::now();
            (repeat * ROUNDS..(repeat + 1) * ROUNDS).for_each(run);
            *best = best.min(start.elapsed().as_secs_f64() * 1e6 / ROUNDS as f64);
        }
    }
    best
}

fn examples(d: usize, nonzeros: usize) -> Vec<Vector> {
    let mut generator = Pcg64::seed_from_u64(7);
    let mut draw = || {
        let pairs = (0..nonzeros).map(|i| {
            let id = if nonzeros == d { i as u64 } else { generator.next_u64() % d as u64 };
            (id as u32, gibbs::from_bits(generator.next_u64()) / (nonzeros as f64).sqrt())
        });
        Vector::from_pairs(pairs).expect("finite values")
    };
    (0..EXAMPLES).map(|_| draw()).collect()
}

fn plain_read(triangle: &[f64]) -> Timed<'_> {
    Box::new(move |_| {
        black_box(black_box(triangle).iter().sum::<f64>());
    })
}

fn lanes_read(triangle: &[f64]) -> Timed<'_> {
    Box::new(move |_| {
        let mut sums = [0.0; 8];
        for chunk in black_box(triangle).as_chunks::<8>().0 {
            sums.iter_mut().zip(chunk).for_each(|(s, x)| *s += x);
        }
        black_box(sums.iter().sum::<f64>());
    })
}

/// A learner that moves in every round.
fn learning(data: &[Vector]) -> Timed<'_> {
    let mut learner = Spec::parse("logistic/full").and_then(|s| s.build(Task::Binary, 2)).expect("valid");
    let mut scores = Scores::default();
    Box::new(move |i| {
        let x = data[i % data.len()].features();
        learner.update(x, Target::Class(i % 2), 1.0, &mut scores).expect("small");
        assert!(scores.updated());
    })
}

/// Rounds that end after the variance.
fn early_exit(data: &[Vector]) -> Timed<'_> {
    let (mut store, mut p) = (Full::new(1, 1.0), Projection::default());
    for x in data {
        store.project(x.features(), 0, &mut p);
        store.absorb(x.features(), 0, &mut p, Step { alpha: 0.1, gain: 0.1 }).expect("small");
    }
    Box::new(move |i| {
        p.ready = false;
        store.project(data[i % data.len()].features(), 0, black_box(&mut p));
    })
}

fn main() {
    println!("µs a round; in brackets as a multiple of the plain read and of the read in lanes");
    let [d, nonzeros, plain, lanes] = ["features", "nonzeros", "plain", "lanes"];
    println!("{d:>9}{nonzeros:>9}{plain:>9}{lanes:>9}{:>26}{:>26}", "update", "early exit");
    for (d, nonzeros) in [(1000, 1000), (1000, 100), (1000, 20), (4000, 75), (100, 100), (20, 20)] {
        let data = examples(d, nonzeros);
        let triangle = vec![1.0; d * (d + 1) / 2];
        let timed = [plain_read(&triangle), lanes_read(&triangle), learning(&data), early_exit(&data)];
        let [plain, lanes, update, exit] = best(timed);
        let ratios = |t: f64| format!("{t:.1} ({:.2}, {:.2})", t / plain, t / lanes);
        println!("{d:>9}{nonzeros:>9}{plain:>9.1}{lanes:>9.1}{:>26}{:>26}", ratios(update), ratios(exit));
    }
}
