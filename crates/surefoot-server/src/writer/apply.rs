//! Learning what the journal holds, in its order.

use std::time::{Duration, Instant};

use super::ModelWriter;
use super::group::{Admitted, RowPlan};
use crate::job::{LearnJob, Learnt, Refusal};
use crate::recover::recover;
use crate::served::{ServedState, lock};

/// Predictions wait no longer than this.
const SLICE: Duration = Duration::from_micros(200);

impl ModelWriter {
    /// Learns the rows of requests, and answers.
    pub(super) fn apply(&mut self, admitted: Vec<Admitted>) {
        let mut requests = admitted.into_iter();
        while let Some(mut request) = requests.next() {
            match self.learn_rows(&mut request) {
                Ok(answers) => drop(request.job.reply.send(Ok(answers))),
                Err(refusal) => {
                    let rest: Vec<Admitted> = requests.collect();
                    self.undo(&request, &rest);
                    drop(request.job.reply.send(Err(refusal)));
                    rest.into_iter().for_each(|one| drop(one.job.reply.send(Err(Refusal::TryAgain))));
                    return;
                }
            }
        }
    }

    /// Learns the rows of one request, a slice of time after the other.
    fn learn_rows(&mut self, request: &mut Admitted) -> Result<Vec<Learnt>, Refusal> {
        let mut answers = Vec::with_capacity(request.rows.len());
        let plans = std::mem::take(&mut request.rows);
        let mut plans = plans.into_iter().enumerate().peekable();
        while plans.peek().is_some() {
            let (mut state, mut monitor) = (self.served.state_mut(), lock(&self.served.monitor));
            let began = Instant::now();
            while let Some((at, plan)) = plans.next_if(|_| began.elapsed() < SLICE) {
                answers.push(match plan {
                    RowPlan::Answer(answer) => answer,
                    RowPlan::Learn => learn_row(&mut state, &mut monitor, &request.job, at)?,
                });
            }
        }
        Ok(answers)
    }

    /// A row could not be learned although nothing was found against it: its request and those behind it are taken out of the
    /// journal, and the model, which may have learned a part, is made anew from the files.
    fn undo(&mut self, request: &Admitted, rest: &[Admitted]) {
        let parts = || std::iter::once(request).chain(rest);
        let (bytes, records) = (parts().map(|one| one.bytes).sum(), parts().map(|one| one.records).sum());
        self.seen.forget_after(request.before);
        let mut state = self.served.state_mut();
        let taken_back = self.journal.take_back(bytes, records);
        let recovered = recover(self.journal.epoch(), &self.server, self.threads);
        match (taken_back, recovered) {
            (Ok(()), Ok(recovered)) => {
                (state.model, state.sequence) = (recovered.model, recovered.sequence);
                *lock(&self.served.monitor) = recovered.monitor;
            }
            (Err(_), _) | (_, Err(_)) => {
                let why = "an example could not be taken back".to_string();
                lock(&self.served.status).not_writable = Some(("disk_failed", why.clone()));
                self.journal.close(why);
            }
        }
    }
}

fn learn_row(
    state: &mut ServedState,
    monitor: &mut crate::Monitor,
    job: &LearnJob,
    at: usize,
) -> Result<Learnt, Refusal> {
    let (example, seq) = (job.rows.example(at), state.sequence + 1);
    let label = job.rows.label(at).unwrap_or_default();
    let learned = state.model.learn_weighted(&example.features, label, example.weight);
    let learned = learned.map_err(|error| Refusal::Row { row: at, problem: error.to_string() })?;
    monitor.round(seq, &learned);
    let (class, predicted) = (learned.truth.class(), learned.prediction.label);
    let (probability, mistake, updated) = (learned.probability, learned.mistake(), learned.updated);
    state.sequence = seq;
    let name = |class| state.model.label(class).map(ToString::to_string);
    let label = name(class).unwrap_or_default();
    Ok(Learnt::Learned { seq, label, predicted: name(predicted), probability, mistake, updated })
}
