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

    /// As [`View::apply`] for several views, where one with and one without unit length share their transform.
    pub(crate) fn apply_all(views: &[View], x: Features<'_>, bias: bool, out: &mut [Vec<f64>]) {
        let plain = |i: usize| {
            views[..i].iter().position(|plain| views[i].unit && *plain == View { unit: false, ..views[i] })
        };
        let mut i = 0;
        while i < views.len() {
            let (before, own) = out.split_at_mut(i);
            match (plain(i), (i + 1 < views.len()).then(|| plain(i + 1)).flatten()) {
                (None, _) => views[i].apply(x, bias, &mut own[0]),
                (Some(one), other) => {
                    let row = x.len() - usize::from(bias && !x.is_empty());
                    let sources = [one, other.unwrap_or(one)];
                    let sums = squares(sources.map(|source| &before[source][..row]));
                    for ((source, sum), own) in sources.into_iter().zip(sums).zip(own) {
                        copy_to_unit(&before[source], row, sum, own);
                    }
                    i += usize::from(other.is_some());
                }
            }
            i += 1;
        }
    }
}

/// Scales to Euclidean length 1, if there is a length.
fn scale_to_unit(row: &mut [f64]) {
    let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() {
        row.iter_mut().for_each(|v| *v /= length);
    }
}

/// The sums of squares of two rows of one length. Each is a chain of additions, in which every one waits for the one
/// before; together they take the time of one.
fn squares([one, other]: [&[f64]; 2]) -> [f64; 2] {
    one.iter().zip(other).fold([0.0; 2], |[a, b], (x, y)| [a + x * x, b + y * y])
}

/// As [`scale_to_unit`] for the first `row` values, whose squares have this sum, into `out`.
fn copy_to_unit(values: &[f64], row: usize, squares: f64, out: &mut Vec<f64>) {
    let length = squares.sqrt();
    let (row, rest) = values.split_at(row);
    out.clear();
    if length > 0.0 && length.is_finite() {
        out.extend(row.iter().map(|v| v / length));
    } else {
        out.extend_from_slice(row);
    }
    out.extend_from_slice(rest);
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.transform.word(), if self.unit { "+l2" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_together_are_the_views_one_by_one() -> Result<()> {
        let words = ["none", "sqrt", "log", "sqrt+l2", "binary+l2", "none+l2"];
        let views = words.map(|word| View::parse(word).unwrap_or_default());
        for (values, bias) in [(&[0.3, -4.0, 1.5, 1.0][..], true), (&[2.0, -0.1, 7.0], false), (&[], true)] {
            let ids: Vec<u32> = (0..values.len() as u32).collect();
            let x = Features::new(&ids, values)?;
            let (mut together, mut alone) = (vec![Vec::new(); views.len()], Vec::new());
            View::apply_all(&views, x, bias, &mut together);
            for (view, seen) in views.iter().zip(&together) {
                view.apply(x, bias, &mut alone);
                assert_eq!(&alone, seen, "{view}");
            }
        }
        Ok(())
    }
}
