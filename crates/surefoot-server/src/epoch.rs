//! An epoch of a model: a base model and what was learned since. A rollback begins a new one; nothing is rewritten.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::folder::{make, names, put};
use crate::{Error, Result};

/// Digits of the numbers in file names, so that names sort like them.
const DIGITS: usize = 12;

/// A folder with `base.model`, `log/` and `snap/`.
#[derive(Debug, Clone)]
pub struct Epoch {
    path: PathBuf,
    start: u64,
    parent: Option<String>,
}

/// What `epoch.json` says.
#[derive(Debug, Serialize, Deserialize)]
struct EpochOrigin {
    /// Examples that the base model has learned in this stream.
    start: u64,
    /// Why the epoch began.
    why: String,
    /// The epoch that it goes on from, if there is one.
    #[serde(default)]
    parent: Option<String>,
}

impl Epoch {
    /// Opens an epoch.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = path.join("epoch.json");
        let bytes = fs::read(&file).map_err(Error::io(&file))?;
        let origin: EpochOrigin =
            serde_json::from_slice(&bytes).map_err(|error| Error::io(&file)(error.into()))?;
        Ok(Self { path: path.to_path_buf(), start: origin.start, parent: origin.parent })
    }

    /// Makes an epoch with this base model.
    pub(crate) fn create(
        path: &Path,
        base: &[u8],
        start: u64,
        why: &str,
        parent: Option<String>,
    ) -> Result<Self> {
        let epoch = Self { path: path.to_path_buf(), start, parent: parent.clone() };
        make(&epoch.log())?;
        make(&epoch.snapshots_folder())?;
        put(&epoch.base(), base)?;
        let origin = EpochOrigin { start, why: why.into(), parent };
        let text = serde_json::to_vec(&origin).map_err(|error| Error::io(path)(error.into()))?;
        put(&path.join("epoch.json"), &text)?;
        Ok(epoch)
    }

    /// The epoch that it goes on from, if there is one.
    pub(crate) fn parent(&self) -> Result<Option<Self>> {
        let parent = self.parent.as_ref().map(|name| self.path.with_file_name(name));
        parent.filter(|path| path.is_dir()).map(|path| Self::open(&path)).transpose()
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its number, which counts up.
    #[must_use]
    pub fn number(&self) -> u32 {
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.and_then(|name| name.strip_prefix("epoch-")?.parse().ok()).unwrap_or(0)
    }

    /// How many examples of the stream the base model has learned.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The model that the epoch began with.
    #[must_use]
    pub fn base(&self) -> PathBuf {
        self.path.join("base.model")
    }

    /// The folder of the journal.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.path.join("log")
    }

    /// The segments of the journal in their order, each with the number of its first record.
    pub fn segments(&self) -> Result<Vec<(u64, PathBuf)>> {
        numbered(&self.log(), ".log")
    }

    /// Size of the journal.
    pub(crate) fn log_bytes(&self) -> Result<u64> {
        Ok(self
            .segments()?
            .iter()
            .filter_map(|(_, path)| fs::metadata(path).ok())
            .map(|file| file.len())
            .sum())
    }

    /// The place of the segment that begins with a record.
    pub(crate) fn segment(&self, first: u64) -> PathBuf {
        self.log().join(format!("{first:0DIGITS$}.log"))
    }

    /// Where snapshots are.
    pub(crate) fn snapshots_folder(&self) -> PathBuf {
        self.path.join("snap")
    }

    /// The snapshots, the newest first, each with how many examples it has learned.
    pub fn snapshots(&self) -> Result<Vec<(u64, PathBuf)>> {
        let mut all = numbered(&self.snapshots_folder(), ".model")?;
        all.reverse();
        Ok(all)
    }

    /// The place of a snapshot, and of what was monitored until then.
    pub(crate) fn snapshot(&self, sequence: u64) -> (PathBuf, PathBuf) {
        let name = |ending: &str| self.snapshots_folder().join(format!("{sequence:0DIGITS$}{ending}"));
        (name(".model"), name(".json"))
    }
}

/// Files that are called by a number.
fn numbered(folder: &Path, ending: &str) -> Result<Vec<(u64, PathBuf)>> {
    let number = |name: &String| Some((name.strip_suffix(ending)?.parse().ok()?, folder.join(name)));
    Ok(names(folder)?.iter().filter_map(number).collect())
}
