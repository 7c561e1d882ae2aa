//! ECCW Fig. 2(c): CW-Stdev-diag against CW-Var-diag on text, by tenfold cross-validation.

use surefoot_core::metric::significance::paired_t;

use crate::plot::{Axis, Figure, Panel};
use crate::stream::{Example, build, count, error, folds, learn};
use crate::{Experiment, Findings, Result, Series, Setup, Table, summary, tasks};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "eccw-fig2c",
    title: "ECCW Fig. 2(c): CW-Stdev against CW-Var on text",
    needs_data: true,
    run,
    draw,
};

const FOLDS: usize = 10;
const CONFIDENCES: [f64; 5] = [0.6, 0.75, 0.9, 0.95, 0.99];

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let heads =
        ["task", "examples", "CW-Var-diag, accuracy %", "CW-Stdev-diag, accuracy %", "p of the difference"];
    let mut table = Table::new("Tenfold accuracy", &heads);
    let mut better = 0;
    let all = tasks::text(setup, &mut findings)?;
    for task in &all {
        let place = folds(task.examples.len(), FOLDS, setup.seed);
        let accuracy = |rule: &str| {
            let judged = |fold| Ok(100.0 * (1.0 - tested(rule, &task.examples, &place, fold)?));
            (0..FOLDS).map(judged).collect::<Result<Vec<f64>>>()
        };
        let (var, stdev) = (accuracy("cw-var")?, accuracy("cw-stdev")?);
        let p = paired_t(&stdev, &var).map_or(1.0, |test| test.p_value);
        let gain = summary::of(&stdev.iter().zip(&var).map(|(stdev, var)| stdev - var).collect::<Vec<_>>());
        let (var, stdev) = (summary::of(&var).mean, summary::of(&stdev).mean);
        better += usize::from(stdev > var);
        table.row(&task.name, [task.examples.len() as f64, var, stdev, p]);
        findings.series.push(Series::new("both", &task.name, [(var, stdev)]));
        findings.series.push(Series::new("gain", &task.name, [(0.0, gain.mean)]).with_spread([gain.error]));
    }
    findings.tables.push(table);
    if !setup.is_quick() {
        findings.claim(
            format!("CW-Stdev is the better one on most tasks (here {better} of {})", all.len()),
            2 * better > all.len(),
        );
    }
    Ok(findings)
}

/// The error on a fold of what was learned in one pass over the others. The confidence is the one with the fewest
/// progressive mistakes in that pass, so nothing of the fold takes part in the choice.
fn tested(rule: &str, examples: &[Example], place: &[usize], fold: usize) -> Result<f64> {
    let of = |own: bool| -> Vec<Example> {
        examples.iter().zip(place).filter(|(_, at)| (**at == fold) == own).map(|(e, _)| e.clone()).collect()
    };
    let (train, test) = (of(false), of(true));
    let mut best: Option<(usize, f64)> = None;
    for confidence in CONFIDENCES {
        let spec = format!("{rule}/diagonal:floor=0.0001,projection=covariance,confidence={confidence}");
        let mut learner = build(&spec)?;
        let mistakes = count(&learn(&mut *learner, &train)?);
        if best.is_none_or(|(least, _)| mistakes < least) {
            best = Some((mistakes, error(&*learner, &test)));
        }
    }
    Ok(best.map_or(f64::NAN, |(_, error)| error))
}

fn draw(findings: &Findings) -> Figure {
    let axis = |rule: &str| Axis::new(&format!("accuracy of {rule} in %"));
    let mut both =
        Panel::new("Above the line CW-Stdev is better", axis("CW-Var-diag"), axis("CW-Stdev-diag"));
    for series in findings.panel("both") {
        both = both.dots(series, 0, 4.5);
    }
    let numbers = findings.panel("both").flat_map(|series| series.x.iter().chain(&series.y).copied());
    let (low, high) = numbers.fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
    let both = both.guide([(low, low), (high, high)]).without_legend();
    let names = findings.panel("gain").map(|series| series.name.as_str());
    let gain =
        Panel::new("By task, ± standard error", Axis::names(names), Axis::new("gain of CW-Stdev in points"));
    let joined = Series::new("", "", findings.panel("gain").flat_map(Series::points));
    let joined = joined.with_spread(findings.panel("gain").flat_map(|series| series.spread.iter().copied()));
    Figure::new(2, vec![both, gain.bars(&joined, 0)])
}
