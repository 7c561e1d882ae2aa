//! Where the batches of each pass come from: the files themselves, or what an earlier pass kept of them.

use std::path::PathBuf;
use std::sync::Arc;

use surefoot_data::{
    Batch, Cache, CacheWriter, Errand, OnBadLine, Plan, Progress, ReadOptions, Reader, SCOUTED, Source, stamp,
};
use tempfile::TempDir;

use super::kept::Kept;
use super::{TakeReject, TrainOptions};
use crate::{Error, Result};

/// Without a name the cache lives in a folder of its own for one run, so there is nothing to confuse it with.
const STAMP: &str = "one run";

/// Says whether it is enough.
pub(super) type Stop<'a> = &'a mut dyn FnMut() -> bool;

/// Batches, pass after pass. Examples are parsed once: further passes and random orders come from a cache on disk that
/// goes with the run, or stays where the user wants it, which is also how standard input can be learned from twice.
pub(crate) struct Supply {
    stage: Stage,
    passes: usize,
    /// The seed of the random orders, if there are to be any.
    shuffle: Option<u64>,
    /// Where the cache is to stay.
    cache: Option<PathBuf>,
    /// The cache of this run, and what it was made from.
    kept: Option<(PathBuf, String)>,
    folder: Option<TempDir>,
    size: Option<u64>,
    bad_lines: u64,
}

enum Stage {
    /// Nothing was read yet.
    Closed(Vec<Source>),
    /// Parsing, and keeping what is parsed if it will be needed again.
    Files(Box<Reader>, Option<Box<CacheWriter>>),
    /// Everything is kept.
    Kept(Kept),
    /// The files were read and not kept.
    Spent,
}

impl Supply {
    /// Sources for so many passes in file order.
    pub(crate) fn new(sources: Vec<Source>, passes: usize) -> Self {
        let stage = Stage::Closed(sources);
        let (shuffle, cache, kept, folder, size) = Default::default();
        Self { stage, passes, shuffle, cache, kept, folder, size, bad_lines: 0 }
    }

    /// With a cache that stays, if the options name one.
    pub(crate) fn cached(mut self, options: &TrainOptions) -> Self {
        self.cache = options.cache.clone();
        self
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
        stop: Stop<'_>,
    ) -> Result<()> {
        let threads = options.threads;
        if let Stage::Closed(sources) = &mut self.stage {
            let sources = std::mem::take(sources);
            self.open(sources, options, plan, rejects)?;
        }
        if self.shuffle.is_some() {
            let mut batch = Batch::new();
            while matches!(self.stage, Stage::Files(..)) && self.next_batch(&mut batch, stop)? {}
        }
        let Stage::Kept(kept) = &mut self.stage else { return Ok(()) };
        kept.begin(self.shuffle.map(|seed| seed.wrapping_add(pass as u64)), threads)
    }

    fn open(
        &mut self,
        sources: Vec<Source>,
        options: ReadOptions,
        plan: Arc<Plan>,
        rejects: Option<TakeReject>,
    ) -> Result<()> {
        self.kept = self.place(&sources, &options, &plan)?;
        if let (Some((path, stamp)), None) = (&self.kept, &rejects)
            && let Some(cache) = Cache::open(path, stamp)?
        {
            self.bad_lines = cache.bad_lines();
            self.stage = Stage::Kept(Kept::new(cache));
            return Ok(());
        }
        // Whoever takes rejects wants to see the lines, also of those that are refused only when they are learned.
        let keep_records = rejects.is_some() && options.on_bad_line == OnBadLine::Skip;
        let options = ReadOptions { keep_records, ..options };
        let mut reader = Reader::open(sources, options, plan)?;
        if let Some(take) = rejects {
            reader.on_reject(take);
        }
        self.size = reader.progress().bytes_total;
        let create = |(path, stamp): &(PathBuf, String)| CacheWriter::create(path, stamp).map(Box::new);
        let writer = self.kept.as_ref().map(create).transpose()?;
        self.stage = Stage::Files(Box::new(reader), writer);
        Ok(())
    }

    /// Where examples are kept, if they are needed again, and the stamp of what they are made from.
    fn place(
        &mut self,
        sources: &[Source],
        options: &ReadOptions,
        plan: &Plan,
    ) -> Result<Option<(PathBuf, String)>> {
        if let Some(path) = &self.cache {
            let problem = "--cache is for files: standard input cannot be known again in a later run";
            let stamp = stamp(sources, options, plan)?.ok_or_else(|| Error::Other(problem.into()))?;
            return Ok(Some((path.clone(), stamp)));
        }
        if self.passes < 2 && self.shuffle.is_none() {
            return Ok(None);
        }
        let folder = self.folder.insert(tempfile::tempdir().map_err(no_room)?);
        Ok(Some((folder.path().join("examples"), STAMP.into())))
    }

    /// Tells `enough` the first labels, if they are to be had quickly; see [`Reader::preview`].
    pub(super) fn preview(&self, enough: impl FnMut(Option<&[u8]>) -> bool) -> bool {
        match &self.stage {
            Stage::Files(reader, _) => reader.preview(SCOUTED, enough),
            Stage::Kept(kept) => kept.preview(enough),
            Stage::Closed(_) | Stage::Spent => false,
        }
    }

    /// Has this done by those who parse.
    pub(super) fn send(&mut self, errand: Option<Errand>) {
        match (&mut self.stage, errand) {
            (Stage::Files(reader, _), Some(errand)) => reader.send(errand),
            (Stage::Kept(kept), Some(errand)) => kept.send(errand),
            _ => {}
        }
    }

    /// Whether the examples of this pass were parsed before.
    pub(super) fn is_parsed(&self) -> bool {
        matches!(self.stage, Stage::Kept(_))
    }

    /// Whether nobody knows when the next examples come.
    pub(super) fn waits(&self) -> bool {
        matches!(&self.stage, Stage::Files(reader, _) if reader.waits())
    }

    /// Gives back a batch that was kept while the task was undecided; see [`Reader::give_back`].
    pub(super) fn give_back(&mut self, batch: Batch) {
        if let Stage::Files(reader, _) = &mut self.stage {
            reader.give_back(batch);
        }
    }

    /// The next examples of the pass; false at its end, or if none come and `stop` says that it is enough.
    pub(super) fn next_batch(&mut self, batch: &mut Batch, stop: Stop<'_>) -> Result<bool> {
        match &mut self.stage {
            Stage::Files(reader, writer) => {
                let more = reader.next_batch_unless(batch, stop)?;
                if let (true, Some(writer)) = (more, writer) {
                    writer.push(batch)?;
                }
                // What was given up is not all there is, and not to be kept for it.
                if !more && !stop() {
                    self.files_ended()?;
                }
                Ok(more)
            }
            Stage::Kept(kept) => kept.next_batch(batch),
            Stage::Closed(_) | Stage::Spent => Ok(false),
        }
    }

    fn files_ended(&mut self) -> Result<()> {
        let Stage::Files(reader, writer) = std::mem::replace(&mut self.stage, Stage::Spent) else {
            return Ok(());
        };
        self.bad_lines = reader.bad_lines();
        if let (Some(writer), Some((path, stamp))) = (writer, &self.kept) {
            writer.finish(self.bad_lines)?;
            let cache = Cache::open(path, stamp)?;
            let cache = cache.ok_or_else(|| Error::Other("the cache of the first pass is gone".into()))?;
            self.stage = Stage::Kept(Kept::new(cache));
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
            Stage::Kept(kept) => {
                Progress { bytes_read: (kept.share() * bytes_total.unwrap_or(0) as f64) as u64, bytes_total }
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
