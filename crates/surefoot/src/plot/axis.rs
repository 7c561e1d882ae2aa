//! Axes: from numbers to pixels, and where the ticks stand.

use super::Area;
use super::chart::TICK;
use super::svg::{Anchor, FAINT, INK, Style, Svg};
use super::text::width;

/// How far apart numbers stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisScale {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are equally far apart.
    Log,
}

/// What the numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A number of things.
    Count,
    /// A part of a whole, shown as per cent.
    Share,
}

/// One axis of a chart.
#[derive(Debug, Clone)]
pub struct Axis {
    /// What is measured.
    pub title: String,
    /// The number at its beginning.
    pub from: f64,
    /// The number at its end.
    pub to: f64,
    /// How far apart numbers stand.
    pub scale: AxisScale,
    /// What the numbers are.
    pub unit: Unit,
}

/// Ticks that an axis should have at most.
const TICKS: f64 = 8.0;

impl Axis {
    /// Counts, on a linear scale.
    #[must_use]
    pub fn linear(title: &str, from: f64, to: f64) -> Self {
        let to = if to > from { to } else { from + 1.0 };
        Self { title: title.into(), from, to, scale: AxisScale::Linear, unit: Unit::Count }
    }

    /// Counts, on a logarithmic scale.
    #[must_use]
    pub fn log(title: &str, from: f64, to: f64) -> Self {
        let from = from.max(1.0);
        Self { scale: AxisScale::Log, ..Self::linear(title, from, to.max(2.0 * from)) }
    }

    /// Positive numbers, on a logarithmic scale, with a little room at both ends.
    #[must_use]
    pub fn ratios(title: &str, numbers: impl Iterator<Item = f64>) -> Self {
        let usable = numbers.filter(|number| number.is_finite() && *number > 0.0);
        let (low, high) = usable.fold((f64::INFINITY, 0.0), |(low, high), n| (n.min(low), n.max(high)));
        let (low, high) = if low <= high { (low / 1.3, high * 1.3) } else { (1.0, 10.0) };
        Self { scale: AxisScale::Log, ..Self::linear(title, low, high) }
    }

    /// Shares between the tick below the smallest and the one above the largest.
    #[must_use]
    pub fn share_between(title: &str, smallest: f64, largest: f64) -> Self {
        let whole = Self::share(title, largest);
        let smallest = if smallest.is_finite() { smallest.clamp(0.0, whole.to - 0.01) } else { 0.0 };
        let step = nice_step((whole.to - smallest).max(0.01));
        let from = ((smallest / step + 1e-9).floor() * step).max(0.0);
        let to = ((largest / step - 1e-9).ceil() * step).clamp(from + step, 1.0_f64.max(from + step));
        Self { from, to, ..whole }
    }

    /// Draws the axis below an area, with its ticks; numbers that would run into each other are left out.
    pub(super) fn draw_below(&self, inner: Area, svg: &mut Svg) {
        let mut free = f64::NEG_INFINITY;
        for tick in self.ticks() {
            let (x, label) = (inner.left + inner.width * self.place(tick), self.label(tick));
            let half = width(&label, TICK) / 2.0;
            svg.line(&[(x, inner.bottom()), (x, inner.bottom() + 5.0)], INK, 1.0, "");
            if x - half >= free {
                svg.text((x, inner.bottom() + 18.0), &label, Style::new(Anchor::Middle, TICK));
                free = x + half + 5.0;
            }
        }
        svg.line(&[(inner.left, inner.bottom()), (inner.right(), inner.bottom())], INK, 1.0, "");
        let middle = inner.left + inner.width / 2.0;
        svg.text((middle, inner.bottom() + 38.0), &self.title, Style::new(Anchor::Middle, 12).filled(FAINT));
    }

    /// Shares from 0 up to the tick above the largest.
    #[must_use]
    pub fn share(title: &str, largest: f64) -> Self {
        let largest = if largest.is_finite() { largest.clamp(0.01, 1.0) } else { 1.0 };
        let step = nice_step(largest);
        let to = ((largest / step - 1e-9).ceil() * step).min(1.0);
        Self { unit: Unit::Share, ..Self::linear(title, 0.0, to) }
    }

    /// Where a number stands, from 0 at the beginning to 1 at the end.
    pub(super) fn place(&self, number: f64) -> f64 {
        match self.scale {
            AxisScale::Linear => (number - self.from) / (self.to - self.from),
            AxisScale::Log => (number.max(1e-300) / self.from).ln() / (self.to / self.from).ln(),
        }
    }

    /// The numbers with a tick.
    pub(super) fn ticks(&self) -> Vec<f64> {
        match self.scale {
            AxisScale::Linear => self.even_ticks(),
            AxisScale::Log => self.round_ticks(),
        }
    }

    fn even_ticks(&self) -> Vec<f64> {
        let step = nice_step(self.to - self.from);
        let (first, last) = ((self.from / step - 1e-9).ceil() as i64, (self.to / step + 1e-9).floor() as i64);
        (first..=last).map(|count| count as f64 * step).collect()
    }

    /// Powers of ten, with their doubles and fives if there is room.
    fn round_ticks(&self) -> Vec<f64> {
        let heads: &[f64] = if self.to / self.from < 5e3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let decades = self.from.log10().floor() as i32..=self.to.log10().ceil() as i32;
        let all = decades.flat_map(|decade| heads.iter().map(move |head| head * 10f64.powi(decade)));
        all.filter(|tick| (self.from..=self.to * (1.0 + 1e-9)).contains(tick)).collect()
    }

    /// A number as it stands at its tick.
    pub(super) fn label(&self, number: f64) -> String {
        match self.unit {
            Unit::Share if nice_step(self.to - self.from) < 0.01 => format!("{:.1} %", 100.0 * number),
            Unit::Share => format!("{:.0} %", 100.0 * number),
            Unit::Count => in_short(number),
        }
    }
}

/// 1, 2 or 5 times a power of ten, so that a range has a handful of ticks.
fn nice_step(range: f64) -> f64 {
    let rough = range / TICKS;
    let power = 10f64.powi(rough.log10().floor() as i32);
    [1.0, 2.0, 5.0].into_iter().map(|head| head * power).find(|step| *step >= rough).unwrap_or(10.0 * power)
}

/// A count with a letter for thousands and millions: 250, 2k, 1.5M.
fn in_short(number: f64) -> String {
    for (unit, letter) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if number >= unit {
            return format!("{}{letter}", (number / unit * 100.0).round() / 100.0);
        }
    }
    let digits = if number == 0.0 { 0 } else { (2 - number.abs().log10().floor() as i32).clamp(0, 12) };
    let round = 10f64.powi(digits);
    format!("{}", (number * round).round() / round)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let labels = |axis: &Axis| axis.ticks().iter().map(|t| axis.label(*t)).collect::<Vec<_>>().join(" ");
        assert_eq!(labels(&Axis::share("", 0.23)), "0 % 5 % 10 % 15 % 20 % 25 %");
        assert_eq!(labels(&Axis::share("", 0.003)), "0.0 % 0.2 % 0.4 % 0.6 % 0.8 % 1.0 %");
        assert_eq!(labels(&Axis::log("", 8.0, 600.0)), "10 20 50 100 200 500");
        assert_eq!(labels(&Axis::log("", 8.0, 3e6)), "10 100 1k 10k 100k 1M");
        assert_eq!(labels(&Axis::linear("", 0.0, 6e6)), "0 1M 2M 3M 4M 5M 6M");
    }

    #[test]
    fn places_are_between_the_ends() {
        let axis = Axis::log("", 10.0, 1000.0);
        assert!((axis.place(100.0) - 0.5).abs() < 1e-12);
        assert!((Axis::linear("", 2.0, 4.0).place(3.0) - 0.5).abs() < 1e-12);
        assert!(Axis::share("", f64::NAN).to.is_finite() && Axis::linear("", 1.0, 1.0).place(1.0) == 0.0);
    }
}
