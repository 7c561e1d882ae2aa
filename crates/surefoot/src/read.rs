//! Reading data for a model that is there already.

use surefoot_data::{Format, FormatOptions, OnBadLine, ReadOptions, Reader, Source};

use crate::options::options;
use crate::{Model, Result};

options! {
    /// How to read sources for a model; what it knows itself (columns, text, features) is not asked again.
    pub struct Reading {
        /// The format of all sources; none finds it.
        format: Option<&'static Format> = None,
        /// Threads that read. The result does not depend on it.
        threads: usize = 1,
        /// What to do with bad lines.
        on_bad_line: OnBadLine = OnBadLine::Fail,
        /// Whether files may be without labels.
        unlabelled: bool = false,
        /// Whether files may lack columns that the model was trained on.
        incomplete: bool = false,
        /// Whether every record gives an example: blank ones without features, and bad ones that are skipped, marked as such.
        every_record: bool = false,
        /// The column that names the examples, whichever one names those that the model was trained on.
        id_column: Option<String> = None,
    }
}

impl Model {
    /// Opens sources as this model understands them.
    pub fn read(&self, sources: Vec<Source>, reading: &Reading) -> Result<Reader> {
        let Reading { unlabelled, incomplete, .. } = *reading;
        let (columnless, echo) = (true, reading.id_column.clone());
        let options = ReadOptions {
            format: reading.format,
            columns: FormatOptions { unlabelled, incomplete, columnless, echo, ..self.columns().clone() },
            threads: reading.threads.max(1),
            on_bad_line: reading.on_bad_line,
            every_record: reading.every_record,
            ..ReadOptions::default()
        };
        Ok(Reader::open(sources, options, self.plan())?)
    }
}
