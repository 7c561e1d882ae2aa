//! What stores may take, checked before anything is allocated.

use super::cells::MOST_FEATURES;
use crate::{Error, Result};

/// Numbers that the triangles of all blocks may take together: 4 GiB.
pub(super) const MOST_NUMBERS: usize = 1 << 29;

/// Refuses what would be larger than its limit.
pub(super) fn check_limit(what: &'static str, needed: usize, limit: usize, hint: &'static str) -> Result<()> {
    if needed <= limit {
        return Ok(());
    }
    Err(Error::TooLarge { what, needed: needed as u64, limit: limit as u64, hint })
}

/// Refuses a table with a row for each of so many features.
pub(crate) fn check_rows(what: &'static str, needed: usize) -> Result<()> {
    let hint = "feature ids are positions: map them to small numbers or hash them";
    check_limit(what, needed, MOST_FEATURES, hint)
}
