//! Keys that a model knows: what they are for, and whether the records have them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Map, Value};

use crate::format::survey::SampledColumn;
use crate::format::{FormatOptions, Role};

/// Records without any key that a model remembers, before they are taken for others than were meant: it remembers those of the first
/// records that it learned from, and may know more.
const MANY: usize = 20;

/// The keys that a model remembers. A record may lack any of them; a file that lacks all, or one of text, is another file
/// than was meant.
pub(super) struct ModelKeys {
    roles: HashMap<String, (Role, AtomicBool)>,
    /// A bit for the length of each, modulo 64: most others are told from them without a look at the table.
    lengths: u64,
    /// Whether it is looked at which keys there are.
    watched: bool,
    /// Whether any record had a key of the model's features, and how many there were before.
    any: AtomicBool,
    without: AtomicUsize,
}

impl ModelKeys {
    pub(super) fn new(options: &FormatOptions) -> Self {
        let layout = options.layout.iter().flat_map(|layout| &layout.columns);
        // Label, weight and id have names of their own, which may be chosen anew.
        let kept = layout.filter(|(role, _)| role.is_feature() || **role == Role::Nothing);
        let each = |(role, names): (&Role, &Vec<String>)| -> Vec<(String, (Role, AtomicBool))> {
            names.iter().map(|name| (name.clone(), (*role, AtomicBool::new(false)))).collect()
        };
        let roles: HashMap<String, (Role, AtomicBool)> = kept.flat_map(each).collect();
        let lengths = roles.keys().fold(0, |bits, name| bits | length_bit(name));
        let watched = !options.incomplete && !roles.is_empty();
        ModelKeys { roles, lengths, watched, any: AtomicBool::new(false), without: AtomicUsize::new(0) }
    }

    /// What the model takes a key for, if it knows it.
    pub(super) fn role(&self, name: &str) -> Option<Role> {
        if self.lengths & length_bit(name) == 0 {
            return None;
        }
        let (role, met) = self.roles.get(name)?;
        if !met.load(Ordering::Relaxed) {
            met.store(true, Ordering::Relaxed);
            self.any.fetch_or(role.is_feature(), Ordering::Relaxed);
        }
        Some(*role)
    }

    /// Counts a record, as long as none had a key.
    pub(super) fn end_record(&self) {
        if self.watched && !self.any.load(Ordering::Relaxed) {
            self.without.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Keys of text that no record had; all of them if none of many records had any.
    pub(super) fn missing(&self) -> Vec<String> {
        let features = || self.roles.iter().filter(|(_, (role, _))| self.watched && role.is_feature());
        let is_met = |met: &AtomicBool| met.load(Ordering::Relaxed);
        let none = !is_met(&self.any) && self.without.load(Ordering::Relaxed) >= MANY;
        let lacking = features().filter(|(_, (role, met))| none || (*role == Role::Text && !is_met(met)));
        let mut names: Vec<String> = lacking.map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names
    }
}

fn length_bit(name: &str) -> u64 {
    1 << (name.len() % 64)
}

/// The values of the keys of the first records, or of the columns that are named beforehand. Lists and objects have none, and
/// records that cannot be read are left for the parser to refuse.
pub(in crate::format) fn sampled(names: Vec<String>, rows: &[&[u8]]) -> Vec<SampledColumn> {
    let mut columns: Vec<SampledColumn> = names.into_iter().map(SampledColumn::new).collect();
    let mut places: HashMap<String, usize> =
        columns.iter().enumerate().map(|(at, column)| (column.name.clone(), at)).collect();
    for row in rows {
        let Ok(record) = serde_json::from_slice::<Map<String, Value>>(row) else { continue };
        for (name, value) in record {
            let place = *places.entry(name).or_insert_with_key(|name| {
                columns.push(SampledColumn::new(name.clone()));
                columns.len() - 1
            });
            match value {
                Value::String(text) => columns[place].add(text.as_bytes()),
                Value::Number(number) => columns[place].add(number.to_string().as_bytes()),
                Value::Null => {}
                Value::Bool(_) | Value::Array(_) | Value::Object(_) => columns[place].plain = false,
            }
        }
    }
    columns
}
