//! Exact votes against 1,000 Gibbs samples, and against the 150 µs that 20 labels may take.
//!
//! `cargo bench -p surefoot-core --bench votes`; every ratio compares two times of the same run.

use std::hint::black_box;
use std::time::Instant;

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use surefoot_core::probability::{Voter, gibbs};

const EXAMPLES: usize = 200;
const SAMPLES: u32 = 1_000;
const ROUNDS: usize = 5;

/// Scores of one example.
struct Scores {
    means: Vec<f64>,
    variances: Vec<f64>,
}

/// How the scores of a stream look: `spread` of the means in standard deviations, `decades` of the
/// standard deviations.
struct Stream {
    name: &'static str,
    labels: usize,
    spread: f64,
    decades: f64,
}

const STREAMS: [Stream; 8] = [
    Stream { name: "confident", labels: 20, spread: 8.0, decades: 0.1 },
    Stream { name: "usual", labels: 20, spread: 2.0, decades: 0.1 },
    Stream { name: "undecided", labels: 20, spread: 0.0, decades: 0.0 },
    Stream { name: "mixed scales", labels: 20, spread: 2.0, decades: 1.0 },
    Stream { name: "wild scales", labels: 20, spread: 0.1, decades: 6.0 },
    Stream { name: "few labels", labels: 3, spread: 1.0, decades: 0.1 },
    Stream { name: "many labels", labels: 1_000, spread: 2.0, decades: 0.1 },
    Stream { name: "many, undecided", labels: 1_000, spread: 0.0, decades: 0.0 },
];

impl Stream {
    fn draw(&self, generator: &mut Pcg64) -> Scores {
        let mut uniform = || (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let sds: Vec<f64> = (0..self.labels).map(|_| libm::exp10(self.decades * (uniform() - 0.5))).collect();
        let mut normal = || gibbs::from_bits(generator.next_u64());
        let means = (0..self.labels).map(|_| self.spread * normal()).collect();
        Scores { means, variances: sds.iter().map(|sd| sd * sd).collect() }
    }
}

/// The best time of some rounds, in microseconds an example.
fn best(examples: &[Scores], mut run: impl FnMut(&Scores)) -> f64 {
    let time = |_| {
        let start = Instant::now();
        examples.iter().for_each(&mut run);
        start.elapsed().as_secs_f64() * 1e6 / examples.len() as f64
    };
    (0..ROUNDS).map(time).fold(f64::INFINITY, f64::min)
}

fn main() {
    println!("{:16} {:>6} {:>10} {:>12} {:>10}", "stream", "labels", "exact µs", "sampling µs", "ratio");
    let mut generator = Pcg64::seed_from_u64(1);
    let mut voter = Voter::new();
    for stream in &STREAMS {
        let examples: Vec<Scores> = (0..EXAMPLES).map(|_| stream.draw(&mut generator)).collect();
        let mut votes = vec![0.0; stream.labels];
        let exact = best(&examples, |x| voter.distribution(&x.means, &x.variances, black_box(&mut votes)));
        let mut normal = || gibbs::from_bits(generator.next_u64());
        let some = &examples[..EXAMPLES / 20];
        let sampling = best(some, |x| {
            gibbs::sample(&x.means, &x.variances, SAMPLES, &mut normal, black_box(&mut votes))
        });
        let ratio = exact / sampling;
        println!("{:16} {:>6} {exact:>10.2} {sampling:>12.1} {ratio:>10.3}", stream.name, stream.labels);
    }
}
