//! FACT Table 1: time and memory of the stores on 1000 features, with and without the buffer.

use serde_json::Value;
use surefoot_core::state::{State, Tensor};

use super::fig2::copies;
use super::{EM, RANKS, REFERENCES, coins, factored};
use crate::clock::Stopwatch;
use crate::plot::{Axis, Figure, Panel};
use crate::stream::{Example, build, dimension, learn, store};
use crate::{Experiment, Findings, Result, Series, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment =
    Experiment { name: "fact-table1", title: "FACT Table 1: time and memory", needs_data: false, run, draw };

/// The paper's seconds, seconds without buffer, and kilobytes.
const PAPER: [(&str, [Option<f64>; 3]); 6] = [
    ("CW-diag", [Some(0.09), None, Some(7.81)]),
    ("CW-fact2", [Some(1.61), Some(2.61), Some(87.21)]),
    ("CW-fact4", [Some(1.35), Some(4.11), Some(181.27)]),
    ("CW-fact8", [Some(1.21), Some(7.16), Some(370.15)]),
    ("CW-fact16", [Some(1.50), Some(16.45), Some(750.90)]),
    ("CW-full", [Some(7.00), None, Some(7812.50)]),
];

fn specs() -> Vec<(String, Option<String>)> {
    let mut specs = vec![(REFERENCES[2].1.to_string(), None)];
    specs.extend(RANKS.map(|rank| (factored(rank, EM), Some(factored(rank, "compression=em,buffer=0")))));
    specs.push((REFERENCES[3].1.to_string(), None));
    specs
}

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let total = setup.pick(200, 1000, 1000);
    let points = coins(copies(setup), total, setup.seed)?;
    findings.used(format!("generated: coins, {} copies", copies(setup)), total);
    let heads = ["learner", "covariance, KB", "paper, KB"];
    let mut memory = Table::new("Memory of the covariance at the end of the run", &heads);
    let heads = ["learner", "seconds", "paper's", "without buffer", "paper's without buffer"];
    let turns = setup.pick(1, 7, 7);
    let mut time = Table::new(&format!("CPU seconds for {total} rounds (median of {turns} turns)"), &heads);
    let plain: Vec<String> = specs().into_iter().map(|(spec, _)| spec).collect();
    let bufferless: Vec<String> = specs().into_iter().filter_map(|(_, bufferless)| bufferless).collect();
    let seconds = in_turns(&[&plain[..], &bufferless].concat(), &points, turns)?;
    for (i, ((name, paper), (spec, bufferless))) in PAPER.iter().zip(specs()).enumerate() {
        memory.row(name, [Some(covariance_bytes(&spec, &points)? / 1024.0), paper[2]].map(Value::from));
        // The variants without a buffer follow, and begin with the second learner.
        let without = bufferless.and_then(|_| seconds[plain.len() + i - 1]);
        time.row(name, [seconds[i], paper[0], without, paper[1]].map(Value::from));
    }
    let kilobytes = |name| memory.number(name, "covariance, KB").unwrap_or(f64::NAN);
    let less = kilobytes("CW-fact16") < kilobytes("CW-full") / setup.pick(1.0, 5.0, 5.0);
    findings.claim("CW-fact16 takes far less memory than CW-full", less);
    findings.tables.push(memory);
    findings.timings.push(time);
    Ok(findings)
}

/// Median seconds of each learner, over turns in which every one runs once.
fn in_turns(specs: &[String], points: &[Example], turns: usize) -> Result<Vec<Option<f64>>> {
    let mut seconds = vec![Vec::new(); specs.len()];
    for _ in 0..turns {
        for (spec, own) in specs.iter().zip(&mut seconds) {
            let (mut learner, began) = (build(spec)?, Stopwatch::start());
            learn(&mut *learner, points)?;
            own.push(began.seconds());
        }
    }
    Ok(seconds.iter().map(|own| summary::median(own)).collect())
}

/// Bytes of what the store keeps besides the means.
fn covariance_bytes(spec: &str, points: &[Example]) -> Result<f64> {
    let mut learner = build(spec)?;
    learn(&mut *learner, points)?;
    Ok(size(&store(&*learner)?.save()) - 8.0 * dimension(points) as f64)
}

fn size(state: &State<'_>) -> f64 {
    let bytes = |tensor: &Tensor| match tensor {
        Tensor::U8(bytes) => bytes.len(),
        Tensor::F64(numbers) => 8 * numbers.len(),
        Tensor::F32(numbers) => 4 * numbers.len(),
        Tensor::U32(numbers) => 4 * numbers.len(),
        Tensor::U64(numbers) => 8 * numbers.len(),
    };
    state.iter().map(|(_, tensor)| bytes(tensor)).sum::<usize>() as f64
}

fn draw(findings: &Findings) -> Figure {
    let names = PAPER.map(|(name, _)| name);
    let bars = |table: Option<&Table>, column: &str, name: &str| {
        let value = |(i, row): (usize, &str)| {
            (i as f64, table.and_then(|t| t.number(row, column)).unwrap_or(f64::NAN))
        };
        Series::new("", name, names.into_iter().enumerate().map(value))
    };
    let (time, memory) = (findings.timings.first(), findings.tables.first());
    let seconds =
        Panel::new("Time", Axis::names(names), Axis::log("CPU seconds for 1000 rounds").from_to(1e-3, 40.0))
            .bars(&bars(time, "paper's", "paper (2010)"), 4)
            .bars(&bars(time, "seconds", "ours"), 0)
            .bars(&bars(time, "without buffer", "ours without buffer"), 5);
    let kilobytes = Panel::new("Memory", Axis::names(names), Axis::log("kilobytes").from_to(1.0, 2e4))
        .bars(&bars(memory, "paper, KB", "paper"), 4)
        .bars(&bars(memory, "covariance, KB", "ours"), 0);
    Figure::new(2, vec![seconds, kilobytes])
}
