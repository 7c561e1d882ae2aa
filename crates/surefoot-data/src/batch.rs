//! The examples of one chunk of input, struct-of-arrays, in buffers that are recycled.
//!
//! A parse worker fills a batch through a [`Builder`](crate::Builder); the thread that learns reads it in file order.
//! [`Batch::clear`] keeps the capacity, so that a stream of any length runs in the memory of a few batches.

use std::sync::Arc;

use surefoot_core::transform::Segments;

use crate::builder::BuilderScratch;

/// A piece of the batch's byte arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// All of an example but its features.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ExampleHead {
    pub(crate) line: u64,
    pub(crate) weight: f64,
    /// Where its labels begin and end among those of the batch.
    pub(crate) labels_start: u32,
    pub(crate) labels_end: u32,
    /// Whether the file shows that a line may have several labels.
    pub(crate) several: bool,
    pub(crate) tag: Option<Span>,
    /// Where the features of this example end; they begin where those of the one before end.
    pub(crate) end: usize,
    /// What makes the length of its values 1, if rows are to have that length and nothing else comes before; otherwise 0.
    pub(crate) length: f64,
    /// How many of its features were cut from text in each way, if they are kept apart.
    pub(crate) segments: Segments,
    /// Whether it stands for a line that could not be read.
    pub(crate) skipped: bool,
}

/// Examples of one chunk. Made by a [`Builder`](crate::Builder), read with [`Batch::example`].
#[derive(Debug, Default)]
pub struct Batch {
    pub(crate) heads: Vec<ExampleHead>,
    /// The labels of one example behind those of another.
    pub(crate) labels: Vec<Span>,
    pub(crate) keys: Vec<u64>,
    pub(crate) values: Vec<f64>,
    /// Beside `keys` if the features have names, empty if they are integers as given.
    pub(crate) names: Vec<Span>,
    /// Labels, tags and names.
    pub(crate) bytes: Vec<u8>,
    /// The file that the examples come from, as the user named it.
    pub(crate) file: Option<Arc<str>>,
    /// The lines of the examples, if the options ask for them.
    pub(crate) records: Vec<Box<[u8]>>,
    /// What the builder needs between two calls; here because the batch is what is recycled.
    pub(crate) scratch: BuilderScratch,
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the examples and keeps the memory.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.labels.clear();
        self.keys.clear();
        self.values.clear();
        self.names.clear();
        self.bytes.clear();
        self.records.clear();
    }

    /// Appends a copy of an example of another batch, which comes from the same file as those that are here.
    ///
    /// # Panics
    /// If `position` is not below the length of the other batch.
    pub fn push_copy(&mut self, other: &Batch, position: usize) {
        let (head, start) = (other.heads[position], start(&other.heads, position));
        self.file.clone_from(&other.file);
        let mut copied = |span: Span| {
            let start = self.bytes.len() as u32;
            self.bytes.extend_from_slice(slice(&other.bytes, span));
            Span { start, ..span }
        };
        let labels_start = self.labels.len() as u32;
        let labels = &other.labels[head.labels_start as usize..head.labels_end as usize];
        self.labels.extend(labels.iter().map(|&span| copied(span)));
        let tag = head.tag.map(&mut copied);
        if !other.names.is_empty() {
            self.names.extend(other.names[start..head.end].iter().map(|&span| copied(span)));
        }
        self.keys.extend_from_slice(&other.keys[start..head.end]);
        self.values.extend_from_slice(&other.values[start..head.end]);
        self.records.extend(other.records.get(position).cloned());
        let (labels_end, end) = (self.labels.len() as u32, self.keys.len());
        self.heads.push(ExampleHead { labels_start, labels_end, tag, end, ..head });
    }

    /// Takes the last example off.
    pub fn pop(&mut self) {
        let Some(head) = self.heads.pop() else { return };
        let start = start(&self.heads, self.heads.len());
        self.labels.truncate(head.labels_start as usize);
        self.keys.truncate(start);
        self.values.truncate(start);
        self.names.truncate(start);
    }

    /// The file that the examples come from, as the user named it; empty for examples from elsewhere.
    pub fn file(&self) -> &str {
        self.file.as_deref().unwrap_or_default()
    }

    /// How many examples there are.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Whether its features have names; none if it has no features.
    pub fn named(&self) -> Option<bool> {
        (!self.keys.is_empty()).then_some(!self.names.is_empty())
    }

    /// Features of all examples together.
    pub fn feature_count(&self) -> usize {
        self.keys.len()
    }

    /// The example at `position`, counted from 0.
    ///
    /// # Panics
    /// If `position` is not below [`Batch::len`].
    pub fn example(&self, position: usize) -> Example<'_> {
        let head = &self.heads[position];
        let start = start(&self.heads, position);
        Example {
            line: head.line,
            weight: head.weight,
            tag: head.tag.map(|span| slice(&self.bytes, span)),
            skipped: head.skipped,
            features: KeyedFeatures {
                keys: &self.keys[start..head.end],
                values: &self.values[start..head.end],
                names: if self.names.is_empty() { &[] } else { &self.names[start..head.end] },
                bytes: &self.bytes,
                finite: true,
                length: head.length,
                segments: head.segments,
            },
            several_labels: head.several,
            labels: &self.labels[head.labels_start as usize..head.labels_end as usize],
        }
    }

    /// The line of an example, as it was read; empty unless [`ReadOptions`](crate::ReadOptions) say that it is kept.
    pub fn record(&self, position: usize) -> &[u8] {
        self.records.get(position).map_or(&[], |record| record)
    }

    /// The examples in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Example<'_>> {
        (0..self.len()).map(|position| self.example(position))
    }
}

/// Where the features of an example begin.
#[inline]
pub(crate) fn start(heads: &[ExampleHead], position: usize) -> usize {
    if position == 0 { 0 } else { heads[position - 1].end }
}

/// The bytes of a piece of the arena.
#[inline]
pub(crate) fn slice(bytes: &[u8], span: Span) -> &[u8] {
    &bytes[span.start as usize..][..span.len as usize]
}

/// One example of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// Line of the file, from 1 (row, for formats without lines).
    pub line: u64,
    /// Importance weight: finite, not negative, 1 if the file says nothing.
    pub weight: f64,
    /// The id or tag that predictions echo.
    pub tag: Option<&'a [u8]>,
    /// Whether it stands for a line that could not be read and was skipped; only where
    /// [every record](crate::ReadOptions::every_record) gives an example.
    pub skipped: bool,
    /// The features, in canonical order.
    pub features: KeyedFeatures<'a>,
    /// Whether the file shows that a line may have several labels, by a list, a separator or a second label.
    pub several_labels: bool,
    labels: &'a [Span],
}

impl<'a> Example<'a> {
    /// The label as the file spells it, valid UTF-8; none in data for prediction. The first one if there are several.
    pub fn label(&self) -> Option<&'a [u8]> {
        self.labels().next()
    }

    /// All labels, as the file gives them.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &'a [u8]> + Clone + use<'a> {
        let bytes = self.features.bytes;
        self.labels.iter().map(move |&span| slice(bytes, span))
    }
}

/// The features of one example: keys, values and, if they have any, names.
///
/// Canonical order, which fixes the order of every later sum: integers ascending; names by first occurrence.
/// No key occurs twice, no value is zero, every value is finite.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyedFeatures<'a> {
    keys: &'a [u64],
    values: &'a [f64],
    names: &'a [Span],
    bytes: &'a [u8],
    /// Whether the values were found to be finite, as those of a batch were.
    pub(crate) finite: bool,
    /// What makes the length of the values 1, where the parser has worked that out; otherwise 0.
    pub(crate) length: f64,
    /// How many were cut from text in each way, behind the others, if they are kept apart.
    pub(crate) segments: Segments,
}

impl<'a> KeyedFeatures<'a> {
    /// Integer features as given, from slices of equal length that keep the canonical order (a row of a matrix).
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn given(ids: &'a [u64], values: &'a [f64]) -> Self {
        assert_eq!(ids.len(), values.len(), "a value for every id");
        KeyedFeatures { keys: ids, values, ..KeyedFeatures::default() }
    }

    /// Whether some were cut from text, which is cut in several ways that are kept apart.
    pub fn has_cut_text(&self) -> bool {
        !self.segments.is_empty()
    }

    /// How many features there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys: integers as given, or the hash of each name.
    pub fn keys(&self) -> &'a [u64] {
        self.keys
    }

    /// The values beside the keys.
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// Whether the features have names.
    pub fn named(&self) -> bool {
        !self.names.is_empty()
    }

    /// The name of the feature at `position`: valid UTF-8; empty for integers as given.
    pub fn name(&self, position: usize) -> &'a [u8] {
        self.names.get(position).map_or(&[], |&span| slice(self.bytes, span))
    }
}

/// The bits of the smallest f64 that is not finite.
const INFINITE: u64 = f64::INFINITY.to_bits();

/// Whether there is a value for every id, the ids ascend strictly to below 2⁶³, and every value is finite and not zero.
/// (Larger ids are rare, and putting a row in order that is in order does no harm.)
pub(crate) fn is_canonical(ids: &[u64], values: &[f64]) -> bool {
    // No early exit: nearly every line passes, and a loop without branches is the faster one. The top bit of an id, or of
    // its distance to the next less one, says what comparing would, and can be gathered several at a time.
    let pairs = ids.iter().zip(ids.get(1..).unwrap_or_default());
    let tops = pairs.fold(ids.last().copied().unwrap_or(0), |tops, (one, next)| {
        tops | one | next.wrapping_sub(*one).wrapping_sub(1)
    });
    ids.len() == values.len() && tops >> 63 == 0 && are_usable(values)
}

/// Whether every value is finite and not zero.
pub(crate) fn are_usable(values: &[f64]) -> bool {
    // Again by top bits: a value without its sign is zero below 1, and not a number from `INFINITE` on.
    let tops = values.iter().fold(0, |tops, value| {
        let size = value.to_bits() & (u64::MAX >> 1);
        tops | size.wrapping_sub(1) | (INFINITE - 1).wrapping_sub(size)
    });
    tops >> 63 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Cache, CacheWriter};

    fn span(start: u32, len: u32) -> Span {
        Span { start, len }
    }

    #[test]
    fn several_labels_come_in_their_order_and_no_cache_loses_one() {
        let head = |line, labels_start, labels_end| ExampleHead {
            line,
            labels_start,
            labels_end,
            several: line != 1,
            ..ExampleHead::default()
        };
        let batch = Batch {
            heads: vec![head(1, 0, 1), head(2, 1, 1), head(3, 1, 3)],
            labels: vec![span(0, 1), span(1, 2), span(3, 1)],
            bytes: b"abbc".to_vec(),
            ..Batch::default()
        };
        let check = |batch: &Batch| {
            let labels = |at: usize| batch.example(at).labels().collect::<Vec<_>>();
            assert_eq!((labels(0), labels(1), labels(2)), (vec![&b"a"[..]], vec![], vec![&b"bb"[..], b"c"]));
            let first = [0, 1, 2].map(|at| (batch.example(at).label(), batch.example(at).several_labels));
            assert_eq!(first, [(Some(&b"a"[..]), false), (None, true), (Some(b"bb"), true)]);
        };
        check(&batch);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.cache");
        let mut cache = CacheWriter::create(&path, "stamp").unwrap();
        cache.push(&batch).unwrap();
        cache.finish(0).unwrap();
        let (mut cache, mut again) = (Cache::open(&path, "stamp").unwrap().unwrap(), Batch::new());
        assert!(cache.next_batch(&mut again).unwrap());
        check(&again);
    }
}
