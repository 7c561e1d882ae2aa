//! Plots as SVG: panels of lines with bands, bars with error bars, dots and closed curves, in colours that
//! colour-blind readers can tell apart (Okabe and Ito's), on white.

mod axis;
mod draw;
mod svg;

pub use axis::Axis;

use crate::Series;

/// Okabe and Ito's colours, dark ones first; yellow is too faint on white.
pub const COLOURS: [&str; 7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];

/// Panels side by side.
#[derive(Debug, Clone)]
pub struct Figure {
    pub(crate) columns: usize,
    pub(crate) panels: Vec<Panel>,
}

impl Figure {
    /// Panels in so many columns.
    #[must_use]
    pub fn new(columns: usize, panels: Vec<Panel>) -> Self {
        Self { columns: columns.max(1), panels }
    }

    /// One panel.
    #[must_use]
    pub fn of(panel: Panel) -> Self {
        Self::new(1, vec![panel])
    }
}

/// Two axes and what is drawn between them.
#[derive(Debug, Clone)]
pub struct Panel {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) layers: Vec<Layer>,
    /// Whether one unit is as long on both axes.
    pub(crate) square: bool,
    /// Whether its names are explained.
    pub(crate) explained: bool,
    /// How many panels wide it is.
    pub(crate) breadth: f64,
}

/// One thing that is drawn; a name puts it into the legend.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    pub(crate) name: String,
    /// Which of the colours.
    pub(crate) colour: usize,
    pub(crate) shape: Shape,
}

#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A curve; half the height of its band at each point, if it has one.
    Line { points: Vec<(f64, f64)>, spread: Vec<f64>, dashed: bool },
    /// A bar over each category, beside those of other layers.
    Bars { values: Vec<f64>, spread: Vec<f64> },
    /// Dots of one size, with error bars if there is a spread.
    Dots { points: Vec<(f64, f64)>, spread: Vec<f64>, radius: f64 },
    /// A plus or a minus of the size and sign of the third number.
    Signs(Vec<(f64, f64, f64)>),
    /// A closed curve, lightly filled.
    Loop(Vec<(f64, f64)>),
    /// Words at a point.
    Words(f64, f64, String),
}

impl Panel {
    /// An empty panel.
    #[must_use]
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self {
            title: title.to_string(),
            x,
            y,
            layers: Vec::new(),
            square: false,
            explained: true,
            breadth: 1.0,
        }
    }

    /// One unit is as long on both axes.
    #[must_use]
    pub fn square(mut self) -> Self {
        self.square = true;
        self
    }

    /// Names stand in the panel, so there is no legend.
    #[must_use]
    pub fn without_legend(mut self) -> Self {
        self.explained = false;
        self
    }

    /// Twice as wide, for many categories; only in a figure of one column.
    #[must_use]
    pub fn wide(mut self) -> Self {
        self.breadth = 2.0;
        self
    }

    fn with(mut self, name: &str, colour: usize, shape: Shape) -> Self {
        self.layers.push(Layer { name: name.to_string(), colour, shape });
        self
    }

    /// A curve with its band.
    #[must_use]
    pub fn line(self, series: &Series, colour: usize) -> Self {
        let (points, spread) = (series.points().collect(), series.spread.clone());
        self.with(&series.name, colour, Shape::Line { points, spread, dashed: false })
    }

    /// A dashed curve: references, bounds, first-order learners.
    #[must_use]
    pub fn dashed(self, series: &Series, colour: usize) -> Self {
        let (points, spread) = (series.points().collect(), series.spread.clone());
        self.with(&series.name, colour, Shape::Line { points, spread, dashed: true })
    }

    /// A dashed line that has no entry in the legend.
    #[must_use]
    pub fn guide(self, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().collect();
        self.with("", 6, Shape::Line { points, spread: Vec::new(), dashed: true })
    }

    /// A bar a category, with error bars.
    #[must_use]
    pub fn bars(self, series: &Series, colour: usize) -> Self {
        let shape = Shape::Bars { values: series.y.clone(), spread: series.spread.clone() };
        self.with(&series.name, colour, shape)
    }

    /// Dots, with error bars if the series has a spread.
    #[must_use]
    pub fn dots(self, series: &Series, colour: usize, radius: f64) -> Self {
        let (points, spread) = (series.points().collect(), series.spread.clone());
        self.with(&series.name, colour, Shape::Dots { points, spread, radius })
    }

    /// Pluses and minuses: (x, y, size and sign), the largest of size 1.
    #[must_use]
    pub fn signs(self, name: &str, colour: usize, marks: Vec<(f64, f64, f64)>) -> Self {
        self.with(name, colour, Shape::Signs(marks))
    }

    /// A closed curve.
    #[must_use]
    pub fn closed(self, series: &Series, colour: usize) -> Self {
        let points = series.points().collect();
        self.with(&series.name, colour, Shape::Loop(points))
    }

    /// Words to the right of a point.
    #[must_use]
    pub fn words(self, x: f64, y: f64, text: &str) -> Self {
        self.with("", 6, Shape::Words(x, y, text.to_string()))
    }

    /// What the legend shows: each name once.
    pub(crate) fn legend(&self) -> Vec<(&str, usize, bool)> {
        let mut entries: Vec<(&str, usize, bool)> = Vec::new();
        for layer in self.layers.iter().filter(|layer| self.explained && !layer.name.is_empty()) {
            let dashed = matches!(layer.shape, Shape::Line { dashed: true, .. });
            if entries.iter().all(|entry| entry.0 != layer.name) {
                entries.push((&layer.name, layer.colour, dashed));
            }
        }
        entries
    }
}
