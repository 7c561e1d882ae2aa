//! ECCW Fig. 2(a, b): mistakes and test error of seven learners, and averaged first-order ones, on the ellipse.

use surefoot_data::Ellipse;

use crate::plot::{Axis, Figure, Panel};
use crate::stream::{Example, build, count, error, generated, learn, tuned};
use crate::{Experiment, Findings, Result, Series, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "eccw-fig2",
    title: "ECCW Fig. 2(a, b): seven learners on the ellipse",
    needs_data: false,
    run,
    draw,
};

/// Values of η that are tried.
const CONFIDENCES: [&str; 8] = ["0.6", "0.7", "0.8", "0.9", "0.95", "0.975", "0.99", "0.995"];
/// Prior variances that are tried for the second-order perceptron (the paper's 1/a).
const PRIORS: [&str; 6] = ["0.001", "0.01", "0.1", "1", "10", "100"];

/// What the learners of the figure are called, what is tuned, and what the paper says of their mistakes.
const LEARNERS: [(&str, &str, &[&str], &str); 9] = [
    ("perceptron", "perceptron/identity", &[], "more than 129"),
    ("perceptron, averaged", "perceptron/identity:average=true", &[], "–"),
    ("PA", "pa/identity", &[], "129"),
    ("PA, averaged", "pa/identity:average=true", &[], "–"),
    ("SOP", "sop/full:floor=0,prior=", &PRIORS, "below 80"),
    ("CW-Var-diag", "cw-var/diagonal:floor=0,projection=covariance,confidence=", &CONFIDENCES, "below 80"),
    (
        "CW-Stdev-diag",
        "cw-stdev/diagonal:floor=0,projection=covariance,confidence=",
        &CONFIDENCES,
        "below 80",
    ),
    ("CW-Var-full", "cw-var/full:floor=0,confidence=", &CONFIDENCES, "below 80"),
    ("CW-Stdev-full", "cw-stdev/full:floor=0,confidence=", &CONFIDENCES, "below 80"),
];

/// Names of the tables, which the plot and the claims read.
const FIRST: &str = "Short axis sd 1, long axis sd 4, noise variance 2";
const SECOND: &str = "The other reading: short axis sd √2, long axis sd 10";

/// Short and long axis of a reading of the paper's description.
type Axes = (f64, f64);

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let runs = setup.pick(40, 100, 1000);
    findings.used("generated: ellipse, 1000 points a run", runs * 1000);
    findings.tables.push(table(FIRST, setup, (1.0, 4.0), runs)?);
    if !setup.is_quick() {
        findings.tables.push(table(SECOND, setup, (2f64.sqrt(), 10.0), runs)?);
    }
    claims(&mut findings);
    if !setup.is_quick() {
        // Spreads need more runs than means do.
        steadiness(&mut findings);
    }
    bars(&mut findings);
    Ok(findings)
}

fn points((short, long): Axes, seed: u64, count: usize) -> Result<Vec<Example>> {
    generated(&mut Ellipse::new(short, long, 2.0, 20, seed), count)
}

fn table(title: &str, setup: &Setup, axes: Axes, runs: usize) -> Result<Table> {
    let columns = ["learner", "tuned", "mistakes", "sd", "test error %", "sd of it", "paper's mistakes"];
    let mut table = Table::new(title, &columns);
    let streams =
        |part, runs| setup.seeds(part, runs).map(|seed| points(axes, seed, 1000)).collect::<Result<Vec<_>>>();
    // Parameters are tuned on streams of their own.
    let (tuning, judging) = (streams(1, setup.pick(10, 30, 1000))?, streams(2, runs)?);
    let test = points(axes, setup.seed.wrapping_sub(1), setup.pick(1000, 10_000, 10_000))?;
    for (name, spec, values, paper) in LEARNERS {
        let candidates: Vec<String> = values.iter().map(|value| format!("{spec}{value}")).collect();
        let chosen = if values.is_empty() { spec.to_string() } else { tuned(&candidates, &tuning)? };
        let (mut mistakes, mut errors) = (Vec::new(), Vec::new());
        for stream in &judging {
            let mut learner = build(&chosen)?;
            mistakes.push(count(&learn(&mut *learner, stream)?) as f64);
            errors.push(100.0 * error(&*learner, &test));
        }
        let (mistakes, errors) = (summary::of(&mistakes), summary::of(&errors));
        let value = chosen.trim_start_matches(spec).to_string();
        let value = if value.is_empty() { "–".into() } else { format!("{}={value}", last_word(spec)) };
        let numbers = [mistakes.mean, mistakes.sd, errors.mean, errors.sd].map(serde_json::Value::from);
        table.row(name, std::iter::once(value.into()).chain(numbers).chain([paper.into()]));
    }
    Ok(table)
}

/// The parameter that a SPEC ends with, open.
fn last_word(spec: &str) -> &str {
    spec.trim_end_matches('=').rsplit([',', ':']).next().unwrap_or_default()
}

fn claims(findings: &mut Findings) {
    let Some(table) = findings.table(FIRST).cloned() else { return };
    let mistakes = |name: &str| table.number(name, "mistakes").unwrap_or(f64::NAN);
    let error = |name: &str| table.number(name, "test error %").unwrap_or(f64::NAN);
    let first_order = mistakes("PA").min(mistakes("perceptron"));
    let second = ["SOP", "CW-Var-diag", "CW-Stdev-diag", "CW-Var-full", "CW-Stdev-full"];
    let holds = second.iter().all(|name| mistakes(name) < first_order);
    findings.claim("every second-order learner makes fewer mistakes than the first-order ones", holds);
    for store in ["diag", "full"] {
        let (var, stdev) = (mistakes(&format!("CW-Var-{store}")), mistakes(&format!("CW-Stdev-{store}")));
        findings.claim(format!("CW-Stdev makes no more mistakes than CW-Var ({store})"), stdev <= var);
    }
    let averaging =
        error("PA, averaged") < error("PA") && error("perceptron, averaged") < error("perceptron");
    findings.claim("averaging lowers the test error of the first-order learners", averaging);
    let best = table.names().all(|name| error("CW-Stdev-full") <= error(name));
    findings.claim("CW-Stdev has the lowest test error", best);
}

fn steadiness(findings: &mut Findings) {
    let Some(table) = findings.table(FIRST).cloned() else { return };
    let steady = |store: &str| table.number(&format!("CW-Stdev-{store}"), "sd of it").unwrap_or(f64::NAN);
    findings.claim(
        "the full learner varies less from run to run than the diagonal one",
        steady("full") < steady("diag"),
    );
}

fn bars(findings: &mut Findings) {
    let Some(table) = findings.table(FIRST).cloned() else { return };
    for (panel, column, sd) in [("mistakes", "mistakes", "sd"), ("test", "test error %", "sd of it")] {
        let numbers = |column: &str| -> Vec<f64> {
            table.names().map(|name| table.number(name, column).unwrap_or(f64::NAN)).collect()
        };
        let points = numbers(column).into_iter().enumerate().map(|(i, y)| (i as f64, y));
        findings.series.push(Series::new(panel, "", points).with_spread(numbers(sd)));
    }
}

fn draw(findings: &Findings) -> Figure {
    let titles = [
        ("mistakes", "Mistakes in 1000 rounds", "mistakes (± 1 sd over runs)"),
        ("test", "Error on unseen points", "test error in % (± 1 sd over runs)"),
    ];
    let panels = titles.map(|(panel, title, label)| {
        let names = LEARNERS.iter().map(|learner| learner.0);
        let drawn = Panel::new(title, Axis::names(names), Axis::new(label));
        findings.panel(panel).fold(drawn, |drawn, series| drawn.bars(series, 0))
    });
    Figure::new(2, panels.into())
}
