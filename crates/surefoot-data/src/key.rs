//! Keys: 64 bits that stand for a feature between the parse workers and the feature space.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::batch::{Span, slice};

/// The key of the bias. Files cannot use it as an id, and no name has it.
pub const BIAS_KEY: u64 = u64::MAX;

/// How the bias is shown.
pub const BIAS_NAME: &str = "(bias)";

/// The key of a name: XXH3-64 with `seed`, a published function with versions in every language.
///
/// ```
/// assert_eq!(surefoot_data::name_key(b"", 0), 0x2d06_8005_38d3_94c2); // the published test vector
/// ```
#[inline]
pub fn name_key(name: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(name, seed).min(BIAS_KEY - 1)
}

/// Names that are sorted together: as many as a byte can count.
const TOGETHER: usize = 256;

/// Appends the [key](name_key) of each name.
///
/// Names of up to 3, up to 8 and more bytes are hashed in ways of their own. Which way the next word of a text goes
/// cannot be predicted, so they are sorted by it first, without a branch: each is put into all three lists and counted in one.
pub(crate) fn name_keys(bytes: &[u8], names: &[Span], seed: u64, keys: &mut Vec<u64>) {
    for names in names.chunks(TOGETHER) {
        let (mut lists, mut counts) = ([[0u8; TOGETHER]; 3], [0; 3]);
        for (at, name) in names.iter().enumerate() {
            let way = usize::from(name.len > 3) + usize::from(name.len > 8);
            for (this, (list, count)) in lists.iter_mut().zip(&mut counts).enumerate() {
                list[*count] = at as u8;
                *count += usize::from(this == way);
            }
        }
        let mut found = [0; TOGETHER];
        for (list, count) in lists.iter().zip(counts) {
            for at in list[..count].iter().map(|&at| usize::from(at)) {
                found[at] = name_key(slice(bytes, names[at]), seed);
            }
        }
        keys.extend_from_slice(&found[..names.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_together_have_the_keys_that_they_have_alone(
            names in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..600),
            seed: u64,
        ) {
            let bytes = names.concat();
            let mut start = 0;
            let spans: Vec<Span> = names.iter().map(|name| {
                let len = name.len() as u32;
                start += len;
                Span { start: start - len, len }
            }).collect();
            let mut keys = vec![7];
            name_keys(&bytes, &spans, seed, &mut keys);
            let alone: Vec<u64> = names.iter().map(|name| name_key(name, seed)).collect();
            prop_assert_eq!(&keys[1..], &alone);
        }
    }
}
