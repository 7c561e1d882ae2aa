//! What the rest of the product knows of a metric.

use super::Metric;

/// A metric's entry in the list: everything the rest of the product knows of it.
#[derive(Debug)]
pub struct MetricSpec {
    /// The name that users type.
    pub name: &'static str,
    /// What it is called in JSON.
    pub key: &'static str,
    /// What it is called in a report for people.
    pub title: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// Whether larger is better; none if neither is.
    pub higher_is_better: Option<bool>,
    /// Which numbers it may be.
    pub scale: ValueScale,
    /// Where it makes sense.
    pub tasks: Tasks,
    /// Whether training follows it on the first pass. That costs time in every round.
    pub progressive: bool,
    /// Makes an empty one.
    pub build: fn() -> Box<dyn Metric>,
}

/// The numbers that a metric may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueScale {
    /// A whole number of examples, as long as their weights are.
    Count,
    /// From 0 to 1.
    Share,
    /// From 0 without a bound.
    Positive,
}

/// The tasks for which a metric makes sense; for others it has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tasks {
    /// Each example is of one of two classes.
    TwoClasses,
    /// Each example is of one class, of however many.
    OneClass,
}
