//! From a label as the file spells it to its class, without an allocation.

use std::collections::HashMap;

use super::label::{Label, label_number};

/// Classes by label.
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
