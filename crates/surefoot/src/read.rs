//! Reading data for a model that is there already.

use surefoot_data::{Format, FormatOptions, OnBadLine, ReadOptions, Reader, Source};

use crate::setters::setters;
use crate::{Model, Result};

/// How to read sources for a model; what it knows itself (columns, text, features) is not asked again.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reading {
    /// The format of all sources; none finds it.
    pub format: Option<&'static Format>,
    /// Threads that read. The result does not depend on it.
    pub threads: usize,
    /// What to do with bad lines.
    pub on_bad_line: OnBadLine,
    /// Whether files may be without labels.
    pub unlabelled: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Self { format: None, threads: 1, on_bad_line: OnBadLine::Fail, unlabelled: false }
    }
}

setters! { Reading:
    format: Option<&'static Format>,
    threads: usize,
    on_bad_line: OnBadLine,
    unlabelled: bool,
}

impl Model {
    /// Opens sources as this model understands them.
    pub fn read(&self, sources: Vec<Source>, reading: &Reading) -> Result<Reader> {
        let unlabelled = reading.unlabelled;
        let columns = FormatOptions { unlabelled, columnless: true, ..self.columns().clone() };
        let options = ReadOptions {
            format: reading.format,
            columns,
            threads: reading.threads.max(1),
            on_bad_line: reading.on_bad_line,
            ..ReadOptions::default()
        };
        Ok(Reader::open(sources, options, self.plan())?)
    }
}
