//! Names with a number each: a dot in every row, and how far it may be off.

use super::svg::{Anchor, GRID, Style, Svg};
use super::text::{abbreviated, width};
use super::{Area, Axis, color};

/// One row.
#[derive(Debug, Clone)]
pub struct DotRow {
    /// What it is of.
    pub name: String,
    /// Its number.
    pub value: f64,
    /// Between which numbers it may be.
    pub interval: (f64, f64),
    /// Whether it is to be seen first.
    pub marked: bool,
}

/// Rows below each other.
#[derive(Debug, Clone)]
pub struct DotRows {
    /// What is shown.
    pub title: String,
    /// The axis of the numbers.
    pub x: Axis,
    /// From top to bottom.
    pub rows: Vec<DotRow>,
}

/// The height of a row.
const ROW: f64 = 20.0;
/// Letters of a name that are shown.
const LETTERS: usize = 60;
/// Letters of a name that leave enough of the usual width for the numbers.
const SHORT: usize = 44;

impl DotRows {
    /// The height that it takes.
    #[must_use]
    pub fn height(&self) -> f64 {
        40.0 + ROW * self.rows.len().max(1) as f64 + 52.0
    }

    /// The width that leaves enough for the numbers beside the names.
    #[must_use]
    pub fn width(&self) -> f64 {
        let long = self.rows.iter().any(|row| row.name.chars().count() > SHORT);
        if long { 680.0 } else { 580.0 }
    }

    pub(super) fn draw(&self, area: Area, svg: &mut Svg) {
        let names: Vec<String> = self.rows.iter().map(|row| row.name.clone()).collect();
        let names = abbreviated(&names, LETTERS);
        let widest = names.iter().map(|name| width(name, 12)).fold(30.0, f64::max);
        let inner =
            area.inside(24.0 + widest, 40.0, 24.0, area.height - 40.0 - ROW * names.len().max(1) as f64);
        svg.text((area.left + 16.0, area.top + 22.0), &self.title, Style::new(Anchor::Start, 14).bold());
        for tick in self.x.ticks() {
            let x = inner.left + inner.width * self.x.place(tick);
            svg.line(&[(x, inner.top), (x, inner.bottom())], GRID, 1.0, "");
        }
        self.x.draw_below(inner, svg);
        for (at, (row, name)) in self.rows.iter().zip(&names).enumerate() {
            let y = inner.top + ROW * (at as f64 + 0.5);
            let place = |value: f64| (inner.left + inner.width * self.x.place(value).clamp(0.0, 1.0), y);
            let color = if row.marked { color::ORANGE } else { color::BLUE };
            let style = Style::new(Anchor::End, 12);
            svg.text((inner.left - 10.0, y + 4.0), name, if row.marked { style.bold() } else { style });
            svg.line(&[place(row.interval.0), place(row.interval.1)], color, 2.0, "");
            svg.dot(place(row.value), 5.0, color);
        }
    }
}
