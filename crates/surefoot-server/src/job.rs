//! What the writer of a model is asked to do, and what it answers.

use serde::Serialize;
use tokio::sync::oneshot::Sender;

use crate::rows::Rows;
use crate::seen::IdHash;
use crate::served::ServedState;

/// Where the answer to a job goes.
pub(crate) type ReplyTo<T> = Sender<Result<T, Refusal>>;

/// One thing for the writer to do. They are done in the order in which they come.
pub(crate) enum WriterJob {
    /// Learn the rows of a request: all of them, or none.
    Learn(Box<LearnJob>),
    /// Say under which number an example was learned, if it was.
    Find { id: IdHash, label: Vec<u8>, reply: ReplyTo<Option<Learnt>> },
    /// Look at the model between two groups of examples, for as long as it takes: predictions go on.
    Look(Box<dyn FnOnce(&ServedState) + Send>),
    /// Write a snapshot; its number.
    Snapshot(ReplyTo<u64>),
    /// Keep the model as it is now under a name; its number.
    Version { name: String, reply: ReplyTo<u64> },
    /// Begin an epoch that starts at a version or after a record.
    Rollback { to: StreamPoint, reply: ReplyTo<u64> },
    /// Do what waits, write a snapshot, and end.
    Stop,
}

/// A place in the stream of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamPoint {
    /// A version by its name.
    Version(String),
    /// After this record.
    Sequence(u64),
}

/// The rows of a request to learn.
pub(crate) struct LearnJob {
    pub(crate) rows: Rows,
    /// Whether rows that cannot be learned are left out, and not the whole request.
    pub(crate) skip_bad: bool,
    pub(crate) reply: ReplyTo<Vec<Learnt>>,
}

/// What became of one row. As JSON it is the answer of `learn`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Learnt {
    /// It was learned.
    Learned {
        /// The number of the example.
        seq: u64,
        /// Its label.
        label: String,
        /// What was predicted before it was learned; none before any label was known.
        predicted: Option<String>,
        /// The probability that its label had been given.
        probability: f64,
        /// Whether the prediction was wrong.
        mistake: bool,
        /// Whether the model changed.
        updated: bool,
    },
    /// It had been learned before.
    Duplicate {
        /// The number under which it was.
        seq: u64,
        /// Always true.
        duplicate: bool,
    },
    /// It was left out.
    Refused {
        /// Why.
        error: String,
        /// The same as a word.
        code: &'static str,
    },
}

/// Why nothing was done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A row that cannot be learned.
    #[error("row {}: {problem}", row + 1)]
    Row {
        /// Its place in the request, from 0.
        row: usize,
        /// Why.
        problem: String,
    },
    /// A row whose id was learned with another label.
    #[error("row {}: its id was learned as example {seq}, with another label", row + 1)]
    Conflict {
        /// Its place in the request, from 0.
        row: usize,
        /// The number of the example.
        seq: u64,
    },
    /// The disk does not take more; it may again.
    #[error(
        "the disk does not take more, so nothing is learned: {0}; predictions go on, and learning does when there is room"
    )]
    DiskFull(String),
    /// The disk is in an unknown state.
    #[error("the disk failed, so nothing is learned until the server starts anew: {0}; predictions go on")]
    DiskFailed(String),
    /// Too much waits already.
    #[error("{0} examples wait already; try again in a second")]
    QueueFull(usize),
    /// The request was not learned, and may be sent again.
    #[error("the model was being restored; send the request again")]
    TryAgain,
    /// The server ends.
    #[error("the server is stopping; send the request to the next one")]
    Stopping,
    /// There is no such version or record.
    #[error("{0}")]
    NoSuch(String),
    /// There is such a version already.
    #[error("{0}")]
    Exists(String),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}
