//! The figure of `test`: are the probabilities right, and what is taken for what?

use std::collections::BTreeMap;

use super::{Area, Axis, Chart, Figure, HeatCell, HeatMap, MarkShape, Series, Unit, color};
use crate::Evaluation;

/// More labels than this are not shown: cells would be smaller than pixels.
const LABELS: usize = 200;
/// The column of examples for which the model knew no label.
const NOTHING: &str = "(nothing)";

/// The reliability diagram, how many predictions stand behind it, and the confusion matrix.
#[must_use]
pub fn reliability_and_confusion(found: &Evaluation) -> Figure {
    Figure::default()
        .with(Area::new(0.0, 0.0, 480.0, 400.0), reliability(found))
        .with(Area::new(0.0, 396.0, 480.0, 164.0), numbers(found))
        .with(Area::new(490.0, 0.0, 560.0, 560.0), confusion(found))
}

fn reliability(found: &Evaluation) -> Chart {
    let bins = found.reliability.iter().filter_map(|bin| Some((bin.probability?, bin.accuracy?, bin.count)));
    let bins: Vec<(f64, f64, u64)> = bins.filter(|bin| bin.2 > 0).collect();
    let points = bins.iter().map(|bin| (bin.0, bin.1)).collect();
    // One deviation of the share right, were the probability the truth: of n coins, √(p(1−p)/n).
    let spread = bins.iter().map(|(p, _, n)| (p * (1.0 - p) / *n as f64).sqrt()).collect();
    let error = found
        .metric("calibration-error")
        .map_or_else(String::new, |e| format!(": off by {:.1} points on average", 100.0 * e));
    let dots = Series::new("predictions ± one deviation", color::BLUE, MarkShape::Dots, points);
    let diagonal = vec![(0.0, 0.0), (1.0, 1.0)];
    let diagonal = Series::new("as it should be", color::GREY, MarkShape::Dashes, diagonal);
    Chart {
        title: format!("Reliability{error}"),
        x: Axis::share("probability given", 1.0),
        y: Axis::share("share that was right", 1.0),
        series: vec![diagonal, Series { spread, ..dots }],
        marks: Vec::new(),
    }
}

fn numbers(found: &Evaluation) -> Chart {
    let width = 1.0 / found.reliability.len().max(1) as f64;
    let bar = |bin: &crate::Bin| (bin.from + width / 2.0, bin.count as f64);
    let bars: Vec<_> = found.reliability.iter().filter(|bin| bin.count > 0).map(bar).collect();
    let most = bars.iter().map(|bar| bar.1).fold(1.0, f64::max);
    Chart {
        title: String::new(),
        x: Axis { unit: Unit::Share, ..Axis::linear("probability given", 0.0, 1.0) },
        y: Axis::linear("examples", 0.0, most),
        series: vec![Series::new("", color::SKY, MarkShape::Bars(width), bars)],
        marks: Vec::new(),
    }
}

fn confusion(found: &Evaluation) -> HeatMap {
    let (rows, columns) = names(found);
    let place = |names: &[String]| -> BTreeMap<String, usize> {
        names.iter().enumerate().map(|(at, name)| (name.clone(), at)).collect()
    };
    let (row_of, column_of) = (place(&rows), place(&columns));
    let mut support: BTreeMap<&str, u64> = BTreeMap::new();
    found.confusion.iter().for_each(|pair| *support.entry(&pair.truth).or_default() += pair.count);
    let cell = |pair: &crate::Confused| {
        let predicted = pair.predicted.as_deref().unwrap_or(NOTHING);
        let total = support.get(pair.truth.as_str()).copied().unwrap_or(1).max(1);
        Some(HeatCell {
            row: *row_of.get(&pair.truth)?,
            column: *column_of.get(predicted)?,
            share: pair.count as f64 / total as f64,
            text: pair.count.to_string(),
        })
    };
    let right = 100.0 * found.metric("accuracy").unwrap_or(0.0);
    let hidden = found.classes.len().saturating_sub(LABELS);
    let note = if hidden > 0 { format!(" ({hidden} rarer labels left out)") } else { String::new() };
    HeatMap {
        title: format!("Confusion: {right:.1} % of {} right{note}", found.examples),
        row_title: "true label".into(),
        column_title: "taken for →".into(),
        share_title: "of the row".into(),
        cells: found.confusion.iter().filter_map(cell).collect(),
        rows,
        columns,
    }
}

/// The labels of the rows and of the columns: those that the model knows, in their order; the commonest if there are
/// too many; below them those that it does not know.
fn names(found: &Evaluation) -> (Vec<String>, Vec<String>) {
    let mut supports: Vec<u64> = found.classes.iter().map(|class| class.support).collect();
    supports.sort_unstable_by_key(|support| std::cmp::Reverse(*support));
    let least = supports.get(LABELS - 1).copied().unwrap_or(0);
    let common = found.classes.iter().filter(|class| class.support >= least).take(LABELS);
    let mut columns: Vec<String> = common.map(|class| class.label.clone()).collect();
    let unknown = found.unknown_labels.iter().take(LABELS - columns.len()).map(|label| label.label.clone());
    let rows = columns.iter().cloned().chain(unknown).collect();
    if found.confusion.iter().any(|pair| pair.predicted.is_none()) {
        columns.push(NOTHING.into());
    }
    (rows, columns)
}
