//! The figure of `train`: how the error fell.

use super::{Area, Axis, Chart, ChartMark, Figure, MarkShape, Series, color};
use crate::train::Curve;
use crate::words::thousands;

/// Before so many examples an error is mostly luck; it is left out if there are enough.
const SETTLED: u64 = 8;
/// More passes than this are not named one by one, nor are changes, which are marked at the edge then.
const NAMED: usize = 12;
/// Stretches that the linear chart has at least, if there are as many examples,
const STRETCHES: u64 = 20;
/// and where the data changed: there it matters how fast the error falls again.
const STRETCHES_OF_CHANGES: u64 = 60;

/// The progressive error of a run: of the first pass on a logarithmic scale, which shows the beginning, and of all passes on a
/// linear one, which shows the rest; the held-out error if there is one. Where the data changed there is the linear chart alone,
/// with the places marked: on a logarithmic scale what is late has no room. `heading` says of what, see [`heading`](super::heading).
///
/// ```
/// use surefoot::{plot, train::Curve};
///
/// let mut curve = Curve::default();
/// (0..1000).map(|round| curve.round(round % 7 == 0)).for_each(|_| ());
/// curve.end_pass();
/// let svg = plot::error_curve(&curve, "mail.tsv · arow").to_svg();
/// assert!(svg.contains("mail.tsv · arow: 14.3 % error") && svg.contains("error in the last 50 examples"));
/// ```
#[must_use]
pub fn error_curve(curve: &Curve, heading: &str) -> Figure {
    let share = curve.points(0).last().map_or(0.0, |point| point.error);
    let first = if curve.passes() > 1 { " in the first pass" } else { "" };
    let title = format!("{heading}: {:.1} % error{first}", 100.0 * share);
    let examples = thousands(curve.examples(0));
    let of = match curve.passes() {
        0 | 1 => String::new(),
        passes => format!(" in {passes} passes; the error is that of the first"),
    };
    let subtitle = format!("{examples} examples{of}, each predicted before it was learned from");
    with_charts(Figure::titled(&title, &subtitle), curve)
}

/// The charts of the error curve alone, for a page that says the rest.
pub(crate) fn error_charts(curve: &Curve) -> Figure {
    with_charts(Figure::default(), curve)
}

fn with_charts(sheet: Figure, curve: &Curve) -> Figure {
    if !curve.changes().is_empty() {
        return sheet.with(Area::new(0.0, 0.0, 1060.0, 420.0), all_passes(curve));
    }
    sheet
        .with(Area::new(0.0, 0.0, 500.0, 400.0), beginning(curve))
        .with(Area::new(500.0, 0.0, 560.0, 400.0), all_passes(curve))
}

/// The first pass on a logarithmic scale.
fn beginning(curve: &Curve) -> Chart {
    let total = curve.examples(0);
    let first = if total >= 8 * SETTLED { SETTLED } else { 1 };
    let shown = || curve.points(0).filter(|point| point.examples >= first);
    let so_far = shown().map(|point| (point.examples as f64, point.error)).collect();
    let latest = curve.latest_half(0).into_iter().filter(|point| point.0 >= first);
    let latest = latest.map(|(examples, share)| (examples as f64, share)).collect();
    chart(
        if curve.passes() > 1 { "First pass, from its beginning" } else { "From the beginning" },
        Axis::log("examples learned from (logarithmic)", first as f64, total as f64),
        vec![
            Series::new("error in the latest half", color::ORANGE, MarkShape::Line, latest),
            Series::new("error so far", color::BLUE, MarkShape::Line, so_far),
        ],
    )
}

/// All passes one after the other on a linear scale.
fn all_passes(curve: &Curve) -> Chart {
    // How many examples came before each pass, and at the end.
    let mut starts = vec![0];
    for pass in 0..curve.passes() {
        starts.push(starts[pass] + curve.examples(pass));
    }
    let total = starts.last().copied().unwrap_or(0);
    let least = if curve.changes().is_empty() { STRETCHES } else { STRETCHES_OF_CHANGES };
    let stretch = stretch(curve.examples(0), least);
    let mut series = Vec::new();
    for (pass, start) in starts[..starts.len() - 1].iter().enumerate() {
        let at = |(examples, share): (u64, f64)| ((start + examples) as f64, share);
        let (own, so_far) =
            (curve.stretches(pass, stretch), curve.points(pass).map(|p| (p.examples, p.error)));
        // The first stretches of a pass are those of a model that knows nothing.
        let so_far = so_far.filter(|point| point.0 >= curve.examples(pass) / 30);
        let name = |name: String| if pass == 0 { name } else { String::new() };
        let recent = name(format!("error in the last {} examples", thousands(stretch)));
        series.push(Series::new(&recent, color::ORANGE, MarkShape::Line, own.into_iter().map(at).collect()));
        let all =
            name(if curve.passes() > 1 { "error so far in the pass".into() } else { "error so far".into() });
        series.push(Series::new(&all, color::BLUE, MarkShape::Line, so_far.map(at).collect()));
    }
    let ends =
        curve.held_out().iter().filter_map(|(pass, error)| Some((*starts.get(pass + 1)? as f64, *error)));
    let held_out: Vec<_> = ends.collect();
    if !held_out.is_empty() {
        series.push(Series::new("held-out error", color::GREEN, MarkShape::Dots, held_out));
    }
    let (title, x, passes) = match curve.passes() {
        0 | 1 => (title_of_changes(curve.changes().len()), "examples learned from", 0),
        passes => (
            "All passes: later ones meet examples again".to_owned(),
            "examples learned from, all passes together",
            passes,
        ),
    };
    let marks = marks(&starts[..passes]).chain(changes(curve)).collect();
    Chart { marks, ..chart(&title, Axis::linear(x, 0.0, total as f64), series) }
}

fn chart(title: &str, x: Axis, series: Vec<Series>) -> Chart {
    let heights = series.iter().flat_map(|series| &series.points).map(|point| point.1);
    let y = Axis::share("error", heights.fold(0.0, f64::max));
    Chart { title: title.into(), x, y, series, marks: Vec::new() }
}

/// A round number of examples of which the pass has at least so many.
fn stretch(examples: u64, least: u64) -> u64 {
    let rounds = (0..18).flat_map(|power| [1, 2, 5].map(|head| head * 10_u64.pow(power)));
    rounds.take_while(|stretch| stretch * least <= examples).last().unwrap_or(1)
}

fn marks(starts: &[u64]) -> impl Iterator<Item = ChartMark> {
    let many = starts.len() > NAMED;
    let name = move |pass: usize| if many { String::new() } else { format!("pass {}", pass + 1) };
    starts.iter().enumerate().map(move |(pass, &at)| ChartMark::part(at as f64, name(pass)))
}

fn title_of_changes(changes: usize) -> String {
    match changes {
        0 => "All examples, evenly".into(),
        1..=NAMED => "The data changed where a line stands".into(),
        many => format!("The data changed {} times, as marked at the upper edge", thousands(many as u64)),
    }
}

/// Where the data changed.
fn changes(curve: &Curve) -> impl Iterator<Item = ChartMark> {
    let short = curve.changes().len() > NAMED;
    let name = move |at| if short { String::new() } else { format!("data changed near {}", thousands(at)) };
    curve.changes().iter().map(move |&at| ChartMark {
        at: at as f64,
        name: name(at),
        color: color::GREY,
        short,
    })
}
