//! The inner loops of parsing, many bytes at a time: numbers, pairs of index and value, words of ASCII text. They depend on
//! nothing else in this crate, and each is tested against a simple implementation.

pub(crate) mod ascii_words;
pub(crate) mod number;
