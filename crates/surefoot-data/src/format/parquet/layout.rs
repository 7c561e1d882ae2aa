//! The columns of a Parquet file that is written. Records that fill a table become its columns; others, of which each has a few
//! of many features, become a list of pairs of `index` and `value`, beside a column for each kind of text.

use std::collections::{HashMap, HashSet};

use super::super::layout::Role;
use super::super::options::FormatOptions;
use super::super::table::column_of;
use super::super::writer::{misfit, pieces};
use super::lines::is_row_number;
use crate::error::{Fault, quoted};
use crate::record::{Record, RecordPart};

/// Columns at most.
const WIDEST: usize = 1 << 12;
/// So many columns are a table however few cells are filled; more are one if a part of them is.
const NARROW: usize = 64;
const FILLED: u64 = 4;

/// The column of the pairs.
pub(super) const PAIRS: &str = "features";

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellKind {
    Number,
    Word,
    Text,
}

/// What all records together need.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellColumns {
    weight: bool,
    id: bool,
    names: Vec<(String, CellKind)>,
    places: HashMap<String, usize>,
    texts: Vec<String>,
    /// Whether some record does not fit into columns of one kind each.
    irregular: bool,
    /// Whether features have other names than whole numbers.
    named: bool,
    filled: u64,
    records: u64,
}

impl CellColumns {
    /// Takes a record in.
    pub(crate) fn add(&mut self, record: &Record) {
        self.weight |= record.weight != 1.0;
        self.id |= record.tag.is_some();
        self.records += 1;
        let mut words = HashSet::new();
        for piece in pieces(record) {
            let kind = match piece.part {
                RecordPart::Text(..) => CellKind::Text,
                RecordPart::Category(..) if piece.scale == 1.0 => CellKind::Word,
                _ => CellKind::Number,
            };
            let plain = matches!(piece.part, RecordPart::Indexed(..)) && piece.namespace.is_empty();
            self.named |= !plain && kind != CellKind::Text;
            let Ok((name, _)) = column_of(&piece) else {
                self.irregular = true;
                continue;
            };
            if kind == CellKind::Text && !self.texts.iter().any(|known| *known == name) {
                self.texts.push(name.to_string());
            }
            if self.irregular {
                continue;
            }
            let next = self.names.len();
            let place = *self.places.entry(name.to_string()).or_insert(next);
            if place == next {
                self.names.push((name.into_owned(), kind));
            }
            self.filled += 1;
            let again = kind == CellKind::Word && !words.insert(place);
            self.irregular = again || self.names[place].1 != kind || self.names.len() > WIDEST;
        }
    }

    fn is_table(&self) -> bool {
        let cells = self.records * self.names.len() as u64;
        !self.irregular && (self.names.len() <= NARROW || self.filled * FILLED >= cells)
    }
}

/// The columns of a file: label, weight and id as far as they are needed, then these.
#[derive(Debug)]
pub(super) struct ParquetLayout {
    pub(super) label: String,
    pub(super) weight: Option<String>,
    pub(super) id: Option<String>,
    pub(super) columns: Vec<(String, CellKind)>,
    pub(super) places: HashMap<String, usize>,
    /// Where features are pairs and not columns.
    pub(super) pairs: Option<PairNames>,
}

/// How the pairs of a file are called.
#[derive(Debug)]
pub(super) struct PairNames {
    /// Whether by names; else by whole numbers.
    pub(super) named: bool,
    /// How the reader will understand them: some names are reserved.
    pub(super) options: FormatOptions,
}

impl ParquetLayout {
    pub(super) fn new(options: &FormatOptions, needed: &CellColumns) -> Result<Self, Fault> {
        if needed.is_table()
            && let Ok(table) = Self::with(options, needed, needed.names.clone(), false)
        {
            return Ok(table);
        }
        let texts = needed.texts.iter().map(|name| (name.clone(), CellKind::Text)).collect();
        Self::with(options, needed, texts, true)
    }

    fn with(
        options: &FormatOptions,
        needed: &CellColumns,
        columns: Vec<(String, CellKind)>,
        pairs: bool,
    ) -> Result<Self, Fault> {
        let name = |chosen: &Option<String>, usual: &str| chosen.clone().unwrap_or_else(|| usual.into());
        let label = name(&options.label, "label");
        let weight = needed.weight.then(|| name(&options.weight, "importance"));
        let id = needed.id.then(|| name(&options.id, "id"));
        let mut header: Vec<String> =
            [Some(&label), weight.as_ref(), id.as_ref()].into_iter().flatten().cloned().collect();
        let first = header.len();
        header.extend(columns.iter().map(|(name, _)| name.clone()));
        header.extend(pairs.then(|| PAIRS.into()));
        let roles = options.roles(&header)?;
        let kinds = columns.iter().map(|(_, kind)| *kind).chain(pairs.then_some(CellKind::Number));
        for ((name, role), kind) in header[first..].iter().zip(&roles[first..]).zip(kinds) {
            let right = match kind {
                CellKind::Text => *role == Role::Text,
                CellKind::Word => matches!(role, Role::Value | Role::Category),
                CellKind::Number => *role == Role::Value,
            };
            let alone = header.iter().filter(|other| *other == name).count() == 1;
            if !right || !alone || is_row_number(name) {
                let expected = if kind == CellKind::Text { "a text column" } else { "a column of features" };
                let found = format!("{}, which means something else", quoted(name.as_bytes()));
                return Err(misfit(expected, found));
            }
        }
        // A file without such a column has no name for it, as the reader has it.
        let absent = |name: &Option<String>| Some(name.clone().unwrap_or_default());
        let (read_weight, read_id) = (absent(&weight), absent(&id));
        let understood =
            FormatOptions { label: Some(label.clone()), weight: read_weight, id: read_id, ..options.clone() };
        let places = columns.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect();
        let pairs = pairs.then_some(PairNames { named: needed.named, options: understood });
        Ok(ParquetLayout { label, weight, id, columns, places, pairs })
    }
}

impl PairNames {
    /// Refuses a feature that would be read as something else.
    pub(super) fn check(&self, name: &str) -> Result<(), Fault> {
        match self.options.key_role(name) {
            Role::Value | Role::Text => Ok(()),
            _ => {
                let expected = "features that are not called like a label, weight, id or category column";
                Err(misfit(expected, quoted(name.as_bytes())))
            }
        }
    }
}
