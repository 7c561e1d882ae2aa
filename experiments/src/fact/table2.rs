//! FACT Table 2: the stock market, more predictors against better covariance.

use serde_json::Value;
use surefoot_core::metric::significance::paired_t;

use super::stock::Market;
use super::{PUPILS, REFERENCES};
use crate::clock::Stopwatch;
use crate::plot::{Axis, Figure, Panel};
use crate::stream::mistakes;
use crate::{Experiment, Findings, Result, Series, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment =
    Experiment { name: "fact-table2", title: "FACT Table 2: the stock market", needs_data: true, run, draw };

/// The paper's mistakes of CW-diag, CW-fact8 and CW-full by predictors.
const PAPER: [(usize, [Option<f64>; 3]); 4] = [
    (1, [Some(2141.0), Some(2083.1), Some(2028.3)]),
    (10, [Some(2142.0), Some(2036.8), Some(1891.4)]),
    (25, [Some(2142.0), Some(1949.3), Some(1806.3)]),
    (100, [Some(2142.0), Some(1779.0), None]),
];

/// Most predictors that the full store is given, and its draws with so many: 100 would be 20,000 features, 1.6 GB and
/// hours.
const FULL_LIMIT: usize = 25;
const FULL_DRAWS: usize = 2;

fn learners() -> Vec<(&'static str, &'static str)> {
    PUPILS.into_iter().chain([REFERENCES[3]]).collect()
}

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let market = if setup.is_quick() { Market::walk(6, 250, setup.seed) } else { Market::read(&setup.data)? };
    let name = if setup.is_quick() { "generated: random walks with a common part" } else { "stock_ohlc_dev" };
    findings.used(name, market.stocks.iter().map(Vec::len).sum());
    let sizes: Vec<usize> = if setup.is_quick() { vec![1, 2] } else { PAPER.map(|(count, _)| count).into() };
    let names: Vec<&str> = learners().iter().map(|(name, _)| *name).collect();
    let heads: Vec<&str> = std::iter::once("predictors")
        .chain(names.iter().copied())
        .chain(["paper: diag / fact8 / full", "p, fact8 against diag", "p, full against fact8"])
        .collect();
    let days = market.stocks[0].len() - super::stock::WINDOW;
    let mut table = Table::new(&format!("Mean mistakes on {days} days over the draws of predictors"), &heads);
    let mut time = Table::new("CPU seconds a run, median over the draws", &heads[..=names.len()]);
    for &predictors in &sizes {
        let (counts, seconds) = compared(setup, &market, predictors)?;
        let means: Vec<Option<f64>> =
            counts.iter().map(|own| (!own.is_empty()).then(|| summary::of(own).mean)).collect();
        let (fact, full) = (p_value(&counts[3], &counts[2]), p_value(&counts[4], &counts[3]));
        let others = [paper(predictors).into(), fact.into(), full.into()];
        let cells = means.iter().copied().map(Value::from).chain(others);
        table.row(&predictors.to_string(), cells);
        time.row(&predictors.to_string(), seconds.iter().map(|own| summary::median(own)));
    }
    for name in &names {
        let points = sizes.iter().filter_map(|n| Some((*n as f64, table.number(&n.to_string(), name)?)));
        findings.series.push(Series::new("", name, points));
    }
    claims(setup, &table, &mut findings);
    findings.tables.push(table);
    findings.timings.push(time);
    Ok(findings)
}

fn paper(predictors: usize) -> String {
    let text = |number: Option<f64>| number.map_or("memory".to_string(), |number| number.to_string());
    let row = PAPER.iter().find(|(count, _)| *count == predictors);
    row.map_or("–".into(), |(_, numbers)| numbers.map(text).join(" / "))
}

/// Of a paired t-test over the draws that both were run on; one draw says nothing.
fn p_value(one: &[f64], other: &[f64]) -> Option<f64> {
    let both = one.len().min(other.len());
    let test = paired_t(&one[..both], &other[..both]).filter(|_| both > 1)?;
    Some(test.p_value)
}

/// Of each learner the mistakes on each draw.
type Mistakes = Vec<Vec<f64>>;
/// Of each learner the seconds of each run.
type Seconds = Vec<Vec<f64>>;

/// Every learner on every draw; nothing where the full store is too large.
fn compared(setup: &Setup, market: &Market, predictors: usize) -> Result<(Mistakes, Seconds)> {
    // When all stocks are predictors every draw is the same.
    let draws = if predictors + 1 >= market.stocks.len() { 1 } else { setup.pick(2, 10, 10) };
    let (mut counts, mut seconds) = (vec![Vec::new(); learners().len()], vec![Vec::new(); learners().len()]);
    for (draw, seed) in setup.seeds(predictors as u64, draws).enumerate() {
        let examples = market.examples(&market.draw(predictors, seed))?;
        for (i, (name, spec)) in learners().into_iter().enumerate() {
            let large = predictors > FULL_LIMIT || (predictors == FULL_LIMIT && draw >= FULL_DRAWS);
            if name == REFERENCES[3].0 && large {
                continue;
            }
            let began = Stopwatch::start();
            counts[i].push(mistakes(spec, &examples)? as f64);
            seconds[i].push(began.seconds());
        }
    }
    Ok((counts, seconds))
}

fn claims(setup: &Setup, table: &Table, findings: &mut Findings) {
    if setup.is_quick() {
        return;
    }
    let number = |row: &str, name: &str| table.number(row, name).unwrap_or(f64::NAN);
    let better = ["1", "10", "25", "100"].iter().all(|row| number(row, "CW-fact8") < number(row, "CW-diag"));
    findings.claim("CW-fact8 makes fewer mistakes than CW-diag with any number of predictors", better);
    let full = ["1", "10", "25"].iter().all(|row| number(row, "CW-full") < number(row, "CW-fact8"));
    findings.claim("CW-full makes the most of each set of features", full);
    let best = ["1", "10", "25"].iter().all(|row| number("100", "CW-fact8") < number(row, "CW-full"));
    findings.claim("CW-fact8 with 100 predictors is the best of all that fits", best);
}

fn draw(findings: &Findings) -> Figure {
    let axes = (Axis::log("predictors (200 features each)"), Axis::new("mistakes"));
    let mut panel = Panel::new("DELL: up or down", axes.0, axes.1);
    for (series, colour) in findings.series.iter().zip([4, 3, 5, 0, 6]) {
        panel = panel.line(series, colour);
    }
    Figure::of(panel)
}
