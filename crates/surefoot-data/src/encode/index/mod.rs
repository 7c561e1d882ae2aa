//! Feature indices: from keys to the dense indices that learners work with.
//!
//! All three give an index to a feature when they first meet it, in file order, and it never changes. The stores of weights
//! are as large as what was met, whatever the ids or bits, and `4000000000:1` costs next to nothing. Integers as given may
//! get their indices in pages of neighbours; then indices have gaps.

mod dictionary;
mod given;
mod hashed;
mod names;
mod slots;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Debug, Display};

use dyn_clone::DynClone;

use crate::batch::KeyedFeatures;
use crate::key::BIAS_NAME;
use crate::recipe::SpaceKind;
use dictionary::Dictionary;
use given::AsGiven;
use hashed::Hashed;
use surefoot_core::state::{State, damaged};

/// One past the largest index that there can be. The last `u32` stands for an unknown feature.
pub(crate) const INDEX_LIMIT: usize = u32::MAX as usize - 1;

/// Indices that a new feature may take up at most, the gaps of its page included.
pub(crate) const ROWS_A_FEATURE: usize = 1 << given::PAGE_BITS;

/// Stands for a feature that has no index, in lists of indices.
pub const UNKNOWN: u32 = u32::MAX;

/// Which index each feature has.
///
/// Learning [interns](FeatureIndex::intern) features and lets the index grow; prediction [gets](FeatureIndex::get_all) those
/// that are known, which changes nothing. An index, once given, stays.
///
/// ```
/// use std::sync::Arc;
/// use surefoot_data::{Encoder, Labels, NamedRow, Plan, Recipe, Row, name_key};
///
/// let plan = Arc::new(Plan::new(Recipe::default())?);
/// let mut encoder = Encoder::new(Labels::open(), plan.clone(), false);
/// let mut row = NamedRow::new(&plan);
/// encoder.encode(&row.set(&[("good", 1.0)])?, b"1", 1.0, &mut Row::new())?;
///
/// let index = encoder.index();
/// assert_eq!(index.get(name_key(b"good", 0)), Some(0));
/// assert_eq!(index.get(name_key(b"bad", 0)), None);
/// assert_eq!(index.name(0).unwrap().to_string(), "good");
/// assert_eq!(index.name(1).unwrap().to_string(), "(bias)");
/// assert_eq!(index.name(2), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(
    clippy::len_without_is_empty,
    reason = "it is a method of the trait object, where no index writes it again"
)]
pub trait FeatureIndex: Debug + Send + Sync + DynClone {
    /// The index of a feature, given now if it is new. The caller keeps [`bound`](FeatureIndex::bound) within 32 bits.
    fn intern(&mut self, key: u64, name: &[u8]) -> u32;

    /// Appends the index of every feature of an example: one call an example through a trait object.
    fn intern_all(&mut self, features: &KeyedFeatures<'_>, indices: &mut Vec<u32>) {
        let keys = features.keys().iter().enumerate();
        indices.extend(keys.map(|(at, &key)| self.intern(key, features.name(at))));
    }

    /// Finds the index of every key; what was found before is forgotten.
    fn get_all(&self, keys: &[u64], found: &mut FoundFeatures);

    /// The feature of an index: a key under which it is found, and what to call it. None where the index has no feature.
    fn feature(&self, index: u32) -> Option<(u64, FeatureName<'_>)>;

    /// How many features have an index, the bias included.
    fn len(&self) -> usize;

    /// All indices are below this one.
    fn bound(&self) -> usize {
        self.len()
    }

    /// How two indices stand in the order in which people expect features: integers and slots ascending, names
    /// alphabetically, the bias last.
    fn compare(&self, one: u32, other: u32) -> Ordering;

    /// Features that are known to share their index with another one.
    fn collisions(&self) -> usize {
        0
    }

    /// Takes in the features of another index of the same kind; returns the index here of each of its features, [`UNKNOWN`]
    /// where an index of it has none.
    fn union(&mut self, other: &dyn FeatureIndex) -> Vec<u32> {
        let mut places = vec![UNKNOWN; other.bound()];
        for (index, place) in (0..).zip(&mut places) {
            if let Some((key, name)) = other.feature(index) {
                *place = self.intern(key, name.to_string().as_bytes());
            }
        }
        places
    }

    /// Puts everything that loading needs into `state`, under names that begin with `space.`.
    fn export<'a>(&'a self, state: &mut State<'a>);
}

dyn_clone::clone_trait_object!(FeatureIndex);

impl dyn FeatureIndex + '_ {
    /// The index of a feature, if it is known.
    pub fn get(&self, key: u64) -> Option<u32> {
        let mut found = FoundFeatures::default();
        self.get_all(&[key], &mut found);
        found.new.is_empty().then(|| found.indices[0])
    }

    /// What to call the feature of an index; none where the index has no feature.
    pub fn name(&self, index: u32) -> Option<FeatureName<'_>> {
        self.feature(index).map(|(_, name)| name)
    }

    /// A key under which `get` finds the feature of an index.
    ///
    /// # Panics
    /// If the index has no feature.
    pub fn key(&self, index: u32) -> u64 {
        self.feature(index).expect("an index that has a feature").0
    }

    /// Whether an index is that of a feature that was met.
    pub fn contains(&self, index: u32) -> bool {
        self.feature(index).is_some()
    }

    /// Whether no feature has an index.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The indices of all features, ascending.
    pub fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.bound() as u32).filter(|&index| self.contains(index))
    }

    /// The indices of all features in the order of [`compare`](FeatureIndex::compare).
    pub fn feature_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = self.indices().collect();
        order.sort_unstable_by(|&one, &other| self.compare(one, other));
        order
    }
}

/// Where the features of an example stand in an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundFeatures {
    /// The index of each feature, [`UNKNOWN`] where it has none. An index may be reserved for a feature that was never met.
    pub indices: Vec<u32>,
    /// Positions of the features that were never met.
    pub new: Vec<u32>,
}

impl FoundFeatures {
    /// Forgets the features and keeps the memory.
    pub fn clear(&mut self) {
        self.indices.clear();
        self.new.clear();
    }

    /// Takes what a look at every key finds: its index, and whether it was met.
    fn fill(&mut self, count: usize, found: impl Iterator<Item = (u32, bool)>) {
        self.clear();
        self.new.resize(count, 0);
        let mut new = 0;
        // Every position is written and most are overwritten: no branch on what cannot be predicted.
        self.indices.extend((0..).zip(found).map(|(at, (index, met))| {
            self.new[new] = at;
            new += usize::from(!met);
            index
        }));
        self.new.truncate(new);
    }
}

/// An empty index of this kind; `gaps` says whether indices may have some.
pub(crate) fn new_index(kind: SpaceKind, gaps: bool) -> Box<dyn FeatureIndex> {
    match kind {
        SpaceKind::AsGiven => Box::new(AsGiven::new(gaps)),
        SpaceKind::Auto | SpaceKind::Dictionary => Box::new(Dictionary::default()),
        SpaceKind::Hashed { bits, .. } => Box::new(Hashed::new(bits)),
    }
}

/// The index of this kind that [`FeatureIndex::export`] wrote. Every array is checked.
pub(crate) fn load_index(
    kind: SpaceKind,
    state: &mut State<'_>,
) -> surefoot_core::Result<Box<dyn FeatureIndex>> {
    Ok(match kind {
        SpaceKind::AsGiven => Box::new(AsGiven::import(given::TRIAL, state)?),
        SpaceKind::Auto | SpaceKind::Dictionary => Box::new(Dictionary::import(state)?),
        SpaceKind::Hashed { bits, .. } => Box::new(Hashed::import(bits, state)?),
    })
}

/// Indices are 32 bits wide.
fn check_count(name: &str, count: usize) -> surefoot_core::Result<()> {
    if count <= INDEX_LIMIT {
        return Ok(());
    }
    Err(damaged(name, format!("{count} features; at most {INDEX_LIMIT} are possible")))
}

/// What to call a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeatureName<'a> {
    /// The bias.
    Bias,
    /// An integer as the file gives it.
    Id(u64),
    /// A name.
    Name(Cow<'a, str>),
    /// A slot of a hashed space of which no name is kept.
    Slot(u64),
}

impl Display for FeatureName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FeatureName::Bias => f.write_str(BIAS_NAME),
            FeatureName::Id(id) => write!(f, "{id}"),
            FeatureName::Name(name) => f.write_str(name),
            FeatureName::Slot(slot) => write!(f, "(slot {slot})"),
        }
    }
}

#[cfg(test)]
mod tests;
