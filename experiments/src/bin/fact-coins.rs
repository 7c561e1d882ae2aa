//! The table of FACT §3.3: mean mistakes of some learners on the stream of coins.
//!
//! `cargo run --release -p surefoot-experiments --bin fact-coins -- RUNS COPIES EXAMPLES SPEC…`; the paper has 100 runs of 100
//! copies and 1000 examples. Differences are paired, to the last learner.

use std::time::Instant;

use surefoot_core::{Result, Spec, Task, Vector};
use surefoot_data::{Coins, Stream};
use surefoot_experiments::{example, summary};

/// The paper's share of copies that are turned over.
const FLIPS: f64 = 0.05;

fn mistakes(spec: &Spec, stream: &[(Vector, usize)]) -> Result<f64> {
    let mut learner = spec.build(Task::Binary)?;
    let mut count = 0;
    for (x, class) in stream {
        let round = learner.learn(x.features(), *class, 1.0)?;
        count += usize::from(round.prediction.label != Some(*class));
    }
    Ok(count as f64)
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count = |i: usize, default| arguments.get(i).and_then(|n| n.parse().ok()).unwrap_or(default);
    let (runs, copies, examples) = (count(0, 100), count(1, 100), count(2, 1000));
    let specs = arguments.iter().skip(3).map(|text| Spec::parse(text)).collect::<Result<Vec<_>>>()?;
    let mut counts = vec![Vec::new(); specs.len()];
    let mut seconds = vec![0.0; specs.len()];
    for run in 0..runs {
        let points = Coins::new(copies, FLIPS, run as u64 + 1).take_points(examples);
        let stream = points.iter().map(example).collect::<Result<Vec<_>>>()?;
        for (i, spec) in specs.iter().enumerate() {
            let start = Instant::now();
            counts[i].push(mistakes(spec, &stream)?);
            seconds[i] += start.elapsed().as_secs_f64();
        }
    }
    println!("{:>9} {:>6} {:>9} {:>6} {:>9}  learner", "mistakes", "±", "to last", "±", "s a run");
    for (i, spec) in specs.iter().enumerate() {
        let (mean, error) = summary(&counts[i]);
        let last = counts.last().map_or(&[][..], |c| c);
        let paired: Vec<f64> = counts[i].iter().zip(last).map(|(a, b)| a - b).collect();
        let (difference, paired_error) = summary(&paired);
        let time = seconds[i] / runs as f64;
        println!(
            "{mean:>9.2} {error:>6.2} {difference:>9.2} {paired_error:>6.2} {time:>9.4}  {}",
            spec.text(Task::Binary)?
        );
    }
    Ok(())
}
