//! The file of a cache, its frame and its blocks as bytes: written example by example, read block by block.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::block;
use crate::atomic_file::AtomicFile;
use crate::batch::Batch;
use crate::error::{Error, Result};

pub(super) const MAGIC: [u8; 17] = *b"surefoot cache 2\n";
const END_MARK: &[u8] = b"complete";
/// Length and checksum in front of a block.
const BLOCK_HEADER: usize = 16;
/// Examples, bad lines and number of blocks, then a checksum, then the end mark.
const TAIL: u64 = 3 * 8 + 8 + END_MARK.len() as u64;

/// Writes the batches of a first pass, to be read by a [`Cache`](super::Cache) afterwards.
///
/// Blocks are cut by their examples alone, so the same examples give the same file however they were batched. The file
/// takes its place only with [`CacheWriter::finish`].
pub struct CacheWriter {
    path: PathBuf,
    out: AtomicFile,
    block: Batch,
    bytes: Vec<u8>,
    offset: u64,
    /// Where each block starts.
    blocks: Vec<u64>,
    examples: u64,
}

impl CacheWriter {
    /// Starts a cache that is valid for this stamp.
    pub fn create(path: &Path, stamp: &str) -> Result<Self> {
        let start = || {
            let mut out = AtomicFile::create(path)?;
            out.write_all(&MAGIC)?;
            out.write_all(&(stamp.len() as u64).to_le_bytes())?;
            out.write_all(stamp.as_bytes())?;
            Ok(out)
        };
        let out = start().map_err(|source| Error::io(path, source))?;
        Ok(CacheWriter {
            path: path.into(),
            out,
            block: Batch::new(),
            bytes: Vec::new(),
            offset: (MAGIC.len() + 8 + stamp.len()) as u64,
            blocks: Vec::new(),
            examples: 0,
        })
    }

    /// Adds the examples of a batch.
    pub fn push(&mut self, batch: &Batch) -> Result<()> {
        for example in batch.iter() {
            if block::is_full(&self.block) || !block::append(&mut self.block, example) {
                self.flush()?;
                if !block::append(&mut self.block, example) {
                    let problem = format!("line {} is too long for a cache", example.line);
                    return Err(Error::at(&self.path, problem));
                }
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.bytes.clear();
        block::encode(&self.block, &mut self.bytes);
        self.examples += self.block.len() as u64;
        self.block.clear();
        self.blocks.push(self.offset);
        self.offset += (BLOCK_HEADER + self.bytes.len()) as u64;
        let length = (self.bytes.len() as u64).to_le_bytes();
        let sum = xxh3_64(&self.bytes).to_le_bytes();
        self.write(&[length, sum].concat())?;
        let bytes = std::mem::take(&mut self.bytes);
        let written = self.write(&bytes);
        self.bytes = bytes;
        written
    }

    /// Completes the cache and puts it in its place. `bad_lines` were skipped on the way.
    pub fn finish(mut self, bad_lines: u64) -> Result<()> {
        self.flush()?;
        let counts = [self.examples, bad_lines, self.blocks.len() as u64];
        let numbers = std::mem::take(&mut self.blocks);
        let end: Vec<u8> = numbers.into_iter().chain(counts).flat_map(u64::to_le_bytes).collect();
        self.write(&end)?;
        self.write(&xxh3_64(&end).to_le_bytes())?;
        self.write(END_MARK)?;
        self.out.commit().map_err(|source| Error::io(&self.path, source))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(|source| Error::io(&self.path, source))
    }
}

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
