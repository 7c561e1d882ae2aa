//! Tables with a header: CSV and TSV. Each column has a role, found by its name; a cell of a plain column is a number
//! or else a category, and an empty cell is a missing value.

mod read;
mod write;

use super::{Format, FormatOptions, Needs, Records};
use crate::fast::number::whole_number;
use read::{TableCell, TableCells};
pub use write::Columns;
#[cfg(feature = "parquet")]
pub(in crate::format) use write::column_of;

pub(super) static CSV: Format = Format {
    name: "csv",
    aliases: &[],
    extensions: &["csv"],
    about: "table with a header, cells separated by commas, quotes as in RFC 4180",
    header: true,
    columns: true,
    records: Records::Quoted { delimiter: b',' },
    telling: false,
    looks_like: |lines, options| is_table(lines, b',', options) && !is_table(lines, b';', options),
    parser: |options, header| read::parser(options, header, b',', Quotes::Strict),
    sample: Some(|options, header, rows| read::sample(options, header, rows, b',', Quotes::Strict)),
    numbered: None,
    needs: Needs::Columns,
    writer: Some(|options, columns| write::writer(options, columns, b',', Quotes::Strict)),
};

pub(super) static SEMICOLON: Format = Format {
    name: "csv-semicolon",
    aliases: &["ssv"],
    extensions: &["csv", "ssv"],
    about: "as csv, cells separated by semicolons",
    header: true,
    columns: true,
    records: Records::Quoted { delimiter: b';' },
    telling: false,
    looks_like: |lines, options| is_table(lines, b';', options),
    parser: |options, header| read::parser(options, header, b';', Quotes::Strict),
    sample: Some(|options, header, rows| read::sample(options, header, rows, b';', Quotes::Strict)),
    numbered: None,
    needs: Needs::Columns,
    writer: Some(|options, columns| write::writer(options, columns, b';', Quotes::Strict)),
};

pub(super) static TSV: Format = Format {
    name: "tsv",
    aliases: &[],
    extensions: &["tsv", "tab"],
    about: "table with a header, cells separated by tabs",
    header: true,
    columns: true,
    records: Records::Lines,
    telling: false,
    looks_like: looks_like_tsv,
    parser: |options, header| read::parser(options, header, b'\t', Quotes::Whole),
    sample: Some(|options, header, rows| read::sample(options, header, rows, b'\t', Quotes::Whole)),
    numbered: None,
    needs: Needs::Columns,
    writer: Some(|options, columns| write::writer(options, columns, b'\t', Quotes::Whole)),
};

/// What a quote at the start of a cell means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// RFC 4180: the cell goes on to the closing quote, and may hold delimiters and line ends.
    Strict,
    /// Only a cell that is one quoted string as a whole is unquoted: in TSV most quotes are part of the text.
    Whole,
}

/// Whether the lines look like a table: a header of several names and no number, if there is one, and as many cells in each line.
fn is_table(lines: &[&[u8]], delimiter: u8, options: &FormatOptions) -> bool {
    let Some(header) = lines.first().and_then(|line| cells(line, delimiter)) else { return false };
    let names = options.no_header || header.iter().all(|cell| whole_number(&cell.content).is_none());
    // A quoted cell with a line end leaves half a record in the sample: such a line decides nothing.
    let regular = |line: &&[u8]| cells(line, delimiter).is_none_or(|cells| cells.len() == header.len());
    header.len() > 1 && names && lines.iter().all(regular)
}

/// The cells of a line, if its quotes are in order.
fn cells(line: &[u8], delimiter: u8) -> Option<Vec<TableCell<'_>>> {
    TableCells::new(line, delimiter, Quotes::Strict).collect::<Result<_, _>>().ok()
}

/// Three columns and more are a table. Two are one if both have a known name, or one has and the other holds no text: labels may
/// be called `y` or `review` too, but then they come again, or what stands beside them has blanks.
fn looks_like_tsv(lines: &[&[u8]], options: &FormatOptions) -> bool {
    let rows: Vec<Vec<&[u8]>> =
        lines.iter().map(|line| line.split(|&byte| byte == b'\t').collect()).collect();
    let Some((header, rest)) = rows.split_first() else { return false };
    let is_name = |cell: &&[u8]| whole_number(cell).is_none();
    let regular = header.iter().all(is_name) && rest.iter().all(|row| row.len() == header.len());
    let known = |cell: &[u8]| std::str::from_utf8(cell.trim_ascii()).is_ok_and(|name| options.knows(name));
    let is_single = |cell: &[u8]| !cell.trim_ascii().contains(&b' ');
    if options.no_header {
        return header.len() > 1 && rest.iter().all(|row| row.len() == header.len());
    }
    match header[..] {
        _ if !regular => false,
        [one, other] if known(one) && known(other) => is_single(one) && is_single(other),
        [one, other] if known(one) || known(other) => {
            let at = usize::from(known(other));
            rest.iter().all(|row| row[at] != header[at]) && rows.iter().all(|row| is_single(row[1 - at]))
        }
        _ => header.len() > 2,
    }
}
