//! Appending to the journal. What [`Journal::append`] returns from without an error is on disk.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::Result;
use crate::epoch::Epoch;
use crate::folder::sync;

/// The journal of an epoch, to be appended to.
#[derive(Debug)]
pub(crate) struct Journal {
    epoch: Epoch,
    /// The segment under way; none before the first record behind a snapshot.
    segment: Option<Segment>,
    /// The number of the next record.
    next: u64,
    /// Bytes in the segment under way that are not behind a snapshot.
    pub(crate) since_snapshot: u64,
    /// Why nothing can be appended any more.
    broken: Option<String>,
}

#[derive(Debug)]
struct Segment {
    file: File,
    path: PathBuf,
    /// What is on disk.
    length: u64,
}

/// Why records were not appended. None of them is in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unwritten {
    /// This time; another attempt may succeed.
    Refused(String),
    /// The file is in an unknown state: nothing more is written until the server starts anew.
    Broken(String),
}

impl Journal {
    /// A journal that goes on behind record `last`.
    pub(crate) fn new(epoch: Epoch, last: u64) -> Self {
        Self { epoch, segment: None, next: last + 1, since_snapshot: 0, broken: None }
    }

    /// The number of the last record.
    pub(crate) fn last(&self) -> u64 {
        self.next - 1
    }

    /// The epoch that it belongs to.
    pub(crate) fn epoch(&self) -> &Epoch {
        &self.epoch
    }

    /// Appends whole lines with so many records; how long the disk took.
    pub(crate) fn append(&mut self, lines: &[u8], records: u64) -> Result<Duration, Unwritten> {
        if let Some(why) = &self.broken {
            return Err(Unwritten::Broken(why.clone()));
        }
        let segment = match &mut self.segment {
            Some(segment) => segment,
            none => {
                let opened = Segment::create(self.epoch.segment(self.next));
                none.insert(opened.map_err(|error| Unwritten::Refused(error.to_string()))?)
            }
        };
        if let Err(error) = segment.file.write_all(lines) {
            let refused = format!("{}: {error}", segment.path.display());
            // A part may have been written: the next record must not stand behind it.
            return Err(match segment.file.set_len(segment.length) {
                Ok(()) => Unwritten::Refused(refused),
                Err(_) => self.give_up(refused),
            });
        }
        let began = Instant::now();
        if let Err(error) = segment.file.sync_data() {
            // What the kernel could not write it has dropped: another attempt would succeed and mean nothing.
            let _ = segment.file.set_len(segment.length);
            let why = format!("{}: {error}", segment.path.display());
            return Err(self.give_up(why));
        }
        segment.length += lines.len() as u64;
        self.since_snapshot += lines.len() as u64;
        self.next += records;
        Ok(began.elapsed())
    }

    /// Takes back the end of what was appended last: that many bytes with that many records.
    pub(crate) fn take_back(&mut self, bytes: u64, records: u64) -> Result<(), Unwritten> {
        let Some(segment) = &mut self.segment else { return Ok(()) };
        let length = segment.length - bytes;
        if let Err(error) = segment.file.set_len(length).and_then(|()| segment.file.sync_all()) {
            let why = format!("{}: {error}", segment.path.display());
            return Err(self.give_up(why));
        }
        segment.length = length;
        self.next -= records;
        Ok(())
    }

    /// The next record begins a new segment, because there is a snapshot of all before it.
    pub(crate) fn begin_segment(&mut self) {
        if self.since_snapshot > 0 {
            self.segment = None;
        }
        self.since_snapshot = 0;
    }

    /// Nothing more is to be appended.
    pub(crate) fn close(&mut self, why: String) {
        self.broken = Some(why);
    }

    fn give_up(&mut self, why: String) -> Unwritten {
        self.broken = Some(why.clone());
        Unwritten::Broken(why)
    }
}

impl Segment {
    /// A new file, which is known to its folder before anything is in it.
    fn create(path: PathBuf) -> io::Result<Self> {
        let file = File::options().append(true).create(true).open(&path)?;
        if file.metadata()?.len() > 0 {
            let problem = format!("{}: holds records already; start the server anew", path.display());
            return Err(io::Error::other(problem));
        }
        path.parent().map_or(Ok(()), |folder| sync(folder).map_err(io::Error::other))?;
        Ok(Self { file, path, length: 0 })
    }
}
