//! An encoder that has met fewer features.

use super::Encoder;
use super::index::UNKNOWN;
use crate::key::BIAS_KEY;
use crate::recipe::{Recipe, Scale, SpaceKind};

impl Encoder {
    /// The encoder as if it had met only the features that `keeps` says, in the order in which it met them, and the index there
    /// of each index here, [`UNKNOWN`] where a feature is gone. A hashed index keeps all of its slots, and columns that are
    /// standardised stay.
    pub fn with_features(&self, mut keeps: impl FnMut(u32) -> bool) -> (Self, Vec<u32>) {
        let Recipe { space, scale, .. } = *self.recipe();
        if matches!(space, SpaceKind::Hashed { .. }) || scale == Scale::Standardize {
            return (self.clone(), (0..self.index.bound() as u32).collect());
        }
        let mut kept = Encoder::new(self.labels.clone(), self.plan.clone(), false);
        let mut places = vec![UNKNOWN; self.index.bound()];
        for (index, place) in (0..).zip(&mut places) {
            if let Some((key, name)) = self.index.feature(index)
                && keeps(index)
            {
                *place = kept.index.intern(key, name.to_string().as_bytes());
            }
        }
        kept.scaler.add(&self.scaler, &places, 1.0);
        kept.bias = kept.index.get(BIAS_KEY);
        (kept, places)
    }
}
