//! One label, and its class.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::{self, Display};

use crate::error::shown;
use crate::fast::number::whole_number;

/// Whole numbers from here on are not all different as `f64`; such labels are identifiers and stay words.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// A label: a number or a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Label {
    /// A finite number below 2^53 in size, never −0.
    Number(f64),
    /// Anything else.
    Word(String),
}

impl Label {
    /// Reads a label as a file spells it.
    pub fn read(text: &str) -> Label {
        label_number(text).map_or_else(|| Label::Word(text.to_string()), Label::Number)
    }

    pub(in crate::encode) fn read_bytes(bytes: &[u8]) -> Label {
        Label::read(&String::from_utf8_lossy(bytes))
    }

    /// As messages show it: escaped, and cut if it is long.
    pub(crate) fn shown(&self) -> String {
        shown(self.to_string().as_bytes())
    }
}

/// The number that a label is, if it is one.
pub(super) fn label_number(text: &str) -> Option<f64> {
    // Adding zero turns −0 into 0.
    whole_number(text.as_bytes()).filter(|value| value.abs() < LARGEST).map(|value| value + 0.0)
}

impl Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Number(value) => write!(f, "{value}"),
            Label::Word(word) => f.write_str(word),
        }
    }
}

impl Ord for Label {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Label::Number(one), Label::Number(two)) => one.total_cmp(two),
            (Label::Number(_), Label::Word(_)) => Ordering::Less,
            (Label::Word(_), Label::Number(_)) => Ordering::Greater,
            (Label::Word(one), Label::Word(two)) => one.cmp(two),
        }
    }
}

impl PartialOrd for Label {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Label {}

/// Classes by label, found for a label as the file spells it without an allocation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Classes {
    /// By the bits of the number.
    numbers: HashMap<u64, u32>,
    words: HashMap<String, u32>,
}

impl Classes {
    pub(super) fn insert(&mut self, label: &Label, class: u32) {
        match label {
            Label::Number(value) => self.numbers.insert(value.to_bits(), class),
            Label::Word(word) => self.words.insert(word.clone(), class),
        };
    }

    pub(super) fn get(&self, text: &str) -> Option<u32> {
        match label_number(text) {
            Some(value) => self.numbers.get(&value.to_bits()).copied(),
            None => self.words.get(text).copied(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len() + self.words.len()
    }
}
