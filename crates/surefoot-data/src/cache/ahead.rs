//! A pass over a cache that a thread of its own reads, a few batches ahead of whoever learns from them.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::Cache;
use crate::batch::Batch;
use crate::errand::Errand;
use crate::error::Result;

/// Batches that are handed over together. Waking a thread takes as long as learning some examples does.
const TOGETHER: usize = 3;

/// Such groups that may wait.
const WAITING: usize = 1;

/// What to do for whoever learns, once that is known.
type Sent = Arc<Mutex<Option<Errand>>>;

/// A cache while a thread reads it. The batches and their order are those of [`Cache::next_batch`].
pub struct ReadAhead {
    groups: Receiver<Result<Vec<Batch>>>,
    /// Those of the last group that are still to be given.
    rest: VecDeque<Batch>,
    /// The way back for batches whose memory can be used again.
    spare: Sender<Batch>,
    errand: Sent,
    thread: JoinHandle<Cache>,
}

impl ReadAhead {
    /// Reads from where the cache stands.
    pub fn start(cache: Cache) -> Self {
        let (give, groups) = mpsc::sync_channel(WAITING);
        let (spare, used) = mpsc::channel();
        let errand = Sent::default();
        let sent = errand.clone();
        let thread = thread::spawn(move || read(cache, &give, &used, &sent));
        Self { groups, rest: VecDeque::new(), spare, errand, thread }
    }

    /// Has this done for the caller, from some batch on.
    pub fn send(&mut self, errand: Errand) {
        *self.errand.lock().unwrap_or_else(PoisonError::into_inner) = Some(errand);
    }

    /// Puts the next examples into `batch`; false at the end of the pass.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        batch.clear();
        // Nobody takes the memory back any more if the thread has ended: then it is not needed.
        _ = self.spare.send(std::mem::take(batch));
        if self.rest.is_empty()
            && let Ok(group) = self.groups.recv()
        {
            self.rest.extend(group?);
        }
        let next = self.rest.pop_front();
        let more = next.is_some();
        *batch = next.unwrap_or_default();
        Ok(more)
    }

    /// Stops reading and gives the cache back.
    pub fn end(self) -> Cache {
        drop(self.groups);
        self.thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Reads until the pass ends or nobody listens.
fn read(
    mut cache: Cache,
    give: &SyncSender<Result<Vec<Batch>>>,
    used: &Receiver<Batch>,
    sent: &Sent,
) -> Cache {
    let mut more = true;
    while more {
        let mut group = Vec::new();
        let mut failure = None;
        while more && group.len() < TOGETHER {
            match read_one(&mut cache, used, sent) {
                Ok(Some(batch)) => group.push(batch),
                Ok(None) => more = false,
                Err(error) => (more, failure) = (false, Some(error)),
            }
        }
        let nobody = (!group.is_empty() && give.send(Ok(group)).is_err())
            || failure.is_some_and(|error| give.send(Err(error)).is_err());
        more &= !nobody;
    }
    cache
}

/// The next batch, with everything done for whoever learns from it; none at the end.
fn read_one(cache: &mut Cache, used: &Receiver<Batch>, sent: &Sent) -> Result<Option<Batch>> {
    let mut batch = used.try_recv().unwrap_or_default();
    if !cache.next_batch(&mut batch)? {
        return Ok(None);
    }
    let errand = sent.lock().unwrap_or_else(PoisonError::into_inner).clone();
    errand.into_iter().for_each(|errand| batch.run(&errand));
    Ok(Some(batch))
}
