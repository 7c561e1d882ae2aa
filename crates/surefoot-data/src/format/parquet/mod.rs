//! Parquet: a table whose rows arrive as lines of JSON (`lines.rs`), and are written column by column (`write.rs`). Columns have the roles that they have in CSV; lists of indices and values are integer features; structs and maps are namespaces.

mod layout;
mod lines;
mod pages;
mod write;

use super::json::{JsonLines, sampled};
use super::line::LineParser;
use super::{Format, FormatOptions, Layout, Needs, Records, Role};
use crate::error::Fault;
pub(super) use layout::CellColumns;
pub(crate) use lines::ParquetLines;
use lines::is_row_number;

pub(super) static FORMAT: Format = Format {
    name: "parquet",
    aliases: &[],
    extensions: &["parquet", "pq"],
    about: "columns of a Parquet file; lists of indices and values are integer features",
    header: true,
    columns: true,
    records: Records::Lines,
    telling: true,
    looks_like: |lines, _| lines.first().is_some_and(|line| line.starts_with(b"[\"")),
    parser,
    sample: Some(|_, header, rows| {
        let mut names: Vec<String> = serde_json::from_slice(header).unwrap_or_default();
        names.retain(|name| !is_row_number(name));
        let count = names.len();
        let mut columns = sampled(names, rows);
        // Keys behind them are features out of lists.
        columns.truncate(count);
        columns
    }),
    numbered: None,
    needs: Needs::Cells,
    writer: Some(write::writer),
};

/// The header is a JSON list of the column names.
fn parser(options: &FormatOptions, header: &[u8]) -> Result<Box<dyn LineParser>, Fault> {
    let names: Vec<String> = serde_json::from_slice(header)
        .map_err(|_| Fault::new(0, "a Parquet file", "something else").hint("is this the right format?"))?;
    let roles = options.roles(&names)?;
    let named = |role: Role| {
        names.iter().zip(&roles).find(|(_, other)| **other == role).map(|(name, _)| name.clone())
    };
    // Keys are then found by the names that the table gave them, and by no others.
    let absent = || Some(String::new());
    let layout = Some(Layout::new(FORMAT.name, names.iter().cloned().zip(roles.iter().copied())));
    let options = FormatOptions {
        layout,
        // The names are in the header: no column is missing any more.
        incomplete: true,
        label: named(Role::Label).or_else(absent),
        weight: named(Role::Weight).or_else(absent),
        id: named(Role::Id).or_else(absent),
        ..options.clone()
    };
    Ok(Box::new(JsonLines::new(options)))
}
