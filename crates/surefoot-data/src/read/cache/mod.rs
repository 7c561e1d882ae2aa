//! Parsed examples on disk, for further passes, for later runs over the same files, and for shuffling.
//!
//! File: magic, stamp, blocks (length, checksum, bytes), offsets of the blocks, counts, checksum, end mark. A cache of
//! other files, other settings or another version is not an error: [`Cache::open`] just does not find one.

mod block;
mod file;
mod shuffle;
mod stamp;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::jobs::Jobs;
use super::pool::{Fetch, OrderedPool, Process, Threads};
use super::{BatchReader, Order, Progress};
use crate::batch::Batch;
use crate::error::Result;
pub use file::CacheWriter;
use file::{BlockFile, MAGIC};
use shuffle::Shuffle;
pub use stamp::stamp;

/// A cache, read block by block in memory that does not depend on its size.
///
/// ```
/// # use std::sync::Arc;
/// # use surefoot_data::{Batch, BatchReader, Cache, CacheWriter, Order, Plan, ReadOptions, Reader, Recipe, Source};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("tickets.cache");
/// # let plan = Arc::new(Plan::new(Recipe::default())?);
/// # let tickets = Source::memory("tickets.svm", *b"+1 1:0.5 7:2\n-1 3:1\n");
/// # let mut reader = Reader::open(vec![tickets], ReadOptions::default(), plan)?;
/// let mut writer = CacheWriter::create(&path, "what it was made from")?;
/// let mut batch = Batch::new();
/// while reader.next_batch(&mut batch)? {
///     writer.push(&batch)?; // and learn from it
/// }
/// writer.finish(reader.bad_lines())?;
///
/// let mut cache = Cache::open(&path, "what it was made from")?.expect("it is fresh");
/// cache.start_pass(Order::Shuffled(7))?; // a new order, the same for the same seed
/// while cache.next_batch(&mut batch)? {
///     assert_eq!(batch.len(), 2);
/// }
/// assert!(Cache::open(&path, "something else")?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Cache {
    path: PathBuf,
    /// Shared with the threads of a pass; those of a pass that was given up may still hold it for a moment.
    file: Arc<Mutex<BlockFile>>,
    examples: u64,
    bad_lines: u64,
    size: u64,
    threads: usize,
    /// The pass, once it was started.
    pool: Option<OrderedPool<Blocks, Batch>>,
    /// Examples of the pass that were given.
    given: u64,
}

impl Cache {
    /// Opens a cache if there is one that was made from what `stamp` says and is complete.
    pub fn open(path: &Path, stamp: &str) -> Result<Option<Self>> {
        Ok(BlockFile::open(path, Some(stamp))?.map(Self::new))
    }

    /// Opens a cache whatever it was made from; none if the file is no complete cache of this version.
    pub fn open_any(path: &Path) -> Result<Option<Self>> {
        Ok(BlockFile::open(path, None)?.map(Self::new))
    }

    fn new(file: BlockFile) -> Self {
        Cache {
            path: file.path().into(),
            examples: file.examples,
            bad_lines: file.bad_lines,
            size: file.size(),
            file: Arc::new(Mutex::new(file)),
            threads: 1,
            pool: None,
            given: 0,
        }
    }

    /// The same, read by so many threads from the next pass on, the caller's included. The result does not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Whether a file begins like a cache. What comes through a pipe is not looked at: it would be gone.
    pub fn is_at(path: &Path) -> bool {
        if !path.is_file() {
            return false;
        }
        let mut start = [0; MAGIC.len()];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
        read.is_ok() && start == MAGIC
    }

    /// How many examples there are.
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// Puts the next examples into `batch`, whose memory is used again; false at the end of the pass.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        BatchReader::next_batch(self, batch, &mut || false)
    }

    /// How much of the pass was given, from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        self.given as f64 / self.examples.max(1) as f64
    }

    fn start(&self, order: Order) -> Result<OrderedPool<Blocks, Batch>> {
        let path = self.path.clone();
        let (order, process): (_, Process<RawBlock, Batch>) = match order {
            Order::File => {
                (BlockOrder::File(0), Box::new(move |raw, batch| file::decode(&path, &raw.bytes, batch)))
            }
            Order::Shuffled(seed) => {
                let blocks = self.file.lock().unwrap_or_else(PoisonError::into_inner).blocks();
                let drawn: Process<RawBlock, Batch> = Box::new(|raw, batch| {
                    std::mem::swap(&mut raw.drawn, batch);
                    Ok(())
                });
                (BlockOrder::Shuffled(Box::new(Shuffle::new(blocks, seed))), drawn)
            }
        };
        let threads = Threads { count: self.threads, reader_only: false };
        OrderedPool::start(Blocks { file: self.file.clone(), order }, process, threads)
    }
}

impl BatchReader for Cache {
    /// In random order, blocks come in any order and examples are drawn at random from some thirty blocks at a time, so
    /// that memory stays small; up to that size every order is as likely as any other.
    fn start_pass(&mut self, order: Order) -> Result<()> {
        // The threads of the pass before end first.
        self.pool = None;
        self.pool = Some(self.start(order)?);
        self.given = 0;
        Ok(())
    }

    fn next_batch(&mut self, batch: &mut Batch, stop: &mut dyn FnMut() -> bool) -> Result<bool> {
        batch.clear();
        if self.pool.is_none() {
            self.start_pass(Order::File)?;
        }
        let Some(pool) = &mut self.pool else { return Ok(false) };
        let Some(next) = pool.next(std::mem::take(batch), stop)? else { return Ok(false) };
        *batch = next;
        self.given += batch.len() as u64;
        Ok(true)
    }

    /// In bytes of the cache.
    fn progress(&self) -> Progress {
        Progress { bytes_read: (self.share() * self.size as f64) as u64, bytes_total: Some(self.size) }
    }

    /// Those that were skipped when the cache was made.
    fn bad_lines(&self) -> u64 {
        self.bad_lines
    }

    fn jobs(&self) -> Option<Jobs> {
        self.pool.as_ref().and_then(OrderedPool::jobs)
    }
}

/// What one thread at a time does in a pass: it reads the bytes of the next block, or draws the next examples.
struct Blocks {
    file: Arc<Mutex<BlockFile>>,
    order: BlockOrder,
}

enum BlockOrder {
    /// The next block.
    File(usize),
    Shuffled(Box<Shuffle>),
}

#[derive(Default)]
struct RawBlock {
    bytes: Vec<u8>,
    /// Examples in random order, which are complete when they are fetched.
    drawn: Batch,
}

impl Fetch for Blocks {
    type Raw = RawBlock;

    fn fetch(&mut self, raw: &mut RawBlock) -> Result<bool> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut self.order {
            BlockOrder::Shuffled(shuffle) => shuffle.next_batch(&mut file, &mut raw.drawn),
            BlockOrder::File(next) if *next == file.blocks() => Ok(false),
            BlockOrder::File(next) => {
                *next += 1;
                file.read(*next - 1, &mut raw.bytes)?;
                Ok(true)
            }
        }
    }
}
