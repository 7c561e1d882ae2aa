//! The labels of a cache, without its features.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use super::block::{self, OUTLINE};
use super::{BLOCK_HEADER, Cache, read_exactly};

/// Reads the labels of a [`Cache`] while someone else reads its examples.
pub struct CacheLabels {
    path: PathBuf,
    bounds: Vec<u64>,
}

impl CacheLabels {
    pub(super) fn of(cache: &Cache) -> Self {
        CacheLabels { path: cache.path.clone(), bounds: cache.bounds.clone() }
    }

    /// Tells `enough` the label of every example in file order, none where there is none, until it says so. Returns whether it did,
    /// or heard all; if not, the cache cannot be read, which whoever reads its examples will find out too.
    pub fn tell(&self, mut enough: impl FnMut(Option<&[u8]>) -> bool) -> bool {
        let Ok(mut file) = File::open(&self.path) else { return false };
        for bounds in self.bounds.windows(2) {
            match tell_block(&mut file, bounds[0], bounds[1], &mut enough) {
                Ok(Some(false)) => {}
                Ok(Some(true)) => return true,
                Ok(None) | Err(_) => return false,
            }
        }
        true
    }
}

/// Whether it was enough; none if the block is damaged.
fn tell_block(
    file: &mut File,
    start: u64,
    end: u64,
    enough: &mut impl FnMut(Option<&[u8]>) -> bool,
) -> io::Result<Option<bool>> {
    let start = start + BLOCK_HEADER as u64;
    let first = read_exactly(file, start, OUTLINE)?;
    let outline = first.first_chunk().and_then(|first| block::outline(first, (end - start) as usize));
    let Some((heads, text)) = outline else { return Ok(None) };
    let heads = read_exactly(file, start + heads.start as u64, heads.len())?;
    let text = read_exactly(file, start + text.start as u64, text.len())?;
    for label in block::labels(&heads, &text) {
        match label {
            None => return Ok(None),
            Some(label) if enough(label) => return Ok(Some(true)),
            Some(_) => {}
        }
    }
    Ok(Some(false))
}
