//! The writer of a model, one thread: it takes what waits as a group, appends it to the journal with one sync, then learns it,
//! then answers. A group adds no delay: it is whatever came while the disk was busy with the one before.

mod apply;
mod files;
mod group;

pub(crate) use files::version;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::epoch::Epoch;
use crate::job::{LearnJob, Learnt, Refusal, WriterJob};
use crate::journal::Journal;
use crate::seen::SeenIds;
use crate::served::Served;

/// A group has at most so many rows, and so many bytes, unless a single request has more.
const GROUP_ROWS: usize = 1024;
const GROUP_BYTES: usize = 1 << 20;

pub(crate) struct ModelWriter {
    served: Arc<Served>,
    jobs: Receiver<WriterJob>,
    journal: Journal,
    seen: SeenIds,
    /// The lines of the group.
    lines: Vec<u8>,
    /// The snapshot that is being written.
    snapshot: Option<JoinHandle<()>>,
    /// Since when something has been learned that no snapshot has.
    unsaved_since: Option<Instant>,
    /// The number of the last example in a snapshot.
    saved: u64,
    /// The folder of the server, and the threads to recover with.
    server: PathBuf,
    threads: usize,
}

impl ModelWriter {
    pub(crate) fn new(
        served: Arc<Served>,
        jobs: Receiver<WriterJob>,
        epoch: Epoch,
        seen: SeenIds,
        server: PathBuf,
        threads: usize,
    ) -> Self {
        let (last, saved) = (served.state().sequence, served.status().snapshot);
        let unsaved_since = (last > saved).then(Instant::now);
        let journal = Journal::new(epoch, last);
        let (lines, snapshot) = Default::default();
        Self { served, jobs, journal, seen, lines, snapshot, unsaved_since, saved, server, threads }
    }

    /// Does jobs until it is told to stop.
    pub(crate) fn run(mut self) {
        let mut next = None;
        loop {
            let job = match next.take().map_or_else(|| self.wait(), Ok) {
                Ok(job) => job,
                Err(RecvTimeoutError::Timeout) => {
                    self.snapshot_if_due();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            match job {
                WriterJob::Learn(first) => {
                    let (group, behind) = self.gather(*first);
                    self.learn(group);
                    next = behind;
                }
                WriterJob::Find { id, label, reply } => {
                    let found = match self.seen.get(id) {
                        None => Ok(None),
                        Some(example) if example.had(&label) => {
                            Ok(Some(Learnt::Duplicate { seq: example.sequence, duplicate: true }))
                        }
                        Some(example) => Err(Refusal::Conflict { row: 0, seq: example.sequence }),
                    };
                    let _ = reply.send(found);
                }
                WriterJob::Look(look) => look(&self.served.state()),
                WriterJob::Snapshot(reply) => self.snapshot(Some(reply)),
                WriterJob::Version { name, reply } => self.keep_version(name, reply),
                WriterJob::Rollback { to, reply } => drop(reply.send(self.roll_back(&to))),
                WriterJob::Stop => break,
            }
            self.snapshot_if_due();
        }
        if self.journal.last() > self.saved {
            self.snapshot(None);
        }
        self.snapshot.into_iter().for_each(|writing| drop(writing.join()));
    }

    /// The next job, or nothing by the time a snapshot is due.
    fn wait(&self) -> Result<WriterJob, RecvTimeoutError> {
        let every = self.served.policy.snapshots.every;
        match self.unsaved_since {
            Some(since) => {
                self.jobs.recv_timeout(every.saturating_sub(since.elapsed()).max(Duration::from_millis(1)))
            }
            None => self.jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    /// What waits to be learned, up to the size of a group, and the job that ended it.
    fn gather(&self, first: LearnJob) -> (Vec<LearnJob>, Option<WriterJob>) {
        let (mut rows, mut bytes) = (first.rows.len(), first.rows.bytes());
        let mut group = vec![first];
        while rows < GROUP_ROWS && bytes < GROUP_BYTES {
            match self.jobs.try_recv() {
                Ok(WriterJob::Learn(job)) => {
                    rows += job.rows.len();
                    bytes += job.rows.bytes();
                    group.push(*job);
                }
                Ok(other) => return (group, Some(other)),
                Err(_) => break,
            }
        }
        (group, None)
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
