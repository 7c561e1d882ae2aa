//! Threads that fetch items one after the other, process them side by side, and give the results in order.
//!
//! Fetching is serial: one thread at a time holds the [`Fetch`], takes the next item and puts it back; then it processes the
//! item while others fetch. Results wait in a table until the consumer reaches their number. A window bounds how far
//! the threads run ahead, and so the memory. The consumer works too while it waits: with one thread it does everything, on
//! the same path. Only where an input may be a pipe the consumer leaves fetching to the workers, one more of them: it must be
//! free to ask `stop` while the pipe is silent.
//!
//! The consumer can also submit [`Jobs`]: a worker takes a queued job before it fetches.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::jobs::{Job, JobQueue, Jobs, Panic};
use crate::error::{Error, Result};

/// How long the consumer waits for a pipe before it asks whether to go on waiting.
const PATIENCE: Duration = Duration::from_millis(50);

/// The serial half of a pool's work.
pub(super) trait Fetch: Send + 'static {
    /// What is fetched; its memory is used again.
    type Raw: Default + Send + 'static;

    /// Puts the next item into `raw`; false after the last one.
    fn fetch(&mut self, raw: &mut Self::Raw) -> Result<bool>;

    /// Whether the next item comes from a pipe.
    fn is_live(&self) -> bool {
        false
    }
}

/// The parallel half: turns an item into a result, in memory that is used again.
pub(super) type Process<R, T> = Box<dyn Fn(&mut R, &mut T) -> Result<()> + Send + Sync>;

/// How a pool is staffed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Threads {
    /// Threads that work, the consumer's included.
    pub(super) count: usize,
    /// Whether the consumer never fetches, because that may take as long as a pipe likes.
    pub(super) reader_only: bool,
}

/// The consumer's end of a pool. When it is dropped, the workers end after what they are doing.
pub(super) struct OrderedPool<F: Fetch, T: Default + Send + 'static> {
    shared: Arc<PoolShared<F, T>>,
    threads: Threads,
}

struct PoolShared<F: Fetch, T> {
    state: Mutex<PoolState<F, T>>,
    /// Signalled whenever the state changes in a way that another thread may wait for.
    changed: Condvar,
    process: Process<F::Raw, T>,
}

struct PoolState<F: Fetch, T> {
    /// Absent while a thread fetches.
    fetch: Option<F>,
    live: bool,
    /// Items fetched so far.
    fetched: u64,
    /// Results given to the consumer so far.
    consumed: u64,
    /// No item will follow.
    ended: bool,
    /// The pool was dropped, or has given an error.
    stopped: bool,
    /// Items that may be fetched and not yet consumed.
    window: u64,
    /// Results that the consumer has not reached, or the panic that one ended in.
    done: BTreeMap<u64, Result<Result<T>, Panic>>,
    jobs: VecDeque<Job>,
    /// A job's panic, to be resumed on the consumer.
    job_panic: Option<Panic>,
    raws: Vec<F::Raw>,
    spares: Vec<T>,
    /// Threads that wait for a signal; without any, signalling would be a system call for nothing.
    waiting: usize,
}

/// What a thread can do next.
enum Next<F: Fetch> {
    Job(Job),
    Fetch(F, F::Raw),
}

impl<F: Fetch, T: Default + Send + 'static> OrderedPool<F, T> {
    /// Starts the workers.
    pub(super) fn start(fetch: F, process: Process<F::Raw, T>, threads: Threads) -> Result<Self> {
        let workers = threads.count.max(1) - usize::from(!threads.reader_only);
        let state = PoolState {
            live: fetch.is_live(),
            fetch: Some(fetch),
            fetched: 0,
            consumed: 0,
            ended: false,
            stopped: false,
            window: 2 * workers as u64 + 1,
            done: BTreeMap::new(),
            jobs: VecDeque::new(),
            job_panic: None,
            raws: Vec::new(),
            spares: Vec::new(),
            waiting: 0,
        };
        let shared = Arc::new(PoolShared { state: Mutex::new(state), changed: Condvar::new(), process });
        let pool = OrderedPool { shared, threads };
        for _ in 0..workers {
            let shared = pool.shared.clone();
            // Not joined: at the end of a run a worker may sit in a read from a pipe for as long as the pipe likes.
            let spawned = thread::Builder::new().name("reader".into()).spawn(move || shared.work());
            spawned.map_err(|error| {
                Error::Reading(format!("cannot start a thread: {error} (ask for fewer threads)"))
            })?;
        }
        Ok(pool)
    }

    /// The next result in order; none after the last, or if none comes from a pipe and `stop` says that it is enough.
    /// `spare` is memory to use again. Nothing follows an error.
    pub(super) fn next(&mut self, spare: T, stop: &mut dyn FnMut() -> bool) -> Result<Option<T>> {
        let shared = &*self.shared;
        let mut state = shared.lock();
        state.recycle(spare);
        loop {
            if let Some(panic) = state.job_panic.take() {
                drop(state);
                resume_unwind(panic);
            }
            if state.stopped {
                return Ok(None);
            }
            let number = state.consumed;
            if let Some(outcome) = state.done.remove(&number) {
                state.consumed += 1;
                // Waking a thread takes time that the consumer does not have: it is done for two items at once.
                if state.fetched + 2 <= state.consumed + state.window {
                    shared.signal(&state);
                }
                if !matches!(outcome, Ok(Ok(_))) {
                    shared.stop(state);
                }
                return outcome.unwrap_or_else(|panic| resume_unwind(panic)).map(Some);
            }
            if state.ended && state.fetched == number {
                return Ok(None);
            }
            state = match state.take_next(!self.threads.reader_only) {
                Some(next) => {
                    drop(state);
                    shared.run(next);
                    shared.lock()
                }
                None if self.threads.reader_only => {
                    let (state, timed_out) = shared.wait_a_while(state);
                    if timed_out && stop() {
                        return Ok(None);
                    }
                    state
                }
                None => shared.wait(state),
            };
        }
    }

    /// Whether the next result is still to come from a pipe, whenever that may be.
    pub(super) fn waits(&self) -> bool {
        let state = self.shared.lock();
        state.live && !state.ended && !state.stopped && !state.done.contains_key(&state.consumed)
    }

    /// The job queue; none if the consumer is meant to be the only thread that works.
    pub(super) fn jobs(&self) -> Option<Jobs> {
        (self.threads.count > 1).then(|| Jobs::new(self.shared.clone()))
    }

    /// Fetches nothing more and ends the workers.
    pub(super) fn stop(&mut self) {
        self.shared.stop(self.shared.lock());
    }
}

impl<F: Fetch, T: Default + Send + 'static> Drop for OrderedPool<F, T> {
    fn drop(&mut self) {
        self.stop();
    }
}

impl<F: Fetch, T> PoolState<F, T> {
    /// Keeps memory that can be used again, as much as can be in use at a time.
    fn recycle(&mut self, spare: T) {
        if (self.spares.len() as u64) < self.window {
            self.spares.push(spare);
        }
    }

    /// A queued job; else the right to fetch, if it is free, the window has room and the thread may.
    fn take_next(&mut self, may_fetch: bool) -> Option<Next<F>> {
        if let Some(job) = self.jobs.pop_front() {
            return Some(Next::Job(job));
        }
        if !may_fetch || self.ended || self.fetched >= self.consumed + self.window {
            return None;
        }
        let fetch = self.fetch.take()?;
        Some(Next::Fetch(fetch, self.raws.pop().unwrap_or_default()))
    }
}

impl<F: Fetch, T: Default + Send + 'static> PoolShared<F, T> {
    /// The loop of a worker. It goes on after the last item, because jobs may still come.
    fn work(&self) {
        let mut state = self.lock();
        while !state.stopped {
            state = match state.take_next(true) {
                Some(next) => {
                    drop(state);
                    self.run(next);
                    self.lock()
                }
                None => self.wait(state),
            };
        }
    }

    fn run(&self, next: Next<F>) {
        match next {
            Next::Fetch(fetch, raw) => self.fetch_and_process(fetch, raw),
            Next::Job(job) => {
                if let Err(panic) = catch_unwind(AssertUnwindSafe(job)) {
                    let mut state = self.lock();
                    state.job_panic = Some(panic);
                    self.signal(&state);
                }
            }
        }
    }

    fn fetch_and_process(&self, fetch: F, mut raw: F::Raw) {
        let Some((number, mut result)) = self.fetch(fetch, &mut raw) else { return };
        let processed = catch_unwind(AssertUnwindSafe(|| (self.process)(&mut raw, &mut result)));
        let mut state = self.lock();
        state.raws.push(raw);
        state.done.insert(number, processed.map(|outcome| outcome.map(|()| result)));
        self.signal(&state);
    }

    /// Fetches an item and puts `fetch` back; gives the item's number and memory for its result, none if there is no item.
    fn fetch(&self, mut fetch: F, raw: &mut F::Raw) -> Option<(u64, T)> {
        let fetched = catch_unwind(AssertUnwindSafe(|| fetch.fetch(raw)));
        let mut state = self.lock();
        self.signal(&state);
        let number = state.fetched;
        let failed = match fetched {
            Ok(Ok(true)) => {
                state.fetched += 1;
                state.live = fetch.is_live();
                state.fetch = Some(fetch);
                return Some((number, state.spares.pop().unwrap_or_default()));
            }
            Ok(Ok(false)) => None,
            Ok(Err(error)) => Some(Ok(Err(error))),
            Err(panic) => Some(Err(panic)),
        };
        state.ended = true;
        if let Some(outcome) = failed {
            state.fetched += 1;
            state.done.insert(number, outcome);
        }
        None
    }

    fn stop(&self, mut state: MutexGuard<'_, PoolState<F, T>>) {
        (state.stopped, state.ended) = (true, true);
        // A handle to the job queue may outlive the pool; the input need not.
        state.fetch = None;
        self.signal(&state);
    }

    fn lock(&self) -> MutexGuard<'_, PoolState<F, T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn signal(&self, state: &MutexGuard<'_, PoolState<F, T>>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    fn wait<'a>(&self, mut state: MutexGuard<'a, PoolState<F, T>>) -> MutexGuard<'a, PoolState<F, T>> {
        state.waiting += 1;
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Waits for a moment; says whether nothing was signalled.
    fn wait_a_while<'a>(
        &self,
        mut state: MutexGuard<'a, PoolState<F, T>>,
    ) -> (MutexGuard<'a, PoolState<F, T>>, bool) {
        state.waiting += 1;
        let waited = self.changed.wait_timeout(state, PATIENCE);
        let (mut state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        (state, timeout.timed_out())
    }
}

impl<F: Fetch, T: Default + Send + 'static> JobQueue for PoolShared<F, T> {
    fn submit(&self, job: Job) {
        let mut state = self.lock();
        state.jobs.push_back(job);
        self.signal(&state);
    }

    fn take(&self) -> Result<Option<Job>, Panic> {
        let mut state = self.lock();
        match state.job_panic.take() {
            Some(panic) => Err(panic),
            None => Ok(state.jobs.pop_front()),
        }
    }
}

#[cfg(test)]
mod tests;
