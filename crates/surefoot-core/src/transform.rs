//! A learner's view of an example: a transform of the values, then the length of the row.
//!
//! A single learner's view is applied when its examples are encoded. The members of an ensemble may differ in theirs, so
//! the ensemble applies them, one buffer a distinct transform. Both divide by the one [`unit_divisor`], so a member sees
//! the same bits in an ensemble and alone.

use std::fmt;

use crate::{Error, Result, SparseVec};

/// A transform of each value: sign(x)·f(|x|).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transform {
    /// f(x) = x.
    #[default]
    None,
    /// f(x) = 1.
    Binary,
    /// f(x) = √x.
    Sqrt,
    /// f(x) = ln(1 + x).
    Log,
}

impl Transform {
    /// Every transform with the word that users type.
    pub const WORDS: [(Transform, &'static str); 4] =
        [(Self::None, "none"), (Self::Binary, "binary"), (Self::Sqrt, "sqrt"), (Self::Log, "log")];

    /// The transformed value.
    #[inline]
    #[must_use]
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Self::None => x,
            Self::Binary => 1f64.copysign(x),
            Self::Sqrt => x.abs().sqrt().copysign(x),
            Self::Log => libm::log1p(x.abs()).copysign(x),
        }
    }

    /// Appends the transformed values. The choice is made once for all, so that roots are taken several at a time.
    fn extend(self, row: &[f64], out: &mut Vec<f64>) {
        match self {
            Self::None => out.extend_from_slice(row),
            Self::Sqrt => out.extend(row.iter().map(|&value| Self::Sqrt.apply(value))),
            _ => out.extend(row.iter().map(|&value| self.apply(value))),
        }
    }

    /// The word that users type.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(t, _)| *t == self).map_or("", |(_, word)| word)
    }
}

/// A transform and whether rows get length 1.
///
/// ```
/// use surefoot_core::transform::{Transform, View};
/// let view = View::parse("sqrt+l2")?;
/// assert_eq!(view, View { transform: Transform::Sqrt, unit: true });
/// assert_eq!(view.to_string(), "sqrt+l2");
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct View {
    /// The transform of each value.
    pub transform: Transform,
    /// Whether the row is scaled to Euclidean length 1.
    pub unit: bool,
}

impl View {
    /// Reads `none`, `sqrt`, `sqrt+l2`, …
    pub fn parse(text: &str) -> Result<Self> {
        let (word, unit) = text.strip_suffix("+l2").map_or((text, false), |word| (word, true));
        let found = Transform::WORDS.iter().find(|(_, known)| *known == word);
        let (transform, _) = found.ok_or_else(|| Error::Unknown {
            what: "view",
            found: text.to_string(),
            known: "none, binary, sqrt, log, each with or without +l2".to_string(),
        })?;
        Ok(Self { transform: *transform, unit })
    }

    /// Puts the values as this view sees them into `out`. With `bias` the last value is the bias and stays as it is.
    pub fn apply(self, x: SparseVec<'_>, bias: bool, out: &mut Vec<f64>) {
        let (row, rest) = x.values().split_at(x.len() - usize::from(bias && !x.is_empty()));
        out.clear();
        self.transform.extend(row, out);
        if self.unit {
            let length = unit_divisor(out);
            out.iter_mut().for_each(|value| *value /= length);
        }
        out.extend_from_slice(rest);
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.transform.word(), if self.unit { "+l2" } else { "" })
    }
}

/// What values are divided by to have Euclidean length 1: their length, or 1 if they have none.
///
/// ```
/// use surefoot_core::transform::unit_divisor;
/// assert_eq!(unit_divisor(&[3.0, -4.0]), 5.0);
/// assert_eq!(unit_divisor(&[]), 1.0);
/// assert!((unit_divisor(&[3e200, 4e200]) / 5e200 - 1.0).abs() < 1e-15); // though the squares overflow
/// ```
#[must_use]
pub fn unit_divisor(values: &[f64]) -> f64 {
    let length = length(values);
    if length > 0.0 { length } else { 1.0 }
}

fn length(values: &[f64]) -> f64 {
    let sum = sum_of_squares(values);
    if (1e-280..1e280).contains(&sum) {
        return sum.sqrt();
    }
    // Squares that left the range of numbers: take the largest value out first.
    let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let parts: f64 = values.iter().map(|value| (value / largest).powi(2)).sum();
    if largest == 0.0 { 0.0 } else { largest * parts.sqrt() }
}

/// Four sums side by side, then one: a fixed order of additions that still lets the processor overlap them.
fn sum_of_squares(values: &[f64]) -> f64 {
    let mut lanes = [0.0_f64; 4];
    let (fours, rest) = values.as_chunks::<4>();
    for four in fours {
        lanes = std::array::from_fn(|lane| lanes[lane] + four[lane] * four[lane]);
    }
    lanes.iter_mut().zip(rest).for_each(|(lane, value)| *lane += value * value);
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
