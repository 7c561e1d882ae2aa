//! From one format to another.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crate::batch::{Batch, Example};
use crate::encode::labels::Label;
use crate::error::{Error, Fault, Result, quoted};
use crate::format::{Columns, Format, FormatOptions, Needs};
use crate::label_numbers::LabelNumbers;
use crate::read::{Cache, CacheWriter, ReadOptions, Reader, each_record, stamp};
use crate::recipe::Plan;
use crate::record::{Record, RecordPart};
use crate::source::Source;

/// What a conversion did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Converted {
    /// Examples written.
    pub examples: u64,
    /// Lines that could not be read and were skipped.
    pub bad_lines: u64,
    /// The number that each label became, where the format has numbers for labels and these were others.
    pub labels: Vec<(i64, String)>,
}

/// Reads examples in any format and writes them in another, whose columns are named by `columns`.
///
/// A table names its columns before its first row, so the sources are read twice for it, and standard input, which
/// cannot be, is refused. Vowpal Wabbit learns from labels −1 and 1, or 1 to k: sources are read twice for those, too, and
/// labels on standard input must be numbers.
///
/// ```
/// use surefoot_data::{Format, FormatOptions, ReadOptions, Source, convert};
///
/// let films = Source::memory("films.vw", *b"1 2.5 'a7|u age:31 town:Bern\n");
/// let mut out = Vec::new();
/// convert(&[films], &ReadOptions::default(), Format::by_name("jsonl").unwrap(), &FormatOptions::default(), &mut out)?;
/// assert_eq!(out, br#"{"label": "1", "id": "a7", "weight": 2.5, "u": {"town": "Bern", "age": 31}}
/// "#);
/// # Ok::<(), surefoot_data::Error>(())
/// ```
pub fn convert(
    sources: &[Source],
    options: &ReadOptions,
    format: &Format,
    columns: &FormatOptions,
    out: &mut dyn Write,
) -> Result<Converted> {
    let once = come_once(sources, format)?;
    write_all(format, columns, out, once, &mut |take| each_record(sources, options, take))
}

/// Whether one of the sources can be read only once, which is refused where the format needs more.
pub(crate) fn come_once(sources: &[Source], format: &Format) -> Result<bool> {
    let once = sources.iter().any(|source| matches!(source, Source::Stdin));
    if format.reads_twice() && once {
        let problem =
            format!("is read once, and {} needs to know all columns before the first row", format.name);
        return Err(Error::file(&Source::Stdin.name(), problem).hint("put it in a file first"));
    }
    Ok(once)
}

/// Writes the examples of a cache in a format of text. Their features are what the settings of the cache had made of the
/// data: text has become words, and every feature has its whole name.
pub fn convert_from_cache(
    path: &Path,
    format: &Format,
    columns: &FormatOptions,
    out: &mut dyn Write,
) -> Result<Converted> {
    write_all(format, columns, out, false, &mut |take| each_cached(path, take))
}

/// Reads examples in any format into a cache, such as `train` makes and finds again for the same data and settings.
pub fn convert_to_cache(
    sources: &[Source],
    options: &ReadOptions,
    plan: Plan,
    path: &Path,
) -> Result<Converted> {
    // What comes from standard input cannot be known again; it can still be converted back.
    let made_from = stamp(sources, options, &plan)?.unwrap_or_default();
    let mut reader = Reader::open(sources.to_vec(), options.clone(), Arc::new(plan))?;
    let mut writer = CacheWriter::create(path, &made_from)?;
    let (mut batch, mut examples) = (Batch::new(), 0);
    while reader.next_batch(&mut batch)? {
        examples += batch.len() as u64;
        writer.push(&batch)?;
    }
    writer.finish(reader.bad_lines())?;
    Ok(Converted { examples, bad_lines: reader.bad_lines(), ..Converted::default() })
}

/// Takes an example; what it refuses is reported with file and line.
pub(crate) type Take<'a> = &'a mut dyn FnMut(&Record) -> Result<(), Fault>;

/// Writes the examples that `each` gives, which is asked twice if something must be known first, and can be asked twice
/// unless they come `once`.
pub(crate) fn write_all(
    format: &Format,
    columns: &FormatOptions,
    out: &mut dyn Write,
    once: bool,
    each: &mut dyn FnMut(Take<'_>) -> Result<Converted>,
) -> Result<Converted> {
    let mut needed = Columns::default();
    if format.reads_twice() {
        each(&mut |record| format.gather(record, &mut needed))?;
    }
    let numbered = format.needs == Needs::Labels;
    let numbers = if numbered && !once { label_numbers(each)? } else { None };
    let unusable = |fault: Fault| Error::Settings(format!("cannot write {}: {}", format.name, fault.trouble));
    let mut writer = format.writer(columns, &needed).map_err(unusable)?;
    let mut bytes = Vec::new();
    writer.header(&mut bytes);
    let mut written = Ok(());
    let mut converted = each(&mut |record| {
        if written.is_ok() {
            match &numbers {
                Some(numbers) => writer.record(&numbered_by(numbers, record)?, &mut bytes)?,
                None if numbered && once => writer.record(with_number(record)?, &mut bytes)?,
                None => writer.record(record, &mut bytes)?,
            }
            if bytes.len() > 1 << 16 {
                written = out.write_all(&bytes);
                bytes.clear();
            }
        }
        Ok(())
    })?;
    writer.finish(&mut bytes).map_err(unusable)?;
    converted.labels = numbers.map(|numbers| numbers.all()).unwrap_or_default();
    let written = written.and_then(|()| out.write_all(&bytes)).and_then(|()| out.flush());
    written.map_err(|source| Error::io(Path::new("output"), source))?;
    Ok(converted)
}

/// The numbers that the labels of all examples need.
fn label_numbers(each: &mut dyn FnMut(Take<'_>) -> Result<Converted>) -> Result<Option<LabelNumbers>> {
    let (mut labels, mut several) = (BTreeSet::new(), false);
    each(&mut |record| {
        labels.extend(record.each_label().map(|label| Label::read(&String::from_utf8_lossy(label))));
        several |= record.labels.is_some();
        Ok(())
    })?;
    Ok(LabelNumbers::new(labels, several))
}

/// The record with the number of its label.
fn numbered_by(numbers: &LabelNumbers, record: &Record) -> Result<Record, Fault> {
    let number = |label: &[u8]| numbers.of(label).map(|number| number.to_string().into_bytes());
    let label = record.label.as_deref().map(number).transpose()?;
    let labels = record.labels.as_ref().map(|labels| labels.iter().map(|label| number(label)).collect());
    Ok(Record { label, labels: labels.transpose()?, ..record.clone() })
}

/// A record from a source that is read once: its label stays, if it is a number.
fn with_number(record: &Record) -> Result<&Record, Fault> {
    let is_word = |label: &[u8]| matches!(Label::read(&String::from_utf8_lossy(label)), Label::Word(_));
    match record.each_label().find(|label| is_word(label)) {
        Some(label) => {
            let fault = Fault::new(
                0,
                "a number as label, which is all that Vowpal Wabbit learns from",
                quoted(label),
            );
            Err(fault.hint("put the data in a file first, so that its labels can be counted and get numbers"))
        }
        _ => Ok(record),
    }
}

fn each_cached(path: &Path, take: Take<'_>) -> Result<Converted> {
    let damaged = || Error::at(path, "is no complete cache of this version").hint("make it again");
    let mut cache = Cache::open_any(path)?.ok_or_else(damaged)?;
    let (mut batch, mut record, mut examples) = (Batch::new(), Record::default(), 0);
    while cache.next_batch(&mut batch)? {
        for example in batch.iter() {
            retell(&example, &mut record);
            let refused =
                |fault: Fault| Error::at(path, format!("example {}: {}", examples + 1, fault.trouble));
            take(&record).map_err(refused)?;
            examples += 1;
        }
    }
    Ok(Converted { examples, ..Converted::default() })
}

/// An example as a file would say it: every feature by its id or whole name.
fn retell(example: &Example<'_>, record: &mut Record) {
    record.clear();
    match example.several_labels {
        true => record.labels = Some(example.labels().map(<[u8]>::to_vec).collect()),
        false => record.label = example.label().map(<[u8]>::to_vec),
    }
    record.weight = example.weight;
    record.tag = example.tag.map(<[u8]>::to_vec);
    let features = &example.features;
    let part = |(at, (&key, &value)): (usize, (&u64, &f64))| {
        if features.named() {
            RecordPart::Feature(features.name(at).to_vec(), value)
        } else {
            RecordPart::Indexed(key, value)
        }
    };
    record.parts.extend(features.keys().iter().zip(features.values()).enumerate().map(part));
}
