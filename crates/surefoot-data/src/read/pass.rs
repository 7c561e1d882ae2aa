//! Several passes: the files in the first one, then the cache that it wrote.

use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;

use super::cache::{Cache, CacheWriter, stamp};
use super::findings::Findings;
use super::jobs::Jobs;
use super::parse::look;
use super::text::Reader;
use super::{BatchReader, OnBadLine, OnReject, Order, Progress, ReadOptions};
use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::recipe::Plan;
use crate::source::Source;

/// The stamp of a cache that is gone after the run: in a folder of its own there is nothing to confuse it with.
const ONE_RUN: &str = "one run";

/// Which passes there will be.
#[derive(Debug, Clone)]
pub struct PassOptions {
    /// How many.
    pub passes: usize,
    /// Whether any of them is in random order.
    pub shuffle: bool,
    /// Where the cache is kept for later runs; without a place it is made only if it is needed, and is gone after the run.
    pub cache: Option<PathBuf>,
}

impl Default for PassOptions {
    /// One pass in file order.
    fn default() -> Self {
        PassOptions { passes: 1, shuffle: false, cache: None }
    }
}

/// Reads text files pass after pass. Examples are parsed once: further passes and random orders come from a cache on disk
/// that the first pass writes, which is also how standard input can be learned from twice.
///
/// ```
/// use std::sync::Arc;
/// use surefoot_data::{Batch, BatchReader, Order, PassOptions, PassReader, Plan, ReadOptions, Recipe, Source};
///
/// let plan = Arc::new(Plan::new(Recipe::default())?);
/// let tickets = Source::memory("tickets.svm", *b"+1 1:0.5 7:2\n-1 3:1\n");
/// let passes = PassOptions { passes: 3, shuffle: true, cache: None };
/// let mut reader = PassReader::open(vec![tickets], ReadOptions::default(), plan, passes, None)?;
/// let (mut batch, mut examples) = (Batch::new(), 0);
/// for pass in 0..3 {
///     reader.start_pass(Order::Shuffled(pass))?;
///     while reader.next_batch(&mut batch, &mut || false)? {
///         examples += batch.len();
///     }
/// }
/// assert_eq!(examples, 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PassReader {
    stage: Stage,
    place: Option<CachePlace>,
    /// Holds a cache of this run alone.
    _folder: Option<TempDir>,
    findings: Findings,
    threads: usize,
    /// Size of the files, if they were opened.
    size: Option<u64>,
    /// The order of a pass that begins once the files are in the cache.
    due: Option<Order>,
}

/// Where the cache is, and the stamp of what it is made from.
struct CachePlace {
    path: PathBuf,
    stamp: String,
}

enum Stage {
    Files(Box<FirstPass>),
    /// The examples are in the cache.
    Cache(Box<Cache>),
}

/// The files, and what is kept of them.
struct FirstPass {
    reader: Reader,
    begun: bool,
    /// Writes the cache, if there is to be one, until it is complete.
    writer: Option<CacheWriter>,
    cache: Option<Box<Cache>>,
}

impl PassReader {
    /// Opens the files, or a cache that an earlier run has made from them with the same settings. Lines that are skipped go to
    /// `rejects`; a cache has none of them, so with `rejects` the files are read in any case.
    pub fn open(
        sources: Vec<Source>,
        mut options: ReadOptions,
        plan: Arc<Plan>,
        passes: PassOptions,
        rejects: Option<OnReject>,
    ) -> Result<Self> {
        let (place, folder) = place(&sources, &options, &plan, passes)?;
        let threads = options.threads;
        let found = match &place {
            Some(place) if rejects.is_none() => Cache::open(&place.path, &place.stamp)?,
            _ => None,
        };
        let (stage, size, findings) = if let Some(cache) = found {
            let findings = look(&sources, &options)?;
            (Stage::Cache(Box::new(cache.with_threads(threads))), None, findings)
        } else {
            // Lines are also rejected when they are learned, because of their labels, and are shown then too.
            options.keep_records |= rejects.is_some() && options.on_bad_line == OnBadLine::Skip;
            let mut reader = Reader::open(sources, options, plan)?;
            rejects.into_iter().for_each(|take| reader.on_reject(take));
            let (size, findings) = (reader.progress().bytes_total, reader.findings().clone());
            let create = |place: &CachePlace| CacheWriter::create(&place.path, &place.stamp);
            let writer = place.as_ref().map(create).transpose()?;
            (Stage::Files(Box::new(FirstPass { reader, begun: false, writer, cache: None })), size, findings)
        };
        Ok(PassReader { stage, place, _folder: folder, findings, threads, size, due: None })
    }

    /// What the files turn out to be.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// What gives the examples now.
    fn reader(&self) -> &dyn BatchReader {
        match &self.stage {
            Stage::Files(first) => &first.reader,
            Stage::Cache(cache) => &**cache,
        }
    }

    /// Reads the rest of the files into the cache; false if `stop` says that it is enough before.
    fn fill_cache(&mut self, batch: &mut Batch, stop: &mut dyn FnMut() -> bool) -> Result<bool> {
        while !stop() {
            if !self.next_of_files(batch, stop)? {
                return Ok(self.turn_to_cache());
            }
        }
        batch.clear();
        Ok(false)
    }

    /// The next examples of the files, which go into the cache too; after the last ones it is completed.
    fn next_of_files(&mut self, batch: &mut Batch, stop: &mut dyn FnMut() -> bool) -> Result<bool> {
        let Stage::Files(first) = &mut self.stage else { return Ok(false) };
        first.begun = true;
        let mut stopped = false;
        let more = BatchReader::next_batch(&mut first.reader, batch, &mut || {
            stopped = stopped || stop();
            stopped
        })?;
        if more {
            first.writer.iter_mut().try_for_each(|writer| writer.push(batch))?;
        } else if !stopped
            && !stop()
            && let (Some(writer), Some(place)) = (first.writer.take(), &self.place)
        {
            // Not after a stop: what was given up is not all there is.
            writer.finish(first.reader.bad_lines())?;
            let gone = || {
                Error::at(&place.path, "the cache of the first pass is gone")
                    .hint("start again, and let nothing else write there")
            };
            let cache = Cache::open(&place.path, &place.stamp)?.ok_or_else(gone)?;
            first.cache = Some(Box::new(cache.with_threads(self.threads)));
        }
        Ok(more)
    }

    /// Reads from the cache from now on, if it is complete; says whether it is.
    fn turn_to_cache(&mut self) -> bool {
        if let Stage::Files(first) = &mut self.stage
            && let Some(cache) = first.cache.take()
        {
            self.stage = Stage::Cache(cache);
        }
        matches!(self.stage, Stage::Cache(_))
    }
}

impl BatchReader for PassReader {
    fn start_pass(&mut self, order: Order) -> Result<()> {
        self.turn_to_cache();
        let first = match &mut self.stage {
            Stage::Cache(cache) => return cache.start_pass(order),
            Stage::Files(first) => first,
        };
        if first.begun {
            let why = "the first one was not read to its end, or only one was planned";
            return Err(not_kept("further passes", why));
        }
        if order != Order::File {
            if first.writer.is_none() {
                return Err(not_kept("a random order", "only passes in file order were planned"));
            }
            // The files are read with the first batch, where it is known when to stop.
            self.due = Some(order);
        }
        first.begun = true;
        Ok(())
    }

    fn next_batch(&mut self, batch: &mut Batch, stop: &mut dyn FnMut() -> bool) -> Result<bool> {
        if let Some(order) = self.due {
            if !self.fill_cache(batch, stop)? {
                return Ok(false);
            }
            self.due = None;
            self.start_pass(order)?;
        }
        match &mut self.stage {
            Stage::Files(_) => self.next_of_files(batch, stop),
            Stage::Cache(cache) => BatchReader::next_batch(&mut **cache, batch, stop),
        }
    }

    /// A pass over the cache counts as if it read the files.
    fn progress(&self) -> Progress {
        match &self.stage {
            Stage::Files(first) => first.reader.progress(),
            Stage::Cache(cache) => {
                let bytes_total = self.size;
                Progress { bytes_read: (cache.share() * bytes_total.unwrap_or(0) as f64) as u64, bytes_total }
            }
        }
    }

    fn bad_lines(&self) -> u64 {
        self.reader().bad_lines()
    }

    fn waits(&self) -> bool {
        self.reader().waits()
    }

    fn jobs(&self) -> Option<Jobs> {
        self.reader().jobs()
    }
}

/// The place of the cache, if there is to be one, and the folder that goes with the run.
fn place(
    sources: &[Source],
    options: &ReadOptions,
    plan: &Plan,
    passes: PassOptions,
) -> Result<(Option<CachePlace>, Option<TempDir>)> {
    if let Some(path) = passes.cache {
        let problem = "--cache is for files: standard input cannot be known again in a later run";
        let stamp = stamp(sources, options, plan)?.ok_or_else(|| Error::Reading(problem.into()))?;
        return Ok((Some(CachePlace { path, stamp }), None));
    }
    if passes.passes < 2 && !passes.shuffle {
        return Ok((None, None));
    }
    let folder = tempfile::tempdir().map_err(|error| {
        let advice = "set TMPDIR to a folder that can be written";
        Error::Reading(format!("no place to keep the examples for further passes: {error} ({advice})"))
    })?;
    let place = CachePlace { path: folder.path().join("examples"), stamp: ONE_RUN.into() };
    Ok((Some(place), Some(folder)))
}

fn not_kept(what: &str, why: &str) -> Error {
    Error::Reading(format!("the examples were not kept for {what}: {why}"))
}
