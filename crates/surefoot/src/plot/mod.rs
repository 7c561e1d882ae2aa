//! Pictures where people would rather look: charts and heat maps, and the figures of `train`, `test`, `compare` and `tune`.
//!
//! A [`Figure`] is a sheet of panels; a panel is a [`Chart`] (lines, steps, dots, bars on two axes), a [`HeatMap`] or
//! [`DotRows`] (names with a number each).
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
mod contest;
mod curve;
mod evaluation;
mod heat;
#[cfg(feature = "png")]
mod png;
mod rows;
pub(crate) mod svg;
mod text;

use std::path::Path;

pub use axis::{Axis, AxisScale, Unit};
pub use chart::{Chart, ChartMark, MarkShape, Series};
pub use contest::{comparison, tuning};
pub(crate) use curve::error_charts;
pub use curve::error_curve;
pub use evaluation::evaluation;
pub(crate) use evaluation::{confusion, coverage, precision_recall, reliability, roc};
pub use heat::{HeatCell, HeatMap};
pub use rows::{DotRow, DotRows};

use crate::{Error, Result};
use svg::{Anchor, FAINT, Style, Svg};

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
    /// Names with a number each.
    DotRows(DotRows),
}

impl From<DotRows> for Panel {
    fn from(rows: DotRows) -> Self {
        Self::DotRows(rows)
    }
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
    title: String,
    subtitle: String,
    panels: Vec<(Area, Panel)>,
}

/// What the title of a figure takes.
const HEAD: f64 = 54.0;

impl Figure {
    /// One chart on a sheet of the usual size.
    #[must_use]
    pub fn of(chart: Chart) -> Self {
        Self::of_size(chart, 720.0, 440.0)
    }

    /// One chart on a sheet of this size.
    #[must_use]
    pub fn of_size(chart: Chart, width: f64, height: f64) -> Self {
        Self::default().with(Area::new(0.0, 0.0, width, height), chart)
    }

    /// A matrix on a sheet as large as it needs.
    #[must_use]
    pub fn of_map(map: HeatMap) -> Self {
        let (width, height) = map.size();
        Self::default().with(Area::new(0.0, 0.0, width, height), map)
    }

    /// A sheet with a title over all panels, and a line in smaller letters below it.
    #[must_use]
    pub fn titled(title: &str, subtitle: &str) -> Self {
        Self { title: title.into(), subtitle: subtitle.into(), panels: Vec::new() }
    }

    /// One more panel, in its place; places are counted from below the title.
    #[must_use]
    pub fn with(mut self, area: Area, panel: impl Into<Panel>) -> Self {
        self.panels.push((area, panel.into()));
        self
    }

    /// Width and height of the sheet.
    #[must_use]
    pub fn size(&self) -> (f64, f64) {
        let far = |edge: fn(&Area) -> f64| self.panels.iter().map(|(area, _)| edge(area)).fold(1.0, f64::max);
        (far(Area::right), far(Area::bottom) + self.head())
    }

    fn head(&self) -> f64 {
        if self.title.is_empty() { 0.0 } else { HEAD }
    }

    fn draw(&self) -> Svg {
        let (mut svg, room) = (Svg::default(), self.size().0 - 32.0);
        // As many letters as there is room for, and the middle left out otherwise.
        let fitted = |text: &str, size: u32| {
            let letters = text.chars().count();
            let most = (1..=letters)
                .rev()
                .find(|&most| text::width(&text::without_middle(text, most, most / 3), size) <= room);
            most.map_or_else(String::new, |most| text::without_middle(text, most, most / 3))
        };
        svg.text((16.0, 26.0), &fitted(&self.title, 17), Style::new(Anchor::Start, 17).bold());
        svg.text((16.0, 46.0), &fitted(&self.subtitle, 12), Style::new(Anchor::Start, 12).filled(FAINT));
        for (area, panel) in &self.panels {
            let area = Area { top: area.top + self.head(), ..*area };
            match panel {
                Panel::Chart(chart) => chart.draw(area, &mut svg),
                Panel::HeatMap(map) => map.draw(area, &mut svg),
                Panel::DotRows(rows) => rows.draw(area, &mut svg),
            }
        }
        svg
    }

    /// The picture. The same figure gives the same text.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let (width, height) = self.size();
        self.draw().to_file(width, height)
    }

    /// The picture as a part of an HTML page, in the colours of its text; `name` is an id that nothing else on it has, `title`
    /// is for those who do not see it.
    #[must_use]
    pub fn to_inline_svg(&self, name: &str, title: &str) -> String {
        let (width, height) = self.size();
        self.draw().to_inline(width, height, name, title)
    }

    /// Writes the picture to a file whose name ends with `.svg`, or with `.png` where the feature `png` is on.
    pub fn save(&self, path: &Path) -> Result<()> {
        let failed = |error| Error::Other(format!("{}: the plot cannot be written: {error}", path.display()));
        let bytes = match format_of(path)? {
            PictureFormat::Svg => self.to_svg().into_bytes(),
            #[cfg(feature = "png")]
            PictureFormat::Png => png::to_png(&self.to_svg())?,
        };
        std::fs::write(path, bytes).map_err(failed)
    }
}

/// What a picture is written as.
enum PictureFormat {
    Svg,
    #[cfg(feature = "png")]
    Png,
}

fn format_of(path: &Path) -> Result<PictureFormat> {
    let ends = |ending: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
    let (formats, endings) = if cfg!(feature = "png") {
        ("SVG or PNG", ".svg or .png")
    } else {
        ("SVG, or PNG by a program that is built with --features png", ".svg")
    };
    match () {
        () if ends("svg") => Ok(PictureFormat::Svg),
        #[cfg(feature = "png")]
        () if ends("png") => Ok(PictureFormat::Png),
        () => Err(Error::Other(format!(
            "plots are written as {formats}: the name '{}' does not end with {endings}",
            path.display()
        ))),
    }
}

/// Whether a plot can be written under this name.
pub fn check_name(path: &Path) -> Result<()> {
    format_of(path).map(drop)
}

/// A text of at most so many letters, its middle left out if need be.
pub(crate) fn shortened(text: &str, letters: usize) -> String {
    text::without_middle(text, letters, letters / 3)
}

/// What a figure is of, for its title: the files by their last names, and the learner without its parameters; of an
/// ensemble how many it has.
///
/// ```
/// use surefoot::plot::heading;
/// assert_eq!(heading(["data/mail.tsv"], "arow/full:r=0.1"), "mail.tsv · arow/full");
/// assert_eq!(heading(["a", "b", "c", "d"], "ensemble(pa; arow)"), "a, b and 2 more · ensemble of 2 learners");
/// ```
#[must_use]
pub fn heading<P: AsRef<Path>>(data: impl IntoIterator<Item = P>, learner: &str) -> String {
    let name = |path: P| match path.as_ref().file_name() {
        _ if path.as_ref() == Path::new("-") => "standard input".to_string(),
        Some(name) => name.to_string_lossy().into_owned(),
        None => path.as_ref().display().to_string(),
    };
    let names: Vec<String> = data.into_iter().map(name).collect();
    let files = match names.len() {
        0..=3 => names.join(", "),
        many => format!("{} and {} more", names[..2].join(", "), many - 2),
    };
    match learner.strip_prefix("ensemble(") {
        Some(members) => format!("{files} · ensemble of {} learners", members.split(';').count()),
        None if learner.is_empty() => files,
        None => format!("{files} · {}", learner.split(':').next().unwrap_or_default()),
    }
}
