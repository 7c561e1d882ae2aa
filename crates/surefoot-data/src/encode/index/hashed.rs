//! Names hashed to 2^bits slots, for streams whose names do not fit in memory.
//!
//! A slot gets its index when it is first met, as in the other indices, instead of being the index itself: 2^24 slots of
//! which a thousand are used then cost a thousand weights a class and not sixteen million, and what is stored and
//! inspected is what was met. The price is one look into an array that is dense as soon as the slots are.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use super::given::IntMap;
use super::names::Names;
use super::slots::KeyHash;
use super::{FeatureIndex, FeatureName, FoundFeatures, UNKNOWN, check_count};
use crate::key::BIAS_KEY;
use surefoot_core::state::{State, Tensor, check_length, damaged};

const KEYS: &str = "space.keys";
const SHARED: &str = "space.shared";
const COUNTS: &str = "space.counts";
const NAMED: &str = "space.named";
const BAR: &str = "space.bar";

/// Names that are kept at least, once so many have been met. At most twice as many are held at any time.
const NAMES_KEPT: usize = 1 << 16;

/// What is known of one slot, in one piece because all of it is needed for every feature of the stream.
#[derive(Clone, Copy, Debug)]
struct HashedSlot {
    /// The whole key that was first met in it.
    key: u64,
    /// How often it was met.
    count: u32,
    /// Whether another key was met in it.
    shared: bool,
    /// Whether its name is kept.
    named: bool,
}

/// Hashed features, each slot with an index by first appearance, and the names of those met most often.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hashed {
    mask: u64,
    /// From slots to their index, plus 1.
    places: IntMap<u32>,
    /// By index.
    slots: Vec<HashedSlot>,
    /// By index, where the slot is named.
    names: HashMap<u32, Box<[u8]>, KeyHash>,
    /// A feature must be met more often than this to have its name kept.
    bar: u32,
    bias: Option<u32>,
    names_kept: usize,
}

impl Hashed {
    /// An index of 2^`bits` slots, `bits` at most 32.
    pub(crate) fn new(bits: u8) -> Self {
        Self::with_names(bits, NAMES_KEPT)
    }

    /// The same with another number of names to keep.
    pub(super) fn with_names(bits: u8, names_kept: usize) -> Self {
        Hashed { mask: (1 << bits.min(32)) - 1, names_kept, ..Hashed::default() }
    }

    fn insert(&mut self, key: u64) -> u32 {
        let index = self.slots.len() as u32;
        if key == BIAS_KEY {
            self.bias = Some(index);
        } else {
            self.places.insert(key & self.mask, index + 1);
        }
        self.slots.push(HashedSlot { key, count: 0, shared: false, named: false });
        index
    }

    /// The index of the slot of a key, if it was met.
    #[inline]
    fn get(&self, key: u64) -> Option<u32> {
        if key == BIAS_KEY { self.bias } else { self.places.get(key & self.mask).checked_sub(1) }
    }

    /// Counts one appearance, notes a collision, and keeps the name if the feature is heavy enough.
    fn note(&mut self, index: u32, key: u64, name: &[u8]) {
        let slot = &mut self.slots[index as usize];
        slot.shared |= slot.key != key;
        slot.count = slot.count.saturating_add(1);
        if slot.count > self.bar && !name.is_empty() && !slot.named {
            slot.named = true;
            self.names.insert(index, name.into());
            if self.names.len() >= 2 * self.names_kept {
                self.drop_light_names();
            }
        }
    }

    /// Keeps the names of the heavier half, and raises the bar to the heaviest that went.
    fn drop_light_names(&mut self) {
        let mut order: Vec<u32> = self.names.keys().copied().collect();
        order.sort_unstable_by_key(|&index| (u32::MAX - self.slots[index as usize].count, index));
        if let Some(&heaviest) = order.get(self.names_kept) {
            self.bar = self.slots[heaviest as usize].count;
        }
        for light in order.drain(self.names_kept.min(order.len())..) {
            self.names.remove(&light);
            self.slots[light as usize].named = false;
        }
    }

    pub(super) fn import(bits: u8, state: &mut State<'_>) -> surefoot_core::Result<Self> {
        let mut index = Hashed::new(bits);
        let keys = state.take_u64(KEYS)?;
        check_count(KEYS, keys.len())?;
        for key in keys {
            if index.get(key).is_some() {
                return Err(damaged(KEYS, format!("two keys share the slot of {key}")));
            }
            index.insert(key);
        }
        let shared = state.take_u8(SHARED)?;
        let counts = state.take_u32(COUNTS)?;
        check_length(SHARED, shared.len(), index.slots.len())?;
        check_length(COUNTS, counts.len(), index.slots.len())?;
        for ((slot, shared), count) in index.slots.iter_mut().zip(shared).zip(counts) {
            slot.shared = shared != 0;
            slot.count = count;
        }
        let bar = state.take_u32(BAR)?;
        check_length(BAR, bar.len(), 1)?;
        index.bar = bar[0];
        index.import_names(state)?;
        Ok(index)
    }

    fn import_names(&mut self, state: &mut State<'_>) -> surefoot_core::Result<()> {
        let names = Names::import(state)?;
        let named = state.take_u32(NAMED)?;
        check_length(NAMED, named.len(), names.len())?;
        for (&index, name) in named.iter().zip(names.iter()) {
            match self.slots.get_mut(index as usize) {
                Some(slot) if !slot.named => slot.named = true,
                _ => return Err(damaged(NAMED, format!("{index} is not the index of one feature"))),
            }
            self.names.insert(index, name.into());
        }
        Ok(())
    }
}

impl FeatureIndex for Hashed {
    #[inline]
    fn intern(&mut self, key: u64, name: &[u8]) -> u32 {
        let index = match self.get(key) {
            Some(index) => index,
            None => self.insert(key),
        };
        self.note(index, key, name);
        index
    }

    fn get_all(&self, keys: &[u64], found: &mut FoundFeatures) {
        let find = |&key: &u64| self.get(key).map_or((UNKNOWN, false), |index| (index, true));
        found.fill(keys.len(), keys.iter().map(find));
    }

    fn feature(&self, index: u32) -> Option<(u64, FeatureName<'_>)> {
        let key = self.slots.get(index as usize)?.key;
        let name = match self.names.get(&index) {
            _ if self.bias == Some(index) => FeatureName::Bias,
            Some(name) => FeatureName::Name(String::from_utf8_lossy(name)),
            None => FeatureName::Slot(key & self.mask),
        };
        Some((key, name))
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn compare(&self, one: u32, other: u32) -> Ordering {
        let place = |index: u32| (self.bias == Some(index), self.slots[index as usize].key & self.mask);
        place(one).cmp(&place(other))
    }

    fn collisions(&self) -> usize {
        self.slots.iter().filter(|slot| slot.shared).count()
    }

    fn union(&mut self, other: &dyn FeatureIndex) -> Vec<u32> {
        // Only its own state tells how often each slot was met.
        let mut state = State::new();
        other.export(&mut state);
        let Ok(other) = Hashed::import(self.mask.count_ones() as u8, &mut state) else { return Vec::new() };
        let indices =
            other.slots.iter().map(|slot| self.get(slot.key).unwrap_or_else(|| self.insert(slot.key)));
        let indices: Vec<u32> = indices.collect();
        self.bar = self.bar.max(other.bar);
        for ((at, slot), &index) in (0..).zip(&other.slots).zip(&indices) {
            let own = &mut self.slots[index as usize];
            own.shared |= slot.shared || own.key != slot.key;
            own.count = own.count.saturating_add(slot.count);
            if let (Some(name), false) = (other.names.get(&at), own.named) {
                own.named = true;
                self.names.insert(index, name.clone());
            }
        }
        if self.names.len() >= 2 * self.names_kept {
            self.drop_light_names();
        }
        indices
    }

    fn export<'a>(&'a self, state: &mut State<'a>) {
        let slots = self.slots.iter();
        state.put(KEYS, Tensor::U64(slots.clone().map(|slot| slot.key).collect()));
        state.put(SHARED, Tensor::U8(slots.clone().map(|slot| u8::from(slot.shared)).collect()));
        state.put(COUNTS, Tensor::U32(slots.map(|slot| slot.count).collect()));
        state.put(BAR, Tensor::U32(Cow::Owned(vec![self.bar])));
        let mut named: Vec<u32> = self.names.keys().copied().collect();
        named.sort_unstable();
        let mut names = Names::default();
        named.iter().for_each(|index| names.push(&self.names[index]));
        names.export_owned(state);
        state.put(NAMED, Tensor::U32(Cow::Owned(named)));
    }
}
