//! FACT Fig. 3: CW-fact without a buffer, the buffer alone, and the approximation on the side of Σ.

use surefoot_core::normal::phi_of_confidence;
use surefoot_core::rule::cw_stdev::CwStdev;
use surefoot_core::rule::{Rule, Step};
use surefoot_core::store::{Projection, Store};

use super::fig2::{copies, cumulative_panel, judged};
use super::sigma_side::SigmaSide;
use super::{EM, RANKS, REFERENCES, coins, curve, factored};
use crate::plot::Figure;
use crate::stream::{Example, build, cumulative, dimension, learn};
use crate::{Experiment, Findings, Result, Setup, Table, summary};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "fact-fig3",
    title: "FACT Fig. 3: no buffer, buffer alone, Σ instead of its inverse",
    needs_data: false,
    run,
    draw,
};

/// Panels, and the parameters that make the variants; none is Σ's side.
const PANELS: [(&str, Option<&str>); 4] = [
    ("as in Fig. 2", Some(EM)),
    ("(a) no buffer", Some("compression=em,buffer=0")),
    ("(b) buffer alone", Some("compression=drop")),
    ("(c) Σ side", None),
];

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let (runs, total) = (setup.pick(8, 20, 100), setup.pick(400, 1000, 1000));
    findings.used(format!("generated: coins, {} copies", copies(setup)), runs * total);
    let rounds: Vec<usize> = (0..=20).map(|i| i * total / 20).collect();
    let streams: Vec<Vec<Example>> =
        setup.seeds(0, runs).map(|seed| coins(copies(setup), total, seed)).collect::<Result<_>>()?;
    let names: Vec<String> = RANKS.iter().map(|rank| format!("m = {rank}")).collect();
    let heads: Vec<&str> = std::iter::once("variant").chain(names.iter().map(String::as_str)).collect();
    let mut table = Table::new(&format!("Mean mistakes in {total} rounds"), &heads);
    let mut references = Vec::new();
    for (name, spec) in REFERENCES {
        let learned = |stream: &Vec<Example>| Ok(cumulative(&learn(&mut *build(spec)?, stream)?, &rounds));
        references.push((name, streams.iter().map(learned).collect::<Result<Vec<_>>>()?));
    }
    for (panel, further) in PANELS {
        references.iter().for_each(|(name, runs)| findings.series.push(curve(panel, name, &rounds, runs)));
        let mut means = Vec::new();
        for rank in RANKS {
            let own = variant(&streams, rank, further, &rounds)?;
            means.push(summary::columns(&own).last().map_or(f64::NAN, |last| last.mean));
            findings.series.push(curve(panel, &format!("m = {rank}"), &rounds, &own));
        }
        table.row(panel, means);
    }
    for (name, runs) in &references {
        table.row(name, [summary::columns(runs).last().map_or(f64::NAN, |last| last.mean)]);
    }
    claims(&table, judged(setup), &mut findings);
    findings.tables.push(table);
    Ok(findings)
}

/// Cumulative mistakes of a variant on each stream.
fn variant(
    streams: &[Vec<Example>],
    rank: usize,
    further: Option<&str>,
    rounds: &[usize],
) -> Result<Vec<Vec<f64>>> {
    let of = |(seed, stream): (usize, &Vec<Example>)| {
        let wrong = match further {
            Some(further) => learn(&mut *build(&factored(rank, further))?, stream)?,
            None => sigma_side(stream, rank, seed as u64 + 1)?,
        };
        Ok(cumulative(&wrong, rounds))
    };
    streams.iter().enumerate().map(of).collect()
}

/// Which examples the variant on the side of Σ predicts wrongly.
fn sigma_side(stream: &[Example], rank: usize, seed: u64) -> Result<Vec<bool>> {
    let rule: &dyn Rule = &CwStdev { phi: phi_of_confidence(0.9) };
    let features = dimension(stream);
    let (mut store, mut p) = (SigmaSide::new(features, rank, seed), Projection::default());
    let mut round = |(x, class): &Example| {
        store.project(x.features(), 0, &mut p);
        let y = if *class == 1 { 1.0 } else { -1.0 };
        let wrong = usize::from(p.mean >= 0.0) != *class;
        if let Some(step) = rule.checked_step(y * p.mean, p.variance, 1.0) {
            store.absorb(x.features(), 0, &mut p, Step { alpha: y * step.alpha, ..step })?;
        }
        Ok(wrong)
    };
    stream.iter().map(&mut round).collect()
}

fn claims(table: &Table, judged: &[usize], findings: &mut Findings) {
    let mean = |panel: &str, rank: usize| table.number(panel, &format!("m = {rank}")).unwrap_or(f64::NAN);
    let fact = |rank| mean(PANELS[0].0, rank);
    let near = (mean(PANELS[1].0, 8) - fact(8)).abs() < 0.15 * fact(8);
    findings.claim("without the buffer the mistakes are nearly the same (m = 8)", near);
    findings.claim(
        format!("the buffer alone is worse than CW-fact (columns: {judged:?})"),
        judged.iter().all(|&rank| mean(PANELS[2].0, rank) > fact(rank)),
    );
    findings.claim(
        format!("the side of Σ is worse than CW-fact (columns: {judged:?})"),
        judged.iter().all(|&rank| mean(PANELS[3].0, rank) > fact(rank)),
    );
}

fn draw(findings: &Findings) -> Figure {
    let panels = PANELS.iter().map(|(panel, _)| cumulative_panel(panel, findings, panel));
    Figure::new(2, panels.collect())
}
