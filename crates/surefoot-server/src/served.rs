//! A model that is served: any thread predicts with it, one thread learns.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::{self, JoinHandle};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use surefoot::Model;
use surefoot::data::RowParser;
use tokio::sync::oneshot;

use crate::folder::ModelFolder;
use crate::job::{LearnJob, Learnt, Refusal, StreamPoint, WriterJob};
use crate::monitor::Monitor;
use crate::options::LearnPolicy;
use crate::recover::{recover, row_parser};
use crate::rows::Rows;
use crate::seen::IdHash;
use crate::writer::ModelWriter;
use crate::{Error, Result};

/// The model and what it has learned.
#[derive(Debug)]
pub struct ServedState {
    /// The model.
    pub model: Model,
    /// The number of the last example that it has learned.
    pub sequence: u64,
    /// The epoch.
    pub epoch: u32,
}

/// A model that is served.
#[derive(Debug)]
pub struct Served {
    name: String,
    folder: ModelFolder,
    state: RwLock<ServedState>,
    rows: Arc<RowParser>,
    jobs: Sender<WriterJob>,
    writer: Mutex<Option<JoinHandle<()>>>,
    pub(crate) policy: LearnPolicy,
    pub(crate) monitor: Mutex<Monitor>,
    pub(crate) queue: Queue,
    pub(crate) status: Mutex<Status>,
    pub(crate) metrics: WriterMetrics,
}

/// What the writer will answer.
pub type Answer<T> = oneshot::Receiver<Result<T, Refusal>>;

/// What waits to be learned.
#[derive(Debug, Default)]
pub struct Queue {
    examples: AtomicUsize,
    bytes: AtomicUsize,
}

/// What the writer of a model counts.
#[derive(Debug, Clone)]
pub struct WriterMetrics {
    pub(crate) sync_seconds: Histogram,
    pub(crate) group_examples: Histogram,
    pub(crate) appended_bytes: Counter,
    pub(crate) errors: Counter,
}

impl Default for WriterMetrics {
    fn default() -> Self {
        let counted = || Histogram::new([1.0]);
        let (appended_bytes, errors) = Default::default();
        Self { sync_seconds: counted(), group_examples: counted(), appended_bytes, errors }
    }
}

/// How the files of a model are.
#[derive(Debug, Clone, Default)]
pub struct Status {
    /// Why nothing is learned: `disk_full` or `disk_failed`, and in words.
    pub not_writable: Option<(&'static str, String)>,
    /// The number of the last example before the newest snapshot.
    pub snapshot: u64,
    /// When it was written, in milliseconds since 1970; 0 if that was before the server started.
    pub snapshot_millis: u64,
    /// How long it took to make and write it, in seconds.
    pub snapshot_seconds: f64,
    /// Snapshots that could not be written.
    pub snapshot_failures: u64,
    /// Size of the last snapshot.
    pub model_bytes: u64,
    /// Bytes of a record that was not written to its end, cut off at the start.
    pub cut_bytes: u64,
    /// Examples that were learned again at the start, and how long that took, in seconds.
    pub recovered: (u64, f64),
}

impl Served {
    /// Recovers a model from its folder and starts its writer. The notes are what the user should know.
    pub fn open(
        folder: ModelFolder,
        server: &std::path::Path,
        policy: LearnPolicy,
        threads: usize,
        metrics: WriterMetrics,
    ) -> Result<(Arc<Self>, Vec<String>)> {
        let began = std::time::Instant::now();
        let epoch = folder.current()?;
        let recovered = recover(&epoch, server, threads)?;
        let status = Status {
            snapshot: recovered.snapshot,
            cut_bytes: recovered.cut,
            recovered: (recovered.sequence - recovered.snapshot, began.elapsed().as_secs_f64()),
            ..Status::default()
        };
        let (jobs, incoming) = mpsc::channel();
        let rows = Arc::new(row_parser(&recovered.model)?);
        let state =
            ServedState { model: recovered.model, sequence: recovered.sequence, epoch: epoch.number() };
        let served = Arc::new(Self {
            name: folder.name(),
            folder,
            state: RwLock::new(state),
            rows,
            jobs,
            writer: Mutex::new(None),
            policy,
            monitor: Mutex::new(recovered.monitor),
            queue: Queue::default(),
            status: Mutex::new(status),
            metrics,
        });
        let writer =
            ModelWriter::new(served.clone(), incoming, epoch, recovered.seen, server.to_path_buf(), threads);
        let thread = thread::Builder::new().name(format!("writer {}", served.name));
        let thread = thread.spawn(move || writer.run()).map_err(Error::io(served.folder.path()))?;
        *lock(&served.writer) = Some(thread);
        Ok((served, recovered.notes))
    }

    /// The name of the model.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the model is.
    #[must_use]
    pub fn folder(&self) -> &ModelFolder {
        &self.folder
    }

    /// The model as it is now. It learns nothing as long as this is held: not for longer than a block of rows.
    pub fn state(&self) -> RwLockReadGuard<'_, ServedState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state_mut(&self) -> RwLockWriteGuard<'_, ServedState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What parses the rows of this model.
    #[must_use]
    pub fn rows(&self) -> &RowParser {
        &self.rows
    }

    /// How it does.
    pub fn monitor(&self) -> MutexGuard<'_, Monitor> {
        lock(&self.monitor)
    }

    /// How its files are.
    #[must_use]
    pub fn status(&self) -> Status {
        lock(&self.status).clone()
    }

    /// Examples that wait, and their bytes.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize) {
        (self.queue.examples.load(Ordering::Relaxed), self.queue.bytes.load(Ordering::Relaxed))
    }

    /// Learns rows: all of them or none, unless bad ones are left out. What comes back as learned is on disk.
    pub fn learn(&self, rows: Rows, skip_bad: bool) -> Result<Answer<Vec<Learnt>>, Refusal> {
        let (reply, answer) = oneshot::channel();
        let job = LearnJob { rows, skip_bad, reply };
        let (examples, bytes) = (job.rows.len(), job.rows.bytes());
        self.queue.reserve(examples, bytes, &self.policy)?;
        self.send(WriterJob::Learn(Box::new(job))).inspect_err(|_| self.queue.release(examples, bytes))?;
        Ok(answer)
    }

    /// Under which number an example of this id was learned, or that it was with another label.
    pub(crate) fn find(&self, id: &[u8], label: Vec<u8>) -> Result<Answer<Option<Learnt>>, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(WriterJob::Find { id: IdHash::of(id), label, reply })?;
        Ok(answer)
    }

    /// What `look` makes of the model between two groups of examples; predictions go on meanwhile.
    pub fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&ServedState) -> T + Send + 'static,
    ) -> Result<oneshot::Receiver<T>, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(WriterJob::Look(Box::new(move |state| drop(reply.send(look(state))))))?;
        Ok(answer)
    }

    /// Writes a snapshot now; the number of the last example in it.
    pub fn snapshot(&self) -> Result<Answer<u64>, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(WriterJob::Snapshot(reply))?;
        Ok(answer)
    }

    /// Keeps the model as it is now under a name.
    pub fn keep_version(&self, name: String) -> Result<Answer<u64>, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(WriterJob::Version { name, reply })?;
        Ok(answer)
    }

    /// Begins an epoch that starts at an earlier place. Nothing is deleted.
    pub fn roll_back(&self, to: StreamPoint) -> Result<Answer<u64>, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.send(WriterJob::Rollback { to, reply })?;
        Ok(answer)
    }

    /// Learns what waits, writes a snapshot and ends the writer.
    pub fn stop(&self) {
        let _ = self.send(WriterJob::Stop);
        let writer = lock(&self.writer).take();
        writer.into_iter().for_each(|writer| drop(writer.join()));
    }

    fn send(&self, job: WriterJob) -> Result<(), Refusal> {
        self.jobs.send(job).map_err(|_| Refusal::Stopping)
    }
}

impl Queue {
    fn reserve(&self, examples: usize, bytes: usize, policy: &LearnPolicy) -> Result<(), Refusal> {
        let waiting = self.examples.fetch_add(examples, Ordering::Relaxed);
        let bytes_waiting = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        // One request alone may be larger than the queue: its size is bounded elsewhere.
        let full = waiting + examples > policy.queue_examples || bytes_waiting + bytes > policy.queue_bytes;
        if full && waiting > 0 {
            self.release(examples, bytes);
            return Err(Refusal::QueueFull(waiting));
        }
        Ok(())
    }

    pub(crate) fn release(&self, examples: usize, bytes: usize) {
        self.examples.fetch_sub(examples, Ordering::Relaxed);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
