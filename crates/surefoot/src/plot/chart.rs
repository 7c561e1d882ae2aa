//! Series on two axes.

use super::svg::{Anchor, Style, Svg};
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
}

impl Series {
    /// A series without spread.
    #[must_use]
    pub fn new(name: &str, color: &'static str, shape: MarkShape, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), color, shape, points, spread: Vec::new() }
    }
}

/// A vertical line with a name.
#[derive(Debug, Clone)]
pub struct ChartMark {
    /// Where on the x axis.
    pub at: f64,
    /// What begins there.
    pub name: String,
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

const TICK: u32 = 11;
const TITLE: u32 = 14;

impl Chart {
    pub(super) fn draw(&self, area: Area, svg: &mut Svg) {
        let named = self.series.iter().any(|series| !series.name.is_empty());
        let above = if self.title.is_empty() { 10.0 } else { 34.0 } + if named { 22.0 } else { 0.0 };
        let inner = area.inside(66.0, above, 18.0, 48.0);
        svg.text((inner.left, area.top + 22.0), &self.title, Style::new(Anchor::Start, TITLE));
        self.draw_legend((inner.left, inner.top - 12.0), svg);
        self.draw_axes(inner, svg);
        let frame = [inner.left, inner.top - 5.0, inner.width + 6.0, inner.height + 6.0];
        svg.clipped(frame, |svg| self.series.iter().for_each(|series| self.draw_series(series, inner, svg)));
    }

    fn at(&self, inner: Area, (x, y): (f64, f64)) -> (f64, f64) {
        (inner.left + inner.width * self.x.place(x), inner.bottom() - inner.height * self.y.place(y))
    }

    fn draw_axes(&self, inner: Area, svg: &mut Svg) {
        for tick in self.y.ticks() {
            let (_, y) = self.at(inner, (self.x.from, tick));
            svg.line(&[(inner.left, y), (inner.right(), y)], "#dddddd", 1.0, "");
            svg.text((inner.left - 8.0, y + 4.0), &self.y.label(tick), Style::new(Anchor::End, TICK));
        }
        for tick in self.x.ticks() {
            let (x, _) = self.at(inner, (tick, self.y.from));
            svg.line(&[(x, inner.bottom()), (x, inner.bottom() + 5.0)], "#222222", 1.0, "");
            svg.text((x, inner.bottom() + 18.0), &self.x.label(tick), Style::new(Anchor::Middle, TICK));
        }
        for mark in &self.marks {
            let (x, _) = self.at(inner, (mark.at, self.y.from));
            svg.line(&[(x, inner.top), (x, inner.bottom())], "#bbbbbb", 1.0, "");
            svg.text((x + 4.0, inner.top + 11.0), &mark.name, Style::new(Anchor::Start, TICK));
        }
        svg.line(&[(inner.left, inner.bottom()), (inner.right(), inner.bottom())], "#222222", 1.0, "");
        let middle = inner.left + inner.width / 2.0;
        svg.text((middle, inner.bottom() + 38.0), &self.x.title, Style::new(Anchor::Middle, 12));
        let beside = (inner.left - 50.0, inner.top + inner.height / 2.0);
        svg.text(beside, &self.y.title, Style::new(Anchor::Middle, 12).turned(-90));
    }

    fn draw_legend(&self, (mut x, y): (f64, f64), svg: &mut Svg) {
        for series in self.series.iter().filter(|series| !series.name.is_empty()) {
            let key = [(x, y - 4.0), (x + 22.0, y - 4.0)];
            match series.shape {
                MarkShape::Dots => svg.dot((x + 11.0, y - 4.0), 4.5, series.color),
                MarkShape::Bars(_) => svg.rect([x + 4.0, y - 10.0, 14.0, 11.0], series.color),
                shape => svg.line(&key, series.color, 2.5, dashes(shape)),
            }
            svg.text((x + 28.0, y), &series.name, Style::new(Anchor::Start, 12));
            // No font is at hand to measure with; letters of this size are some six and a half pixels wide.
            x += 50.0 + 6.4 * series.name.chars().count() as f64;
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
                    svg.rect([left + 1.0, top, (right - left - 2.0).max(1.0), bottom - top], series.color);
                }
            }
        }
    }
}

fn dashes(shape: MarkShape) -> &'static str {
    match shape {
        MarkShape::Dashes => "7 4",
        MarkShape::Steps => "3 2",
        _ => "",
    }
}
