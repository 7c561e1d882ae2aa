//! The full store against a bare read of its triangle: a round with an update may cost three of them.
//!
//! `cargo bench -p surefoot-core --bench full`; every ratio compares two times of the same run. The bare read is a
//! plain iterator sum, whose additions wait for each other; the sum in eight lanes shows what the memory allows.

use std::hint::black_box;
use std::time::Instant;

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use surefoot_core::gaussian::{Full, Gaussian, Projection};
use surefoot_core::probability::gibbs;
use surefoot_core::rule::Step;
use surefoot_core::{Spec, Task, Vector};

const REPEATS: usize = 5;
const EXAMPLES: usize = 96;

/// The best time of some repeats, in microseconds a round.
fn best(rounds: usize, mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e6 / rounds as f64
    };
    (0..REPEATS).map(time).fold(f64::INFINITY, f64::min)
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

fn plain_read(triangle: &[f64]) -> f64 {
    best(10, || {
        for _ in 0..10 {
            black_box(black_box(triangle).iter().sum::<f64>());
        }
    })
}

fn lanes_read(triangle: &[f64]) -> f64 {
    let sum = |data: &[f64]| {
        let mut sums = [0.0; 8];
        for chunk in data.as_chunks::<8>().0 {
            sums.iter_mut().zip(chunk).for_each(|(s, x)| *s += x);
        }
        sums.iter().sum::<f64>()
    };
    best(10, || {
        for _ in 0..10 {
            black_box(sum(black_box(triangle)));
        }
    })
}

/// A learner that moves in every round.
fn learning(data: &[Vector]) -> f64 {
    let mut learner = Spec::parse("logistic/full").and_then(|s| s.build(Task::Binary)).expect("valid");
    best(data.len(), || {
        for (i, x) in data.iter().enumerate() {
            let round = learner.learn(x.features(), i % 2, 1.0).expect("small");
            assert!(round.updated);
        }
    })
}

/// A round that ends after the variance.
fn early_exit(data: &[Vector]) -> f64 {
    let (mut store, mut p) = (Full::new(1, 1.0), Projection::default());
    for x in data {
        store.project(x.features(), 0, &mut p);
        store.absorb(x.features(), 0, &mut p, Step { alpha: 0.1, gain: 0.1 }).expect("small");
    }
    best(data.len(), || {
        for x in data {
            p.ready = false;
            store.project(x.features(), 0, black_box(&mut p));
        }
    })
}

fn main() {
    println!("µs a round; in brackets as a multiple of the plain read of the triangle, of the read in lanes");
    let header = ["features", "nonzeros", "plain", "lanes"];
    println!(
        "{:>9}{:>9}{:>9}{:>9}{:>26}{:>26}",
        header[0], header[1], header[2], header[3], "update", "early exit"
    );
    for (d, nonzeros) in
        [(1000, 1000), (1000, 100), (1000, 20), (4000, 4000), (4000, 75), (100, 100), (20, 20)]
    {
        let data = examples(d, nonzeros);
        let triangle = vec![1.0; d * (d + 1) / 2];
        let (plain, lanes) = (plain_read(&triangle), lanes_read(&triangle));
        let (update, exit) = (learning(&data), early_exit(&data));
        let ratios = |t: f64| format!("{t:.1} ({:.2}, {:.2})", t / plain, t / lanes);
        println!("{d:>9}{nonzeros:>9}{plain:>9.1}{lanes:>9.1}{:>26}{:>26}", ratios(update), ratios(exit));
    }
}
