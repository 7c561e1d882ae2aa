//! From the files of a model to its state: the newest snapshot, and the records behind it, which are learned again.

use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};

use surefoot::data::{Format, JournalLine, RowParser, Source};
use surefoot::train::{Observer, RoundView, TrainOptions, learn_pass};
use surefoot::{Model, Reading};

use crate::epoch::Epoch;
use crate::folder::{make, put, sync};
use crate::monitor::Monitor;
use crate::seen::{IdHash, SeenExample, SeenIds};
use crate::snapshot;
use crate::{Error, Result};

/// The state of a model, as its files have it.
#[derive(Debug)]
pub(crate) struct Recovered {
    pub(crate) model: Model,
    /// The number of the last record.
    pub(crate) sequence: u64,
    /// The number of the last record before the snapshot.
    pub(crate) snapshot: u64,
    pub(crate) monitor: Monitor,
    pub(crate) seen: SeenIds,
    /// What was noticed, a sentence each.
    pub(crate) notes: Vec<String>,
    /// Bytes of a record that was not written to its end.
    pub(crate) cut: u64,
}

/// Recovers the state of an epoch. A record that was not written to its end, which can only be the last one, is cut off and kept
/// elsewhere; other damage is refused.
pub(crate) fn recover(epoch: &Epoch, folder: &Path, threads: usize) -> Result<Recovered> {
    let snapshot::Snapshot { mut model, sequence: snapshot, mut monitor, refused } = snapshot::newest(epoch)?;
    let mut notes = refused;
    let scan = scan(epoch, &row_parser(&model)?, snapshot)?;
    let cut = match scan.damage {
        None => 0,
        Some(damage) if damage.is_torn => {
            notes.push(format!(
                "{}: the last record is not whole, as where the machine stopped while it was written; its {} bytes are now in {}",
                damage.file.display(),
                damage.length,
                cut(epoch, &damage)?.display()
            ));
            damage.length
        }
        Some(damage) => {
            let Damage { file, byte, problem, .. } = damage;
            return Err(Error::Damaged { file, byte, problem, folder: folder.to_path_buf() });
        }
    };
    if scan.last < snapshot {
        let problem = format!("ends with record {}, and there is a snapshot of record {snapshot}", scan.last);
        return Err(Error::Replay { file: epoch.log(), problem });
    }
    learn(epoch, &mut model, snapshot..u64::MAX, &mut monitor, threads)?;
    Ok(Recovered { model, sequence: scan.last, snapshot, monitor, seen: scan.seen, notes, cut })
}

/// Learns the segments that begin behind one record and not behind another, as `surefoot train` does. A segment ends where there is
/// a snapshot.
pub(crate) fn learn(
    epoch: &Epoch,
    model: &mut Model,
    between: Range<u64>,
    monitor: &mut Monitor,
    threads: usize,
) -> Result<()> {
    let mut segments = epoch.segments()?;
    segments.retain(|(first, path)| (between.start + 1..=between.end).contains(first) && has_records(path));
    if segments.is_empty() {
        return Ok(());
    }
    let sources = segments.into_iter().map(|(_, path)| Source::Path(path)).collect();
    learn_sources(epoch, model, sources, between.start, monitor, threads)
}

/// Learns parts of a journal behind a record.
pub(crate) fn learn_sources(
    epoch: &Epoch,
    model: &mut Model,
    sources: Vec<Source>,
    after: u64,
    monitor: &mut Monitor,
    threads: usize,
) -> Result<()> {
    let options = TrainOptions::default();
    let mut reader =
        model.read(sources, &Reading::default().format(Format::by_name("journal")).threads(threads))?;
    let mut replay = Replay { monitor, sequence: after };
    learn_pass(model, &mut reader, 0, &options, &mut replay)
        .map_err(|error| Error::Replay { file: epoch.log(), problem: error.to_string() })
}

/// Takes the rounds of a replay to the monitor.
struct Replay<'m> {
    monitor: &'m mut Monitor,
    sequence: u64,
}

impl Observer for Replay<'_> {
    fn round(&mut self, round: &RoundView<'_>) {
        self.sequence += 1;
        self.monitor.round(self.sequence, round.round);
    }
}

/// What parses the rows of a model.
pub(crate) fn row_parser(model: &Model) -> Result<RowParser> {
    let columns = surefoot::data::FormatOptions { columnless: true, ..model.columns().clone() };
    let jsonl = Format::by_name("jsonl").ok_or_else(|| Error::Unfit("there is no format jsonl".into()))?;
    RowParser::new(jsonl, &columns, model.plan()).map_err(|fault| Error::Unfit(fault.trouble.to_string()))
}

/// What a look through a journal finds.
#[derive(Debug, Default)]
pub(crate) struct JournalScan {
    /// The number of the last sound record.
    pub(crate) last: u64,
    pub(crate) seen: SeenIds,
    pub(crate) damage: Option<Damage>,
}

/// The first place of a journal that is not as it was written.
#[derive(Debug)]
pub(crate) struct Damage {
    pub(crate) file: PathBuf,
    pub(crate) byte: u64,
    /// Bytes from there to the end of the file.
    pub(crate) length: u64,
    pub(crate) problem: String,
    /// Whether no sound record follows: the last one was not written to its end.
    pub(crate) is_torn: bool,
}

/// Looks through the segments with records behind `after`, and through those whose ids are remembered: checksums, numbers, ids.
pub(crate) fn scan(epoch: &Epoch, rows: &RowParser, after: u64) -> Result<JournalScan> {
    let mut segments = epoch.segments()?;
    let ids_from = SeenIds::reach(segments.last().map_or(0, |(first, _)| *first));
    let from = after.min(ids_from);
    while segments.get(1).is_some_and(|(next, _)| *next <= from + 1) {
        segments.remove(0);
    }
    let before = segments.first().map_or(0, |(first, _)| first.saturating_sub(1));
    // What comes before the first segment of all is the base model.
    let last = if before <= from { before.max(epoch.start()) } else { epoch.start() };
    let mut scan = JournalScan { last, ..JournalScan::default() };
    remember_earlier(epoch, rows, ids_from..epoch.start(), &mut scan.seen)?;
    for (at, (_, path)) in segments.iter().enumerate() {
        let bytes = fs::read(path).map_err(Error::io(path))?;
        let mut start = 0;
        while start < bytes.len() {
            let length = bytes[start..].iter().position(|&byte| byte == b'\n');
            let line = &bytes[start..length.map_or(bytes.len(), |length| start + length)];
            let problem = match JournalLine::parse(line) {
                Ok(_) if length.is_none() => "the line has no end".into(),
                Ok(record) if record.sequence != scan.last + 1 => {
                    format!("record {} where {} is next", record.sequence, scan.last + 1)
                }
                Ok(record) => {
                    scan.last += 1;
                    if record.sequence > ids_from {
                        remember(&record, rows, &mut scan.seen);
                    }
                    start += line.len() + 1;
                    continue;
                }
                Err(fault) => fault.trouble.to_string(),
            };
            let behind = &bytes[(start + line.len() + 1).min(bytes.len())..];
            let is_record = |line: &[u8]| JournalLine::parse(line).is_ok();
            let later = segments[at + 1..].iter().any(|(_, path)| has_records(path));
            // A sound record in the wrong place is no torn one.
            let whole = length.is_some() && is_record(line);
            // Where a line end is damaged, a record is the end of the line before.
            let within = |line: &[u8]| {
                (1..line.len()).any(|at| line[at..].starts_with(b"sf1 ") && is_record(&line[at..]))
            };
            let is_torn =
                !later && !whole && !within(line) && !behind.split(|&byte| byte == b'\n').any(is_record);
            let (byte, length) = (start as u64, (bytes.len() - start) as u64);
            scan.damage = Some(Damage { file: path.clone(), byte, length, problem, is_torn });
            return Ok(scan);
        }
    }
    Ok(scan)
}

/// Whether there is anything in a segment.
fn has_records(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.len() > 0)
}

/// Remembers records of the epochs before, with numbers behind the start of the range and up to its end. What is damaged there says
/// nothing.
fn remember_earlier(epoch: &Epoch, rows: &RowParser, numbers: Range<u64>, seen: &mut SeenIds) -> Result<()> {
    let Some(parent) = epoch.parent()?.filter(|_| numbers.start < numbers.end) else { return Ok(()) };
    remember_earlier(&parent, rows, numbers.start..numbers.end.min(parent.start()), seen)?;
    for (_, path) in parent.segments()? {
        let bytes = fs::read(&path).map_err(Error::io(&path))?;
        let records = bytes.split(|&byte| byte == b'\n').filter_map(|line| JournalLine::parse(line).ok());
        let known = records.filter(|record| (numbers.start + 1..=numbers.end).contains(&record.sequence));
        known.for_each(|record| remember(&record, rows, seen));
    }
    Ok(())
}

/// Remembers a record by its id, if it has one.
fn remember(record: &JournalLine<'_>, rows: &RowParser, seen: &mut SeenIds) {
    let Ok(names) = rows.names(record.row) else { return };
    if let Some(id) = names.tag {
        let label = record.label.as_deref().or(names.label.as_deref()).unwrap_or_default();
        seen.push(IdHash::of(&id), SeenExample::new(record.sequence, label));
    }
}

/// Takes what is damaged out of a segment, and what follows it, and puts it into `damaged/`.
pub(crate) fn cut(epoch: &Epoch, damage: &Damage) -> Result<PathBuf> {
    let (file, damaged) = (&damage.file, epoch.path().join("damaged"));
    make(&damaged)?;
    let bytes = fs::read(file).map_err(Error::io(file))?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let place = free_place(&damaged, &format!("{name}.{}", damage.byte));
    put(&place, &bytes[damage.byte as usize..])?;
    let whole = File::options().write(true).open(file).map_err(Error::io(file))?;
    whole.set_len(damage.byte).and_then(|()| whole.sync_all()).map_err(Error::io(file))?;
    sync(&epoch.log())?;
    Ok(place)
}

/// A place in a folder that is not taken: with a number behind the name, if need be.
pub(crate) fn free_place(folder: &Path, name: &str) -> PathBuf {
    let numbered = (1..).map(|number| folder.join(format!("{name}.{number}")));
    std::iter::once(folder.join(name)).chain(numbered).find(|place| !place.exists()).unwrap_or_default()
}
