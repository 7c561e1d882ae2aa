//! Integer features as given: the fast path of svmlight.

use super::Builder;
use crate::batch::is_canonical;
use crate::key::BIAS_KEY;
use crate::problem::FeatureProblem;
use surefoot_core::transform::Transform;

impl Builder<'_> {
    /// A named feature in a space of integers: digits are an id, anything else is refused.
    pub(super) fn digits(&mut self, name: &[u8], value: f64) {
        let plain = self.batch.scratch.prefix.is_empty() && name.iter().all(u8::is_ascii_digit);
        match std::str::from_utf8(name).ok().and_then(|digits| digits.parse().ok()) {
            Some(id) if plain => self.indexed(id, value),
            _ => self.refuse_name(name),
        }
    }

    pub(super) fn refuse_name(&mut self, name: &[u8]) {
        let mark = self.compose(&[name]);
        let name = String::from_utf8_lossy(&self.batch.bytes[mark..]).into_owned();
        self.refuse(FeatureProblem::NameAmongIntegers(name));
    }

    pub(super) fn finish_given(&mut self) -> Result<(), FeatureProblem> {
        let keys = &self.batch.keys[self.start..];
        if keys.len() > super::FEATURE_LIMIT {
            return Err(FeatureProblem::TooLarge { limit: super::FEATURE_LIMIT });
        }
        if self.plan.selects_ids() || !is_canonical(keys, &self.batch.values[self.start..]) {
            self.make_canonical()?;
        }
        let transform = self.plan.recipe().values;
        if transform != Transform::None {
            self.batch.values[self.start..].iter_mut().for_each(|value| *value = transform.apply(*value));
        }
        Ok(())
    }

    /// Sorts by id, sums repeated ids in the order of the file, drops zeros and what is not wanted.
    fn make_canonical(&mut self) -> Result<(), FeatureProblem> {
        let plan = self.plan;
        let batch = &mut *self.batch;
        let pairs = &mut batch.scratch.pairs;
        pairs.clear();
        pairs.extend(batch.keys.drain(self.start..).zip(batch.values.drain(self.start..)));
        pairs.sort_by_key(|&(id, _)| id);
        for group in pairs.chunk_by(|one, other| one.0 == other.0) {
            let id = group[0].0;
            let value: f64 = group.iter().map(|&(_, value)| value).sum();
            if id == BIAS_KEY {
                return Err(FeatureProblem::ReservedId);
            }
            if !value.is_finite() {
                return Err(FeatureProblem::NotFinite { name: id.to_string(), value });
            }
            if value != 0.0 && plan.wants_id(id) {
                batch.keys.push(id);
                batch.values.push(value);
            }
        }
        Ok(())
    }
}
