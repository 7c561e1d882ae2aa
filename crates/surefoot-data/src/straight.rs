//! Large files that go straight to the disk, past the page cache.
//!
//! What a model file is made of lies in memory already, and the file is on disk before anyone sees it. The page cache would
//! be one more copy on the way, in memory that has to be found for it (benches/README.md has what that costs). A small file,
//! or one where the file system cannot do without the cache, is written as every other file.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use crate::atomic::Replacement;

/// Addresses, lengths and places in the file must be multiples of this.
const BLOCK: usize = 4096;

/// Bytes that are written together.
const DESK: usize = 2 << 20;

/// A [`Replacement`] whose bytes take the short way.
pub(crate) struct Straight {
    file: Replacement,
    /// The same file without the cache; none while it is small, or if it cannot be had.
    past: Option<File>,
    desk: Vec<u8>,
    /// Where the part of the desk begins that has an address as needed.
    start: usize,
    filled: usize,
    /// Bytes in the file.
    length: u64,
}

impl Straight {
    /// Starts a replacement of `target`, which need not exist.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let (file, desk) = (Replacement::create(target)?, vec![0; DESK + BLOCK]);
        // Where it cannot be told, the first block is refused and goes the usual way.
        let start = desk.as_ptr().align_offset(BLOCK).min(BLOCK);
        Ok(Straight { file, past: None, desk, start, filled: 0, length: 0 })
    }

    /// Puts the file in its place, see [`Replacement::commit`].
    pub(crate) fn commit(mut self) -> io::Result<()> {
        let blocks = self.filled - self.filled % BLOCK;
        self.hand_over(0, blocks)?;
        self.past = None;
        self.hand_over(blocks, self.filled)?;
        self.file.commit()
    }

    /// Writes a part of what is on the desk.
    fn hand_over(&mut self, from: usize, to: usize) -> io::Result<()> {
        let bytes = &self.desk[self.start..][from..to];
        let done = self.past.as_mut().is_some_and(|past| past.write_all(bytes).is_ok());
        if !done {
            // Once more if half of it was written: either way it stands in its place, or the reason is told.
            self.past = None;
            self.file.seek(SeekFrom::Start(self.length))?;
            self.file.write_all(bytes)?;
        }
        self.length += bytes.len() as u64;
        Ok(())
    }
}

impl Write for Straight {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(DESK - self.filled);
        self.desk[self.start + self.filled..][..count].copy_from_slice(&bytes[..count]);
        self.filled += count;
        if self.filled == DESK {
            if self.length == 0 {
                self.past = self.file.past_cache().ok();
            }
            self.hand_over(0, DESK)?;
            self.filled = 0;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Writes these bytes in pieces of a length; whether they went past the cache.
    fn written(path: &Path, bytes: &[u8], piece: usize, refused: bool) -> bool {
        let mut file = Straight::create(path).unwrap();
        if refused {
            // An address that no file system takes without its cache.
            file.start ^= 1;
        }
        bytes.chunks(piece).for_each(|piece| file.write_all(piece).unwrap());
        let past = file.past.is_some();
        file.commit().unwrap();
        past
    }

    #[test]
    fn the_file_is_what_was_written_whichever_way_it_took() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..3 * DESK + 12_345).map(|i| ((i * 31) >> 3) as u8).collect();
        let lengths = [0, 1, BLOCK - 1, BLOCK, DESK - 1, DESK, DESK + 1, DESK + BLOCK, 2 * DESK, bytes.len()];
        for length in lengths {
            for (piece, refused) in [(1 << 30, false), (70_001, false), (DESK, false), (70_001, true)] {
                let past = written(&path, &bytes[..length], piece, refused);
                assert!(fs::read(&path).unwrap() == bytes[..length], "{length} bytes in pieces of {piece}");
                assert!(!past || length >= DESK, "a small file has nothing to gain");
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_is_not_committed_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = Straight::create(&folder.path().join("file")).unwrap();
        file.write_all(&vec![7; DESK + 5]).unwrap();
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
