//! The figure of `train`: how the error fell.

use super::{Axis, Chart, ChartMark, Figure, MarkShape, Series, color};
use crate::train::Curve;

/// Before so many examples an error is mostly luck; it is left out if there are enough.
const SETTLED: u64 = 8;
/// More passes than this are not named one by one.
const NAMED: usize = 12;

/// The progressive error of a run so far and since the row before, pass by pass, and the held-out error if there is one.
///
/// One pass is shown on a logarithmic scale, as the rows of the progress table stand; several passes one after the
/// other on a linear one.
///
/// ```
/// use surefoot::{plot, train::Curve};
///
/// let mut curve = Curve::default();
/// (0..1000).map(|round| curve.round(round % 7 == 0)).for_each(|_| ());
/// curve.end_pass();
/// let svg = plot::error_curve(&curve).to_svg();
/// assert!(svg.contains("14.3 % after 1000 examples"));
/// ```
#[must_use]
pub fn error_curve(curve: &Curve) -> Figure {
    // How many examples came before each pass, and at the end.
    let mut starts = vec![0];
    for pass in 0..curve.passes() {
        starts.push(starts[pass] + curve.examples(pass));
    }
    let total = starts.last().copied().unwrap_or(0);
    let mut series: Vec<Series> = Vec::new();
    for (pass, start) in starts[..starts.len() - 1].iter().enumerate() {
        let first = first_shown(curve.examples(pass), curve.passes());
        let shown = |examples: u64| examples >= first;
        let at = |examples: u64, share: f64| ((start + examples) as f64, share);
        let rows = curve.rows(pass).filter(|row| shown(row.examples)).map(|r| at(r.examples, r.recent));
        let all = curve.points(pass).filter(|point| shown(point.examples)).map(|p| at(p.examples, p.error));
        let name = |name: &'static str| if pass == 0 { name } else { "" };
        series.push(Series::new(name("error so far"), color::BLUE, MarkShape::Line, all.collect()));
        let since = name("error since the row before");
        series.push(Series::new(since, color::ORANGE, MarkShape::Steps, rows.collect()));
    }
    let held_out = curve
        .held_out()
        .iter()
        .filter_map(|(pass, error)| starts.get(pass + 1).map(|&end| (end as f64, *error)));
    let held_out: Vec<_> = held_out.collect();
    if !held_out.is_empty() {
        series.push(Series::new("held-out error", color::GREEN, MarkShape::Dots, held_out));
    }
    let heights = series.iter().flat_map(|series| &series.points).map(|point| point.1);
    let y = Axis::share("error", heights.fold(0.0, f64::max));
    let (x, marks) = match curve.passes() {
        0 | 1 => {
            let first = first_shown(total, 1).max(1);
            (Axis::log("examples learned from (logarithmic)", first as f64, total as f64), Vec::new())
        }
        passes => (
            Axis::linear("examples learned from, all passes together", 0.0, total as f64),
            marks(&starts[..passes]),
        ),
    };
    Figure::of(Chart { title: title(curve), x, y, series, marks })
}

/// On a linear scale the first rows of a pass stand on top of each other.
fn first_shown(examples: u64, passes: usize) -> u64 {
    match passes {
        0 | 1 if examples >= 8 * SETTLED => SETTLED,
        0 | 1 => 1,
        _ => examples / 16,
    }
}

fn marks(starts: &[u64]) -> Vec<ChartMark> {
    let name = |pass: usize| if starts.len() > NAMED { String::new() } else { format!("pass {}", pass + 1) };
    starts.iter().enumerate().map(|(pass, &at)| ChartMark { at: at as f64, name: name(pass) }).collect()
}

fn title(curve: &Curve) -> String {
    let share = curve.points(0).last().map_or(0.0, |point| point.error);
    let examples = curve.examples(0);
    let first = if curve.passes() > 1 { " in the first pass" } else { "" };
    format!("Progressive error{first}: {:.1} % after {examples} examples", 100.0 * share)
}
