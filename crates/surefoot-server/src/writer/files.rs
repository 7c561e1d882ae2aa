//! Snapshots, versions and rollbacks: the bytes of a model are made between two groups, and written by another thread.

use std::fs;
use std::thread;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use surefoot::Model;
use surefoot::data::{JournalLine, Source};

use super::{ModelWriter, now};
use crate::folder::{ModelFolder, check_name, make, put};
use crate::job::{Refusal, ReplyTo, StreamPoint};
use crate::journal::Journal;
use crate::monitor::Monitor;
use crate::recover::{learn, learn_sources};
use crate::served::lock;
use crate::snapshot;
use crate::{Epoch, Error, Result};

/// What stands beside the model of a version.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Version {
    /// Its name.
    pub name: String,
    /// The number of the last example in it.
    pub seq: u64,
    /// When it was kept, in milliseconds since 1970.
    pub millis: u64,
}

impl ModelWriter {
    /// Writes a snapshot if the policy says so and none is being written.
    pub(super) fn snapshot_if_due(&mut self) {
        let policy = &self.served.policy.snapshots;
        let Some(since) = self.unsaved_since else { return };
        let due = self.journal.last() - self.saved >= policy.examples
            || self.journal.since_snapshot >= policy.bytes
            || since.elapsed() >= policy.every;
        let busy = self.snapshot.as_ref().is_some_and(|writing| !writing.is_finished());
        if due && !busy {
            self.snapshot(None);
        }
    }

    /// Makes a snapshot and has another thread write it.
    pub(super) fn snapshot(&mut self, reply: Option<ReplyTo<u64>>) {
        // One after the other, so that the newest is written last.
        self.snapshot.take().into_iter().for_each(|writing| drop(writing.join()));
        let began = Instant::now();
        let sequence = self.journal.last();
        let bytes = self.served.state().model.to_bytes();
        let mut monitor = self.served.monitor();
        monitor.mark(sequence, "snapshot", format!("snapshot of example {sequence}"));
        let monitor = monitor.clone();
        let (served, epoch) = (self.served.clone(), self.journal.epoch().clone());
        let keep = served.policy.snapshots.keep;
        self.journal.begin_segment();
        (self.saved, self.unsaved_since) = (sequence, None);
        self.snapshot = Some(thread::spawn(move || {
            let written = bytes.map_err(Error::from).and_then(|bytes| {
                snapshot::write(&epoch, sequence, &bytes, &monitor, keep).map(|_| bytes.len() as u64)
            });
            let mut status = lock(&served.status);
            match &written {
                Ok(size) => {
                    (status.snapshot, status.snapshot_millis, status.model_bytes) = (sequence, now(), *size);
                    status.snapshot_seconds = began.elapsed().as_secs_f64();
                }
                Err(_) => status.snapshot_failures += 1,
            }
            drop(status);
            let answer = written.map(|_| sequence).map_err(|error| Refusal::Failed(error.to_string()));
            reply.into_iter().for_each(|reply| drop(reply.send(answer.clone())));
        }));
    }

    /// Keeps the model as it is under a name.
    pub(super) fn keep_version(&mut self, name: String, reply: ReplyTo<u64>) {
        let versions = self.served.folder().versions();
        let file = versions.join(format!("{name}.model"));
        if let Err(error) = check_name(&name) {
            return drop(reply.send(Err(Refusal::NoSuch(error.to_string()))));
        }
        if file.exists() {
            return drop(reply.send(Err(Refusal::Exists(format!("there is a version `{name}` already")))));
        }
        let seq = self.journal.last();
        let bytes = self.served.state().model.to_bytes();
        self.served.monitor().mark(seq, "version", format!("version {name}"));
        let written = move || -> Result<u64> {
            let version = Version { name: name.clone(), seq, millis: now() };
            make(&versions)?;
            let text = serde_json::to_vec(&version).map_err(|error| Error::io(&file)(error.into()))?;
            put(&versions.join(format!("{name}.json")), &text)?;
            put(&file, &bytes?)?;
            Ok(seq)
        };
        thread::spawn(move || reply.send(written().map_err(|error| Refusal::Failed(error.to_string()))));
    }

    /// Begins an epoch at an earlier place.
    pub(super) fn roll_back(&mut self, to: &StreamPoint) -> Result<u64, Refusal> {
        self.snapshot.take().into_iter().for_each(|writing| drop(writing.join()));
        let failed = |error: Error| Refusal::Failed(error.to_string());
        let (model, sequence) = match to {
            StreamPoint::Version(name) => version(self.served.folder(), name)?,
            StreamPoint::Sequence(sequence) => {
                let (start, last) = (self.journal.epoch().start(), self.journal.last());
                if !(start..=last).contains(sequence) {
                    let known =
                        format!("the epoch goes from record {start} to {last}; {sequence} is not among them");
                    return Err(Refusal::NoSuch(known));
                }
                (at_record(self.journal.epoch(), *sequence, self.threads).map_err(failed)?, *sequence)
            }
        };
        let bytes = model.to_bytes().map_err(|error| failed(error.into()))?;
        let why = format!("rollback to {to:?}");
        let epoch = self.served.folder().begin_epoch(&bytes, sequence, &why).map_err(failed)?;
        self.seen.forget_after(sequence);
        let mut state = self.served.state_mut();
        (state.model, state.sequence, state.epoch) = (model, sequence, epoch.number());
        self.journal = Journal::new(epoch, sequence);
        (self.saved, self.unsaved_since) = (sequence, None);
        let mut status = lock(&self.served.status);
        (status.not_writable, status.snapshot) = (None, sequence);
        drop((state, status));
        let mut monitor = self.served.monitor();
        let marks = std::mem::take(&mut *monitor).marks;
        monitor.marks = marks;
        monitor.mark(sequence, "rollback", format!("rolled back to example {sequence}"));
        Ok(sequence)
    }
}

/// The model of a version, and the number of its last example.
pub(crate) fn version(folder: &ModelFolder, name: &str) -> Result<(Model, u64), Refusal> {
    let no_such = || Refusal::NoSuch(format!("there is no version `{name}`"));
    check_name(name).map_err(|_| no_such())?;
    let versions = folder.versions();
    let text = fs::read(versions.join(format!("{name}.json"))).map_err(|_| no_such())?;
    let version: Version = serde_json::from_slice(&text).map_err(|_| no_such())?;
    let model = Model::load(versions.join(format!("{name}.model")));
    Ok((model.map_err(|error| Refusal::Failed(error.to_string()))?, version.seq))
}

/// The model as it was after a record of an epoch.
fn at_record(epoch: &Epoch, sequence: u64, threads: usize) -> Result<Model> {
    let found =
        epoch.snapshots()?.into_iter().find(|(at, path)| *at <= sequence && Model::load(path).is_ok());
    let (mut after, path) = found.unwrap_or_else(|| (epoch.start(), epoch.base()));
    let mut model = Model::load(path)?;
    let mut segments = epoch.segments()?;
    segments.retain(|(first, _)| *first > after && *first <= sequence);
    let Some((first, last)) = segments.pop() else { return Ok(model) };
    let mut monitor = Monitor::default();
    learn(epoch, &mut model, after..first - 1, &mut monitor, threads)?;
    after = first - 1;
    let bytes = fs::read(&last).map_err(Error::io(&last))?;
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let until =
        |line: &&[u8]| JournalLine::parse(line.trim_ascii_end()).is_ok_and(|line| line.sequence <= sequence);
    let prefix: Vec<u8> = lines.take_while(until).flatten().copied().collect();
    let source = Source::memory(&last.display().to_string(), prefix);
    learn_sources(epoch, &mut model, vec![source], after, &mut monitor, threads)?;
    Ok(model)
}
