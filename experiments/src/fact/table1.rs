//! FACT Table 1: time and memory of the stores on 1000 features, with and without the buffer.

use std::time::Instant;

use serde_json::Value;
use surefoot_core::state::{State, Tensor};

use super::fig2::copies;
use super::{RANKS, REFERENCES, coins, factored};
use crate::plot::{Axis, Figure, Panel};
use crate::stream::{Example, build, learn};
use crate::{Experiment, Findings, Result, Series, Setup, Table};

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
    specs.extend(RANKS.map(|rank| (factored(rank, ""), Some(factored(rank, ",buffer=0")))));
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
    let mut time = Table::new(&format!("Seconds for {total} rounds (the faster of two runs)"), &heads);
    for ((name, paper), (spec, bufferless)) in PAPER.iter().zip(specs()) {
        let (seconds, bytes) = measured(&spec, &points)?;
        let without = bufferless.map(|spec| measured(&spec, &points)).transpose()?;
        memory.row(name, [Some(bytes / 1024.0), paper[2]].map(Value::from));
        time.row(name, [Some(seconds), paper[0], without.map(|found| found.0), paper[1]].map(Value::from));
    }
    let kilobytes = |name| memory.number(name, "covariance, KB").unwrap_or(f64::NAN);
    let less = kilobytes("CW-fact16") < kilobytes("CW-full") / setup.pick(1.0, 5.0, 5.0);
    findings.claim("CW-fact16 takes far less memory than CW-full", less);
    findings.tables.push(memory);
    findings.timings.push(time);
    Ok(findings)
}

/// Seconds of the faster of two runs, and bytes of what the store keeps besides the means.
fn measured(spec: &str, points: &[Example]) -> Result<(f64, f64)> {
    let (mut seconds, mut bytes) = (f64::INFINITY, 0.0);
    for _ in 0..2 {
        let (mut learner, began) = (build(spec)?, Instant::now());
        learn(&mut *learner, points)?;
        seconds = seconds.min(began.elapsed().as_secs_f64());
        let store = learner.gaussian();
        bytes = size(&store.save()) - 8.0 * store.dimension() as f64;
    }
    Ok((seconds, bytes))
}

fn size(state: &State) -> f64 {
    let bytes = |tensor: &Tensor| match tensor {
        Tensor::F64(numbers) => 8 * numbers.len(),
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
        Panel::new("Time", Axis::names(names), Axis::log("seconds for 1000 rounds").from_to(1e-3, 40.0))
            .bars(&bars(time, "paper's", "paper (2010)"), 4)
            .bars(&bars(time, "seconds", "ours"), 0)
            .bars(&bars(time, "without buffer", "ours without buffer"), 5);
    let kilobytes = Panel::new("Memory", Axis::names(names), Axis::log("kilobytes").from_to(1.0, 2e4))
        .bars(&bars(memory, "paper, KB", "paper"), 4)
        .bars(&bars(memory, "covariance, KB", "ours"), 0);
    Figure::new(2, vec![seconds, kilobytes])
}
