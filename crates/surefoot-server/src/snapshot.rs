//! Snapshots: models as of some record, so that a start need not learn the whole journal again.

use std::fs;
use std::path::PathBuf;

use surefoot::Model;

use crate::epoch::Epoch;
use crate::folder::{names, put};
use crate::monitor::Monitor;
use crate::{Error, Result};

/// A model as it was after a record.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) model: Model,
    pub(crate) sequence: u64,
    pub(crate) monitor: Monitor,
    /// Newer ones that cannot be read, and why.
    pub(crate) refused: Vec<String>,
}

/// The newest snapshot that can be read, or the base model. A bad one is passed over; the journal holds what it held.
pub(crate) fn newest(epoch: &Epoch) -> Result<Snapshot> {
    let mut refused = Vec::new();
    // What was being written when the machine stopped.
    let folder = epoch.snapshots_folder();
    for unfinished in names(&folder)?.iter().filter(|name| name.ends_with(".tmp")) {
        let _ = fs::remove_file(folder.join(unfinished));
    }
    for (sequence, path) in epoch.snapshots()? {
        match Model::load(&path) {
            Ok(model) => {
                let monitor = fs::read(epoch.snapshot(sequence).1).ok();
                let monitor =
                    monitor.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
                return Ok(Snapshot { model, sequence, monitor, refused });
            }
            Err(error) => refused.push(error.to_string()),
        }
    }
    let model = Model::load(epoch.base())?;
    Ok(Snapshot { model, sequence: epoch.start(), monitor: Monitor::default(), refused })
}

/// Writes a snapshot, then removes the oldest ones beyond `keep`.
pub(crate) fn write(
    epoch: &Epoch,
    sequence: u64,
    model: &[u8],
    monitor: &Monitor,
    keep: usize,
) -> Result<PathBuf> {
    let (file, beside) = epoch.snapshot(sequence);
    let text = serde_json::to_vec(monitor).map_err(|error| Error::io(&beside)(error.into()))?;
    put(&beside, &text)?;
    put(&file, model)?;
    for (old, path) in epoch.snapshots()?.into_iter().skip(keep.max(2)) {
        fs::remove_file(&path).map_err(Error::io(&path))?;
        let _ = fs::remove_file(epoch.snapshot(old).1);
    }
    Ok(file)
}
