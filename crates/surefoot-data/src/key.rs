//! Keys: 64 bits that stand for a feature between the parse workers and the feature space.

use xxhash_rust::xxh3::xxh3_64_with_seed;

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
