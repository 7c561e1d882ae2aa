//! Records as JSON lines.

use std::collections::HashMap;

use super::super::layout::Role;
use super::super::writer::{Piece, RecordWriter, misfit, pieces, put_number};
use super::JsonLines;
use crate::error::{Fault, quoted};
use crate::record::{Record, RecordPart};

impl RecordWriter for JsonLines {
    fn record(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut object = Object::default();
        let key = |option: &Option<String>, usual: &str| option.clone().unwrap_or_else(|| usual.into());
        if let Some(label) = &record.label {
            object.word(&key(&self.options.label, "label"), utf8(label)?);
        }
        if let Some(labels) = &record.labels {
            let labels = labels.iter().map(|label| utf8(label).map(String::from));
            object.lists.push((key(&self.options.label, "label"), labels.collect::<Result<_, _>>()?));
        }
        if let Some(tag) = &record.tag {
            object.word(&key(&self.options.id, "id"), utf8(tag)?);
        }
        if record.weight != 1.0 {
            object.number(&key(&self.options.weight, "weight"), record.weight);
        }
        for piece in pieces(record) {
            let namespace = utf8(piece.namespace)?;
            let top = namespace.is_empty();
            self.put(&piece, top, if top { &mut object } else { object.inner.entry(namespace) })?;
        }
        object.write(out);
        out.push(b'\n');
        Ok(())
    }
}

impl JsonLines {
    fn put(&self, piece: &Piece<'_>, top: bool, object: &mut Object) -> Result<(), Fault> {
        match piece.part {
            RecordPart::Indexed(id, value) => self.feature(&id.to_string(), value * piece.scale, top, object),
            RecordPart::Feature(name, value) => self.feature(utf8(name)?, value * piece.scale, top, object),
            RecordPart::Category(name, value) => {
                let (name, value) = (utf8(name)?, utf8(value)?);
                if piece.scale == 1.0 && matches!(self.role(name, top), Role::Value | Role::Category) {
                    object.word(name, value);
                    return Ok(());
                }
                // A number under the full name of the feature says the same where a string would not.
                self.feature(&format!("{name}={value}"), piece.scale, top, object)
            }
            RecordPart::Text(name, text) => {
                let key = if name.is_empty() { "text" } else { utf8(name)? };
                if self.role(key, top) != Role::Text || piece.scale != 1.0 {
                    let fault = misfit("text under a key that means text", quoted(key.as_bytes()));
                    return Err(fault.hint("name it as a text column"));
                }
                object.word(key, &String::from_utf8_lossy(text));
                Ok(())
            }
            RecordPart::Namespace(..) => Ok(()),
        }
    }

    fn feature(&self, key: &str, value: f64, top: bool, object: &mut Object) -> Result<(), Fault> {
        match self.role(key, top) {
            Role::Label | Role::Weight | Role::Id => {
                Err(misfit("features that are not called like a reserved key", quoted(key.as_bytes())))
            }
            // Where numbers are names, this number would become one.
            Role::Category => Err(misfit("words in a column of categories", format!("the number {value}"))),
            _ => {
                object.number(key, value);
                Ok(())
            }
        }
    }

    fn role(&self, key: &str, top: bool) -> Role {
        if top { self.options.key_role(key) } else { self.options.plain_role(key) }
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|_| misfit("names in UTF-8", quoted(bytes)))
}

/// A JSON object: lists, then strings, then numbers, then objects, each in the order in which their keys came.
#[derive(Default)]
struct Object {
    /// What is a list however many items it has.
    lists: Vec<(String, Vec<String>)>,
    words: Ordered<Vec<String>>,
    numbers: Ordered<f64>,
    inner: Ordered<Object>,
}

/// A map that keeps the order in which its keys came.
#[derive(Default)]
struct Ordered<T> {
    items: Vec<(String, T)>,
    places: HashMap<String, usize>,
}

impl<T: Default> Ordered<T> {
    fn entry(&mut self, key: &str) -> &mut T {
        let place = *self.places.entry(key.into()).or_insert(self.items.len());
        if place == self.items.len() {
            self.items.push((key.into(), T::default()));
        }
        &mut self.items[place].1
    }
}

enum Member<'a> {
    List(&'a [String]),
    Words(&'a [String]),
    Number(f64),
    Object(&'a Object),
}

impl Object {
    fn word(&mut self, key: &str, word: &str) {
        self.words.entry(key).push(word.into());
    }

    /// Repeated features are summed.
    fn number(&mut self, key: &str, value: f64) {
        *self.numbers.entry(key) += value;
    }

    fn write(&self, out: &mut Vec<u8>) {
        let lists = self.lists.iter().map(|(key, words)| (key, Member::List(words)));
        let words = self.words.items.iter().map(|(key, words)| (key, Member::Words(words)));
        let numbers = self.numbers.items.iter().map(|(key, value)| (key, Member::Number(*value)));
        let inner = self.inner.items.iter().map(|(key, object)| (key, Member::Object(object)));
        put_items(
            *b"{}",
            b", ",
            lists.chain(words).chain(numbers).chain(inner),
            out,
            |(key, member), out| {
                put_string(key, out);
                out.extend_from_slice(b": ");
                match member {
                    Member::List(words) => put_list(words, out),
                    Member::Words(words) => put_words(words, out),
                    Member::Number(value) => put_number(value, out),
                    Member::Object(object) => object.write(out),
                }
            },
        );
    }
}

fn put_words(words: &[String], out: &mut Vec<u8>) {
    match words {
        [word] => put_string(word, out),
        several => put_list(several, out),
    }
}

fn put_list(words: &[String], out: &mut Vec<u8>) {
    put_items(*b"[]", b", ", words, out, |word, out| put_string(word, out));
}

/// Appends the items of a list or the members of an object, with `comma` between them.
pub(in crate::format) fn put_items<T>(
    [open, close]: [u8; 2],
    comma: &[u8],
    items: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    put: impl Fn(T, &mut Vec<u8>),
) {
    out.push(open);
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.extend_from_slice(comma);
        }
        put(item, out);
    }
    out.push(close);
}

pub(in crate::format) fn put_string(text: &str, out: &mut Vec<u8>) {
    // A string always has a JSON form, and writing to a vector cannot fail.
    let _ = serde_json::to_writer(out, text);
}
