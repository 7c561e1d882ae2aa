//! A support example: the features of an example that made a step, with ascending ids.

use crate::SparseVec;
use crate::simd::dot;

/// One stored example.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Support {
    ids: Vec<u32>,
    values: Vec<f64>,
    squared_norm: f64,
}

impl Support {
    /// Takes over an example, reusing memory; `order` is scratch.
    pub(super) fn assign(&mut self, x: SparseVec<'_>, order: &mut Vec<usize>) {
        order.clear();
        order.extend(0..x.len());
        if !x.ids().is_sorted() {
            order.sort_unstable_by_key(|&i| x.ids()[i]);
        }
        self.ids.clear();
        self.ids.extend(order.iter().map(|&i| x.ids()[i]));
        self.values.clear();
        self.values.extend(order.iter().map(|&i| x.values()[i]));
        self.squared_norm = dot(&self.values, &self.values);
    }

    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// ‖x‖².
    pub(super) fn squared_norm(&self) -> f64 {
        self.squared_norm
    }

    /// Whether this is the example x, written the same way.
    pub(super) fn is(&self, x: SparseVec<'_>) -> bool {
        self.ids == x.ids() && self.values == x.values()
    }

    /// The value of a feature, 0 if it has none.
    pub(super) fn value(&self, feature: usize) -> f64 {
        let place = u32::try_from(feature).ok().and_then(|id| self.ids.binary_search(&id).ok());
        place.map_or(0.0, |i| self.values[i])
    }

    /// The inner product with an example whose ids may come in any order; ascending ids take one walk.
    pub(super) fn product(&self, x: SparseVec<'_>) -> f64 {
        if self.ids == x.ids() {
            return dot(&self.values, x.values());
        }
        let (mut sum, mut at, mut last) = (0.0, 0, 0);
        for (&id, value) in x.ids().iter().zip(x.values()) {
            if id < last {
                at = self.ids.partition_point(|&own| own < id);
            }
            last = id;
            while self.ids.get(at).is_some_and(|&own| own < id) {
                at += 1;
            }
            if self.ids.get(at) == Some(&id) {
                sum += self.values[at] * value;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn products_do_not_depend_on_the_order(
            a in prop::collection::btree_map(0..30_u32, -3..4, 0..20),
            b in prop::collection::btree_map(0..30_u32, -3..4, 0..20),
            turn in 0..20_usize,
        ) {
            let expected: i32 = a.iter().map(|(id, x)| x * b.get(id).unwrap_or(&0)).sum();
            let unzip = |m: &std::collections::BTreeMap<u32, i32>| {
                m.iter().map(|(id, x)| (*id, f64::from(*x))).unzip::<u32, f64, Vec<_>, Vec<_>>()
            };
            let ((mut ids, mut values), (others, other_values)) = (unzip(&a), unzip(&b));
            let turn = turn.min(ids.len());
            ids.rotate_left(turn);
            values.rotate_left(turn);
            let x = SparseVec::new(&ids, &values).unwrap();
            let z = SparseVec::new(&others, &other_values).unwrap();
            let mut support = Support::default();
            support.assign(z, &mut Vec::new());
            prop_assert_eq!(support.product(x), f64::from(expected));
            support.assign(x, &mut Vec::new());
            prop_assert!(support.ids().is_sorted());
            prop_assert_eq!(support.product(z), f64::from(expected));
        }
    }
}
