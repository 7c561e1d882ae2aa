//! Pictures where people would rather look: charts and heat maps as SVG, and the figures of `train` and `test`.
//!
//! A [`Figure`] is a sheet of panels; a panel is a [`Chart`] (lines, steps, dots, bars on two axes) or a [`HeatMap`].
//! Colours are those of Okabe and Ito, which everybody can tell apart.
//!
//! ```
//! use surefoot::plot::{Axis, Chart, Figure, MarkShape, Series, color};
//!
//! let points = vec![(1.0, 0.5), (10.0, 0.2), (100.0, 0.1)];
//! let chart = Chart {
//!     title: "Error".into(),
//!     x: Axis::log("examples", 1.0, 100.0),
//!     y: Axis::share("error", 0.5),
//!     series: vec![Series::new("so far", color::BLUE, MarkShape::Line, points)],
//!     marks: Vec::new(),
//! };
//! assert!(Figure::of(chart).to_svg().starts_with("<svg"));
//! ```

mod axis;
mod chart;
mod curve;
mod evaluation;
mod heat;
mod svg;

use std::path::Path;

pub use axis::{Axis, AxisScale, Unit};
pub use chart::{Chart, ChartMark, MarkShape, Series};
pub use curve::error_curve;
pub use evaluation::reliability_and_confusion;
pub use heat::{HeatCell, HeatMap};

use crate::{Error, Result};
use svg::Svg;

/// The colours of Okabe and Ito.
pub mod color {
    /// For what matters most.
    pub const BLUE: &str = "#0072b2";
    /// For what goes beside it.
    pub const ORANGE: &str = "#e69f00";
    /// For what comes from other data.
    pub const GREEN: &str = "#009e73";
    /// A lighter blue.
    pub const SKY: &str = "#56b4e9";
    /// Lines to compare with.
    pub const GREY: &str = "#767676";
}

/// A rectangle on the sheet, in pixels from the upper left corner.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    /// Its left edge.
    pub left: f64,
    /// Its upper edge.
    pub top: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Area {
    /// A rectangle.
    #[must_use]
    pub const fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self { left, top, width, height }
    }

    fn right(&self) -> f64 {
        self.left + self.width
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// What is left inside margins.
    fn inside(&self, left: f64, top: f64, right: f64, bottom: f64) -> Self {
        let (width, height) = (self.width - left - right, self.height - top - bottom);
        Self::new(self.left + left, self.top + top, width.max(1.0), height.max(1.0))
    }
}

/// What can stand on a sheet.
#[derive(Debug, Clone)]
pub enum Panel {
    /// Series on two axes.
    Chart(Chart),
    /// Coloured cells.
    HeatMap(HeatMap),
}

impl From<Chart> for Panel {
    fn from(chart: Chart) -> Self {
        Self::Chart(chart)
    }
}

impl From<HeatMap> for Panel {
    fn from(map: HeatMap) -> Self {
        Self::HeatMap(map)
    }
}

/// A sheet of panels.
#[derive(Debug, Clone, Default)]
pub struct Figure {
    panels: Vec<(Area, Panel)>,
}

impl Figure {
    /// One chart on a sheet of the usual size.
    #[must_use]
    pub fn of(chart: Chart) -> Self {
        Self::default().with(Area::new(0.0, 0.0, 720.0, 440.0), chart)
    }

    /// One more panel, in its place.
    #[must_use]
    pub fn with(mut self, area: Area, panel: impl Into<Panel>) -> Self {
        self.panels.push((area, panel.into()));
        self
    }

    /// The picture. The same figure gives the same text.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let far = |edge: fn(&Area) -> f64| self.panels.iter().map(|(area, _)| edge(area)).fold(1.0, f64::max);
        let mut svg = Svg::new(far(Area::right), far(Area::bottom));
        for (area, panel) in &self.panels {
            match panel {
                Panel::Chart(chart) => chart.draw(*area, &mut svg),
                Panel::HeatMap(map) => map.draw(*area, &mut svg),
            }
        }
        svg.finish()
    }

    /// Writes the picture to a file whose name ends with `.svg`.
    pub fn save(&self, path: &Path) -> Result<()> {
        check_name(path)?;
        let failed = |error| Error::Other(format!("{}: the plot cannot be written: {error}", path.display()));
        std::fs::write(path, self.to_svg()).map_err(failed)
    }
}

/// Whether a plot can be written under this name: pictures are SVG and nothing else.
pub fn check_name(path: &Path) -> Result<()> {
    let svg = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    let text = || format!("plots are written as SVG: the name '{}' does not end with .svg", path.display());
    if svg { Ok(()) } else { Err(Error::Other(text())) }
}
