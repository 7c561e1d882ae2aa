//! A pass over a cache that a thread of its own reads, a few batches ahead of whoever learns from them.

use std::panic::resume_unwind;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::JoinHandle;

use super::Cache;
use crate::batch::Batch;
use crate::error::Result;
use crate::nap;

/// Batches that may wait.
const WAITING: usize = 2;

/// A cache while a thread reads it. The batches and their order are those of [`Cache::next_batch`].
pub struct ReadAhead {
    batches: Receiver<Result<Batch>>,
    /// The way back for batches whose memory can be used again.
    spare: Sender<Batch>,
    thread: JoinHandle<Cache>,
}

impl ReadAhead {
    /// Reads from where the cache stands.
    pub fn start(cache: Cache) -> Self {
        let (give, batches) = mpsc::sync_channel(WAITING);
        let (spare, used) = mpsc::channel();
        let thread = nap::spawn(move || read(cache, &give, &used));
        Self { batches, spare, thread }
    }

    /// Puts the next examples into `batch`; false at the end of the pass.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        batch.clear();
        // Nobody takes the memory back any more if the thread has ended: then it is not needed.
        _ = self.spare.send(std::mem::take(batch));
        match self.batches.recv() {
            Ok(next) => {
                *batch = next?;
                Ok(true)
            }
            Err(_) => Ok(false),
        }
    }

    /// Stops reading and gives the cache back.
    pub fn end(self) -> Cache {
        drop(self.batches);
        self.thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Reads until the pass ends or nobody listens.
fn read(mut cache: Cache, give: &SyncSender<Result<Batch>>, used: &Receiver<Batch>) -> Cache {
    loop {
        let mut batch = used.try_recv().unwrap_or_default();
        let outcome = match cache.next_batch(&mut batch) {
            Ok(false) => return cache,
            Ok(true) => Ok(batch),
            Err(error) => Err(error),
        };
        let failed = outcome.is_err();
        if !nap::send(give, outcome) || failed {
            return cache;
        }
    }
}
