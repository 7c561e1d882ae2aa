//! Where the batches of each pass come from: the files themselves, or what an earlier pass kept of them.

use std::sync::Arc;

use surefoot_data::{Batch, Cache, CacheWriter, Plan, Progress, ReadOptions, Reader, Source};
use tempfile::TempDir;

use super::{TakeReject, TrainOptions};
use crate::{Error, Result};

/// The cache lives in a folder of its own for one run, so there is nothing to confuse it with.
const STAMP: &str = "one run";

/// Batches, pass after pass. Examples are parsed once: further passes and random orders come from a cache on disk that
/// goes with the run, which is also how standard input can be learned from twice.
pub(crate) struct Supply {
    stage: Stage,
    passes: usize,
    /// The seed of the random orders, if there are to be any.
    shuffle: Option<u64>,
    folder: Option<TempDir>,
    size: Option<u64>,
    bad_lines: u64,
}

enum Stage {
    /// Nothing was read yet.
    Closed(Vec<Source>),
    /// Parsing, and keeping what is parsed if it will be needed again.
    Files(Box<Reader>, Option<Box<CacheWriter>>),
    /// Everything is kept; so many examples of this pass were given.
    Kept(Box<Cache>, u64),
    /// The files were read and not kept.
    Spent,
}

impl Supply {
    /// Sources for so many passes in file order.
    pub(crate) fn new(sources: Vec<Source>, passes: usize) -> Self {
        Self { stage: Stage::Closed(sources), passes, shuffle: None, folder: None, size: None, bad_lines: 0 }
    }

    /// The same in random order, a new one each pass, if the options say so.
    pub(crate) fn shuffled(mut self, options: &TrainOptions) -> Self {
        self.shuffle = options.shuffle.then_some(options.seed);
        self
    }

    /// Starts a pass. Only the first one opens the files, so only then options, plan and rejects matter.
    pub(super) fn begin(
        &mut self,
        pass: usize,
        options: ReadOptions,
        plan: Arc<Plan>,
        rejects: Option<TakeReject>,
    ) -> Result<()> {
        if let Stage::Closed(sources) = &mut self.stage {
            let sources = std::mem::take(sources);
            self.open(sources, options, plan, rejects)?;
        }
        if self.shuffle.is_some() {
            let mut batch = Batch::new();
            while matches!(self.stage, Stage::Files(..)) && self.next_batch(&mut batch)? {}
        }
        let Stage::Kept(cache, given) = &mut self.stage else { return Ok(()) };
        *given = 0;
        cache.rewind();
        if let Some(seed) = self.shuffle {
            cache.shuffle(seed.wrapping_add(pass as u64));
        }
        Ok(())
    }

    fn open(
        &mut self,
        sources: Vec<Source>,
        options: ReadOptions,
        plan: Arc<Plan>,
        rejects: Option<TakeReject>,
    ) -> Result<()> {
        let mut reader = Reader::open(sources, options, plan)?;
        if let Some(take) = rejects {
            reader.on_reject(take);
        }
        self.size = reader.progress().bytes_total;
        let mut writer = None;
        if self.passes > 1 || self.shuffle.is_some() {
            let folder = tempfile::tempdir().map_err(no_room)?;
            writer = Some(Box::new(CacheWriter::create(&folder.path().join("examples"), STAMP)?));
            self.folder = Some(folder);
        }
        self.stage = Stage::Files(Box::new(reader), writer);
        Ok(())
    }

    /// The next examples of the pass; false at its end.
    pub(super) fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        match &mut self.stage {
            Stage::Files(reader, writer) => {
                let more = reader.next_batch(batch)?;
                if let (true, Some(writer)) = (more, writer) {
                    writer.push(batch)?;
                }
                if !more {
                    self.files_ended()?;
                }
                Ok(more)
            }
            Stage::Kept(cache, given) => {
                let more = cache.next_batch(batch)?;
                *given += batch.len() as u64;
                Ok(more)
            }
            Stage::Closed(_) | Stage::Spent => Ok(false),
        }
    }

    fn files_ended(&mut self) -> Result<()> {
        let Stage::Files(reader, writer) = std::mem::replace(&mut self.stage, Stage::Spent) else {
            return Ok(());
        };
        self.bad_lines = reader.bad_lines();
        if let (Some(writer), Some(folder)) = (writer, &self.folder) {
            writer.finish(self.bad_lines)?;
            let cache = Cache::open(&folder.path().join("examples"), STAMP)?;
            let cache = cache.ok_or_else(|| Error::Other("the cache of the first pass is gone".into()))?;
            self.stage = Stage::Kept(Box::new(cache), 0);
        }
        Ok(())
    }

    /// Lines skipped while parsing.
    pub(super) fn bad_lines(&self) -> u64 {
        match &self.stage {
            Stage::Files(reader, _) => reader.bad_lines(),
            _ => self.bad_lines,
        }
    }

    /// How far the pass has come. A pass over kept examples counts as if it read the files.
    pub(super) fn progress(&self) -> Progress {
        let bytes_total = self.size;
        match &self.stage {
            Stage::Files(reader, _) => reader.progress(),
            Stage::Kept(cache, given) => {
                let share = *given as f64 / cache.examples().max(1) as f64;
                Progress { bytes_read: (share * bytes_total.unwrap_or(0) as f64) as u64, bytes_total }
            }
            Stage::Closed(_) | Stage::Spent => Progress { bytes_read: bytes_total.unwrap_or(0), bytes_total },
        }
    }
}

fn no_room(error: std::io::Error) -> Error {
    Error::Other(format!(
        "no place to keep the examples for further passes: {error} (set TMPDIR to a folder that can be written)"
    ))
}
