//! A group of requests: which of their rows are learned, under which numbers, and that they are on disk.

use std::collections::HashSet;

use surefoot::Model;
use surefoot::data::JournalLine;

use super::{ModelWriter, now};
use crate::job::{LearnJob, Learnt, Refusal};
use crate::journal::Unwritten;
use crate::seen::SeenExample;
use crate::served::lock;

/// What is done with a row.
pub(super) enum RowPlan {
    /// It is learned, under the next number.
    Learn,
    /// It is answered at once.
    Answer(Learnt),
}

/// A request whose rows are in the journal, to be learned.
pub(super) struct Admitted {
    pub(super) job: LearnJob,
    pub(super) rows: Vec<RowPlan>,
    /// The number before that of its first row.
    pub(super) before: u64,
    /// How many of its rows are in the journal, and how many bytes they take.
    pub(super) records: u64,
    pub(super) bytes: u64,
}

impl ModelWriter {
    /// Learns a group: journal first, then the model, then the answers.
    pub(super) fn learn(&mut self, group: Vec<LearnJob>) {
        for job in &group {
            self.served.queue.release(job.rows.len(), job.rows.bytes());
        }
        self.lines.clear();
        let first = self.journal.last();
        let (mut last, mut admitted, mut new_labels) = (first, Vec::new(), HashSet::new());
        for job in group {
            match self.admit(&job, last, &mut new_labels) {
                Ok((rows, records, bytes)) => {
                    admitted.push(Admitted { job, rows, before: last, records, bytes });
                    last += records;
                }
                Err(refusal) => drop(job.reply.send(Err(refusal))),
            }
        }
        if last > first
            && let Err(unwritten) = self.append(last - first)
        {
            self.seen.forget_after(first);
            admitted.into_iter().for_each(|one| drop(one.job.reply.send(Err(unwritten.clone()))));
            return;
        }
        self.apply(admitted);
    }

    fn append(&mut self, records: u64) -> Result<(), Refusal> {
        let appended = self.journal.append(&self.lines, records);
        let metrics = &self.served.metrics;
        match &appended {
            Ok(took) => {
                metrics.sync_seconds.observe(took.as_secs_f64());
                metrics.group_examples.observe(records as f64);
                metrics.appended_bytes.inc_by(self.lines.len() as u64);
            }
            Err(_) => drop(metrics.errors.inc()),
        }
        let mut status = lock(&self.served.status);
        match appended {
            Ok(_) => {
                status.not_writable = None;
                drop(status);
                self.unsaved_since.get_or_insert_with(std::time::Instant::now);
                Ok(())
            }
            Err(Unwritten::Refused(why)) => {
                status.not_writable = Some(("disk_full", why.clone()));
                Err(Refusal::DiskFull(why))
            }
            Err(Unwritten::Broken(why)) => {
                status.not_writable = Some(("disk_failed", why.clone()));
                Err(Refusal::DiskFailed(why))
            }
        }
    }

    /// Decides about the rows of a request and puts their lines behind those of the group; how many, and how many bytes. After a
    /// refusal there is no trace of the request.
    fn admit(
        &mut self,
        job: &LearnJob,
        before: u64,
        new_labels: &mut HashSet<Vec<u8>>,
    ) -> Result<(Vec<RowPlan>, u64, u64), Refusal> {
        let (start, mut records) = (self.lines.len(), 0);
        let served = self.served.clone();
        let state = served.state();
        let mut rows = Vec::with_capacity(job.rows.len());
        for at in 0..job.rows.len() {
            let refusal = match self.admit_row(&state.model, job, at, before + records + 1, new_labels) {
                Ok(plan) => {
                    records += u64::from(matches!(plan, RowPlan::Learn));
                    rows.push(plan);
                    continue;
                }
                Err(refusal) => refusal,
            };
            if !job.skip_bad {
                self.lines.truncate(start);
                self.seen.forget_after(before);
                return Err(refusal);
            }
            let code = if matches!(refusal, Refusal::Conflict { .. }) { "conflict" } else { "unlearnable" };
            rows.push(RowPlan::Answer(Learnt::Refused { error: refusal.to_string(), code }));
        }
        Ok((rows, records, (self.lines.len() - start) as u64))
    }

    /// Decides about one row, which would get this number.
    fn admit_row(
        &mut self,
        model: &Model,
        job: &LearnJob,
        at: usize,
        sequence: u64,
        new_labels: &mut HashSet<Vec<u8>>,
    ) -> Result<RowPlan, Refusal> {
        let (row, example) = (job.rows.row(at), job.rows.example(at));
        let refused = |problem: String| Refusal::Row { row: at, problem };
        let label = job.rows.label(at).ok_or_else(|| refused("there is no label to learn".into()))?;
        if let Some(known) = row.id.and_then(|id| self.seen.get(id)) {
            return match known.had(label) {
                true => Ok(RowPlan::Answer(Learnt::Duplicate { seq: known.sequence, duplicate: true })),
                false => Err(Refusal::Conflict { row: at, seq: known.sequence }),
            };
        }
        let class = model.check(&example.features, label, example.weight);
        let class = class.map_err(|error| refused(error.to_string()))?;
        if class.is_none() && !new_labels.contains(label) {
            self.check_new_label(model, label, new_labels.len()).map_err(refused)?;
            new_labels.insert(label.to_vec());
        }
        let label_later = row.label.as_deref().map(Into::into);
        JournalLine { sequence, millis: now(), label: label_later, row: job.rows.json(at) }
            .write(&mut self.lines);
        row.id.into_iter().for_each(|id| self.seen.push(id, SeenExample::new(sequence, label)));
        Ok(RowPlan::Learn)
    }

    /// Whether a label that the model has not met may come.
    fn check_new_label(&self, model: &Model, label: &[u8], others: usize) -> Result<(), String> {
        let (policy, labels) = (&self.served.policy, model.labels());
        // Of a pair only the spelling of one is still to come.
        if labels.is_binary() || (policy.new_labels && labels.len() + others < policy.max_labels) {
            return Ok(());
        }
        let label = String::from_utf8_lossy(label);
        if policy.new_labels {
            return Err(format!(
                "label '{label}' is new, and the model has {} labels, as many as --max-labels allows",
                labels.len()
            ));
        }
        let names = labels.order().into_iter().take(10).map(|class| labels.name(class).to_string());
        let more = if labels.len() > 10 { ", …" } else { "" };
        let known: Vec<String> = names.collect();
        Err(format!(
            "label '{label}' is new; known are {}{more}; start the server with --new-labels if labels may come",
            known.join(", ")
        ))
    }
}
