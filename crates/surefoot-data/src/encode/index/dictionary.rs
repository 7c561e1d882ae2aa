//! Every name is kept.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::names::Names;
use super::slots::Slots;
use super::{FeatureIndex, FeatureName, FoundFeatures, UNKNOWN};
use crate::batch::KeyedFeatures;
use crate::key::{BIAS_KEY, name_key};
use surefoot_core::state::{State, Tensor, damaged};

const BIAS: &str = "space.bias";
const NAMES: &str = "space.names";

/// Named features, each with an index by first appearance.
///
/// Names are told apart by their 64-bit key. Among ten million names the chance that any two share one is 3 in a
/// million, and then they would share a weight; comparing the names themselves would cost a cache miss a feature.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    /// By index. The bias has an empty entry.
    names: Names,
    indices: Slots,
    bias: Option<u32>,
}

impl Dictionary {
    pub(super) fn import(state: &mut State<'_>) -> surefoot_core::Result<Self> {
        let names = Names::import(state)?;
        let bias = state.take_u32(BIAS)?;
        if bias.len() > 1 || bias.iter().any(|&index| index as usize >= names.len()) {
            return Err(damaged(BIAS, "it does not point to one feature"));
        }
        let bias = bias.first().copied();
        let mut indices = Slots::default();
        for (index, name) in names.iter().enumerate() {
            let key = if bias == Some(index as u32) { BIAS_KEY } else { name_key(name, 0) };
            if !indices.insert(key, index as u32) {
                let name = String::from_utf8_lossy(name);
                return Err(damaged(NAMES, format!("feature '{name}' occurs twice")));
            }
        }
        Ok(Dictionary { names, indices, bias })
    }

    fn insert(&mut self, key: u64, name: &[u8]) -> u32 {
        let index = self.names.len() as u32;
        if key == BIAS_KEY {
            self.bias = Some(index);
            self.names.push(b"");
        } else {
            self.names.push(name);
        }
        self.indices.insert(key, index);
        index
    }
}

impl FeatureIndex for Dictionary {
    #[inline]
    fn intern(&mut self, key: u64, name: &[u8]) -> u32 {
        match self.indices.find(key) {
            Some(index) => index,
            None => self.insert(key, name),
        }
    }

    /// Looks all of them up together, and then again those that are new: they may be the same one.
    fn intern_all(&mut self, features: &KeyedFeatures<'_>, indices: &mut Vec<u32>) {
        let start = indices.len();
        self.indices.find_all(features.keys(), indices);
        for (at, index) in indices[start..].iter_mut().enumerate().filter(|(_, index)| **index == UNKNOWN) {
            *index = self.intern(features.keys()[at], features.name(at));
        }
    }

    fn get_all(&self, keys: &[u64], found: &mut FoundFeatures) {
        found.clear();
        self.indices.find_all(keys, &mut found.indices);
        let unknown = (0..).zip(&found.indices).filter(|(_, index)| **index == UNKNOWN);
        found.new.extend(unknown.map(|(at, _)| at));
    }

    fn feature(&self, index: u32) -> Option<(u64, FeatureName<'_>)> {
        if self.bias == Some(index) {
            return Some((BIAS_KEY, FeatureName::Bias));
        }
        let name = self.names.get(index as usize)?;
        Some((name_key(name, 0), FeatureName::Name(String::from_utf8_lossy(name))))
    }

    fn len(&self) -> usize {
        self.names.len()
    }

    fn compare(&self, one: u32, other: u32) -> Ordering {
        let place = |index: u32| (self.bias == Some(index), self.names.get(index as usize));
        place(one).cmp(&place(other))
    }

    fn export<'a>(&'a self, state: &mut State<'a>) {
        self.names.export(state);
        state.put(BIAS, Tensor::U32(Cow::Owned(self.bias.into_iter().collect())));
    }
}
