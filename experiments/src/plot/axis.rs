//! Axes: what they span, and where their ticks are.

/// One axis of a panel.
#[derive(Debug, Clone, Default)]
pub struct Axis {
    pub(crate) label: String,
    pub(crate) log: bool,
    pub(crate) range: Option<(f64, f64)>,
    pub(crate) categories: Vec<String>,
}

impl Axis {
    /// A linear axis that spans what is drawn; the label names the unit.
    #[must_use]
    pub fn new(label: &str) -> Self {
        Self { label: label.to_string(), ..Self::default() }
    }

    /// A logarithmic axis.
    #[must_use]
    pub fn log(label: &str) -> Self {
        Self { log: true, ..Self::new(label) }
    }

    /// Names instead of numbers: category i stands at i.
    #[must_use]
    pub fn names<S: ToString>(names: impl IntoIterator<Item = S>) -> Self {
        let categories: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
        let range = Some((-0.6, categories.len() as f64 - 0.4));
        Self { categories, range, ..Self::default() }
    }

    /// The same with a label: what the names are names of.
    #[must_use]
    pub fn labelled(mut self, label: &str) -> Self {
        self.label = label.to_string();
        self
    }

    /// From here to there, whatever is drawn.
    #[must_use]
    pub fn from_to(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }
}

/// An axis with its span known: numbers to places in 0…1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) low: f64,
    pub(crate) high: f64,
    log: bool,
}

impl Span {
    /// Spans the axis' own range, or else these numbers with a little room.
    pub(crate) fn new(axis: &Axis, numbers: impl Iterator<Item = f64>) -> Self {
        let usable = numbers.filter(|x| x.is_finite() && (!axis.log || *x > 0.0));
        let (low, high) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let (low, high) = axis.range.unwrap_or_else(|| roomy(low, high, axis.log));
        Self { low, high, log: axis.log }
    }

    /// Where a number lies, 0 at the low end and 1 at the high one; may be beyond.
    pub(crate) fn place(&self, x: f64) -> f64 {
        if self.log {
            return (x.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln();
        }
        (x - self.low) / (self.high - self.low)
    }

    /// Ticks with their texts.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        if self.log { self.decades() } else { self.steps() }
    }

    fn steps(&self) -> Vec<(f64, String)> {
        let raw = (self.high - self.low) / 5.0;
        let unit = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * unit).into_iter().find(|s| *s >= raw * 0.999);
        let step = step.unwrap_or(unit);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let first = (self.low / step - 1e-9).ceil();
        let count = ((self.high - first * step) / step + 1e-9).floor().max(0.0) as usize;
        (0..=count).map(|i| (first + i as f64) * step).map(|x| (x, format!("{:.digits$}", x + 0.0))).collect()
    }

    fn decades(&self) -> Vec<(f64, String)> {
        let (from, to) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let parts: &[f64] = match to - from {
            ..=2 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let all = (from..=to).flat_map(|e| parts.iter().map(move |p| p * 10f64.powi(e)));
        let inside = all.filter(|x| *x >= self.low * 0.999 && *x <= self.high * 1.001);
        inside.map(|x| (x, plain(x))).collect()
    }
}

/// A little room at both ends; bars and counts start at 0 if they nearly do.
fn roomy(low: f64, high: f64, log: bool) -> (f64, f64) {
    if log {
        return (low / 1.15, high * 1.15);
    }
    let width = if high > low { high - low } else { high.abs().max(1.0) };
    let bottom = if low >= 0.0 && low < 0.35 * high { 0.0 } else { low - 0.06 * width };
    (bottom, high + 0.06 * width)
}

fn plain(x: f64) -> String {
    if !(1e-3..1e5).contains(&x) { format!("{x:e}") } else { format!("{x}") }
}
