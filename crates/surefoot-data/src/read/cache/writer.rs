//! Writing a cache, example by example.

use std::io::Write;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::{BLOCK_HEADER, END_MARK, MAGIC, block};
use crate::atomic_file::AtomicFile;
use crate::batch::Batch;
use crate::error::{Error, Result};

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
            if example.labels().len() > 1 {
                let problem = format!("line {} has several labels; a cache keeps one a line", example.line);
                return Err(Error::at(&self.path, problem).hint("read the data without a cache"));
            }
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
