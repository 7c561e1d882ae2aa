//! The evaluation stage: the second half of rounds whose weights have moved, an owned job that any idle reader thread may
//! run while the weights of the next batches move. Rounds are evaluated and reported in file order, whatever thread runs
//! them, so the results are the same for any number of threads.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use surefoot_data::{Batch, Jobs};

use super::round::{HeadTally, PendingBatch, Rounds};
use crate::learners::Contestant;
use crate::{Error, Result};

/// Parts that may wait for a job that is running: this bounds the memory.
const MOST_WAITING: usize = 4;

/// The heads, and the parts that they evaluated up to a failure: what a job gives back.
#[derive(Debug)]
struct Work {
    heads: Vec<HeadTally>,
    parts: Vec<PendingBatch>,
    evaluated: Result<()>,
}

/// Where the heads are.
#[derive(Debug)]
enum HeadsPlace {
    Here(Vec<HeadTally>),
    /// With a job of this queue that sends them back.
    InFlight(Receiver<Work>, Option<Jobs>),
}

/// Evaluates rounds, here or on reader threads.
#[derive(Debug)]
pub(super) struct EvalStage {
    place: HeadsPlace,
    /// Where jobs go; without a queue they run on the caller's thread.
    pub(super) jobs: Option<Jobs>,
    waiting: Vec<PendingBatch>,
    /// Memory to use again.
    spare_parts: Vec<Vec<PendingBatch>>,
    spare_rounds: Vec<Rounds>,
    spare_batches: Vec<Batch>,
}

impl EvalStage {
    pub(super) fn new(heads: Vec<HeadTally>) -> Self {
        let (jobs, waiting, spare_parts, spare_rounds, spare_batches) = Default::default();
        let place = HeadsPlace::Here(heads);
        Self { place, jobs, waiting, spare_parts, spare_rounds, spare_batches }
    }

    /// Adds rounds behind those that wait.
    pub(super) fn push(&mut self, part: PendingBatch) {
        self.waiting.push(part);
    }

    /// Evaluates what waits, if the heads are here; on a reader thread if there is one.
    pub(super) fn start(&mut self) {
        if self.waiting.is_empty() || !matches!(self.place, HeadsPlace::Here(_)) {
            return;
        }
        let ((send, receive), next) = (channel(), self.spare_parts.pop().unwrap_or_default());
        let parts = std::mem::replace(&mut self.waiting, next);
        let in_flight = HeadsPlace::InFlight(receive, self.jobs.clone());
        let HeadsPlace::Here(heads) = std::mem::replace(&mut self.place, in_flight) else { return };
        let job = move || {
            let (mut heads, mut parts) = (heads, parts);
            let evaluated = parts.iter_mut().try_for_each(|part| part.evaluate(&mut heads));
            // The other end is gone only if the run was given up.
            _ = send.send(Work { heads, parts, evaluated });
        };
        match &self.jobs {
            Some(jobs) => jobs.submit(Box::new(job)),
            None => job(),
        }
    }

    /// The parts of a job that is over; none while it runs, unless so much waits for it that it has to be waited for, or `wait`
    /// says so. Then the job runs on this thread if no other has taken it.
    pub(super) fn collect(&mut self, wait: bool) -> Result<Vec<PendingBatch>> {
        let HeadsPlace::InFlight(receive, jobs) = &self.place else { return Ok(Vec::new()) };
        let work = match receive.try_recv() {
            Ok(work) => work,
            Err(TryRecvError::Empty) if !wait && self.waiting.len() < MOST_WAITING => return Ok(Vec::new()),
            Err(TryRecvError::Empty) => {
                jobs.iter().for_each(|jobs| _ = jobs.run_queued());
                receive.recv().map_err(|_| lost())?
            }
            Err(TryRecvError::Disconnected) => return Err(lost()),
        };
        self.place = HeadsPlace::Here(work.heads);
        work.evaluated.map(|()| work.parts)
    }

    /// Takes back the memory of parts that were reported.
    pub(super) fn recycle(&mut self, mut parts: Vec<PendingBatch>) {
        for PendingBatch { batch, mut rounds, .. } in parts.drain(..) {
            if let Ok(batch) = Arc::try_unwrap(batch) {
                self.spare_batches.push(batch);
            }
            rounds.clear();
            self.spare_rounds.push(rounds);
        }
        self.spare_parts.push(parts);
    }

    /// A batch whose memory can be used again.
    pub(super) fn spare_batch(&mut self) -> Batch {
        self.spare_batches.pop().unwrap_or_default()
    }

    /// Rounds whose memory can be used again.
    pub(super) fn spare_rounds(&mut self) -> Rounds {
        self.spare_rounds.pop().unwrap_or_default()
    }

    /// The heads of learners that have changed, and what they know of their data.
    pub(super) fn take_heads(&mut self, contestants: &[Contestant]) -> Result<()> {
        let HeadsPlace::Here(heads) = &mut self.place else { return Err(lost()) };
        for (mine, own) in heads.iter_mut().zip(contestants) {
            mine.head.clone_from(&own.head);
            mine.watch.iter_mut().for_each(|watch| watch.clone_from(&own.watch));
        }
        Ok(())
    }

    /// The heads, if they are here.
    pub(super) fn heads(&self) -> Option<&[HeadTally]> {
        match &self.place {
            HeadsPlace::Here(heads) => Some(heads),
            HeadsPlace::InFlight(..) => None,
        }
    }

    /// The heads; everything was collected before.
    pub(super) fn into_heads(self) -> Result<Vec<HeadTally>> {
        match self.place {
            HeadsPlace::Here(heads) => Ok(heads),
            HeadsPlace::InFlight(..) => Err(lost()),
        }
    }
}

fn lost() -> Error {
    Error::Other("a thread ended before its work was done".into())
}
