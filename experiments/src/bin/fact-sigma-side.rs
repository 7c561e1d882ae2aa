//! FACT §3.4, Fig. 3(c): approximating Σ instead of Σ⁻¹ fails, on the stream of coins.
//!
//! `cargo run --release -p surefoot-experiments --bin fact-sigma-side -- RUNS`

use surefoot_core::gaussian::{Gaussian, Projection};
use surefoot_core::normal::phi_of_confidence;
use surefoot_core::rule::cw_stdev::CwStdev;
use surefoot_core::rule::{Rule, Step};
use surefoot_core::{Result, Vector};
use surefoot_data::{Coins, Stream};
use surefoot_experiments::sigma_side::SigmaSide;
use surefoot_experiments::{example, summary};

/// Progressive mistakes, and rounds in which the variance of the margin was not positive.
fn run(stream: &[(Vector, usize)], rank: usize, seed: u64) -> Result<(usize, usize)> {
    let rule: &dyn Rule = &CwStdev { phi: phi_of_confidence(0.9) };
    let mut store = SigmaSide::new(1000, rank, seed);
    let mut p = Projection::default();
    let (mut mistakes, mut broken) = (0, 0);
    for (x, class) in stream {
        store.project(x.features(), 0, &mut p);
        let y = if *class == 1 { 1.0 } else { -1.0 };
        mistakes += usize::from(usize::from(p.mean >= 0.0) != *class);
        broken += usize::from(p.variance <= 0.0);
        if let Some(step) = rule.checked_step(y * p.mean, p.variance, 1.0) {
            store.absorb(x.features(), 0, &mut p, Step { alpha: y * step.alpha, ..step })?;
        }
    }
    Ok((mistakes, broken))
}

fn main() -> Result<()> {
    let runs: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    println!("{:>4} {:>9} {:>6} {:>22}", "rank", "mistakes", "±", "rounds with v ≤ 0");
    for rank in [2, 4, 8, 16] {
        let (mut mistakes, mut broken) = (Vec::new(), Vec::new());
        for seed in 1..=runs {
            let points = Coins::new(100, 0.05, seed).take_points(1000);
            let stream = points.iter().map(example).collect::<Result<Vec<_>>>()?;
            let (wrong, bad) = run(&stream, rank, seed)?;
            mistakes.push(wrong as f64);
            broken.push(bad as f64);
        }
        let ((mean, error), (bad, _)) = (summary(&mistakes), summary(&broken));
        println!("{rank:>4} {mean:>9.1} {error:>6.1} {bad:>22.1}");
    }
    Ok(())
}
