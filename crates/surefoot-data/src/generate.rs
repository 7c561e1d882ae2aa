//! The papers' synthetic streams, two that look like text and three that change, endless and seeded.
//!
//! The same name, parameters and seed give the same points on every machine: a generator with a published sequence,
//! logarithms from one library, and nothing else.

mod concepts;
mod hyperplane;
mod papers;
mod random;
mod sea;
mod stagger;
mod zipf;

use thiserror::Error;

pub use hyperplane::Hyperplane;
pub use papers::{Coins, Ellipse};
pub use random::Random;
pub use sea::Sea;
pub use stagger::Stagger;
pub use zipf::Zipf;

/// One labelled point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// −1 or 1; for many classes 1, 2, ….
    pub label: i64,
    /// Ids of the features, ascending, from 1.
    pub ids: Vec<u64>,
    /// Their values, none of them zero.
    pub values: Vec<f64>,
}

impl Point {
    fn clear(&mut self) {
        self.ids.clear();
        self.values.clear();
    }

    /// Of two labels.
    fn set_label(&mut self, positive: bool) {
        self.label = if positive { 1 } else { -1 };
    }

    /// Appends the value of a dimension, from 0; those of a point come in ascending order. Zero is left out.
    fn push(&mut self, dimension: usize, value: f64) {
        if value != 0.0 {
            self.ids.push(dimension as u64 + 1);
            self.values.push(value);
        }
    }
}

/// An endless stream of points.
pub trait Stream {
    /// Replaces `point` by the next one of the stream.
    fn fill(&mut self, point: &mut Point);

    /// The next `count` points.
    fn take_points(&mut self, count: usize) -> Vec<Point>
    where
        Self: Sized,
    {
        let mut points = vec![Point::default(); count];
        points.iter_mut().for_each(|point| self.fill(point));
        points
    }
}

/// Streams behind a pointer are endless iterators.
///
/// ```
/// let ones = surefoot_data::stream("ellipse", &[], 1).unwrap().take(1000).filter(|point| point.label == 1);
/// assert!((450..550).contains(&ones.count()));
/// ```
impl Iterator for dyn Stream {
    type Item = Point;

    fn next(&mut self) -> Option<Point> {
        let mut point = Point::default();
        self.fill(&mut point);
        Some(point)
    }
}

/// A parameter of a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamParameter {
    /// What it is called.
    pub name: &'static str,
    /// Its value if nothing is said.
    pub default: f64,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Whether only whole numbers make sense.
    pub whole: bool,
    /// What it means.
    pub about: &'static str,
}

impl StreamParameter {
    const fn new(name: &'static str, default: f64, bounds: [f64; 2], about: &'static str) -> Self {
        StreamParameter { name, default, min: bounds[0], max: bounds[1], whole: false, about }
    }

    const fn whole(self) -> Self {
        StreamParameter { whole: true, ..self }
    }
}

/// A stream that can be asked for by name.
#[derive(Clone, Copy, Debug)]
pub struct StreamSpec {
    /// What it is called.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [StreamParameter],
    /// Makes it, from values within the bounds of `parameters`, in their order, and a seed.
    make: fn(&[f64], u64) -> Box<dyn Stream>,
}

/// All streams.
pub const STREAMS: [StreamSpec; 7] = [
    papers::ELLIPSE,
    papers::COIN_COPIES,
    zipf::BINARY,
    zipf::CLASSES,
    sea::SEA,
    hyperplane::HYPERPLANE,
    stagger::STAGGER,
];

/// Makes a stream by name, with some parameters set.
///
/// ```
/// use surefoot_data::{Point, stream};
///
/// let mut coins = stream("coins", &[("copies", 3.0)], 7).unwrap();
/// let mut point = Point::default();
/// coins.fill(&mut point);
/// assert_eq!(point.ids.len(), 30);
/// assert!(point.values.iter().all(|value| value.abs() == 1.0));
/// ```
pub fn stream(name: &str, set: &[(&str, f64)], seed: u64) -> Result<Box<dyn Stream>, StreamProblem> {
    let refuse = |why: String| Err(StreamProblem(why));
    let Some(spec) = STREAMS.iter().find(|spec| spec.name == name) else {
        let names = STREAMS.map(|spec| spec.name).join(", ");
        return refuse(format!("there is no stream '{name}'; choose one of {names}"));
    };
    let mut values: Vec<f64> = spec.parameters.iter().map(|parameter| parameter.default).collect();
    for &(name, value) in set {
        let Some(at) = spec.parameters.iter().position(|parameter| parameter.name == name) else {
            let names = spec.parameters.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ");
            return refuse(format!("the stream {} has no parameter '{name}'; it has {names}", spec.name));
        };
        let StreamParameter { min, max, whole, .. } = spec.parameters[at];
        if !(min..=max).contains(&value) {
            return refuse(format!("{name} is {value}; it must be from {min} to {max}"));
        }
        if whole && value.fract() != 0.0 {
            return refuse(format!("{name} is {value}; it must be a whole number"));
        }
        values[at] = value;
    }
    Ok((spec.make)(&values, seed))
}

/// Why a stream cannot be made: it has another name, or a parameter has another name or other bounds.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct StreamProblem(String);

#[cfg(test)]
mod tests;
