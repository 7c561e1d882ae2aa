//! Work that idle reader threads do for the consumer.

use std::any::Any;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;

/// Work that any thread may do.
pub type Job = Box<dyn FnOnce() + Send>;

/// What a panic leaves.
pub(super) type Panic = Box<dyn Any + Send>;

/// A handle to the job queue of a pool of reader threads.
///
/// Idle workers take queued jobs in the order of submission. A job that no worker has taken can be taken back with
/// [`run_queued`](Jobs::run_queued), also after the reader was dropped; a job that is left then is dropped with the last handle. A
/// panic of a job is resumed where the next batch is asked for, or in `run_queued`.
#[derive(Clone)]
pub struct Jobs(Arc<dyn JobQueue>);

/// What a handle needs of a pool, whatever the pool reads.
pub(super) trait JobQueue: Send + Sync {
    fn submit(&self, job: Job);

    /// The job that was submitted first, or the panic of one that a worker ran.
    fn take(&self) -> Result<Option<Job>, Panic>;
}

impl Jobs {
    pub(super) fn new(queue: Arc<dyn JobQueue>) -> Self {
        Jobs(queue)
    }

    /// Puts a job into the queue and wakes the workers that wait.
    pub fn submit(&self, job: Job) {
        self.0.submit(job);
    }

    /// Runs a queued job, if there is one, on this thread; says whether there was.
    pub fn run_queued(&self) -> bool {
        let job = self.0.take().unwrap_or_else(|panic| resume_unwind(panic));
        job.map(|job| job()).is_some()
    }
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs").finish_non_exhaustive()
    }
}
