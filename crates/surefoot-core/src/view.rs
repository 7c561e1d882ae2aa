//! A learner's view of an example: a transform of the values, then the length of the row.
//!
//! A single learner's view is applied when its examples are prepared. The members of a bank may differ in theirs, so
//! the bank applies them, one buffer a distinct view.

use std::fmt;

use crate::{Error, Features, Result};

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
/// use surefoot_core::view::{Transform, View};
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
    pub fn apply(self, x: Features<'_>, bias: bool, out: &mut Vec<f64>) {
        let (row, rest) = x.values().split_at(x.len() - usize::from(bias && !x.is_empty()));
        out.clear();
        self.transform.extend(row, out);
        if self.unit {
            scale_to_unit(out);
        }
        out.extend_from_slice(rest);
    }
}

/// Scales to Euclidean length 1, if there is a length.
fn scale_to_unit(row: &mut [f64]) {
    let [length, _] = divisors([row, row]);
    row.iter_mut().for_each(|v| *v /= length);
}

/// What two rows, both of so many values, are to be divided by to have Euclidean length 1: their length, or 1 if they have
/// none. A sum of squares is a chain of additions, in which every one waits for the one before; two take the time of one.
pub(crate) fn divisors([one, other]: [&[f64]; 2]) -> [f64; 2] {
    let squares = one.iter().zip(other).fold([0.0; 2], |[a, b], (x, y)| [a + x * x, b + y * y]);
    let lengths = squares.map(f64::sqrt);
    lengths.map(|length| if length > 0.0 && length.is_finite() { length } else { 1.0 })
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.transform.word(), if self.unit { "+l2" } else { "" })
    }
}
