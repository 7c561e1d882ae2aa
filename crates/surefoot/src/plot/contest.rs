//! The figures of `compare` and `tune`: learners by their error, and what their time or a parameter has to do with it.

use super::{Area, Axis, Chart, DotRow, DotRows, Figure, MarkShape, Series, color};
use crate::words::{pairs, short_specs_by_kind, thousands};
use crate::{Comparison, Protocol, Tuning};

/// Settings that are shown one by one.
const SHOWN: usize = 30;
/// Parameters whose values are shown beside the error.
const PARAMETERS: usize = 4;
/// The standard normal deviation of a 95 % interval.
const NORMAL: f64 = 1.96;

/// A learner and how it did.
struct RankedLearner<'a> {
    name: &'a str,
    error: f64,
    seconds: f64,
    /// Errors of folds; empty without.
    folds: &'a [f64],
}

/// The learners of a comparison by their error, with 95 % intervals, and their error against the time that each took.
#[must_use]
pub fn comparison(table: &Comparison, heading: &str) -> Figure {
    let name = |row: &crate::ComparisonRow| match row.default {
        true => format!("{}, the default", row.learner),
        false => row.learner.clone(),
    };
    let rival = |row: &'_ crate::ComparisonRow| (name(row), row.error_rate, row.seconds, row.folds.clone());
    let mut rows: Vec<_> = table.rows.iter().map(rival).collect();
    rows.sort_by(|a, b| a.1.total_cmp(&b.1));
    let rivals: Vec<RankedLearner<'_>> = rows
        .iter()
        .map(|(name, error, seconds, folds)| RankedLearner { name, error: *error, seconds: *seconds, folds })
        .collect();
    let how = match table.protocol {
        Protocol::Progressive => "each example predicted before it was learned from".to_string(),
        Protocol::Folds(folds) => format!("each example predicted once in {folds} folds"),
    };
    let examples = thousands(table.examples);
    let rows = ranking(&rivals, table.examples, true);
    let (width, height) = (rows.width(), rows.height().max(400.0));
    Figure::titled(
        &format!("{heading}: {} learners compared", rivals.len()),
        &format!("{examples} examples, {how}"),
    )
    .with(Area::new(0.0, 0.0, width, rows.height()), rows)
    .with(Area::new(width, 0.0, 460.0, height.min(520.0)), against_time(&rivals))
}

/// The settings of a search by their error, the best first, and the error against each parameter that has several values.
#[must_use]
pub fn tuning(table: &Tuning, heading: &str) -> Figure {
    let names = short_names(table);
    let rival = |(row, name): (&crate::Setting, &'_ String)| (name.clone(), row.error_rate, row.seconds);
    let all: Vec<_> = table.rows.iter().zip(&names).map(rival).collect();
    let rivals: Vec<RankedLearner<'_>> = all
        .iter()
        .take(SHOWN)
        .map(|(name, error, seconds)| RankedLearner { name, error: *error, seconds: *seconds, folds: &[] })
        .collect();
    let rows = ranking(&rivals, table.examples, false);
    let width = rows.width();
    let left_out = table.rows.len().saturating_sub(SHOWN);
    let more = if left_out > 0 { format!(", the best {SHOWN} shown one by one") } else { String::new() };
    let by = if table.metric == "error-rate" {
        String::new()
    } else {
        format!(", the best by {} first", table.metric)
    };
    let examples = thousands(table.examples);
    let mut figure = Figure::titled(
        &format!("{heading}: {} settings tried", table.rows.len()),
        &format!("{examples} examples, each predicted before it was learned from{by}{more}"),
    )
    .with(Area::new(0.0, 0.0, width, rows.height()), rows);
    for (at, chart) in against_parameters(table).into_iter().take(PARAMETERS).enumerate() {
        let (column, row) = (at / 2, at % 2);
        let area = Area::new(width + 400.0 * column as f64, 330.0 * row as f64, 400.0, 320.0);
        figure = figure.with(area, chart);
    }
    figure
}

/// `numbered` rows are met again in another chart.
fn ranking(rivals: &[RankedLearner<'_>], examples: u64, numbered: bool) -> DotRows {
    let row = |(at, rival): (usize, &RankedLearner<'_>)| DotRow {
        name: if numbered { format!("{} ({})", rival.name, at + 1) } else { rival.name.to_string() },
        value: rival.error,
        interval: interval(rival, examples),
        marked: at == 0,
    };
    let rows: Vec<DotRow> = rivals.iter().enumerate().map(row).collect();
    let low = rows.iter().map(|row| row.interval.0).fold(1.0, f64::min);
    let high = rows.iter().map(|row| row.interval.1).fold(0.0, f64::max);
    let how = if rivals.iter().any(|rival| !rival.folds.is_empty()) { ", over the folds" } else { "" };
    DotRows {
        title: format!("Error with 95 % interval{how}"),
        x: Axis::share_between("error", low, high),
        rows,
    }
}

/// Of folds the mean ± 1.96 standard errors; otherwise Wilson's interval of a share.
fn interval(rival: &RankedLearner<'_>, examples: u64) -> (f64, f64) {
    let (n, p) = (rival.folds.len() as f64, rival.error);
    if n > 1.0 {
        let mean = rival.folds.iter().sum::<f64>() / n;
        let variance = rival.folds.iter().map(|error| (error - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let off = NORMAL * (variance / n).sqrt();
        return ((p - off).max(0.0), (p + off).min(1.0));
    }
    let (n, square) = (examples.max(1) as f64, NORMAL * NORMAL);
    let middle = (p + square / (2.0 * n)) / (1.0 + square / n);
    let off = NORMAL / (1.0 + square / n) * (p * (1.0 - p) / n + square / (4.0 * n * n)).sqrt();
    ((middle - off).max(0.0), (middle + off).min(1.0))
}

/// The candidates as short as can be: the learner, and the flags that change its features.
fn short_names(table: &Tuning) -> Vec<String> {
    let specs: Vec<&str> = table.rows.iter().map(|row| row.learner.as_str()).collect();
    let named = table.rows.iter().zip(short_specs_by_kind(&specs));
    named.map(|(row, name)| row.described(&name)).collect()
}

fn against_time(rivals: &[RankedLearner<'_>]) -> Chart {
    // A clock may be too coarse for a short stream; on a logarithmic scale there is no 0.
    let seconds = |rival: &RankedLearner<'_>| rival.seconds.max(1e-4);
    let points = rivals.iter().map(|rival| (seconds(rival), rival.error)).collect();
    let labels = (1..=rivals.len()).map(|place| place.to_string()).collect();
    let errors = || rivals.iter().map(|rival| rival.error);
    let (low, high) = (errors().fold(1.0, f64::min), errors().fold(0.0, f64::max));
    Chart {
        title: "Error against time: lower left is better".into(),
        x: Axis::ratios("seconds in the learner alone (logarithmic)", rivals.iter().map(seconds)),
        y: Axis::share_between("error", low, high),
        series: vec![Series { labels, ..Series::new("", color::BLUE, MarkShape::Dots, points) }],
        marks: Vec::new(),
    }
}

/// One chart for every parameter with several numbers as values: all settings as dots, and a line through the best of each value.
fn against_parameters(table: &Tuning) -> Vec<Chart> {
    let mut found: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    // Other features would stand beside each other at the same value, and the members of an ensemble have parameters each.
    for row in table.rows.iter().filter(|row| row.features.is_empty() && !row.learner.contains('(')) {
        for (name, value) in pairs(&row.learner).filter_map(|pair| pair.split_once('=')) {
            let Ok(value) = value.parse::<f64>() else { continue };
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, points)) => points.push((value, row.error_rate)),
                None => found.push((name.to_string(), vec![(value, row.error_rate)])),
            }
        }
    }
    let several = |points: &[(f64, f64)]| points.iter().any(|point| point.0 != points[0].0);
    found.iter().filter(|(_, points)| several(points)).map(|(name, points)| parameter(name, points)).collect()
}

fn parameter(name: &str, points: &[(f64, f64)]) -> Chart {
    let mut best: Vec<(f64, f64)> = Vec::new();
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    for point in &sorted {
        if best.last().is_none_or(|last| last.0 != point.0) {
            best.push(*point);
        }
    }
    let (first, last) = (sorted[0].0, sorted[sorted.len() - 1].0);
    let x = match first > 0.0 && last / first > 20.0 {
        true => Axis::ratios(&format!("{name} (logarithmic)"), sorted.iter().map(|point| point.0)),
        false => Axis::linear(name, first - 0.04 * (last - first), last + 0.04 * (last - first)),
    };
    let errors = || points.iter().map(|point| point.1);
    Chart {
        title: format!("Error against {name}"),
        x,
        y: Axis::share_between("error", errors().fold(1.0, f64::min), errors().fold(0.0, f64::max)),
        series: vec![
            Series::new("settings", color::SKY, MarkShape::Dots, sorted),
            Series::new("the best of each value", color::ORANGE, MarkShape::Line, best),
        ],
        marks: Vec::new(),
    }
}
