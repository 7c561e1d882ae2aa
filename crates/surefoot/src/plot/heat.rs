//! Coloured cells: a matrix whose rows and columns have names.

use super::Area;
use super::svg::{Anchor, Style, Svg};

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
const LETTERS: usize = 14;
/// Below this size of a cell in pixels nothing is written into it, nor beside it.
const LEGIBLE: f64 = 11.0;

impl HeatMap {
    pub(super) fn draw(&self, area: Area, svg: &mut Svg) {
        svg.text((area.left + 16.0, area.top + 22.0), &self.title, Style::new(Anchor::Start, 14));
        let inner = area.inside(116.0, 96.0, 18.0, 56.0);
        let (width, height) =
            (inner.width / self.columns.len().max(1) as f64, inner.height / self.rows.len().max(1) as f64);
        let side = width.min(height).min(64.0);
        let far = (inner.left + side * self.columns.len() as f64, inner.top + side * self.rows.len() as f64);
        svg.rect([inner.left, inner.top, far.0 - inner.left, far.1 - inner.top], "#f4f4f4");
        self.cells.iter().for_each(|cell| draw_cell(cell, inner, side, svg));
        self.draw_names(inner, side, svg);
        let middle = inner.top + (far.1 - inner.top) / 2.0;
        svg.text((area.left + 16.0, middle), &self.row_title, Style::new(Anchor::Middle, 12).turned(-90));
        let above = Style::new(Anchor::Start, 12);
        svg.text((area.left + 16.0, area.top + 42.0), &self.column_title, above);
        self.draw_key((inner.left, far.1 + 20.0), svg);
    }

    fn draw_names(&self, inner: Area, side: f64, svg: &mut Svg) {
        if side < LEGIBLE {
            return;
        }
        let size = (side * 0.7).clamp(8.0, 12.0) as u32;
        for (row, name) in self.rows.iter().enumerate() {
            let y = inner.top + (row as f64 + 0.5) * side + 4.0;
            svg.text((inner.left - 6.0, y), &cut(name), Style::new(Anchor::End, size));
        }
        for (column, name) in self.columns.iter().enumerate() {
            let x = inner.left + (column as f64 + 0.5) * side + 4.0;
            svg.text((x, inner.top - 6.0), &cut(name), Style::new(Anchor::Start, size).turned(-40));
        }
    }

    /// The colours and what they say.
    fn draw_key(&self, (left, top): (f64, f64), svg: &mut Svg) {
        for step in 0..10 {
            svg.rect([left + 9.0 * f64::from(step), top, 9.0, 10.0], &shade(f64::from(step) / 9.0));
        }
        let text = format!("0 to 100 % {}", self.share_title);
        svg.text((left + 98.0, top + 9.0), &text, Style::new(Anchor::Start, 11));
    }
}

fn draw_cell(cell: &HeatCell, inner: Area, side: f64, svg: &mut Svg) {
    let (left, top) = (inner.left + cell.column as f64 * side, inner.top + cell.row as f64 * side);
    let gap = if side < LEGIBLE { 0.0 } else { 1.0 };
    svg.rect([left, top, side - gap, side - gap], &shade(cell.share));
    // Seven pixels a digit, or the numbers would run into each other.
    let size = (side / cell.text.chars().count().max(1) as f64 / 0.62).min(side * 0.5).min(13.0);
    if size >= 6.0 {
        let fill = if cell.share > 0.4 { "#ffffff" } else { "#222222" };
        let style = Style { fill, ..Style::new(Anchor::Middle, size as u32) };
        svg.text((left + side / 2.0, top + side / 2.0 + size * 0.35), &cell.text, style);
    }
}

/// From nearly white to the blue of Okabe and Ito. Small shares are made visible: they are what one looks for.
fn shade(share: f64) -> String {
    let depth = share.clamp(0.0, 1.0).sqrt();
    let mix = |light: f64, dark: f64| (light + (dark - light) * depth).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(238.0, 0.0), mix(243.0, 96.0), mix(248.0, 160.0))
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(LETTERS) {
        None => name.to_string(),
        Some(_) => name.chars().take(LETTERS - 1).chain(['…']).collect(),
    }
}
