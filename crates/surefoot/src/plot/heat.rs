//! Coloured cells: a matrix whose rows and columns have names.

use super::svg::{Anchor, FAINT, GRID, INK, Style, Svg};
use super::text::{abbreviated, width};
use super::{Area, color};

/// One cell that is not empty.
#[derive(Debug, Clone)]
pub struct HeatCell {
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// How dark it is, from 0 to 1.
    pub share: f64,
    /// What stands in it, if there is room.
    pub text: String,
}

/// A matrix as a picture.
#[derive(Debug, Clone)]
pub struct HeatMap {
    /// What is shown.
    pub title: String,
    /// What the rows are.
    pub row_title: String,
    /// What the columns are.
    pub column_title: String,
    /// What the darkness of a cell says.
    pub share_title: String,
    /// Names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// Names of the columns, from left to right.
    pub columns: Vec<String>,
    /// The cells that are not empty.
    pub cells: Vec<HeatCell>,
}

/// Letters of a name that are shown.
const LETTERS: usize = 26;
/// Below this size of a cell in pixels nothing is written into it, nor beside it.
const LEGIBLE: f64 = 14.0;
/// How far names above narrow columns are turned.
const TURN: i32 = -45;

/// Where everything stands.
struct MapLayout {
    side: f64,
    rows: Vec<String>,
    columns: Vec<String>,
    size: u32,
    /// Whether names above the columns are turned.
    turned: bool,
    /// Of the cells.
    left: f64,
    top: f64,
    right: f64,
}

impl HeatMap {
    /// The width and height that it takes: so much that all names and counts can be read.
    #[must_use]
    pub fn size(&self) -> (f64, f64) {
        let layout = self.layout();
        let cells = |names: &[String]| layout.side * names.len().max(1) as f64;
        let title = 16.0 + width(&self.title, 14) + 8.0;
        let key = layout.left + 98.0 + width(&self.key(), 11);
        let wide = (layout.left + cells(&self.columns) + layout.right).max(title).max(key + 8.0);
        (wide, layout.top + cells(&self.rows) + 44.0)
    }

    fn layout(&self) -> MapLayout {
        let most = self.rows.len().max(self.columns.len()).max(1);
        let side = match most {
            0..=2 => 84.0,
            3..=6 => 56.0,
            7..=12 => 42.0,
            13..=24 => 30.0,
            25..=40 => 20.0,
            _ => (720.0 / most as f64).max(3.0),
        };
        let (rows, columns) = (abbreviated(&self.rows, LETTERS), abbreviated(&self.columns, LETTERS));
        let size = (side * 0.55).clamp(9.0, 12.0) as u32;
        let widest = |names: &[String]| names.iter().map(|name| width(name, size)).fold(0.0, f64::max);
        if side < LEGIBLE {
            return MapLayout {
                side,
                rows,
                columns,
                size,
                turned: false,
                left: 44.0,
                top: 62.0,
                right: 16.0,
            };
        }
        let turned = widest(&columns) > side - 6.0;
        let slant = f64::from(-TURN).to_radians();
        // A turned name begins over the middle of its column and may end to the right of the last one.
        let ends = columns.iter().enumerate().map(|(at, name)| {
            width(name, size) * slant.cos() - side * (columns.len() as f64 - at as f64 - 0.5)
        });
        let right = if turned { ends.fold(0.0, f64::max) + 16.0 } else { 16.0 };
        let above = if turned { widest(&columns) * slant.sin() + 10.0 } else { 20.0 };
        MapLayout { side, left: 44.0 + widest(&rows), top: 58.0 + above, rows, columns, size, turned, right }
    }

    pub(super) fn draw(&self, area: Area, svg: &mut Svg) {
        let layout = self.layout();
        let inner = Area::new(
            area.left + layout.left,
            area.top + layout.top,
            layout.side * self.columns.len() as f64,
            layout.side * self.rows.len() as f64,
        );
        svg.text((area.left + 16.0, area.top + 22.0), &self.title, Style::new(Anchor::Start, 14).bold());
        svg.rect([inner.left, inner.top, inner.width, inner.height], GRID, 0.3);
        self.cells.iter().for_each(|cell| draw_cell(cell, inner, layout.side, svg));
        draw_names(&layout, inner, svg);
        let beside = (area.left + 22.0, inner.top + inner.height / 2.0);
        svg.text(beside, &self.row_title, Style::new(Anchor::Middle, 12).filled(FAINT).turned(-90));
        let above = Style::new(Anchor::Start, 12).filled(FAINT);
        svg.text((area.left + 16.0, area.top + 44.0), &self.column_title, above);
        self.draw_key((inner.left, inner.bottom() + 16.0), svg);
    }

    fn key(&self) -> String {
        format!("0 to 100 % {}", self.share_title)
    }

    /// The colours and what they say.
    fn draw_key(&self, (left, top): (f64, f64), svg: &mut Svg) {
        for step in 0..10 {
            let opacity = depth(f64::from(step) / 9.0);
            svg.rect([left + 9.0 * f64::from(step), top, 9.0, 10.0], color::BLUE, opacity);
        }
        svg.text((left + 98.0, top + 9.0), &self.key(), Style::new(Anchor::Start, 11));
    }
}

fn draw_names(layout: &MapLayout, inner: Area, svg: &mut Svg) {
    let (side, size) = (layout.side, layout.size);
    if side < LEGIBLE {
        return;
    }
    for (row, name) in layout.rows.iter().enumerate() {
        let y = inner.top + (row as f64 + 0.5) * side + f64::from(size) * 0.35;
        svg.text((inner.left - 6.0, y), name, Style::new(Anchor::End, size));
    }
    for (column, name) in layout.columns.iter().enumerate() {
        let x = inner.left + (column as f64 + 0.5) * side;
        match layout.turned {
            true => svg.text((x + 3.0, inner.top - 6.0), name, Style::new(Anchor::Start, size).turned(TURN)),
            false => svg.text((x, inner.top - 7.0), name, Style::new(Anchor::Middle, size)),
        }
    }
}

fn draw_cell(cell: &HeatCell, inner: Area, side: f64, svg: &mut Svg) {
    let (left, top) = (inner.left + cell.column as f64 * side, inner.top + cell.row as f64 * side);
    let gap = if side < LEGIBLE { 0.0 } else { 1.0 };
    svg.rect([left, top, side - gap, side - gap], color::BLUE, depth(cell.share));
    let fitting = (6..=14).rev().find(|&size| width(&cell.text, size) <= side - 2.0);
    let Some(size) = fitting.filter(|_| side >= LEGIBLE) else { return };
    let fill = if cell.share > 0.35 { "#fefefe" } else { INK };
    let style = Style::new(Anchor::Middle, size).filled(fill);
    svg.text((left + side / 2.0, top + side / 2.0 + f64::from(size) * 0.35), &cell.text, style);
}

/// How much of the blue of Okabe and Ito is seen. Small shares are made visible: they are what one looks for.
fn depth(share: f64) -> f64 {
    0.04 + 0.96 * share.clamp(0.0, 1.0).sqrt()
}
