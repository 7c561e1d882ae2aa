//! Names hashed to 2^bits slots, for streams whose names do not fit in memory.
//!
//! A slot gets its index when it is first met, as in the other spaces, instead of being the index itself: 2^24 slots of
//! which a thousand are used then cost a thousand weights a class and not sixteen million, and what is stored and
//! inspected is what was met. The price is one look into an array that is dense as soon as the slots are.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use super::names::Names;
use super::remap::{KeyHash, Remap};
use super::{FeatureName, Space, check_count};
use crate::batch::Features;
use crate::key::BIAS_KEY;
use crate::state::{State, StateProblem, Tensor};

const KEYS: &str = "space.keys";
const SHARED: &str = "space.shared";
const COUNTS: &str = "space.counts";
const NAMED: &str = "space.named";
const BAR: &str = "space.bar";

/// Names that are kept at least, once so many have been met. At most twice as many are held at any time.
const NAMES_KEPT: usize = 1 << 16;

/// What is known of one slot, in one piece because all of it is needed for every feature of the stream.
#[derive(Clone, Copy, Debug)]
struct Slot {
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
#[derive(Debug)]
pub struct Hashed {
    mask: u64,
    remap: Remap,
    /// By index.
    slots: Vec<Slot>,
    /// By index, where the slot is named.
    names: HashMap<u32, Box<[u8]>, KeyHash>,
    /// A feature must be met more often than this to have its name kept.
    bar: u32,
    bias: Option<u32>,
    names_kept: usize,
}

impl Hashed {
    /// A space of 2^`bits` slots, `bits` at most 32.
    pub fn new(bits: u8) -> Self {
        Self::with_names(bits, NAMES_KEPT)
    }

    /// The same with another number of names to keep.
    pub(super) fn with_names(bits: u8, names_kept: usize) -> Self {
        Hashed {
            mask: (1 << bits.min(32)) - 1,
            remap: Remap::default(),
            slots: Vec::new(),
            names: HashMap::default(),
            bar: 0,
            bias: None,
            names_kept,
        }
    }

    fn insert(&mut self, key: u64) -> u32 {
        let index = self.slots.len() as u32;
        if key == BIAS_KEY {
            self.bias = Some(index);
        } else {
            self.remap.insert(key & self.mask, index);
        }
        self.slots.push(Slot { key, count: 0, shared: false, named: false });
        index
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

    pub(super) fn import(bits: u8, state: &mut State<'_>) -> Result<Self, StateProblem> {
        let mut space = Hashed::new(bits);
        let keys = state.take_u64(KEYS)?;
        check_count(KEYS, keys.len())?;
        for key in keys {
            if space.lookup(key).is_some() {
                return Err(StateProblem::damaged(KEYS, format!("two keys share the slot of {key}")));
            }
            space.insert(key);
        }
        let shared = state.take_u8(SHARED)?;
        let counts = state.take_u32(COUNTS)?;
        StateProblem::check_length(SHARED, shared.len(), space.slots.len())?;
        StateProblem::check_length(COUNTS, counts.len(), space.slots.len())?;
        for ((slot, shared), count) in space.slots.iter_mut().zip(shared).zip(counts) {
            slot.shared = shared != 0;
            slot.count = count;
        }
        let bar = state.take_u32(BAR)?;
        StateProblem::check_length(BAR, bar.len(), 1)?;
        space.bar = bar[0];
        space.import_names(state)?;
        Ok(space)
    }

    fn import_names(&mut self, state: &mut State<'_>) -> Result<(), StateProblem> {
        let names = Names::import(state)?;
        let named = state.take_u32(NAMED)?;
        StateProblem::check_length(NAMED, named.len(), names.len())?;
        for (&index, name) in named.iter().zip(names.iter()) {
            match self.slots.get_mut(index as usize) {
                Some(slot) if !slot.named => slot.named = true,
                _ => {
                    let what = format!("{index} is not the index of one feature");
                    return Err(StateProblem::damaged(NAMED, what));
                }
            }
            self.names.insert(index, name.into());
        }
        Ok(())
    }
}

impl Space for Hashed {
    #[inline]
    fn index(&mut self, key: u64, name: &[u8]) -> u32 {
        let index = match self.lookup(key) {
            Some(index) => index,
            None => self.insert(key),
        };
        self.note(index, key, name);
        index
    }

    /// Appearances are counted, those of known features too.
    fn index_rest(&mut self, features: &Features<'_>, indices: &mut [u32]) {
        for (at, (index, &key)) in indices.iter_mut().zip(features.keys()).enumerate() {
            *index = self.index(key, features.name(at));
        }
    }

    fn counts_appearances(&self) -> bool {
        true
    }

    #[inline]
    fn lookup(&self, key: u64) -> Option<u32> {
        if key == BIAS_KEY { self.bias } else { self.remap.find(key & self.mask) }
    }

    fn name(&self, index: u32) -> FeatureName<'_> {
        if self.bias == Some(index) {
            return FeatureName::Bias;
        }
        match self.names.get(&index) {
            Some(name) => FeatureName::Name(String::from_utf8_lossy(name)),
            None => FeatureName::Slot(self.key(index) & self.mask),
        }
    }

    fn key(&self, index: u32) -> u64 {
        self.slots[index as usize].key
    }

    fn len(&self) -> usize {
        self.slots.len()
    }

    fn compare(&self, one: u32, other: u32) -> Ordering {
        let place = |index: u32| (self.bias == Some(index), self.key(index) & self.mask);
        place(one).cmp(&place(other))
    }

    fn collisions(&self) -> usize {
        self.slots.iter().filter(|slot| slot.shared).count()
    }

    fn unite(&mut self, other: &dyn Space) -> Vec<u32> {
        // Only its own state tells how often each slot was met.
        let mut state = State::new();
        other.export(&mut state);
        let Ok(other) = Hashed::import(self.mask.count_ones() as u8, &mut state) else { return Vec::new() };
        let indices =
            other.slots.iter().map(|slot| self.lookup(slot.key).unwrap_or_else(|| self.insert(slot.key)));
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
