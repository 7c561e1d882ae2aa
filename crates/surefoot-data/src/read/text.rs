//! Text files, parsed by a pool of threads: one at a time cuts the next chunk off the input, all parse.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::chunk::Chunker;
use super::findings::Findings;
use super::jobs::Jobs;
use super::parse::{Chunk, Parsed, parse};
use super::pool::{OrderedPool, Process, Threads};
use super::{BatchReader, OnReject, Order, Progress, ReadOptions, Reject};
use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::recipe::Plan;
use crate::source::Source;

/// Reads examples from any number of sources, in order, once.
///
/// ```
/// use std::sync::Arc;
/// use surefoot_data::{Batch, Plan, ReadOptions, Reader, Recipe, Source};
///
/// let plan = Arc::new(Plan::new(Recipe::default())?);
/// let tickets = Source::memory("tickets.svm", *b"+1 1:0.5 7:2\n-1 3:1\n");
/// let mut reader = Reader::open(vec![tickets], ReadOptions::default(), plan)?;
/// let mut batch = Batch::new();
/// let mut labels = Vec::new();
/// while reader.next_batch(&mut batch)? {
///     labels.extend(batch.iter().map(|example| example.label().unwrap_or_default().to_vec()));
/// }
/// assert_eq!(labels, [b"+1", b"-1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader {
    pool: OrderedPool<Chunker, Parsed>,
    bytes_read: Arc<AtomicU64>,
    bytes_total: Option<u64>,
    bad_lines: u64,
    on_reject: Option<OnReject>,
    findings: Findings,
    /// An error that waits until the examples before it are taken.
    failure: Option<Error>,
    /// Whether the one pass has begun.
    begun: bool,
}

impl Reader {
    /// Checks that every source can be opened, then starts reading.
    pub fn open(sources: Vec<Source>, mut options: ReadOptions, plan: Arc<Plan>) -> Result<Self> {
        let sizes = sources.iter().map(Source::check).collect::<Result<Vec<_>>>()?;
        let bytes_total = sizes.into_iter().sum();
        let bytes_read = Arc::new(AtomicU64::new(0));
        options.chunk_size = options.chunk_size.max(1);
        let options = Arc::new(options);
        let chunker = Chunker::new(sources, options.clone(), bytes_read.clone());
        let findings = chunker.findings().clone();
        let threads = Threads { count: options.threads, reader_only: chunker.may_wait() };
        let process: Process<Option<Chunk>, Parsed> = Box::new(move |chunk, parsed| {
            chunk.iter().for_each(|chunk| parse(chunk, &plan, &options, parsed));
            Ok(())
        });
        let pool = OrderedPool::start(chunker, process, threads)?;
        let (bad_lines, on_reject, failure, begun) = Default::default();
        Ok(Reader { pool, bytes_read, bytes_total, bad_lines, on_reject, findings, failure, begun })
    }

    /// Calls `take` with each line that is skipped, in file order.
    pub fn on_reject(&mut self, take: impl FnMut(&Reject) + Send + 'static) {
        self.on_reject = Some(Box::new(take));
    }

    /// Puts the next examples into `batch`, whose memory is used again; false at the end.
    ///
    /// After an error there is nothing more. Examples before a bad line are given before its error.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        BatchReader::next_batch(self, batch, &mut || false)
    }

    /// What the files turn out to be.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Lines skipped so far.
    pub fn bad_lines(&self) -> u64 {
        self.bad_lines
    }
}

impl BatchReader for Reader {
    fn start_pass(&mut self, order: Order) -> Result<()> {
        if self.begun || order != Order::File {
            let problem =
                "text is read once, in its own order; further passes and random orders need a cache";
            return Err(Error::Reading(problem.into()));
        }
        self.begun = true;
        Ok(())
    }

    fn next_batch(&mut self, batch: &mut Batch, stop: &mut dyn FnMut() -> bool) -> Result<bool> {
        self.begun = true;
        batch.clear();
        while batch.is_empty() {
            if let Some(error) = self.failure.take() {
                self.pool.stop();
                return Err(error);
            }
            let spare = Parsed { batch: std::mem::take(batch), ..Parsed::default() };
            let mut stopped = false;
            let next = self.pool.next(spare, &mut || {
                stopped = stopped || stop();
                stopped
            })?;
            let Some(parsed) = next else {
                // What was given up is not all there is.
                let checked = if stopped { Ok(()) } else { self.findings.check() };
                return checked.map(|()| false);
            };
            *batch = parsed.batch;
            self.failure = parsed.failure;
            self.bad_lines += parsed.rejects.len() as u64;
            if let Some(take) = &mut self.on_reject {
                parsed.rejects.iter().for_each(take);
            }
        }
        Ok(true)
    }

    /// A little ahead of the examples given.
    fn progress(&self) -> Progress {
        Progress { bytes_read: self.bytes_read.load(Ordering::Relaxed), bytes_total: self.bytes_total }
    }

    fn bad_lines(&self) -> u64 {
        self.bad_lines
    }

    fn waits(&self) -> bool {
        self.failure.is_none() && self.pool.waits()
    }

    fn jobs(&self) -> Option<Jobs> {
        self.pool.jobs()
    }
}
