//! Panels to SVG.

use super::axis::Span;
use super::svg::{Anchor, Svg};
use super::{COLOURS, Figure, Layer, Panel, Shape};

/// Size of the box between the axes, and the room around it.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 34.0;
const LINE: f64 = 18.0;

/// What a letter of the font takes, roughly.
const LETTER: f64 = 7.5;

impl Figure {
    /// The picture.
    #[must_use]
    pub fn svg(&self) -> String {
        let mut svg = Svg::default();
        let columns = self.columns.min(self.panels.len()).max(1);
        let widest = self.panels.iter().map(Panel::width).fold(WIDTH, f64::max);
        let width = columns as f64 * (LEFT + widest + RIGHT);
        let shared = self.shared_legend();
        let mut y = 0.0;
        for (row, panels) in self.panels.chunks(columns).enumerate() {
            let below = panels.iter().map(|p| below(p, !shared)).fold(0.0, f64::max);
            for (column, panel) in panels.iter().enumerate() {
                let corner = (column as f64 * (LEFT + widest + RIGHT) + LEFT, y + TOP);
                panel.draw(row * columns + column, corner, !shared, &mut svg);
            }
            y += TOP + HEIGHT + below;
        }
        if let (true, Some(panel)) = (shared, self.panels.first()) {
            y = legend(panel, LEFT, y, width - LEFT, &mut svg) + 8.0;
        }
        svg.finish(width, y)
    }

    /// Whether several panels show the same things: one legend then serves all.
    fn shared_legend(&self) -> bool {
        let first = self.panels.first().map(Panel::legend).unwrap_or_default();
        self.panels.len() > 1 && self.panels.iter().all(|panel| panel.legend() == first)
    }
}

/// The room that a panel takes below its box.
fn below(panel: &Panel, with_legend: bool) -> f64 {
    let ticks = if tilted(panel) { 12.0 + 0.6 * LETTER * longest(&panel.x.categories) } else { 22.0 };
    let label = if panel.x.label.is_empty() { 0.0 } else { LINE };
    let rows = if with_legend { legend_rows(panel, panel.width()).len() as f64 } else { 0.0 };
    ticks + label + rows * LINE + 14.0
}

fn longest(names: &[String]) -> f64 {
    names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64
}

/// Whether the names of the categories do not fit side by side.
fn tilted(panel: &Panel) -> bool {
    let names = &panel.x.categories;
    longest(names) * LETTER * names.len() as f64 > panel.width()
}

fn legend_width(name: &str) -> f64 {
    46.0 + LETTER * name.chars().count() as f64
}

type Entry<'a> = (&'a str, usize, bool);

fn legend_rows(panel: &Panel, width: f64) -> Vec<Vec<Entry<'_>>> {
    let (mut rows, mut used): (Vec<Vec<Entry<'_>>>, f64) = (Vec::new(), f64::INFINITY);
    for entry in panel.legend() {
        if used + legend_width(entry.0) > width {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += legend_width(entry.0);
        if let Some(row) = rows.last_mut() {
            row.push(entry);
        }
    }
    rows
}

/// Draws the legend from a corner on; gives its lower end.
fn legend(panel: &Panel, left: f64, top: f64, width: f64, svg: &mut Svg) -> f64 {
    let mut y = top;
    for row in legend_rows(panel, width) {
        y += LINE;
        let mut x = left;
        for (name, colour, dashed) in row {
            let dash = if dashed { "stroke-dasharray=\"6 4\"" } else { "" };
            let style = format!("stroke=\"{}\" stroke-width=\"4\" {dash}", colour_of(colour));
            svg.line((x, y - 4.0), (x + 24.0, y - 4.0), &style);
            svg.text(x + 30.0, y, Anchor::Start, name);
            x += legend_width(name);
        }
    }
    y
}

fn colour_of(colour: usize) -> &'static str {
    COLOURS[colour % COLOURS.len()]
}

/// From numbers to pixels.
struct Frame {
    corner: (f64, f64),
    width: f64,
    x: Span,
    y: Span,
}

impl Frame {
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.corner.0 + self.width * self.x.place(x), self.corner.1 + HEIGHT * (1.0 - self.y.place(y)))
    }
}

impl Panel {
    fn width(&self) -> f64 {
        WIDTH * self.breadth
    }

    fn draw(&self, id: usize, corner: (f64, f64), with_legend: bool, svg: &mut Svg) {
        let frame = self.frame(corner);
        let middle = corner.0 + self.width() / 2.0;
        svg.styled(middle, corner.1 - 12.0, Anchor::Middle, &self.title, "font-weight=\"bold\"");
        self.axes(&frame, svg);
        svg.clip(id, corner, (self.width(), HEIGHT));
        let bars = self.layers.iter().filter(|layer| matches!(layer.shape, Shape::Bars { .. })).count();
        let mut bar = 0;
        for layer in &self.layers {
            layer.draw(&frame, (bar, bars), svg);
            bar += usize::from(matches!(layer.shape, Shape::Bars { .. }));
        }
        svg.unclip();
        if with_legend {
            legend(self, corner.0, corner.1 + HEIGHT + below(self, false) - 10.0, self.width(), svg);
        }
    }

    fn frame(&self, corner: (f64, f64)) -> Frame {
        let points: Vec<(f64, f64)> = self.layers.iter().flat_map(Layer::extent).collect();
        let mut x = Span::new(&self.x, points.iter().map(|p| p.0));
        let mut y = Span::new(&self.y, points.iter().map(|p| p.1));
        if self.square {
            // The shorter of the two spans grows on both sides.
            let unit = ((x.high - x.low) / self.width()).max((y.high - y.low) / HEIGHT);
            for (span, pixels) in [(&mut x, self.width()), (&mut y, HEIGHT)] {
                let middle = (span.low + span.high) / 2.0;
                (span.low, span.high) = (middle - unit * pixels / 2.0, middle + unit * pixels / 2.0);
            }
        }
        Frame { corner, width: self.width(), x, y }
    }

    fn axes(&self, frame: &Frame, svg: &mut Svg) {
        let (left, top) = frame.corner;
        let bottom = top + HEIGHT;
        for (y, text) in frame.y.ticks() {
            let at = frame.at((0.0, y)).1;
            svg.line((left, at), (left + self.width(), at), "stroke=\"#dddddd\"");
            svg.text(left - 6.0, at + 4.5, Anchor::End, &text);
        }
        if self.x.categories.is_empty() {
            for (x, text) in frame.x.ticks() {
                let at = frame.at((x, frame.y.low)).0;
                svg.line((at, bottom), (at, bottom + 4.0), "stroke=\"#444444\"");
                svg.text(at, bottom + 18.0, Anchor::Middle, &text);
            }
        }
        self.names(frame, bottom, svg);
        svg.rect(frame.corner, (self.width(), HEIGHT), "fill=\"none\" stroke=\"#444444\"");
        let low = bottom + below(self, false) - LINE + 2.0;
        svg.text(left + self.width() / 2.0, low, Anchor::Middle, &self.x.label);
        let (x, y) = (left - 50.0, top + HEIGHT / 2.0);
        svg.styled(x, y, Anchor::Middle, &self.y.label, &format!("transform=\"rotate(-90 {x:.1} {y:.1})\""));
    }

    fn names(&self, frame: &Frame, bottom: f64, svg: &mut Svg) {
        for (i, name) in self.x.categories.iter().enumerate() {
            let (x, y) = (frame.at((i as f64, frame.y.low)).0, bottom + 16.0);
            if tilted(self) {
                svg.styled(
                    x + 4.0,
                    y,
                    Anchor::End,
                    name,
                    &format!("transform=\"rotate(-35 {x:.1} {y:.1})\""),
                );
            } else {
                svg.text(x, y, Anchor::Middle, name);
            }
        }
    }
}

impl Layer {
    /// Points that must be seen.
    fn extent(&self) -> Vec<(f64, f64)> {
        let with_spread = |points: &[(f64, f64)], spread: &[f64]| {
            let spread = spread.iter().copied().chain(std::iter::repeat(0.0));
            points.iter().zip(spread).flat_map(|(&(x, y), s)| [(x, y - s), (x, y + s)]).collect()
        };
        match &self.shape {
            Shape::Line { points, spread, .. } | Shape::Dots { points, spread, .. } => {
                with_spread(points, spread)
            }
            Shape::Bars { values, spread } => {
                let tops: Vec<(f64, f64)> = values.iter().enumerate().map(|(i, &v)| (i as f64, v)).collect();
                let mut all: Vec<(f64, f64)> = with_spread(&tops, spread);
                all.push((0.0, 0.0));
                all
            }
            Shape::Signs(marks) => marks.iter().map(|&(x, y, _)| (x, y)).collect(),
            Shape::Loop(points) => points.clone(),
            Shape::Words(x, y, _) => vec![(*x, *y)],
        }
    }

    /// Draws it; `place` is which of how many bars a category has.
    fn draw(&self, frame: &Frame, place: (usize, usize), svg: &mut Svg) {
        let colour = colour_of(self.colour);
        match &self.shape {
            Shape::Line { points, spread, dashed } => line(frame, colour, points, spread, *dashed, svg),
            Shape::Bars { values, spread } => bars(frame, colour, values, spread, place, svg),
            Shape::Dots { points, spread, radius } => {
                for (i, &point) in points.iter().enumerate() {
                    svg.circle(frame.at(point), *radius, &format!("fill=\"{colour}\" fill-opacity=\"0.8\""));
                    spread.get(i).into_iter().for_each(|s| whisker(frame, point, *s, colour, svg));
                }
            }
            Shape::Signs(marks) => marks.iter().for_each(|mark| sign(frame, colour, *mark, svg)),
            Shape::Loop(points) => {
                let style = format!(
                    "fill=\"{colour}\" fill-opacity=\"0.12\" stroke=\"{colour}\" stroke-width=\"1.6\""
                );
                svg.curve(true, points.iter().map(|p| frame.at(*p)), &style);
            }
            Shape::Words(x, y, text) => {
                let (x, y) = frame.at((*x, *y));
                svg.styled(x + 7.0, y + 4.0, Anchor::Start, text, "font-size=\"11\"");
            }
        }
    }
}

fn line(frame: &Frame, colour: &str, points: &[(f64, f64)], spread: &[f64], dashed: bool, svg: &mut Svg) {
    if spread.len() == points.len() {
        let upper = points.iter().zip(spread).map(|(&(x, y), s)| (x, y + s));
        let lower = points.iter().zip(spread).rev().map(|(&(x, y), s)| (x, y - s));
        let style = format!("fill=\"{colour}\" fill-opacity=\"0.15\" stroke=\"none\"");
        svg.curve(true, upper.chain(lower).map(|p| frame.at(p)), &style);
    }
    let dash = if dashed { "stroke-dasharray=\"6 4\"" } else { "" };
    let style =
        format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.2\" stroke-linejoin=\"round\" {dash}");
    svg.curve(false, points.iter().map(|p| frame.at(*p)), &style);
}

fn bars(frame: &Frame, colour: &str, values: &[f64], spread: &[f64], place: (usize, usize), svg: &mut Svg) {
    let width = 0.8 / place.1.max(1) as f64;
    for (i, &value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let left = i as f64 - 0.4 + width * place.0 as f64;
        let base = if frame.y.low > 0.0 { frame.y.low } else { 0.0 };
        let (from, to) = (frame.at((left, value)), frame.at((left + width, base)));
        let top = (from.0, from.1.min(to.1));
        svg.rect(top, (to.0 - from.0, (to.1 - from.1).abs()), &format!("fill=\"{colour}\" stroke=\"white\""));
        let middle = (left + width / 2.0, value);
        spread.get(i).into_iter().for_each(|s| whisker(frame, middle, *s, "#222222", svg));
    }
}

/// An error bar.
fn whisker(frame: &Frame, (x, y): (f64, f64), spread: f64, colour: &str, svg: &mut Svg) {
    let (upper, lower) = (frame.at((x, y + spread)), frame.at((x, y - spread)));
    let style = format!("stroke=\"{colour}\" stroke-width=\"1.4\"");
    svg.line(upper, lower, &style);
    for (x, y) in [upper, lower] {
        svg.line((x - 4.0, y), (x + 4.0, y), &style);
    }
}

fn sign(frame: &Frame, colour: &str, (x, y, size): (f64, f64, f64), svg: &mut Svg) {
    let ((x, y), half) = (frame.at((x, y)), 11.0 * size.abs());
    let style = format!("stroke=\"{colour}\" stroke-width=\"2.4\"");
    svg.line((x - half, y), (x + half, y), &style);
    if size > 0.0 {
        svg.line((x, y - half), (x, y + half), &style);
    }
}
