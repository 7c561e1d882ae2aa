//! Parsed examples on disk, for further passes, for later runs over the same files, and for shuffling.
//!
//! File: magic, stamp, blocks (length, checksum, bytes), offsets of the blocks, counts, checksum, end mark. A cache of
//! other files, other settings or another version is not an error: [`Cache::open`] just does not find one.

mod ahead;
mod block;
mod preview;
mod shuffle;
mod stamp;
mod writer;

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::batch::Batch;
use crate::error::{Error, Result};
pub use ahead::ReadAhead;
pub use preview::CacheLabels;
use shuffle::Shuffle;
pub use stamp::stamp;
pub use writer::CacheWriter;

const MAGIC: [u8; 17] = *b"surefoot cache 1\n";
const END_MARK: &[u8] = b"complete";
/// Length and checksum in front of a block.
const BLOCK_HEADER: usize = 16;
/// Examples, bad lines and number of blocks, then a checksum, then the end mark.
const TAIL: u64 = 3 * 8 + 8 + END_MARK.len() as u64;

/// A cache, read block by block in memory that does not depend on its size.
///
/// ```
/// # use std::sync::Arc;
/// # use surefoot_data::{Batch, Cache, CacheWriter, Plan, ReadOptions, Reader, Recipe, Source};
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
/// cache.shuffle(7); // a new order, the same for the same seed
/// while cache.next_batch(&mut batch)? {
///     assert_eq!(batch.len(), 2);
/// }
/// assert!(Cache::open(&path, "something else")?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Cache {
    path: PathBuf,
    file: File,
    /// Where each block starts, and behind them where the last one ends.
    bounds: Vec<u64>,
    examples: u64,
    bad_lines: u64,
    /// Next block of a pass in file order.
    next: usize,
    /// Blocks whose checksum was compared; once is enough.
    checked: Vec<bool>,
    bytes: Vec<u8>,
    shuffle: Option<Shuffle>,
}

impl Cache {
    /// Opens a cache if there is one that was made from what `stamp` says and is complete.
    pub fn open(path: &Path, stamp: &str) -> Result<Option<Self>> {
        Self::open_frame(path, Some(stamp))
    }

    /// Opens a cache whatever it was made from; none if the file is no complete cache of this version.
    pub fn open_any(path: &Path) -> Result<Option<Self>> {
        Self::open_frame(path, None)
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

    fn open_frame(path: &Path, stamp: Option<&str>) -> Result<Option<Self>> {
        let opened = File::open(path).and_then(|file| Self::read_frame(path, file, stamp));
        match opened {
            Ok(cache) => Ok(cache),
            // A file that is too short for its own lengths is as good as none.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::UnexpectedEof) => Ok(None),
            Err(error) => Err(writer::io_error(path, error)),
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
        let checked = vec![false; blocks as usize];
        let path = path.into();
        Ok(Some(Cache {
            path,
            file,
            bounds,
            examples,
            bad_lines,
            next: 0,
            checked,
            bytes: Vec::new(),
            shuffle: None,
        }))
    }

    /// How many examples there are.
    pub fn examples(&self) -> u64 {
        self.examples
    }

    /// How many lines were skipped when the cache was made.
    pub fn bad_lines(&self) -> u64 {
        self.bad_lines
    }

    /// Its labels, for whoever wants to know them before the examples.
    pub fn labels(&self) -> CacheLabels {
        CacheLabels::of(self)
    }

    /// Starts a pass in file order.
    pub fn rewind(&mut self) {
        self.next = 0;
        self.shuffle = None;
    }

    /// Starts a pass in an order that depends on the seed alone. Blocks come in random order and examples are drawn
    /// at random from some thirty blocks at a time, so that memory stays small; up to that size every order is as
    /// likely as any other.
    pub fn shuffle(&mut self, seed: u64) {
        self.shuffle = Some(Shuffle::new(self.blocks(), seed));
    }

    /// Puts the next examples into `batch`, whose memory is used again; false at the end of the pass.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        if let Some(mut shuffle) = self.shuffle.take() {
            let more = shuffle.next_batch(self, batch);
            self.shuffle = Some(shuffle);
            return more;
        }
        batch.clear();
        if self.next == self.blocks() {
            return Ok(false);
        }
        self.next += 1;
        self.read_block(self.next - 1, batch)?;
        Ok(true)
    }

    fn blocks(&self) -> usize {
        self.bounds.len() - 1
    }

    fn read_block(&mut self, block: usize, batch: &mut Batch) -> Result<()> {
        let (start, end) = (self.bounds[block], self.bounds[block + 1]);
        let read = self.fetch(start, end);
        read.map_err(|source| writer::io_error(&self.path, source))?;
        let (header, content) = self.bytes.split_at(BLOCK_HEADER);
        let whole = number(header, 0) == content.len() as u64
            && (self.checked[block] || number(header, 1) == xxh3_64(content));
        if !whole || block::decode(content, batch).is_none() {
            let name = self.path.to_string_lossy().into();
            return Err(Error::file(&name, "the cache is damaged").hint("delete it; it will be made again"));
        }
        self.checked[block] = true;
        Ok(())
    }

    fn fetch(&mut self, start: u64, end: u64) -> io::Result<()> {
        // The bounds lie within the file, so this allocates no more than the file holds.
        self.bytes.resize((end - start) as usize, 0);
        self.file.seek(SeekFrom::Start(start))?;
        self.file.read_exact(&mut self.bytes)
    }
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
