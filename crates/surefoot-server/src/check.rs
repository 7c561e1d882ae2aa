//! `serve --check`: every journal is learned again from its base model, and what comes of it is compared with the snapshots.

use std::fs;
use std::path::Path;

use surefoot::Model;

use crate::folder::ServerFolder;
use crate::monitor::Monitor;
use crate::recover::{learn, row_parser, scan};
use crate::{Error, Result};

/// What the check of one model found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The model.
    pub name: String,
    /// The number of the last sound record.
    pub records: u64,
    /// The number of the record that the newest snapshot was compared at, if there is one.
    pub snapshot: Option<u64>,
    /// What is wrong, a sentence each; nothing if all is well.
    pub problems: Vec<String>,
}

/// Checks every model of a folder that no server uses.
pub fn check(folder: &Path, threads: usize) -> Result<Vec<Checked>> {
    let folder = ServerFolder::open(folder)?;
    let mut all = Vec::new();
    for place in folder.models()? {
        let epoch = place.current()?;
        let mut model = Model::load(epoch.base())?;
        let scan = scan(&epoch, &row_parser(&model)?, epoch.start())?;
        let mut checked =
            Checked { name: place.name(), records: scan.last, snapshot: None, problems: Vec::new() };
        if let Some(damage) = &scan.damage {
            let what = if damage.is_torn { "the last record was not written to its end" } else { "damaged" };
            let (file, byte) = (damage.file.display(), damage.byte);
            checked.problems.push(format!("{file}: {what}, at byte {byte}: {}", damage.problem));
            all.push(checked);
            continue;
        }
        let newest = epoch.snapshots()?.into_iter().next();
        let until = newest.as_ref().map_or(u64::MAX, |(sequence, _)| *sequence);
        let learned = learn_between(&epoch, &mut model, epoch.start(), until, threads)
            .and_then(|()| newest.as_ref().map_or(Ok(true), |(_, path)| is_file(&model, path)))
            .and_then(|same| learn_between(&epoch, &mut model, until, u64::MAX, threads).map(|()| same));
        checked.snapshot = newest.map(|(sequence, _)| sequence);
        match learned {
            Ok(true) => {}
            Ok(false) => checked.problems.push(format!(
                "the snapshot of record {until} is not what the journal makes of the base model; restore a backup, or remove the snapshot"
            )),
            Err(error) => checked.problems.push(error.to_string()),
        }
        all.push(checked);
    }
    Ok(all)
}

/// Learns the segments that begin behind `after` and up to `until`, where a segment ends.
fn learn_between(
    epoch: &crate::Epoch,
    model: &mut Model,
    after: u64,
    until: u64,
    threads: usize,
) -> Result<()> {
    if after == u64::MAX {
        return Ok(());
    }
    learn(epoch, model, after..until, &mut Monitor::default(), threads)
}

/// Whether the model is what a file holds.
fn is_file(model: &Model, path: &Path) -> Result<bool> {
    Ok(fs::read(path).map_err(Error::io(path))? == model.to_bytes()?)
}
