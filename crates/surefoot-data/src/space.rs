//! Feature spaces: from keys to the dense indices that learners work with.
//!
//! All three give an index to a feature when they first meet it, counted from 0, in file order by one consumer: the
//! store of weights is as large as what was met, whatever the ids or bits, and `4000000000:1` costs nothing. Integers as
//! given that turn out to be dense are moved a few times, so that each is its own index; then indices have gaps.

mod crowd;
mod dictionary;
mod directory;
mod given;
mod hashed;
mod names;
mod region;
mod remap;
mod slots;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Debug, Display};
use std::sync::Arc;

pub(crate) use crowd::LONGEST_REGION;
pub use dictionary::Dictionary;
pub use directory::Directory;
pub use given::AsGiven;
pub use hashed::Hashed;

use surefoot_core::store::NOWHERE;

use crate::batch::Features;
use crate::key::BIAS_NAME;
use crate::recipe::SpaceKind;
use crate::state::{State, StateProblem};

/// The most features that a space can index. The last `u32` stands for an unknown feature.
pub const SPACE_LIMIT: usize = u32::MAX as usize - 1;

/// Stands for a feature that a space does not know, in lists of indices; a learner that moves its features understands it.
pub(crate) const UNKNOWN: u32 = NOWHERE;

/// A feature space.
///
/// Learning calls [`index`](Space::index) and lets the space grow; prediction calls [`lookup`](Space::lookup), which
/// changes nothing.
///
/// ```
/// use surefoot_data::{BIAS_KEY, SpaceKind, name_key, new_space};
///
/// let mut space = new_space(SpaceKind::Dictionary);
/// let word = name_key(b"good", 0);
/// assert_eq!(space.lookup(word), None);
/// assert_eq!(space.index(word, b"good"), 0);
/// assert_eq!(space.index(BIAS_KEY, b""), 1);
/// assert_eq!(space.lookup(word), Some(0));
/// assert_eq!(space.name(0).to_string(), "good");
/// assert_eq!(space.name(1).to_string(), "(bias)");
/// ```
pub trait Space: Debug + Send + Sync {
    /// The index of a feature, given now if it is new. The caller keeps [`len`](Space::len) below [`SPACE_LIMIT`].
    fn index(&mut self, key: u64, name: &[u8]) -> u32;

    /// The index of a feature, if it is known.
    fn lookup(&self, key: u64) -> Option<u32>;

    /// What to call the feature of an index that the space [holds](Space::holds).
    fn name(&self, index: u32) -> FeatureName<'_>;

    /// A key under which `lookup` finds the feature of an index that the space [holds](Space::holds).
    fn key(&self, index: u32) -> u64;

    /// How many features have an index, the bias included.
    fn len(&self) -> usize;

    /// All indices are below this one.
    fn bound(&self) -> usize {
        self.len()
    }

    /// Whether an index is that of a feature that was met.
    fn holds(&self, index: u32) -> bool {
        (index as usize) < self.bound()
    }

    /// The indices of all features, ascending.
    fn indices(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        Box::new((0..self.bound() as u32).filter(|&index| self.holds(index)))
    }

    /// Whether no feature has an index.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How two indices stand in the order in which people expect features: integers and slots ascending, names
    /// alphabetically, the bias last.
    fn compare(&self, one: u32, other: u32) -> Ordering;

    /// All indices in the order of [`compare`](Space::compare).
    fn feature_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = self.indices().collect();
        order.sort_unstable_by(|&one, &other| self.compare(one, other));
        order
    }

    /// Features that are known to share their index with another one.
    fn collisions(&self) -> usize {
        0
    }

    /// Takes in the features of another space of the same kind; returns the index here of each of its features, `u32::MAX`
    /// where an index of it has none.
    fn unite(&mut self, other: &dyn Space) -> Vec<u32> {
        let mut places = vec![UNKNOWN; other.bound()];
        for at in other.indices() {
            places[at as usize] = self.index(other.key(at), other.name(at).to_string().as_bytes());
        }
        places
    }

    /// Whether a move may be planned, or made early, by now. Most of the time none may, and whoever asks before every example
    /// need not ask further.
    fn may_move(&self) -> bool {
        false
    }

    /// Plans to give features other indices, of which at least one in `sparsity` is used (and one in 8 in any case), if that
    /// pays by now. Whether a move is planned depends on that and on the features met, and on nothing else.
    fn plan_move(&mut self, _sparsity: u64) -> bool {
        false
    }

    /// Makes the move that was planned; returns the new index of every old one, `u32::MAX` where there was no feature. None if
    /// nothing was planned, or all are where they should be already.
    fn make_move(&mut self) -> Option<Vec<u32>> {
        None
    }

    /// Gives features other indices before a move is planned, if one of every `sparsity` of at most `most` indices is used
    /// then; returns as [`make_move`](Space::make_move) does. For streams that are expected to go on: until they have ended and the
    /// space is [settled](Space::settle), it must not be exported.
    fn move_early(&mut self, _sparsity: u64, _most: u64) -> Option<Vec<u32>> {
        None
    }

    /// Takes back what moves came too early, so that indices are as planned moves alone would have left them; returns as
    /// [`make_move`](Space::make_move) does.
    fn settle(&mut self) -> Option<Vec<u32>> {
        None
    }

    /// How often features have got other indices.
    fn layout(&self) -> u32 {
        0
    }

    /// As [`lookup_all`](Space::lookup_all), for learning: where a feature that was not met has its index already, it is
    /// told. Whoever learns then says that it was [met](Space::meet_all).
    fn locate_all(&self, keys: &[u64], indices: &mut Vec<u32>) {
        self.lookup_all(keys, indices);
    }

    /// The features of these indices were met; they are in the order of an example, where some may be unknown.
    fn meet_all(&mut self, _indices: &[u32]) {}

    /// The same for features of which it is known that none was met before.
    fn meet_new(&mut self, indices: &[u32]) {
        self.meet_all(indices);
    }

    /// Puts everything that loading needs into `state`, under names that begin with `space.`.
    fn export<'a>(&'a self, state: &mut State<'a>);

    /// Appends the index of every feature of an example: one call an example through a trait object.
    fn index_all(&mut self, features: &Features<'_>, indices: &mut Vec<u32>) {
        let keys = features.keys().iter().enumerate();
        indices.extend(keys.map(|(at, &key)| self.index(key, features.name(at))));
    }

    /// Completes what [`lookup_all`](Space::lookup_all) found: `index_all`, without looking twice.
    fn index_rest(&mut self, features: &Features<'_>, indices: &mut [u32]) {
        for at in features.unknown() {
            if indices[at] != UNKNOWN {
                continue;
            }
            indices[at] = self.index(features.keys()[at], features.name(at));
        }
    }

    /// Whether [`index_rest`](Space::index_rest) has something to do where nothing is unknown.
    fn counts_appearances(&self) -> bool {
        false
    }

    /// What parse workers can look keys up in while the space grows, if there is such a thing.
    fn directory(&self) -> Option<Arc<Directory>> {
        None
    }

    /// Looks again for keys that were unknown: those at these positions.
    fn lookup_rest(&self, keys: &[u64], indices: &mut [u32], unknown: &[u32]) {
        for at in unknown.iter().map(|&at| at as usize) {
            indices[at] = self.lookup(keys[at]).unwrap_or(UNKNOWN);
        }
    }

    /// Appends the index of every key, `u32::MAX` where it is unknown.
    fn lookup_all(&self, keys: &[u64], indices: &mut Vec<u32>) {
        indices.extend(keys.iter().map(|&key| self.lookup(key).unwrap_or(UNKNOWN)));
    }
}

/// An empty space of this kind.
pub fn new_space(kind: SpaceKind) -> Box<dyn Space> {
    match kind {
        SpaceKind::AsGiven => Box::new(AsGiven::default()),
        SpaceKind::Auto | SpaceKind::Dictionary => Box::new(Dictionary::default()),
        SpaceKind::Hashed { bits, .. } => Box::new(Hashed::new(bits)),
    }
}

/// The space of this kind that [`Space::export`] wrote. Every array is checked.
pub fn load_space(kind: SpaceKind, state: &mut State<'_>) -> Result<Box<dyn Space>, StateProblem> {
    Ok(match kind {
        SpaceKind::AsGiven => Box::new(AsGiven::import(state)?),
        SpaceKind::Auto | SpaceKind::Dictionary => Box::new(Dictionary::import(state)?),
        SpaceKind::Hashed { bits, .. } => Box::new(Hashed::import(bits, state)?),
    })
}

/// Indices are 32 bits wide.
fn check_count(name: &str, count: usize) -> Result<(), StateProblem> {
    if count <= SPACE_LIMIT {
        return Ok(());
    }
    Err(StateProblem::damaged(name, format!("{count} features; at most {SPACE_LIMIT} are possible")))
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
