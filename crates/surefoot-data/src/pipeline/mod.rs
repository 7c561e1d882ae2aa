//! The one reading pipeline: threads parse chunks, batches come out in file order.

mod chunk;
mod crew;
mod parse;
mod preview;
mod records;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::format::{Format, FormatOptions};
use crate::recipe::Plan;
use crate::source::Source;
use chunk::Chunker;
use crew::Crew;
pub use records::RecordReader;

/// What to do with a line that cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnBadLine {
    /// Stop with an error.
    #[default]
    Fail,
    /// Leave it out and count it.
    Skip,
}

/// A line that was left out.
#[derive(Debug)]
pub struct Reject {
    /// Why.
    pub error: Error,
    /// The line, without its line end.
    pub record: Vec<u8>,
}

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The format of all sources; none finds it for each by extension and content.
    pub format: Option<&'static Format>,
    /// How columns are understood.
    pub columns: FormatOptions,
    /// Threads that parse, the caller's included. The result does not depend on it.
    pub threads: usize,
    /// What to do with bad lines.
    pub on_bad_line: OnBadLine,
    /// Bytes that a thread takes at a time. The result does not depend on it.
    pub chunk_size: usize,
    /// Longest line; a longer one is an error.
    pub max_line: usize,
    /// Whether batches keep the lines of their examples; see [`Batch::record`].
    pub keep_records: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            columns: FormatOptions::default(),
            threads: 1,
            on_bad_line: OnBadLine::Fail,
            chunk_size: 256 << 10,
            max_line: 64 << 20,
            keep_records: false,
        }
    }
}

/// How far reading has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes taken from the files (compressed bytes of compressed files).
    pub bytes_read: u64,
    /// Size of all sources together, if every one has a size.
    pub bytes_total: Option<u64>,
}

/// Takes each line that is skipped.
type OnReject = Box<dyn FnMut(&Reject) + Send>;

/// Reads examples from any number of sources, in order.
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
    crew: Crew,
    bytes_read: Arc<AtomicU64>,
    bytes_total: Option<u64>,
    bad_lines: u64,
    on_reject: Option<OnReject>,
    /// An error that waits until the examples before it are taken.
    failure: Option<Error>,
    sources: Vec<Source>,
    options: Arc<ReadOptions>,
}

impl Reader {
    /// Checks that every source can be opened, then starts reading.
    pub fn open(sources: Vec<Source>, mut options: ReadOptions, plan: Arc<Plan>) -> Result<Self> {
        let sizes = sources.iter().map(Source::check).collect::<Result<Vec<_>>>()?;
        let bytes_total = sizes.into_iter().sum();
        let bytes_read = Arc::new(AtomicU64::new(0));
        options.chunk_size = options.chunk_size.max(1);
        let options = Arc::new(options);
        let chunker = Chunker::new(sources.clone(), options.clone(), bytes_read.clone());
        let crew = Crew::start(chunker, &options, plan);
        let (bad_lines, on_reject, failure) = Default::default();
        Ok(Reader { crew, bytes_read, bytes_total, bad_lines, on_reject, failure, sources, options })
    }

    /// Tells `enough` the label of every example, from the first on, none where there is none, until it says so, which it does
    /// after `examples` at the latest. Returns whether it did, or heard all. Otherwise labels are not to be had without
    /// parsing: the sources cannot be read twice, are long, or have records that are wrong, or may turn out to be and then
    /// are skipped.
    pub fn preview(&self, examples: usize, enough: impl FnMut(Option<&[u8]>) -> bool) -> bool {
        self.options.on_bad_line == OnBadLine::Fail
            && preview::labels(&self.sources, &self.options, examples, enough)
    }

    /// Calls `take` with each line that is skipped, in file order.
    pub fn on_reject(&mut self, take: impl FnMut(&Reject) + Send + 'static) {
        self.on_reject = Some(Box::new(take));
    }

    /// Gives back a batch that was kept aside: its memory can be used again.
    pub fn give_back(&mut self, mut batch: Batch) {
        batch.clear();
        self.crew.give_back(batch);
    }

    /// Puts the next examples into `batch`, whose memory is used again; false at the end.
    ///
    /// After an error there is nothing more. Examples before a bad line are given before its error.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        self.next_batch_unless(batch, &mut || false)
    }

    /// The same, but while a pipe gives nothing, `stop` is asked now and then, and ends the waiting as if the input had ended.
    pub fn next_batch_unless(&mut self, batch: &mut Batch, stop: &mut dyn FnMut() -> bool) -> Result<bool> {
        batch.clear();
        while batch.is_empty() {
            if let Some(error) = self.failure.take() {
                self.crew.stop();
                return Err(error);
            }
            let Some(parsed) = self.crew.next(std::mem::take(batch), stop) else { return Ok(false) };
            *batch = parsed.batch;
            self.failure = parsed.failure;
            self.bad_lines += parsed.rejects.len() as u64;
            if let Some(take) = &mut self.on_reject {
                parsed.rejects.iter().for_each(take);
            }
        }
        Ok(true)
    }

    /// Whether the next examples are still to come from a pipe, whenever that may be.
    pub fn waits(&self) -> bool {
        self.failure.is_none() && self.crew.waits()
    }

    /// Lines skipped so far.
    pub fn bad_lines(&self) -> u64 {
        self.bad_lines
    }

    /// How far reading has come; a little ahead of the examples given.
    pub fn progress(&self) -> Progress {
        Progress { bytes_read: self.bytes_read.load(Ordering::Relaxed), bytes_total: self.bytes_total }
    }
}
