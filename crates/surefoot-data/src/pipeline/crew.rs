//! The threads that parse, the consumer among them.
//!
//! There is one chunker and whoever holds it reads the next chunk; then it goes back and the chunk is parsed beside
//! others. Results wait in a table until the consumer reaches their number, so their order is that of the files. The
//! consumer parses too while it waits: with one thread that is all there is, and there is no other code path. Only where an
//! input may be a pipe, reading is left to the others, one more of them: the consumer must not sit in a read that nobody ends,
//! because it may be told to stop.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::ReadOptions;
use super::chunk::{Chunk, Chunker};
use super::parse::{Manner, Parsed, parse};
use crate::batch::Batch;
use crate::nap;
use crate::recipe::Plan;

/// A parsed chunk, or the panic that parsing it ended in.
type Outcome = Result<Parsed, Box<dyn Any + Send>>;

/// How long the consumer waits for a pipe before it asks whether to go on waiting.
const PATIENCE: Duration = Duration::from_millis(50);

pub(super) struct Crew {
    shared: Arc<Shared>,
    /// Number of the chunk that the consumer gets next.
    next: u64,
    /// Whether the consumer leaves reading to the others.
    aloof: bool,
    stopped: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    plan: Arc<Plan>,
    manner: Manner,
}

struct State {
    /// Absent while someone reads from it.
    chunker: Option<Chunker>,
    live: bool,
    /// Chunks read so far.
    fetched: u64,
    /// Chunks given to the consumer so far.
    consumed: u64,
    /// No chunk will follow.
    ended: bool,
    /// Chunks that may be under way or waiting: bounds the memory.
    window: u64,
    done: BTreeMap<u64, Outcome>,
    buffers: Vec<Vec<u8>>,
    batches: Vec<Batch>,
    /// Threads that somebody has to wake.
    asleep: usize,
}

impl Crew {
    /// Starts `threads − 1` threads; the consumer is the last one, unless it leaves reading to one more.
    pub(super) fn start(chunker: Chunker, options: &ReadOptions, plan: Arc<Plan>) -> Self {
        let aloof = chunker.may_wait();
        let helpers = options.threads.max(1) - usize::from(!aloof);
        let window = 2 * helpers as u64 + 1;
        let state = State {
            live: chunker.live(),
            chunker: Some(chunker),
            fetched: 0,
            consumed: 0,
            ended: false,
            window,
            done: BTreeMap::new(),
            buffers: Vec::new(),
            batches: Vec::new(),
            asleep: 0,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            plan,
            manner: Manner { on_bad_line: options.on_bad_line, keep_records: options.keep_records },
        });
        for _ in 0..helpers {
            let shared = shared.clone();
            // Not joined: at the end of a run one may sit in a read from a pipe for as long as the pipe likes.
            nap::spawn(move || shared.help());
        }
        Crew { shared, next: 0, aloof, stopped: false }
    }

    /// The next chunk's examples, in file order; `spare` is a batch whose memory can be used again. Where a pipe keeps them
    /// waiting, `stop` is asked now and then whether to give up.
    pub(super) fn next(&mut self, spare: Batch, stop: &mut dyn FnMut() -> bool) -> Option<Parsed> {
        if self.stopped {
            return None;
        }
        let shared = &self.shared;
        let mut state = shared.lock();
        state.put_away(spare);
        loop {
            if let Some(outcome) = state.done.remove(&self.next) {
                self.next += 1;
                state.consumed = self.next;
                // Waking a thread takes time that the consumer does not have: better for two chunks than for each.
                if state.fetched + 2 <= state.consumed + state.window {
                    shared.wake(&state);
                }
                drop(state);
                return Some(outcome.unwrap_or_else(|panic| resume_unwind(panic)));
            }
            if state.ended && state.fetched == self.next {
                return None;
            }
            // Never wait for a pipe while an earlier chunk is nearly ready.
            let may_read = !self.aloof && (!state.live || state.fetched == self.next);
            state = match may_read.then(|| state.claim()).flatten() {
                Some(claim) => {
                    drop(state);
                    shared.work(claim);
                    shared.lock()
                }
                None if self.aloof => shared.wait_unless(state, stop)?,
                None => shared.wait(state),
            };
        }
    }

    /// Whether the next chunk is still to come from a pipe, whenever that may be.
    pub(super) fn waits(&self) -> bool {
        let state = self.shared.lock();
        state.live && !state.ended && !state.done.contains_key(&self.next)
    }

    /// Gives back the memory of examples that were kept for a while.
    pub(super) fn give_back(&mut self, spare: Batch) {
        self.shared.lock().put_away(spare);
    }

    /// Reads nothing more.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
        let mut state = self.shared.lock();
        state.ended = true;
        self.shared.wake(&state);
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The right to read the next chunk, and the memory to do it in.
struct Claim {
    chunker: Chunker,
    buffer: Vec<u8>,
}

/// A chunk to parse.
struct Job {
    number: u64,
    chunk: Chunk,
    batch: Batch,
}

impl State {
    /// Keeps the memory of a batch, if there is not enough of it lying about.
    fn put_away(&mut self, spare: Batch) {
        if (self.batches.len() as u64) < self.window {
            self.batches.push(spare);
        }
    }

    /// Takes the chunker if it is there and the next chunk is within the window.
    fn claim(&mut self) -> Option<Claim> {
        if self.ended || self.fetched >= self.consumed + self.window {
            return None;
        }
        let chunker = self.chunker.take()?;
        Some(Claim { chunker, buffer: self.buffers.pop().unwrap_or_default() })
    }
}

impl Shared {
    /// What a helping thread does until the end.
    fn help(&self) {
        let mut state = self.lock();
        while !state.ended {
            state = match state.claim() {
                Some(claim) => {
                    drop(state);
                    self.work(claim);
                    self.lock()
                }
                None => self.wait(state),
            };
        }
    }

    /// Reads one chunk, hands the chunker back, parses the chunk.
    fn work(&self, claim: Claim) {
        let Some(Job { number, chunk, batch }) = self.fetch(claim) else { return };
        let outcome = catch_unwind(AssertUnwindSafe(|| parse(&chunk, &self.plan, self.manner, batch)));
        let mut state = self.lock();
        state.buffers.push(chunk.bytes);
        state.done.insert(number, outcome);
        self.wake(&state);
    }

    /// Reads one chunk and hands the chunker back; none if there is nothing to parse.
    fn fetch(&self, Claim { mut chunker, buffer }: Claim) -> Option<Job> {
        let read = catch_unwind(AssertUnwindSafe(|| chunker.next(buffer)));
        let mut state = self.lock();
        self.wake(&state);
        let number = state.fetched;
        let failed = match read {
            Ok(Ok(Some(chunk))) => {
                state.fetched += 1;
                state.live = chunker.live();
                state.chunker = Some(chunker);
                let batch = state.batches.pop().unwrap_or_default();
                return Some(Job { number, chunk, batch });
            }
            Ok(Ok(None)) => None,
            Ok(Err(error)) => Some(Ok(Parsed { failure: Some(error), ..Parsed::default() })),
            Err(panic) => Some(Err(panic)),
        };
        state.ended = true;
        if let Some(outcome) = failed {
            state.fetched += 1;
            state.done.insert(number, outcome);
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something has changed: whoever waits for that looks again. If nobody does, the system need not hear of it.
    fn wake(&self, state: &MutexGuard<'_, State>) {
        if state.asleep > 0 {
            self.changed.notify_all();
        }
    }

    /// Waits a while; none if nothing has happened and `stop` says that it is enough.
    fn wait_unless<'a>(
        &self,
        mut state: MutexGuard<'a, State>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<MutexGuard<'a, State>> {
        state.asleep += 1;
        let waited = self.changed.wait_timeout(state, PATIENCE);
        let (mut state, late) = waited.unwrap_or_else(PoisonError::into_inner);
        state.asleep -= 1;
        (!late.timed_out() || !stop()).then_some(state)
    }

    fn wait<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.asleep += 1;
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.asleep -= 1;
        state
    }
}
