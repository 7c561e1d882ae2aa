//! The file of a cache: its frame, and its blocks as bytes.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::{BLOCK_HEADER, END_MARK, MAGIC, TAIL, block};
use crate::batch::Batch;
use crate::error::{Error, Result};

/// An open cache file whose frame is in order.
pub(super) struct BlockFile {
    path: PathBuf,
    file: File,
    /// Where each block starts, and behind them where the last one ends.
    bounds: Vec<u64>,
    pub(super) examples: u64,
    pub(super) bad_lines: u64,
}

impl BlockFile {
    /// Opens a file if it is a complete cache with this stamp, or with any.
    pub(super) fn open(path: &Path, stamp: Option<&str>) -> Result<Option<Self>> {
        match File::open(path).and_then(|file| Self::read_frame(path, file, stamp)) {
            Ok(file) => Ok(file),
            // A file that is too short for its own lengths is as good as none.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::UnexpectedEof) => Ok(None),
            Err(error) => Err(Error::io(path, error)),
        }
    }

    fn read_frame(path: &Path, mut file: File, stamp: Option<&str>) -> io::Result<Option<Self>> {
        let size = file.metadata()?.len();
        let Some(start) = read_start(&mut file, size, stamp)? else { return Ok(None) };
        let tail = read_exactly(&mut file, size - TAIL, TAIL as usize)?;
        let [examples, bad_lines, blocks, sum] = [0, 1, 2, 3].map(|at| number(&tail, at));
        let room = size - TAIL - start;
        let Some(table) = blocks.checked_mul(8).filter(|&table| table <= room) else { return Ok(None) };
        let index = read_exactly(&mut file, size - TAIL - table, table as usize)?;
        if !tail.ends_with(END_MARK) || xxh3_64(&[&index, &tail[..24]].concat()) != sum {
            return Ok(None);
        }
        let mut bounds: Vec<u64> = (0..blocks as usize).map(|at| number(&index, at)).collect();
        bounds.push(size - TAIL - table);
        let header = BLOCK_HEADER as u64;
        if bounds[0] != start || !bounds.is_sorted_by(|one, next| one.saturating_add(header) <= *next) {
            return Ok(None);
        }
        Ok(Some(BlockFile { path: path.into(), file, bounds, examples, bad_lines }))
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Bytes of all blocks together.
    pub(super) fn size(&self) -> u64 {
        self.bounds[self.blocks()] - self.bounds[0]
    }

    /// Replaces `bytes` by those of a block, as they stand in the file.
    pub(super) fn read(&mut self, block: usize, bytes: &mut Vec<u8>) -> Result<()> {
        let (start, end) = (self.bounds[block], self.bounds[block + 1]);
        // The bounds lie within the file, so this allocates no more than the file holds.
        bytes.resize((end - start) as usize, 0);
        let read = self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(bytes));
        read.map_err(|source| Error::io(&self.path, source))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Compares the checksum of a block's bytes and puts its examples into `batch`.
pub(super) fn decode(path: &Path, bytes: &[u8], batch: &mut Batch) -> Result<()> {
    let (header, content) = bytes.split_at(BLOCK_HEADER);
    let whole = number(header, 0) == content.len() as u64 && number(header, 1) == xxh3_64(content);
    if !whole || block::decode(content, batch).is_none() {
        return Err(Error::at(path, "the cache is damaged").hint("delete it; it will be made again"));
    }
    Ok(())
}

/// Where the blocks begin, if the file begins as a cache with this stamp, or with any.
fn read_start(file: &mut File, size: u64, stamp: Option<&str>) -> io::Result<Option<u64>> {
    let fixed = MAGIC.len() + 8;
    let start = read_exactly(file, 0, fixed)?;
    let length = number(&start[MAGIC.len()..], 0);
    let begin = length.saturating_add(fixed as u64);
    if !start.starts_with(&MAGIC) || begin.saturating_add(TAIL) > size {
        return Ok(None);
    }
    let same = match stamp {
        Some(stamp) => {
            length == stamp.len() as u64 && read_exactly(file, fixed as u64, stamp.len())? == stamp.as_bytes()
        }
        None => true,
    };
    Ok(same.then_some(begin))
}

fn read_exactly(file: &mut File, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The 64-bit number at a position of an array of them; 0 behind its end.
fn number(bytes: &[u8], position: usize) -> u64 {
    bytes.as_chunks().0.get(position).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
