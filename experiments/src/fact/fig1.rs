//! FACT Fig. 1 and §2.2: where full covariance helps, the effective dimension, and how restless the means are.

use surefoot_core::analysis::Covariance;
use surefoot_core::{Learner, Store};

use super::coins;
use crate::plot::{Axis, Figure, Panel};
use crate::stream::{build, count, dimension, learn, store};
use crate::{Experiment, Findings, Result, Series, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "fact-fig1",
    title: "FACT Fig. 1 and §2.2: full against diagonal covariance",
    needs_data: false,
    run,
    draw,
};

const FULL: &str = "cw-stdev/full:confidence=0.9,floor=0";
const DIAGONAL: &str = "cw-stdev/diagonal:confidence=0.9,floor=0,projection=covariance";
const ROUNDS: usize = 500;
/// Sizes of data sets in Fig. 1(a), and rounds between two looks at Σ in Fig. 1(b).
const SIZES: [usize; 10] = [50, 100, 150, 200, 250, 300, 350, 400, 450, 500];
const LOOK: usize = 10;

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let trials = setup.pick(12, 100, 100);
    findings.used("generated: coins, 500 points a trial and number of copies", trials * 10 * ROUNDS);
    gaps(setup, trials, &mut findings)?;
    dimensions(setup, &mut findings)?;
    degrees(setup, trials, &mut findings)?;
    Ok(findings)
}

/// Fig. 1(a): how much more accurate full CW is, for each number of copies and examples.
fn gaps(setup: &Setup, trials: usize, findings: &mut Findings) -> Result<()> {
    let names: Vec<String> = SIZES.iter().map(|n| format!("n = {n}")).collect();
    let heads: Vec<&str> = std::iter::once("features").chain(names.iter().map(String::as_str)).collect();
    let mut table = Table::new("Fig. 1(a): accuracy of full less that of diagonal, in points", &heads);
    for copies in 1..=10 {
        let mut runs = Vec::new();
        for seed in setup.seeds(copies as u64, trials) {
            let points = coins(copies, ROUNDS, seed)?;
            let (full, diagonal) =
                (learn(&mut *build(FULL)?, &points)?, learn(&mut *build(DIAGONAL)?, &points)?);
            let gap =
                |&n: &usize| 100.0 * (count(&diagonal[..n]) as f64 - count(&full[..n]) as f64) / n as f64;
            runs.push(SIZES.iter().map(gap).collect::<Vec<f64>>());
        }
        table.row(&(10 * copies).to_string(), summary::columns(&runs).iter().map(|column| column.mean));
    }
    let gap = |features: &str, n: &str| table.number(features, n).unwrap_or(f64::NAN);
    let many = ["70", "80", "90", "100"].map(|features| gap(features, "n = 100"));
    findings.claim("with many features and few examples full CW is better", many.iter().sum::<f64>() > 0.0);
    findings.claim("with few features and many examples diagonal CW is better", gap("10", "n = 500") < 0.0);
    findings.tables.push(table);
    Ok(())
}

/// Fig. 1(b): Tr Σ/λ₁ and Tr Σ along the rounds, with 50 features.
fn dimensions(setup: &Setup, findings: &mut Findings) -> Result<()> {
    let trials = setup.pick(2, 20, 20);
    let rounds: Vec<usize> = (0..=setup.pick(200, ROUNDS, ROUNDS) / LOOK).map(|i| i * LOOK).collect();
    let mut table =
        Table::new("Tr Σ with 50 features, after so many rounds", &["learner", "50", "100", "200"]);
    for (name, spec) in [("CW-full", FULL), ("CW-diag", DIAGONAL)] {
        let (mut dimensions, mut traces) = (Vec::new(), Vec::new());
        for seed in setup.seeds(100, trials) {
            let looks = looks(spec, &coins(5, ROUNDS, seed)?, &rounds)?;
            dimensions.push(looks.iter().map(|look| look.0 / look.1).collect::<Vec<f64>>());
            traces.push(looks.iter().map(|look| look.0).collect::<Vec<f64>>());
        }
        let (dimensions, traces) = (summary::columns(&dimensions), summary::columns(&traces));
        let at = |columns: &[summary::Summary]| -> Vec<(f64, f64)> {
            rounds.iter().zip(columns).map(|(&round, column)| (round as f64, column.mean)).collect()
        };
        findings.series.push(
            Series::new("dimension", name, at(&dimensions)).with_spread(dimensions.iter().map(|c| c.error)),
        );
        findings.series.push(Series::new("trace", name, at(&traces).into_iter().skip(1)));
        table.row(name, [50, 100, 200].map(|round| traces[round / LOOK].mean));
    }
    findings.tables.push(table);
    let at = |series: &Series, round: f64| series.points().find(|p| p.0 == round).map_or(f64::NAN, |p| p.1);
    let lines: Vec<&Series> = findings.panel("dimension").collect();
    let lower = [50.0, 100.0, 200.0].iter().all(|&round| at(lines[0], round) < at(lines[1], round));
    findings.claim("full CW has the lower effective dimension", lower);
    Ok(())
}

/// Tr Σ and λ₁ before each of these rounds.
fn looks(spec: &str, points: &[crate::stream::Example], rounds: &[usize]) -> Result<Vec<(f64, f64)>> {
    let mut learner = build(spec)?;
    let mut learned = 0;
    let mut look = |&round: &usize| {
        learn(&mut *learner, &points[learned..round])?;
        learned = round;
        if round == 0 {
            return Ok((50.0, 1.0));
        }
        spread(store(&*learner)?, spec == FULL, dimension(&points[..round]))
    };
    rounds.iter().map(&mut look).collect()
}

fn spread(store: &dyn Store, full: bool, dimension: usize) -> Result<(f64, f64)> {
    if full {
        let covariance = Covariance::of(store, 0, dimension);
        return Ok((covariance.trace(), covariance.largest_eigenvalue()));
    }
    let variances = (0..dimension).filter_map(|i| store.weight(i, 0)).map(|weight| weight.variance);
    Ok(variances.fold((0.0, 0.0f64), |(sum, most), variance| (sum + variance, most.max(variance))))
}

/// §2.2: by how much the mean turns in a round, from round 400 to 500 with 10 features.
fn degrees(setup: &Setup, trials: usize, findings: &mut Findings) -> Result<()> {
    let heads = ["learner", "degrees a round", "standard error", "paper"];
    let mut table = Table::new("Turn of the mean in rounds 400–500, 10 features", &heads);
    for (name, spec, paper) in [("CW-diag", DIAGONAL, 0.81), ("CW-full", FULL, 2.42)] {
        let mut turns = Vec::new();
        for seed in setup.seeds(200, trials) {
            turns.push(turn(spec, &coins(1, ROUNDS, seed)?)?);
        }
        let found = summary::of(&turns);
        table.row(name, [found.mean, found.error, paper]);
    }
    // What the paper does not tell: its η, and whether it guarded the variances.
    for (change, from, to) in [
        ("confidence 0.7", "0.9", "0.7"),
        ("confidence 0.99", "0.9", "0.99"),
        ("floor 0.01", "floor=0", "floor=0.01"),
    ] {
        for (name, spec) in [("CW-diag", DIAGONAL), ("CW-full", FULL)] {
            let spec = spec.replace(from, to);
            let turns = setup.seeds(200, trials).map(|seed| turn(&spec, &coins(1, ROUNDS, seed)?));
            let found = summary::of(&turns.collect::<Result<Vec<f64>>>()?);
            table.row(&format!("{name} at {change}"), [found.mean, found.error]);
        }
    }
    let turn = |name| table.number(name, "degrees a round").unwrap_or(f64::NAN);
    findings
        .claim("the mean of full CW turns more than that of diagonal CW", turn("CW-full") > turn("CW-diag"));
    findings.tables.push(table);
    Ok(())
}

fn turn(spec: &str, points: &[crate::stream::Example]) -> Result<f64> {
    let mut learner = build(spec)?;
    learn(&mut *learner, &points[..400])?;
    let dimension = dimension(points);
    let (mut before, mut sum) = (mean(&*learner, dimension), 0.0);
    for point in points[400..].chunks(1) {
        learn(&mut *learner, point)?;
        let after = mean(&*learner, dimension);
        sum += angle(&before, &after);
        before = after;
    }
    Ok(sum / (points.len() - 400) as f64)
}

fn mean(learner: &dyn Learner, dimension: usize) -> Vec<f64> {
    (0..dimension).filter_map(|feature| Some(learner.weight(0, feature, 0)?.mean)).collect()
}

/// The angle between two vectors in degrees, accurate where it is small.
fn angle(a: &[f64], b: &[f64]) -> f64 {
    let length = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (p, q) = (length(a), length(b));
    let combined =
        |sign: f64| length(&a.iter().zip(b).map(|(x, y)| x / p + sign * y / q).collect::<Vec<_>>());
    (2.0 * combined(-1.0).atan2(combined(1.0))).to_degrees()
}

fn draw(findings: &Findings) -> Figure {
    let mut gaps =
        Panel::new("(a) Which is more accurate, and how much", Axis::new("examples"), Axis::new("features"));
    if let Some(table) = findings.tables.first() {
        let cell = |row: &Vec<serde_json::Value>, at: usize| row.get(at)?.as_f64();
        let mut marks = Vec::new();
        for (i, row) in table.rows.iter().enumerate() {
            let gap = |(at, n): (usize, usize)| Some((n as f64, 10.0 * (i + 1) as f64, cell(row, at + 1)?));
            marks.extend(SIZES.into_iter().enumerate().filter_map(gap));
        }
        let most = marks.iter().map(|mark| mark.2.abs()).fold(1e-9, f64::max);
        let scaled = |mark: &(f64, f64, f64)| (mark.0, mark.1, mark.2 / most);
        let (plus, minus): (Vec<_>, Vec<_>) = marks.iter().map(scaled).partition(|mark| mark.2 > 0.0);
        gaps = gaps.signs("CW-full", 0, plus).signs("CW-diag", 1, minus);
    }
    let mut dimension = Panel::new("(b) Effective dimension", Axis::new("rounds"), Axis::new("Tr Σ / λ₁"));
    for (colour, series) in findings.panel("dimension").enumerate() {
        dimension = dimension.line(series, colour);
    }
    let mut trace = Panel::new("Tr Σ, 50 features", Axis::new("rounds"), Axis::log("Tr Σ"));
    for (colour, series) in findings.panel("trace").enumerate() {
        trace = trace.line(series, colour);
    }
    Figure::new(2, vec![gaps, dimension, trace])
}
