//! How a learner sees an example: a transform of the values, or a [`Scaling`] that was learned from the stream, and then the
//! length of the row.
//!
//! A single learner's transform and length are applied when its examples are encoded. The members of an ensemble may differ
//! in theirs, so the ensemble applies them, one buffer a distinct transform. Both divide by the one [`unit_divisor`], so a member
//! sees the same bits in an ensemble and alone.
//!
//! A new scaling is one file with a `SPEC`, and its place in [`SCALINGS`].

mod cut;
mod naive_bayes;
mod rms;
mod standardize;

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};

use dyn_clone::DynClone;

use crate::state::{State, damaged};
use crate::store::NOWHERE;
use crate::{Error, Result, SparseVec, Target};
pub use cut::{Cut, Cuts, Segments};

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

/// An example as a scaling sees it, in memory that is used again.
#[derive(Debug, Clone, Default)]
pub struct SeenRow {
    /// The ids of its features, if they are others than those of the example.
    pub ids: Vec<u32>,
    /// Whether they are.
    pub own_ids: bool,
    /// Their values.
    pub values: Vec<f64>,
    /// The values of an example laid out by column.
    spread: Vec<f64>,
}

impl SeenRow {
    /// Takes over the values of the example's features, in its order.
    fn put_values(&mut self, values: impl Iterator<Item = f64>) {
        self.own_ids = false;
        self.values.clear();
        self.values.extend(values);
    }

    /// Takes over what is seen of an example that was cut from text in several ways. With `bias` the last feature is the bias.
    pub(crate) fn put_seen(&mut self, x: SparseVec<'_>, cuts: Cuts, bias: bool) {
        self.own_ids = true;
        self.ids.clear();
        self.values.clear();
        let features = x.len() - usize::from(bias && !x.is_empty());
        for seen in x.segments().seen(cuts, features).chain(std::iter::once(features..x.len())) {
            self.ids.extend_from_slice(&x.ids()[seen.clone()]);
            self.values.extend_from_slice(&x.values()[seen]);
        }
    }

    /// It as a vector, of the example that it was made of.
    #[must_use]
    pub fn of<'a>(&'a self, x: SparseVec<'a>) -> SparseVec<'a> {
        match self.own_ids {
            true => SparseVec::of_finite(&self.ids, &self.values),
            false => SparseVec::of_finite(x.ids(), &self.values).with_segments(x.segments()),
        }
    }
}

/// What the values of an example are multiplied by, or replaced by, given what the stream has shown of its features so far.
/// Of the bias it is never told.
pub trait Scaling: Any + Debug + Send + Sync + DynClone {
    /// Puts an example as it is seen now into `out`; with itself, as if it had been counted before: the first value of a
    /// feature is then of size 1 already. Labels never are.
    fn see(&self, x: SparseVec<'_>, with_itself: bool, out: &mut SeenRow);

    /// Counts an example.
    fn learn(&mut self, x: SparseVec<'_>, target: Target<'_>) -> Result<()>;

    /// Asks for the memory of these features.
    fn prefetch(&self, _ids: &[u32]) {}

    /// Lets what was counted count less at once: all of it with a share of 1, nothing of it with 0.
    fn discount(&mut self, share: f64);

    /// Adds what another one of the same kind has counted, so many times (a negative number takes a common base off again);
    /// its feature i is `features[i]` here, or nothing if that is [`NOWHERE`], and its class k is `classes[k]`.
    fn add(&mut self, other: &dyn Scaling, features: &[u32], classes: &[usize], times: f64);

    /// All features that it knows are below this one.
    fn features(&self) -> usize;

    /// Everything it has counted, as named tensors.
    fn save(&self) -> State<'_>;

    /// Takes over a saved state.
    fn restore(&mut self, state: State<'_>) -> Result<()>;
}

dyn_clone::clone_trait_object!(Scaling);

/// A scaling's entry in the list: everything the rest of the product knows of it.
pub struct ScalingSpec {
    /// The word that users type.
    pub name: &'static str,
    /// One line for people.
    pub title: &'static str,
    /// Whether every example gets an entry for every column, so that members who see it see other features than the rest.
    pub every_column: bool,
    /// Whether it forgets with the half-life of the member who looks through it.
    pub forgets: bool,
    /// One that has seen nothing, with a half-life in examples.
    pub build: fn(Option<f64>) -> Box<dyn Scaling>,
}

impl PartialEq for ScalingSpec {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ScalingSpec {}

impl Hash for ScalingSpec {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Debug for ScalingSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Every scaling, in the order in which help pages show them.
pub static SCALINGS: &[&ScalingSpec] = &[&naive_bayes::SPEC, &rms::SPEC, &standardize::SPEC];

/// Columns that can be standardised: more would make every round slow and every vector large.
pub const COLUMN_LIMIT: usize = 1 << 16;

/// Values count as at most this large in statistics, whose squares then stay finite.
const LARGEST: f64 = 1e150;

/// `x / size`, finite whatever the numbers; 0 if nothing sensible comes out.
fn ratio(x: f64, size: f64) -> f64 {
    let ratio = x / size;
    if ratio.is_finite() { ratio } else { 0.0 }
}

/// The first so many features that have a place, each with that place.
fn places(count: usize, features: &[u32]) -> impl Iterator<Item = (usize, [u32; 1])> {
    let known = features.iter().take(count).enumerate().filter(|(_, place)| **place != NOWHERE);
    known.map(|(feature, &place)| (feature, [place]))
}

/// Takes an array out of finite numbers, none below 0.
fn take_sizes(state: &mut State<'_>, name: &str) -> Result<Vec<f64>> {
    let sizes = state.take_f64(name)?;
    match sizes.iter().find(|size| !(size.is_finite() && **size >= 0.0)) {
        Some(size) => Err(damaged(name, format!("{size} is not a size"))),
        None => Ok(sizes),
    }
}

/// A transform or a scaling, whether rows get length 1, and which cuts of a text are seen at all.
///
/// ```
/// use surefoot_core::transform::{Transform, View};
/// let view = View::parse("sqrt+l2")?;
/// assert_eq!(view, View { transform: Transform::Sqrt, unit: true, ..View::default() });
/// assert_eq!(view.to_string(), "sqrt+l2");
/// assert_eq!(View::parse("words+pairs:nb+l2")?.to_string(), "words+pairs:nb+l2");
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct View {
    /// The transform of each value.
    pub transform: Transform,
    /// Whether the row is scaled to Euclidean length 1.
    pub unit: bool,
    /// What scales the values first, learned from the stream; only members of an ensemble have such.
    pub scaling: Option<&'static ScalingSpec>,
    /// Which cuts of a text are seen; only members of an ensemble are blind to some.
    pub cuts: Cuts,
}

impl View {
    /// Reads `none`, `sqrt`, `sqrt+l2`, `nb+l2`, `words+pairs:nb+l2`, …
    pub fn parse(text: &str) -> Result<Self> {
        if let Some((cuts, view)) = text.split_once(':') {
            return Ok(Self { cuts: Cuts::parse(cuts)?, ..Self::parse(view.trim())? });
        }
        let (word, unit) = text.strip_suffix("+l2").map_or((text, false), |word| (word, true));
        if let Some(scaling) = SCALINGS.iter().copied().find(|scaling| scaling.name == word) {
            return Ok(Self { unit, scaling: Some(scaling), ..Self::default() });
        }
        let found = Transform::WORDS.iter().find(|(_, known)| *known == word);
        let (transform, _) = found.ok_or_else(|| {
            let scalings = SCALINGS.iter().map(|scaling| scaling.name).collect::<Vec<_>>().join(", ");
            let known = format!("none, binary, sqrt, log, {scalings}, each with or without +l2");
            Error::Unknown { what: "view", found: text.to_string(), known }
        })?;
        Ok(Self { transform: *transform, unit, ..Self::default() })
    }

    /// Puts the values as this view sees them into `out`, after its scaling if it has one. With `bias` the last value is the
    /// bias and stays as it is.
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
        let word = self.scaling.map_or(self.transform.word(), |scaling| scaling.name);
        if self.cuts != Cuts::ALL {
            write!(f, "{}:", self.cuts)?;
        }
        write!(f, "{word}{}", if self.unit { "+l2" } else { "" })
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
