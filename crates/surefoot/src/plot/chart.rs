//! Series on two axes.

use super::svg::{Anchor, FAINT, GRID, Style, Svg};
use super::text::width;
use super::{Area, Axis};

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MarkShape {
    /// A line through the points.
    Line,
    /// A dashed line through the points.
    Dashes,
    /// Each point's height holds from the point before up to itself.
    Steps,
    /// A dot at each point.
    Dots,
    /// A bar of this width over each point.
    Bars(f64),
}

/// One series.
#[derive(Debug, Clone)]
pub struct Series {
    /// Its name in the legend; empty for none.
    pub name: String,
    /// Its colour.
    pub color: &'static str,
    /// How it is drawn.
    pub shape: MarkShape,
    /// Where it goes.
    pub points: Vec<(f64, f64)>,
    /// How far the points may be off, up and down; empty if not known.
    pub spread: Vec<f64>,
    /// What stands beside the points, where there is room; empty for nothing.
    pub labels: Vec<String>,
}

impl Series {
    /// A series without spread.
    #[must_use]
    pub fn new(name: &str, color: &'static str, shape: MarkShape, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), color, shape, points, spread: Vec::new(), labels: Vec::new() }
    }
}

/// A vertical line with a name.
#[derive(Debug, Clone)]
pub struct ChartMark {
    /// Where on the x axis.
    pub at: f64,
    /// What begins there.
    pub name: String,
    /// Its colour.
    pub color: &'static str,
    /// Whether it is drawn at the upper edge alone: so many that series would vanish behind them.
    pub short: bool,
}

/// Pixels of a short mark.
const SHORT: f64 = 8.0;

impl ChartMark {
    /// The line where one of several equal parts begins.
    #[must_use]
    pub fn part(at: f64, name: String) -> Self {
        Self { at, name, color: "#bbbbbb", short: false }
    }
}

/// Series on two axes, with a title and a legend.
#[derive(Debug, Clone)]
pub struct Chart {
    /// What is shown.
    pub title: String,
    /// The axis from left to right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// What is drawn, the last on top.
    pub series: Vec<Series>,
    /// Vertical lines behind the series.
    pub marks: Vec<ChartMark>,
}

/// The size of numbers at ticks.
pub(super) const TICK: u32 = 11;
const TITLE: u32 = 14;

impl Chart {
    pub(super) fn draw(&self, area: Area, svg: &mut Svg) {
        let ticks = self.y.ticks();
        let beside = ticks.iter().map(|tick| width(&self.y.label(*tick), TICK)).fold(20.0, f64::max) + 40.0;
        let rows = self.legend_rows(area.width - beside - 18.0);
        let title = if self.title.is_empty() { 12.0 } else { 36.0 };
        // The names of marks stand above the frame, where no line runs through them.
        let marks = if self.marks.is_empty() { 0.0 } else { 14.0 };
        let inner = area.inside(beside, title + 20.0 * rows.len() as f64 + marks, 22.0, 48.0);
        svg.text((area.left + 16.0, area.top + 22.0), &self.title, Style::new(Anchor::Start, TITLE).bold());
        for (row, series) in rows.iter().enumerate() {
            draw_legend_row((inner.left, area.top + title + 9.0 + 20.0 * row as f64), series, svg);
        }
        self.draw_axes(inner, area.left + 18.0, svg);
        let frame = [inner.left - 1.0, inner.top - 6.0, inner.width + 8.0, inner.height + 7.0];
        svg.clipped(frame, |svg| self.series.iter().for_each(|series| self.draw_series(series, inner, svg)));
        self.draw_labels(inner, svg);
    }

    fn at(&self, inner: Area, (x, y): (f64, f64)) -> (f64, f64) {
        (inner.left + inner.width * self.x.place(x), inner.bottom() - inner.height * self.y.place(y))
    }

    fn draw_axes(&self, inner: Area, beside: f64, svg: &mut Svg) {
        let mut free = f64::INFINITY;
        for tick in self.y.ticks() {
            let (_, y) = self.at(inner, (self.x.from, tick));
            svg.line(&[(inner.left, y), (inner.right(), y)], GRID, 1.0, "");
            // In a low chart only every other number has room.
            if y <= free {
                svg.text((inner.left - 8.0, y + 4.0), &self.y.label(tick), Style::new(Anchor::End, TICK));
                free = y - f64::from(TICK) - 3.0;
            }
        }
        self.x.draw_below(inner, svg);
        let mut free = f64::NEG_INFINITY;
        for mark in &self.marks {
            let (x, _) = self.at(inner, (mark.at, self.y.from));
            let bottom = if mark.short { inner.top + SHORT } else { inner.bottom() };
            svg.line(&[(x, inner.top), (x, bottom)], mark.color, 1.0, "");
            let room = width(&mark.name, TICK) + 4.0;
            if x >= free && x + room <= inner.right() + 18.0 {
                svg.text((x, inner.top - 4.0), &mark.name, Style::new(Anchor::Start, TICK));
                free = x + room;
            } else if x - room >= free.max(inner.left) {
                // No room before the right edge.
                svg.text((x, inner.top - 4.0), &mark.name, Style::new(Anchor::End, TICK));
                free = x;
            }
        }
        let middle = (beside, inner.top + inner.height / 2.0);
        svg.text(middle, &self.y.title, Style::new(Anchor::Middle, 12).filled(FAINT).turned(-90));
    }

    /// The named series, as many to a row as there is room for.
    fn legend_rows(&self, room: f64) -> Vec<Vec<&Series>> {
        let (mut rows, mut used): (Vec<Vec<&Series>>, f64) = (Vec::new(), f64::INFINITY);
        for series in self.series.iter().filter(|series| !series.name.is_empty()) {
            let own = legend_width(series);
            if used + own > room {
                (used, _) = (0.0, rows.push(Vec::new()));
            }
            rows.iter_mut().last().into_iter().for_each(|row| row.push(series));
            used += own;
        }
        rows
    }

    /// Labels beside the points, to the right or the left, above or below, where no other label nor point is.
    fn draw_labels(&self, inner: Area, svg: &mut Svg) {
        let points = self.series.iter().flat_map(|series| &series.points).map(|point| self.at(inner, *point));
        let mut taken: Vec<[f64; 4]> = points.map(|(x, y)| [x - 5.0, y - 5.0, x + 5.0, y + 5.0]).collect();
        let room = [inner.left, inner.top - 6.0, inner.right() + 18.0, inner.bottom()];
        for series in &self.series {
            for (point, label) in series.points.iter().zip(&series.labels) {
                let ((x, y), wide) = (self.at(inner, *point), width(label, TICK));
                let places = [
                    (x + 8.0, y + 4.0),
                    (x - 8.0 - wide, y + 4.0),
                    (x - wide / 2.0, y - 9.0),
                    (x - wide / 2.0, y + 17.0),
                ];
                let boxes = places.map(|(left, base)| [left, base - 9.0, left + wide, base + 3.0]);
                let free =
                    |own: &&[f64; 4]| contains(&room, own) && !taken.iter().any(|other| overlap(own, other));
                if let Some(own) = boxes.iter().find(free).copied() {
                    svg.text((own[0], own[3] - 3.0), label, Style::new(Anchor::Start, TICK));
                    taken.push(own);
                }
            }
        }
    }

    fn draw_series(&self, series: &Series, inner: Area, svg: &mut Svg) {
        let at = |point: &(f64, f64)| self.at(inner, *point);
        for ((x, y), spread) in series.points.iter().zip(&series.spread) {
            let whisker = [self.at(inner, (*x, y - spread)), self.at(inner, (*x, y + spread))];
            svg.line(&whisker, series.color, 1.5, "");
        }
        match series.shape {
            MarkShape::Line | MarkShape::Dashes => {
                let points: Vec<_> = series.points.iter().map(at).collect();
                svg.line(&points, series.color, 2.5, dashes(series.shape));
            }
            MarkShape::Steps => {
                let corners = |pair: &[(f64, f64)]| [at(&(pair[0].0, pair[1].1)), at(&pair[1])];
                let points: Vec<_> = series.points.windows(2).flat_map(corners).collect();
                svg.line(&points, series.color, 2.0, dashes(series.shape));
            }
            MarkShape::Dots => series.points.iter().for_each(|point| svg.dot(at(point), 4.5, series.color)),
            MarkShape::Bars(width) => {
                for (x, height) in &series.points {
                    let (left, top) = self.at(inner, (x - width / 2.0, *height));
                    let (right, bottom) = self.at(inner, (x + width / 2.0, self.y.from));
                    svg.rect(
                        [left + 1.0, top, (right - left - 2.0).max(1.0), bottom - top],
                        series.color,
                        1.0,
                    );
                }
            }
        }
    }
}

/// Whether two boxes (left, top, right, bottom) share a place.
pub(super) fn overlap(one: &[f64; 4], other: &[f64; 4]) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

pub(super) fn contains(outer: &[f64; 4], inner: &[f64; 4]) -> bool {
    outer[0] <= inner[0] && outer[1] <= inner[1] && inner[2] <= outer[2] && inner[3] <= outer[3]
}

fn legend_width(series: &Series) -> f64 {
    28.0 + width(&series.name, 12) + 16.0
}

fn draw_legend_row((mut x, y): (f64, f64), row: &[&Series], svg: &mut Svg) {
    for series in row {
        let key = [(x, y - 4.0), (x + 22.0, y - 4.0)];
        match series.shape {
            MarkShape::Dots => svg.dot((x + 11.0, y - 4.0), 4.5, series.color),
            MarkShape::Bars(_) => svg.rect([x + 4.0, y - 10.0, 14.0, 11.0], series.color, 1.0),
            shape => svg.line(&key, series.color, 2.5, dashes(shape)),
        }
        svg.text((x + 28.0, y), &series.name, Style::new(Anchor::Start, 12));
        x += legend_width(series);
    }
}

fn dashes(shape: MarkShape) -> &'static str {
    match shape {
        MarkShape::Dashes => "7 4",
        MarkShape::Steps => "3 2",
        _ => "",
    }
}
