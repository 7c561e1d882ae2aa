//! Reading: batches of examples, pass after pass, from text files, from a cache on disk, or from anything else that
//! implements [`BatchReader`]. Threads work in one [`OrderedPool`](pool::OrderedPool), so batches come in file order.

mod cache;
mod chunk;
mod findings;
mod jobs;
mod parse;
mod pass;
mod pool;
mod records;
mod row_parser;
mod text;

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::format::{Format, FormatOptions};
pub use cache::{Cache, CacheWriter, stamp};
pub use findings::Findings;
pub use jobs::{Job, Jobs};
pub use parse::{FirstLabels, first_labels, format_of, notes_on_columns};
pub use pass::{PassOptions, PassReader};
pub(crate) use records::RecordReader;
pub use records::each_record;
pub use row_parser::RowParser;
pub use text::Reader;

/// The order of the examples of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As they stand in the files.
    #[default]
    File,
    /// A random order that depends on this seed alone.
    Shuffled(u64),
}

/// Gives the examples of one pass after the other, in batches.
///
/// ```
/// use surefoot_data::{Batch, BatchReader, Builder, Order, Plan, Progress, Recipe, Result, Sink};
///
/// /// Rows in memory, a batch for each.
/// struct Rows {
///     plan: Plan,
///     rows: Vec<(&'static str, Vec<(u64, f64)>)>,
///     next: usize,
/// }
///
/// impl BatchReader for Rows {
///     fn start_pass(&mut self, order: Order) -> Result<()> {
///         assert_eq!(order, Order::File, "these rows have one order");
///         self.next = 0;
///         Ok(())
///     }
///
///     fn next_batch(&mut self, batch: &mut Batch, _stop: &mut dyn FnMut() -> bool) -> Result<bool> {
///         batch.clear();
///         let Some((label, features)) = self.rows.get(self.next) else { return Ok(false) };
///         self.next += 1;
///         let mut builder = Builder::new(&self.plan, batch);
///         builder.begin(self.next as u64);
///         builder.label(label.as_bytes());
///         features.iter().for_each(|&(id, value)| builder.indexed(id, value));
///         builder.finish().expect("finite values");
///         Ok(true)
///     }
///
///     fn progress(&self) -> Progress {
///         Progress { bytes_read: self.next as u64, bytes_total: Some(self.rows.len() as u64) }
///     }
/// }
///
/// let rows = vec![("spam", vec![(1, 0.5), (7, 2.0)]), ("ham", vec![(3, 1.0)])];
/// let mut reader = Rows { plan: Plan::new(Recipe::default())?, rows, next: 0 };
/// let (mut batch, mut features) = (Batch::new(), 0);
/// for _pass in 0..2 {
///     reader.start_pass(Order::File)?;
///     while reader.next_batch(&mut batch, &mut || false)? {
///         features += batch.feature_count();
///     }
/// }
/// assert_eq!(features, 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait BatchReader: Send {
    /// Starts a pass over all examples. Without it, reading begins with a pass in file order.
    fn start_pass(&mut self, order: Order) -> Result<()>;

    /// Puts the next examples into `batch`, whose memory is used again; false at the end of the pass, or if no examples come
    /// and `stop` says that it is enough. After an error nothing more comes.
    fn next_batch(&mut self, batch: &mut Batch, stop: &mut dyn FnMut() -> bool) -> Result<bool>;

    /// How far the pass has come.
    fn progress(&self) -> Progress;

    /// Lines skipped because they could not be parsed.
    fn bad_lines(&self) -> u64 {
        0
    }

    /// Whether the next batch is still to come from a pipe, whenever that may be.
    fn waits(&self) -> bool {
        false
    }

    /// Where work for idle reader threads is submitted; none if this thread is the only one. The threads may be others in every
    /// pass: ask again after its first batch.
    fn jobs(&self) -> Option<Jobs> {
        None
    }
}

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

/// Takes each line that is skipped, in file order.
pub type OnReject = Box<dyn FnMut(&Reject) + Send>;

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
    /// Whether every record gives an example, as predictions in the order of the file need it: a blank record has no features,
    /// and so has a bad one that is skipped ([`Example::skipped`](crate::Example::skipped)).
    pub every_record: bool,
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
            every_record: false,
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
