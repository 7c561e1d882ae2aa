//! Exploiting feature covariance in high-dimensional online learning (FACT).

pub mod fig1;
pub mod fig2;
pub mod fig3;
pub mod fig4;
pub mod fig5;
pub mod sigma_side;
mod stock;
pub mod table1;
pub mod table2;
pub mod table3;

use surefoot_data::{Coins, Random};

use crate::stream::{Example, build, count, generated, learn};
use crate::{Result, Series, summary};

/// Copies of ten coins, 5 in 100 turned over: the paper's synthetic data.
fn coins(copies: usize, rounds: usize, seed: u64) -> Result<Vec<Example>> {
    generated(&mut Coins::new(copies, 0.05, seed), rounds)
}

/// The SPEC of CW-fact with `rank` columns; `further` are more parameters, how it compresses among them.
fn factored(rank: usize, further: &str) -> String {
    format!("cw-stdev/factored:confidence=0.9,floor=0.0001,rank={rank},{further}")
}

/// How the paper compresses.
const EM: &str = "compression=em";

/// The learners that are drawn for reference, with the paper's names.
const REFERENCES: [(&str, &str); 4] = [
    ("Perceptron", "perceptron/identity"),
    ("PA", "pa/identity"),
    ("CW-diag", "cw-stdev/diagonal:confidence=0.9,floor=0.0001,projection=covariance"),
    ("CW-full", "cw-stdev/full:confidence=0.9,floor=0.0001"),
];

/// Ranks of the paper.
const RANKS: [usize; 4] = [2, 4, 8, 16];

/// Cumulative mistakes over runs as a curve with the standard error of its mean.
fn curve(panel: &str, name: &str, rounds: &[usize], runs: &[Vec<f64>]) -> Series {
    let columns = summary::columns(runs);
    let points = rounds.iter().zip(&columns).map(|(&round, column)| (round as f64, column.mean));
    Series::new(panel, name, points).with_spread(columns.iter().map(|column| column.error))
}

/// The learners of the large-scale experiments (§4), where perceptron and PA predict with their averages.
const PUPILS: [(&str, &str); 4] = [
    ("Perceptron, averaged", "perceptron/identity:average=true"),
    ("PA, averaged", "pa/identity:average=true"),
    ("CW-diag", "cw-stdev/diagonal:confidence=0.9,floor=0.0001,projection=covariance"),
    ("CW-fact8", "cw-stdev/factored:confidence=0.9,floor=0.0001,rank=8"),
];

/// Which examples each of these learners predicts wrongly.
fn pupils_wrong(examples: &[Example]) -> Result<Vec<Vec<bool>>> {
    PUPILS.iter().map(|(_, spec)| learn(&mut *build(spec)?, examples)).collect()
}

/// Their progressive errors in %.
fn progressive_errors(examples: &[Example]) -> Result<Vec<f64>> {
    let rate = |wrong: &Vec<bool>| 100.0 * count(wrong) as f64 / wrong.len().max(1) as f64;
    Ok(pupils_wrong(examples)?.iter().map(rate).collect())
}

/// Half of the examples, each taken with chance ½, in their order.
fn half(examples: &[Example], seed: u64) -> Vec<Example> {
    let mut random = Random::new(seed);
    examples.iter().filter(|_| random.flip(0.5)).cloned().collect()
}
