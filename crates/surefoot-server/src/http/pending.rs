//! Predictions that wait for their labels: bounded by time and bytes, the oldest out first. They are also appended to files that
//! are not waited for: a crash loses the last moments of rows without labels, and nothing that was acknowledged.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::folder::{make, names};
use crate::writer::now;
use crate::{Error, Result};

/// A prediction that waits for its label.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PendingRow {
    pub(crate) id: String,
    /// When it was predicted, in milliseconds since 1970.
    pub(crate) millis: u64,
    /// What was predicted, and how probable it was.
    pub(crate) label: Option<String>,
    pub(crate) probability: f64,
    /// The row as it was sent, without white space.
    pub(crate) row: Box<RawValue>,
}

/// The predictions of one model that wait.
#[derive(Debug)]
pub(crate) struct Pending {
    rows: HashMap<String, PendingRow>,
    order: VecDeque<(u64, String)>,
    bytes: usize,
    most_bytes: usize,
    time: Duration,
    folder: PathBuf,
    file: Option<(u64, File)>,
    /// Predictions whose label did not come in time.
    pub(crate) expired: u64,
}

impl Pending {
    /// Those of the files in a folder that are not too old.
    pub(crate) fn open(folder: &Path, time: Duration, most_bytes: usize) -> Result<Self> {
        make(folder)?;
        let (rows, order, bytes, file, expired) = Default::default();
        let mut pending =
            Self { rows, order, bytes, most_bytes, time, folder: folder.to_path_buf(), file, expired };
        for name in names(folder)? {
            let path = folder.join(name);
            let lines = BufReader::new(File::open(&path).map_err(Error::io(&path))?).split(b'\n');
            for line in lines.map_while(|line| line.ok()) {
                // The last line may not be whole.
                if let Ok(row) = serde_json::from_slice(&line) {
                    pending.insert(row);
                } else if let Ok(Done { done }) = serde_json::from_slice(&line) {
                    pending.take(&done);
                }
            }
        }
        pending.expire(now());
        pending.expired = 0;
        Ok(pending)
    }

    /// Keeps a prediction.
    pub(crate) fn push(&mut self, row: PendingRow) {
        let millis = row.millis;
        self.append(millis, &row);
        self.insert(row);
        self.expire(millis);
    }

    fn insert(&mut self, row: PendingRow) {
        self.bytes += size(&row);
        self.order.push_back((row.millis, row.id.clone()));
        if let Some(old) = self.rows.insert(row.id.clone(), row) {
            self.bytes -= size(&old);
        }
    }

    /// The prediction of this id, if it waits.
    pub(crate) fn get(&self, id: &str) -> Option<&PendingRow> {
        self.rows.get(id)
    }

    /// A label has come.
    pub(crate) fn done(&mut self, id: &str) {
        if self.take(id).is_some() {
            self.append(now(), &Done { done: id.into() });
        }
    }

    /// The newest, at most so many.
    pub(crate) fn newest(&self, most: usize) -> Vec<PendingRow> {
        self.order
            .iter()
            .rev()
            .filter_map(|(millis, id)| self.rows.get(id).filter(|row| row.millis == *millis))
            .take(most)
            .cloned()
            .collect()
    }

    /// How many wait, and their bytes.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.rows.len(), self.bytes)
    }

    fn take(&mut self, id: &str) -> Option<PendingRow> {
        let row = self.rows.remove(id)?;
        self.bytes -= size(&row);
        Some(row)
    }

    fn expire(&mut self, now: u64) {
        let time = self.time.as_millis() as u64;
        while let Some((millis, _)) = self.order.front()
            && (self.bytes > self.most_bytes
                || millis.saturating_add(time) < now
                || self.order.len() > 2 * self.rows.len() + 1024)
        {
            let Some((millis, id)) = self.order.pop_front() else { return };
            if self.rows.get(&id).is_some_and(|row| row.millis == millis) {
                self.take(&id);
                self.expired += 1;
            }
        }
    }

    /// Appends a line to the file of the hour; those whose rows are all too old are removed. What the disk does not take is kept in
    /// memory alone.
    fn append(&mut self, millis: u64, line: &impl Serialize) {
        let hour = millis / 3_600_000;
        if self.file.as_ref().is_none_or(|(of, _)| *of != hour) {
            let oldest = hour.saturating_sub(self.time.as_secs() / 3600 + 1);
            for name in names(&self.folder).unwrap_or_default() {
                if name
                    .strip_suffix(".jsonl")
                    .and_then(|name| name.parse::<u64>().ok())
                    .is_some_and(|of| of < oldest)
                {
                    let _ = fs::remove_file(self.folder.join(name));
                }
            }
            let path = self.folder.join(format!("{hour:010}.jsonl"));
            self.file = File::options().create(true).append(true).open(path).ok().map(|file| (hour, file));
        }
        if let (Some((_, file)), Ok(mut text)) = (&mut self.file, serde_json::to_vec(line)) {
            text.push(b'\n');
            let _ = file.write_all(&text);
        }
    }
}

/// The line of a row whose label has come.
#[derive(Serialize, Deserialize)]
struct Done {
    done: String,
}

fn size(row: &PendingRow) -> usize {
    row.row.get().len() + 3 * row.id.len() + 160
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, millis: u64) -> PendingRow {
        let text = RawValue::from_string(format!(r#"{{"id":"{id}","x":1}}"#)).expect("JSON");
        PendingRow { id: id.into(), millis, label: Some("a".into()), probability: 0.5, row: text }
    }

    #[test]
    fn what_waits_survives_a_start_and_is_bounded() {
        let folder = tempfile::tempdir().expect("a folder");
        let open =
            |time, bytes| Pending::open(folder.path(), Duration::from_secs(time), bytes).expect("opened");
        let mut pending = open(3600, 1 << 20);
        for id in ["a", "b", "c"] {
            pending.push(row(id, now()));
        }
        pending.done("b");
        drop(pending);
        let mut pending = open(3600, 1 << 20);
        assert_eq!((pending.size().0, pending.get("b").is_some()), (2, false));
        assert_eq!(pending.get("c").map(|row| row.row.get()), Some(r#"{"id":"c","x":1}"#));
        pending.push(row("d", now() + 7_200_000));
        assert_eq!((pending.size().0, pending.expired), (1, 2));
        let mut small = open(u32::MAX.into(), 1000);
        (0..100).for_each(|n| small.push(row(&n.to_string(), now())));
        assert!(small.size().1 <= 1000 && small.get("99").is_some() && small.get("0").is_none());
    }
}
