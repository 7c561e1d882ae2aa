//! What the columns of a new file are for: by their names, and where those say nothing, by the first rows.
//!
//! The answer must depend on the bytes alone and not on how they arrive, so a fixed amount is looked at, and a pipe is waited
//! for that long; but not at all where every column has a usual name.

use std::collections::HashSet;

use super::kind::{ColumnKind, kind};
use super::layout::{Layout, Role};
use super::{Format, FormatOptions, Records, without_return};
use crate::error::Fault;

/// How many rows are looked at, and within how many bytes.
const ROWS: usize = 200;
const BYTES: usize = 64 << 10;

/// Keys of JSON that are listed in a model; more are features and not columns.
const MOST_KEYS: usize = 50;

/// The cells of a column in the first rows.
#[derive(Debug, Default)]
pub(crate) struct SampledColumn {
    pub(crate) name: String,
    /// Those that hold something.
    pub(crate) cells: Vec<String>,
    /// Whether it holds words and numbers alone.
    pub(crate) plain: bool,
}

impl SampledColumn {
    pub(crate) fn new(name: String) -> Self {
        SampledColumn { name, cells: Vec::new(), plain: true }
    }

    pub(crate) fn add(&mut self, cell: &[u8]) {
        if !cell.is_empty() {
            self.cells.push(String::from_utf8_lossy(cell).into_owned());
        }
    }
}

/// What a file turned out to be.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) layout: Layout,
    /// What was taken for what without being told, in one line for people.
    pub(crate) note: Option<String>,
}

/// Whether `rest`, which follows the header, is all that a [`sample`] looks at.
pub(crate) fn is_sample(rest: &[u8]) -> bool {
    rest.len() >= BYTES || memchr::memchr_iter(b'\n', rest).take(ROWS).count() == ROWS
}

/// The first rows of what follows the header.
pub(crate) fn sample(rest: &[u8], records: Records) -> Vec<&[u8]> {
    let front = &rest[..rest.len().min(BYTES)];
    let last = memchr::memchr_iter(b'\n', front).nth(ROWS - 1);
    // What is cut off in its middle does not count; at the end of a file nothing is.
    let mut rest = match last {
        Some(end) => &front[..records.complete(&front[..=end])],
        None if rest.len() >= BYTES => &front[..records.complete(front)],
        None => rest,
    };
    let mut rows = Vec::new();
    while !rest.is_empty() && rows.len() < ROWS {
        let end = records.first_end(rest).unwrap_or(rest.len());
        let row = without_return(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or_default();
        if !row.trim_ascii().is_empty() {
            rows.push(row);
        }
    }
    rows
}

/// What the columns are for; none if the one row in `rows` does not tell, and more are to be seen. `all` says that these are all
/// that will be seen.
pub(crate) fn survey(
    format: &Format,
    options: &FormatOptions,
    header: &[u8],
    rows: &[&[u8]],
    all: bool,
) -> Result<Option<Survey>, Fault> {
    let Some(take) = format.sample else {
        return Ok(Some(Survey { layout: Layout::new(format.name, []), note: None }));
    };
    let columns = take(options, header, rows);
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let mut roles = match format.header {
        true => options.roles_by_name(&names)?,
        false => names.iter().map(|name| options.key_role(name)).collect(),
    };
    let open: Vec<bool> =
        columns.iter().zip(&roles).map(|(column, role)| is_open(column, *role, options)).collect();
    let labelled = !format.header || options.unlabelled || roles.contains(&Role::Label);
    if !all && (columns.is_empty() || !labelled || open.contains(&true)) {
        return Ok(None);
    }
    let mut found = GuessedRoles::default();
    for (at, column) in columns.iter().enumerate().filter(|(at, _)| open[*at]) {
        roles[at] = found.take(column, kind(column, rows.len()), options);
    }
    if !labelled && let Some(at) = label_beside_text(&columns, &roles) {
        roles[at] = Role::Label;
        found.label = Some(&columns[at].name);
    }
    let note = found.note();
    let values = roles.iter().filter(|role| **role == Role::Value).count();
    // Of very many keys each is a feature like a word, and no column.
    let many = !format.header && values > MOST_KEYS;
    let is_listed = |(name, role): &(String, Role)| !(name.is_empty() || many && *role == Role::Value);
    let listed = names.into_iter().zip(roles).filter(is_listed);
    Ok(Some(Survey { layout: Layout::new(format.name, listed), note }))
}

/// Whether neither a flag nor its name says what a column is for.
fn is_open(column: &SampledColumn, role: Role, options: &FormatOptions) -> bool {
    role == Role::Value && column.plain && !options.takes_as_it_is(&column.name)
}

/// Of two columns one of which is text, the other if few values come again and again. Ids and what is left out do not count.
fn label_beside_text(columns: &[SampledColumn], roles: &[Role]) -> Option<usize> {
    let places: Vec<usize> = (0..roles.len()).filter(|&at| roles[at].is_feature()).collect();
    let at = match places[..] {
        [one, other] if (roles[one], roles[other]) == (Role::Text, Role::Value) => other,
        [one, other] if (roles[one], roles[other]) == (Role::Value, Role::Text) => one,
        _ => return None,
    };
    let cells = &columns[at].cells;
    let distinct = cells.iter().collect::<HashSet<_>>().len();
    (cells.len() >= 2 * distinct && distinct >= 2).then_some(at)
}

/// Columns whose meaning was found in their cells.
#[derive(Default)]
struct GuessedRoles<'a> {
    label: Option<&'a str>,
    texts: Vec<&'a str>,
    ids: Vec<&'a str>,
    dates: Vec<&'a str>,
}

impl<'a> GuessedRoles<'a> {
    /// What a column is for that looks like this.
    fn take(&mut self, column: &'a SampledColumn, kind: ColumnKind, options: &FormatOptions) -> Role {
        let (list, role) = match kind {
            ColumnKind::Text if options.text.is_empty() => (&mut self.texts, Role::Text),
            ColumnKind::Id => (&mut self.ids, Role::Nothing),
            ColumnKind::Date => (&mut self.dates, Role::Nothing),
            ColumnKind::Text | ColumnKind::Other => return Role::Value,
        };
        list.push(&column.name);
        role
    }

    /// What is said of them, with the flags to say otherwise.
    fn note(&self) -> Option<String> {
        let mut said = Vec::new();
        if let Some(label) = self.label {
            said.push(format!("column {label} is taken for the label (--label-column says otherwise)"));
        }
        let columns =
            |names: &[&str]| format!("column{} {}", if names.len() > 1 { "s" } else { "" }, names.join(", "));
        let (is, look) =
            (|n: usize| if n > 1 { "are" } else { "is" }, |n: usize| if n > 1 { "look" } else { "looks" });
        if !self.texts.is_empty() {
            let (names, is) = (columns(&self.texts), is(self.texts.len()));
            said.push(format!("{names} {is} read as text (--text-column, --category-column say otherwise)"));
        }
        for (names, what) in [(&self.ids, "ids"), (&self.dates, "dates")] {
            if !names.is_empty() {
                let (count, names) = (names.len(), columns(names));
                said.push(format!(
                    "{names} {} like {what} and {} left out (--category-column, --value-column say otherwise)",
                    look(count),
                    is(count)
                ));
            }
        }
        (!said.is_empty()).then(|| said.join("; "))
    }
}
