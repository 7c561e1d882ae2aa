//! Rows that come one by one, as a server gets them, parsed as the lines of a file are.

use std::sync::Arc;

use super::parse::{example, refuse_nul};
use crate::batch::Batch;
use crate::builder::Builder;
use crate::error::{Fault, Result};
use crate::format::{Format, FormatOptions, Line, LineParser, RowNames};
use crate::recipe::Plan;

/// Parses rows into batches, from any number of threads.
///
/// ```
/// use std::sync::Arc;
/// use surefoot_data::{Batch, Format, FormatOptions, Plan, Recipe, RowParser};
///
/// let plan = Arc::new(Plan::new(Recipe::default())?);
/// let rows = RowParser::new(Format::by_name("jsonl").unwrap(), &FormatOptions::default(), plan)?;
/// let mut batch = Batch::new();
/// assert!(rows.parse(br#"{"label": "ham", "caps": 0.4}"#, 1, &mut batch)?);
/// assert!(rows.parse(br#"{"caps": 0.4"#, 2, &mut batch).is_err()); // leaves no trace
/// assert_eq!((batch.len(), batch.example(0).label()), (1, Some(&b"ham"[..])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RowParser {
    parser: Box<dyn LineParser>,
    plan: Arc<Plan>,
}

impl RowParser {
    /// For rows of a format without a header.
    pub fn new(format: &Format, columns: &FormatOptions, plan: Arc<Plan>) -> Result<Self, Fault> {
        Ok(Self { parser: format.parser(columns, b"")?, plan })
    }

    /// Appends the example of a row to `batch`, as line number `line`; false if there is nothing in the row.
    pub fn parse(&self, row: &[u8], line: u64, batch: &mut Batch) -> Result<bool, Fault> {
        refuse_nul(row)?;
        Ok(example(&*self.parser, row, line, &mut Builder::new(&self.plan, batch))? == Line::Example)
    }

    /// The label and the tag of a row, in a fraction of the time.
    pub fn names(&self, row: &[u8]) -> Result<RowNames, Fault> {
        let mut names = RowNames::default();
        self.parser.names(row, &mut names)?;
        Ok(names)
    }
}

impl std::fmt::Debug for RowParser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowParser").finish_non_exhaustive()
    }
}
