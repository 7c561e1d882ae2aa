//! The evaluation stage: the second half of rounds whose weights have moved, an owned job that any idle reader thread may
//! run while the weights of the next batches move. Rounds are evaluated and reported in file order, whatever thread runs
//! them, so the results are the same for any number of threads.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use surefoot_core::{Head, Prediction, Scores};
use surefoot_data::model_file::Counts;
use surefoot_data::{Batch, Jobs};

use super::Progressive;
use super::round::{Learned, Truth, evaluate};
use crate::learners::Contestant;
use crate::marks::Marks;
use crate::{Error, Result};

/// Parts that may wait for a job that is running: this bounds the memory.
const MOST_WAITING: usize = 4;

/// A head, and how its learner has done.
#[derive(Debug)]
pub(crate) struct Judge {
    pub(crate) head: Head,
    pub(crate) counts: Counts,
    /// Scores of predictions made before the label was seen.
    pub(crate) tally: Progressive,
    /// Which examples were predicted wrongly, in file order; only where learners are compared.
    pub(crate) wrong: Option<Marks>,
}

/// A round whose weights have moved.
#[derive(Debug, Default)]
pub(super) struct PendingRound {
    /// Where the example stands in its batch.
    pub(super) position: usize,
    /// Which of the learners it is a round of.
    pub(super) learner: usize,
    pub(super) truth: Truth,
    /// Whether the example was learned, and not only predicted.
    pub(super) learned: bool,
    /// Whether the example is met for the first time.
    pub(super) first: bool,
    /// Whether the prediction enters the tally.
    pub(super) scored: bool,
    /// Features that were known when it was learned.
    pub(super) features: usize,
    pub(super) scores: Scores,
    prediction: Prediction,
    probability: f64,
}

impl PendingRound {
    /// What came of the round, once it is evaluated.
    pub(super) fn learned(&self) -> Learned<'_> {
        Learned {
            class: self.truth.class,
            prediction: &self.prediction,
            probability: self.probability,
            updated: self.learned && self.scores.updated(),
        }
    }
}

/// Rounds in file order, in memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    all: Vec<PendingRound>,
    used: usize,
}

impl Rounds {
    /// A place for one more round, with what an earlier one left there.
    pub(super) fn slot(&mut self) -> &mut PendingRound {
        if self.used == self.all.len() {
            self.all.push(PendingRound::default());
        }
        self.used += 1;
        &mut self.all[self.used - 1]
    }

    /// Takes the last slot back.
    pub(super) fn take_back(&mut self) {
        self.used -= 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.used == 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &PendingRound> {
        self.all[..self.used].iter()
    }
}

/// Rounds of one batch.
#[derive(Debug)]
pub(super) struct PendingBatch {
    pub(super) batch: Arc<Batch>,
    pub(super) rounds: Rounds,
}

/// The heads, and the parts that they evaluate: all that a job needs.
#[derive(Debug)]
struct Work {
    judges: Vec<Judge>,
    parts: Vec<PendingBatch>,
    failure: Option<Error>,
}

impl Work {
    /// Evaluates every round of every part, up to the first failure.
    fn run(&mut self) {
        for part in &mut self.parts {
            for round in &mut part.rounds.all[..part.rounds.used] {
                let judge = &mut self.judges[round.learner];
                if let Err(error) = judge.evaluate(round) {
                    self.failure = Some(error.at(&part.batch, &part.batch.example(round.position)));
                    return;
                }
            }
        }
    }
}

impl Judge {
    /// For a learner as it is now; `marked` if each of its mistakes is to be known.
    pub(crate) fn new(own: &Contestant, marked: bool) -> Self {
        let (head, counts, tally) = (own.head.clone(), own.counts, Progressive::default());
        Self { head, counts, tally, wrong: marked.then(Marks::default) }
    }

    fn evaluate(&mut self, round: &mut PendingRound) -> Result<()> {
        if round.learned {
            round.probability = evaluate(&mut self.head, &round.scores, &round.truth, &mut round.prediction)?;
        } else {
            self.head.predict(&round.scores, &mut round.prediction);
            round.probability = round.prediction.probability(round.truth.class);
        }
        let learned = round.learned();
        if round.learned {
            learned.count(&mut self.counts, round.first);
            self.tally.count_update(learned.updated);
        }
        if round.scored {
            self.tally.update(&learned, 1.0);
            self.wrong.iter_mut().for_each(|wrong| wrong.push(learned.mistake()));
        }
        Ok(())
    }
}

/// Where the heads are.
#[derive(Debug)]
enum HeadsPlace {
    Here(Vec<Judge>),
    /// With a job of this queue that sends them back.
    InFlight(Receiver<Work>, Option<Jobs>),
}

/// Evaluates rounds, here or on reader threads.
#[derive(Debug)]
pub(super) struct EvalStage {
    place: HeadsPlace,
    jobs: Option<Jobs>,
    waiting: Vec<PendingBatch>,
    /// Memory to use again.
    spare_parts: Vec<Vec<PendingBatch>>,
    spare_rounds: Vec<Rounds>,
    spare_batches: Vec<Batch>,
}

impl EvalStage {
    pub(super) fn new(judges: Vec<Judge>) -> Self {
        let (waiting, spare_parts, spare_rounds, spare_batches) = Default::default();
        Self {
            place: HeadsPlace::Here(judges),
            jobs: None,
            waiting,
            spare_parts,
            spare_rounds,
            spare_batches,
        }
    }

    /// From now on jobs go to this queue; without one they run on the caller's thread.
    pub(super) fn use_jobs(&mut self, jobs: Option<Jobs>) {
        self.jobs = jobs;
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
        let HeadsPlace::Here(judges) = std::mem::replace(&mut self.place, in_flight) else { return };
        let mut work = Work { judges, parts, failure: None };
        let job = move || {
            work.run();
            // The other end is gone only if the run was given up.
            _ = send.send(work);
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
        self.place = HeadsPlace::Here(work.judges);
        match work.failure {
            Some(error) => Err(error),
            None => Ok(work.parts),
        }
    }

    /// Takes back the memory of parts that were reported.
    pub(super) fn recycle(&mut self, mut parts: Vec<PendingBatch>) {
        for PendingBatch { batch, mut rounds } in parts.drain(..) {
            if let Ok(batch) = Arc::try_unwrap(batch) {
                self.spare_batches.push(batch);
            }
            rounds.used = 0;
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

    /// The heads of learners that have changed.
    pub(super) fn take_heads(&mut self, contestants: &[Contestant]) -> Result<()> {
        let HeadsPlace::Here(judges) = &mut self.place else { return Err(lost()) };
        judges.iter_mut().zip(contestants).for_each(|(judge, own)| judge.head.clone_from(&own.head));
        Ok(())
    }

    /// The heads, if they are here.
    pub(super) fn judges(&self) -> Option<&[Judge]> {
        match &self.place {
            HeadsPlace::Here(judges) => Some(judges),
            HeadsPlace::InFlight(..) => None,
        }
    }

    /// The heads; everything was collected before.
    pub(super) fn into_judges(self) -> Result<Vec<Judge>> {
        match self.place {
            HeadsPlace::Here(judges) => Ok(judges),
            HeadsPlace::InFlight(..) => Err(lost()),
        }
    }
}

fn lost() -> Error {
    Error::Other("a thread ended before its work was done".into())
}
