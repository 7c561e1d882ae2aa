//! Where records are written: in which format, how compressed, and with which labels where those become numbers.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use surefoot::data::{Converted, FORMATS, Format, PackedWriter, Packing};

use crate::failure::{Failure, Result};
use crate::output;
use crate::places::{self, Output};

/// A file of records, or standard output.
#[derive(Debug)]
pub struct RecordOutput<'a> {
    flag: &'static str,
    path: &'a Path,
    /// How it is compressed, as its name says.
    packing: Packing,
    /// Where the numbers of labels are written: beside the output, if that is a file.
    labels: Option<PathBuf>,
}

impl<'a> RecordOutput<'a> {
    /// A place that the user names with `flag`.
    pub fn new(flag: &'static str, path: &'a Path, format: &'static Format) -> Result<Self> {
        let packing = Packing::of(path).0;
        if packing != Packing::None && format.name == "parquet" {
            return Err(Failure::usage(
                "Parquet files are compressed inside: name the output without .gz and .zst",
            ));
        }
        let is_file = fs::metadata(path).map_or(true, |there| there.is_file()) && !places::is_dash(path);
        let labels = (is_file && format.numbers_labels()).then(|| {
            let mut name = path.as_os_str().to_owned();
            name.push(".labels");
            name.into()
        });
        Ok(Self { flag, path, packing, labels })
    }

    /// All that is written, to be checked.
    pub fn outputs(&self) -> Vec<Output<'_>> {
        let beside = self.labels.as_deref().map(|path| Output::stream("the map of labels,", path));
        [Some(Output::stream(self.flag, self.path)), beside].into_iter().flatten().collect()
    }

    /// What the records are written to; it is to be finished.
    pub fn create(&self) -> PackedWriter<Box<dyn Write + Send>> {
        PackedWriter::new(self.packing, output::create(self.path))
    }

    /// Says on standard error, or in a file beside the output, what is to be known of it.
    pub fn tell(&self, done: &Converted) -> Result<()> {
        output::note_skipped(done.bad_lines);
        if done.labels.is_empty() { Ok(()) } else { tell_labels(&done.labels, self.labels.as_deref()) }
    }
}

/// Says which number each label became: in a file beside the output, or on standard error where there is no such place.
fn tell_labels(labels: &[(i64, String)], path: Option<&Path>) -> Result<()> {
    let lines = labels.iter().map(|(number, label)| format!("{number}\t{}\n", output::plain(label)));
    let lines: String = lines.collect();
    match path {
        Some(path) => {
            let mut file = output::create(path);
            file.write_all(lines.as_bytes())?;
            file.flush()?;
            let (first, last) = (labels[0].0, labels[labels.len() - 1].0);
            let range = if first == -1 { "-1 and 1".into() } else { format!("{first} to {last}") };
            output::note(&format!("note: labels became {range}; which is which is in {}", path.display()));
        }
        None => output::note(&format!("note: labels became numbers:\n{}", lines.trim_end())),
    }
    Ok(())
}

/// The format that a file of this name should have: the one called like its extension, or else the first that uses it.
pub fn format_by_name(path: &Path) -> Option<&'static Format> {
    let unpacked = Packing::of(path).1;
    let extension = unpacked.extension()?.to_str()?;
    let usual = || FORMATS.iter().copied().find(|format| format.extensions.contains(&extension));
    Format::by_name(extension).or_else(usual)
}
