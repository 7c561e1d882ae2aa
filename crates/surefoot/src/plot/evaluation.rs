//! The figure of `test`: are the probabilities right, what is taken for what, and what if only sure predictions are kept?

use std::collections::BTreeMap;

use super::{Area, Axis, Chart, Figure, HeatCell, HeatMap, MarkShape, Series, Unit, color};
use crate::Evaluation;
use crate::words::thousands;

/// More labels than this are not shown: cells would be smaller than pixels.
const LABELS: usize = 200;
/// The column of examples for which the model knew no label.
const NOTHING: &str = "(nothing)";
/// The width and height of a chart.
const CHART: (f64, f64) = (400.0, 370.0);

/// The confusion matrix, of two labels the curves of ROC and of precision over recall beside it, the reliability diagram with
/// the number of predictions behind it, and the accuracy of the surest. `heading` says of what, see
/// [`heading`](super::heading).
#[must_use]
pub fn evaluation(found: &Evaluation, heading: &str) -> Figure {
    let right = 100.0 * (1.0 - found.error_rate());
    let examples = thousands(found.examples);
    let title = match found.metric("f1-micro") {
        Some(f1) => format!("{heading}: micro F1 {f1:.3} on {examples} examples"),
        None => format!("{heading}: {right:.1} % of {examples} examples right"),
    };
    let map = confusion(found);
    let ((map_width, map_height), (width, height)) = (map.size(), CHART);
    let sheet = Figure::titled(&title, &summary(found));
    if found.ranked.points.is_empty() {
        let left = map_width + 24.0;
        return sheet
            .with(Area::new(0.0, 0.0, map_width, map_height), map)
            .with(Area::new(left, 0.0, width + 20.0, height), reliability(found))
            .with(Area::new(left, height, width + 20.0, 170.0), numbers(found))
            .with(Area::new(left, height + 170.0, width + 20.0, height - 40.0), coverage(found));
    }
    let (first, below) = (map_width.max(width), map_height.max(height) + 16.0);
    sheet
        .with(Area::new(0.0, 0.0, map_width, map_height), map)
        .with(Area::new(first, 0.0, width, height), roc(found))
        .with(Area::new(first + width, 0.0, width, height), precision_recall(found))
        .with(Area::new(0.0, below, first, height), reliability(found))
        .with(Area::new(first, below, width, height), coverage(found))
        .with(Area::new(first + width, below, width, height), numbers(found))
}

/// Log loss and, where a label is rare, what to look at beside the error.
fn summary(found: &Evaluation) -> String {
    let mut parts = Vec::new();
    if let (Some(by_label), Some(loss)) = (found.metric("f1-macro"), found.metric("hamming-loss")) {
        parts.push(format!("macro F1 {by_label:.3}, Hamming loss {loss:.4}"));
    }
    if let Some(loss) = found.metric("log-loss") {
        parts.push(format!("log loss {loss:.3}"));
    }
    if let Some(rarest) = found.rarest_label.as_ref().filter(|rarest| rarest.rare) {
        parts.push(format!("rarest label {}, {:.1} % of the examples", rarest.label, 100.0 * rarest.share));
        parts.extend(
            rarest.telling(&found.metrics).into_iter().map(|(title, value)| format!("{title} {value:.3}")),
        );
    }
    parts.join(" · ")
}

/// Are predictions of probability p right in a share p of the cases?
pub(crate) fn reliability(found: &Evaluation) -> Chart {
    let bins = found.reliability.iter().filter_map(|bin| Some((bin.probability?, bin.accuracy?, bin.count)));
    let bins: Vec<(f64, f64, u64)> = bins.filter(|bin| bin.2 > 0).collect();
    let points = bins.iter().map(|bin| (bin.0, bin.1)).collect();
    // One deviation of the share right, were the probability the truth: of n coins, √(p(1−p)/n).
    let spread = bins.iter().map(|(p, _, n)| (p * (1.0 - p) / *n as f64).sqrt()).collect();
    let error = found
        .metric("calibration-error")
        .map_or_else(String::new, |e| format!(": off by {:.1} points on average", 100.0 * e));
    let dots = Series::new("predictions ± one deviation", color::BLUE, MarkShape::Dots, points);
    Chart {
        title: format!("Probabilities{error}"),
        x: Axis::share("probability given", 1.0),
        y: Axis::share("share that was right", 1.0),
        series: vec![diagonal("as it should be"), Series { spread, ..dots }],
        marks: Vec::new(),
    }
}

fn diagonal(name: &str) -> Series {
    Series::new(name, color::GREY, MarkShape::Dashes, vec![(0.0, 0.0), (1.0, 1.0)])
}

fn numbers(found: &Evaluation) -> Chart {
    let width = 1.0 / found.reliability.len().max(1) as f64;
    let bar = |bin: &crate::Bin| (bin.from + width / 2.0, bin.count as f64);
    let bars: Vec<_> = found.reliability.iter().filter(|bin| bin.count > 0).map(bar).collect();
    let most = bars.iter().map(|bar| bar.1).fold(1.0, f64::max);
    Chart {
        title: "How many predictions have which probability".into(),
        x: Axis { unit: Unit::Share, ..Axis::linear("probability given", 0.0, 1.0) },
        y: Axis::linear("examples", 0.0, most),
        series: vec![Series::new("", color::SKY, MarkShape::Bars(width), bars)],
        marks: Vec::new(),
    }
}

/// How accurate the surest predictions are.
pub(crate) fn coverage(found: &Evaluation) -> Chart {
    let points: Vec<_> = found.ranked.coverage.iter().map(|point| (point.coverage, point.accuracy)).collect();
    // Where a row may have several labels these are the predicted ones, and all of them the last point.
    let last = || points.last().map_or(0.0, |point| point.1);
    let all = found.metric("accuracy").unwrap_or_else(last);
    // The very surest are a handful, whose accuracy jumps: they do not say where the axis begins.
    let settled = points.iter().filter(|point| point.0 > 0.05).map(|point| point.1);
    let lowest = settled.fold(all, f64::min);
    let level = Series::new("all predictions", color::GREY, MarkShape::Dashes, vec![(0.0, all), (1.0, all)]);
    Chart {
        title: "If only the surest predictions are kept".into(),
        x: Axis::share("share that is kept", 1.0),
        y: Axis::share_between("accuracy of those", lowest, 1.0),
        series: vec![level, Series::new("the surest", color::BLUE, MarkShape::Line, points)],
        marks: Vec::new(),
    }
}

/// The curve of ROC of the rarer of two labels.
pub(crate) fn roc(found: &Evaluation) -> Chart {
    let points = found.ranked.points.iter().map(|point| (point.false_alarms, point.found));
    let points = std::iter::once((0.0, 0.0)).chain(points).collect();
    Chart {
        title: format!("ROC: area {:.3}", found.metric("roc-auc").unwrap_or(0.0)),
        x: Axis::share(&format!("share of the others taken for {}", rarer(found)), 1.0),
        y: Axis::share(&format!("share of {} found", rarer(found)), 1.0),
        series: vec![diagonal("guessing"), Series::new("this model", color::BLUE, MarkShape::Line, points)],
        marks: Vec::new(),
    }
}

/// Precision over recall of the rarer of two labels.
pub(crate) fn precision_recall(found: &Evaluation) -> Chart {
    let points = found.ranked.points.iter().map(|point| (point.found, point.precision));
    let share = found.rarest_label.as_ref().map_or(0.5, |rarest| rarest.share);
    let level = Series::new("guessing", color::GREY, MarkShape::Dashes, vec![(0.0, share), (1.0, share)]);
    Chart {
        title: format!("Precision and recall: area {:.3}", found.metric("pr-auc").unwrap_or(0.0)),
        x: Axis::share(&format!("recall: share of {} found", rarer(found)), 1.0),
        y: Axis::share("precision: share of those that are it", 1.0),
        series: vec![level, Series::new("this model", color::BLUE, MarkShape::Line, points.collect())],
        marks: Vec::new(),
    }
}

fn rarer(found: &Evaluation) -> String {
    super::text::without_middle(found.ranked.label.as_deref().unwrap_or_default(), 20, 7)
}

/// What is taken for what; where a row may have several labels, how the most frequent of them are found.
pub(crate) fn confusion(found: &Evaluation) -> HeatMap {
    if found.several_labels {
        return frequent(found);
    }
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
            text: thousands(pair.count),
        })
    };
    let hidden = found.classes.len().saturating_sub(LABELS);
    let note = if hidden > 0 { format!(": {hidden} rarer labels left out") } else { String::new() };
    HeatMap {
        title: format!("What is taken for what{note}"),
        row_title: "true label".into(),
        column_title: "taken for: →".into(),
        share_title: "of the row".into(),
        cells: found.confusion.iter().filter_map(cell).collect(),
        rows,
        columns,
    }
}

/// Labels that are shown where a row may have several.
const FREQUENT: usize = 30;

/// Precision, recall and F1 of the most frequent labels.
fn frequent(found: &Evaluation) -> HeatMap {
    let mut classes: Vec<&crate::ClassScores> = found.classes.iter().collect();
    classes.sort_by_key(|class| std::cmp::Reverse(class.support));
    classes.truncate(FREQUENT);
    let row = |(row, class): (usize, &&crate::ClassScores)| {
        let numbers = [class.precision, class.recall, class.f1].into_iter().enumerate();
        let cell = move |(column, share): (usize, Option<f64>)| {
            share.map(|share| HeatCell { row, column, share, text: format!("{:.0}", 100.0 * share) })
        };
        numbers.filter_map(cell).collect::<Vec<_>>()
    };
    let hidden = found.classes.len() - classes.len();
    let note = if hidden > 0 { format!(": {hidden} rarer labels left out") } else { String::new() };
    HeatMap {
        title: format!("How well labels are found{note}"),
        row_title: "label, the most frequent first".into(),
        column_title: String::new(),
        share_title: "per cent".into(),
        cells: classes.iter().enumerate().flat_map(row).collect(),
        rows: classes.iter().map(|class| class.label.clone()).collect(),
        columns: ["precision", "recall", "F1"].map(String::from).to_vec(),
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
