//! A block of examples as bytes: arrays of little-endian numbers one behind the other, so that reading is copying.
//!
//! Lengths first, then heads (line, weight, length, number of labels, tag, number of features, and of those cut from text in each
//! way), spans of labels, keys (32 bits each if all fit), values, name spans (if the features have names), and the bytes that
//! labels, tags and names point into.

use surefoot_core::transform::Segments;

use crate::batch::{Batch, Example, ExampleHead, Span};

/// Examples of a block at most.
const EXAMPLES: usize = 512;
/// Features after which a block is full.
const FEATURES: usize = 1 << 15;

/// Where a tag starts that is not there.
const ABSENT: u32 = u32::MAX;
const HEAD_BYTES: usize = 52;
const LENGTHS: usize = 5;

/// Beside the number of labels: the file shows that there may be several.
const SEVERAL: u32 = 1 << 31;

/// Flags of a block: keys of 64 bits, features with names.
const WIDE: u32 = 1;
const NAMED: u32 = 2;

/// Whether the block that `batch` has become is full. It depends on nothing but its examples.
pub(super) fn is_full(batch: &Batch) -> bool {
    batch.len() >= EXAMPLES || batch.feature_count() >= FEATURES
}

/// Appends a copy of an example of another batch; false if the batch has no room for its bytes, or has names where the
/// example has none.
pub(super) fn append(batch: &mut Batch, example: Example<'_>) -> bool {
    let features = example.features;
    let named = if features.named() { features.len() } else { 0 };
    let names = || (0..named).map(|position| features.name(position));
    let texts = || example.labels().chain(example.tag);
    let size: usize = texts().chain(names()).map(<[u8]>::len).sum();
    let other_kind =
        !features.is_empty() && !batch.keys.is_empty() && features.named() == batch.names.is_empty();
    if other_kind || batch.bytes.len() + size >= ABSENT as usize {
        return false;
    }
    let bytes = &mut batch.bytes;
    let mut store = |text: &[u8]| {
        let span = Span { start: bytes.len() as u32, len: text.len() as u32 };
        bytes.extend_from_slice(text);
        span
    };
    let labels_start = batch.labels.len() as u32;
    batch.labels.extend(example.labels().map(&mut store));
    let labels_end = batch.labels.len() as u32;
    let tag = example.tag.map(&mut store);
    batch.names.extend(names().map(store));
    batch.keys.extend_from_slice(features.keys());
    batch.values.extend_from_slice(features.values());
    let end = batch.keys.len();
    let (line, weight, length) = (example.line, example.weight, features.length);
    let (segments, several) = (features.segments, example.several_labels);
    let head = ExampleHead {
        line,
        weight,
        length,
        labels_start,
        labels_end,
        several,
        tag,
        end,
        segments,
        skipped: false,
    };
    batch.heads.push(head);
    true
}

/// Appends the bytes of a block to `out`.
pub(super) fn encode(batch: &Batch, out: &mut Vec<u8>) {
    let wide = batch.keys.iter().any(|&key| key > u64::from(u32::MAX));
    let named = !batch.names.is_empty();
    let flags = if wide { WIDE } else { 0 } | if named { NAMED } else { 0 };
    // A block is cut long before any of its lengths reaches 32 bits; `append` limits the bytes.
    for length in [batch.heads.len(), batch.labels.len(), batch.keys.len(), batch.bytes.len()] {
        out.extend_from_slice(&(length as u32).to_le_bytes());
    }
    out.extend_from_slice(&flags.to_le_bytes());
    let mut start = 0;
    for head in &batch.heads {
        out.extend_from_slice(&head.line.to_le_bytes());
        out.extend_from_slice(&head.weight.to_le_bytes());
        out.extend_from_slice(&head.length.to_le_bytes());
        let labels = head.labels_end - head.labels_start;
        out.extend_from_slice(&(labels | if head.several { SEVERAL } else { 0 }).to_le_bytes());
        put_span(head.tag.unwrap_or(Span { start: ABSENT, len: 0 }), out);
        out.extend_from_slice(&((head.end - start) as u32).to_le_bytes());
        head.segments.0.iter().for_each(|count| out.extend_from_slice(&count.to_le_bytes()));
        start = head.end;
    }
    batch.labels.iter().for_each(|&span| put_span(span, out));
    match wide {
        true => batch.keys.iter().for_each(|key| out.extend_from_slice(&key.to_le_bytes())),
        false => batch.keys.iter().for_each(|&key| out.extend_from_slice(&(key as u32).to_le_bytes())),
    }
    batch.values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
    batch.names.iter().for_each(|&span| put_span(span, out));
    out.extend_from_slice(&batch.bytes);
}

fn put_span(span: Span, out: &mut Vec<u8>) {
    out.extend_from_slice(&span.start.to_le_bytes());
    out.extend_from_slice(&span.len.to_le_bytes());
}

/// Replaces the examples of `batch` by those of a block; none if the bytes are not a block. Allocates no more than the
/// bytes justify, and leaves no index that points outside.
pub(super) fn decode(bytes: &[u8], batch: &mut Batch) -> Option<()> {
    batch.clear();
    batch.file = None;
    let (lengths, rest) = bytes.split_at_checked(4 * LENGTHS)?;
    let mut lengths = numbers(lengths, u32::from_le_bytes);
    let mut length = || lengths.next().map(|length| length as usize);
    let (examples, labels, features) = (length()?, length()?, length()?);
    let (text_bytes, flags) = (length()?, length()?);
    let [wide, named] = [WIDE, NAMED].map(|flag| flags & flag as usize != 0);
    let (heads, rest) = rest.split_at_checked(examples.checked_mul(HEAD_BYTES)?)?;
    let (label_spans, rest) = rest.split_at_checked(labels.checked_mul(8)?)?;
    let (keys, rest) = rest.split_at_checked(features.checked_mul(if wide { 8 } else { 4 })?)?;
    let (values, rest) = rest.split_at_checked(features.checked_mul(8)?)?;
    let (names, text) = rest.split_at_checked(if named { features.checked_mul(8)? } else { 0 })?;
    if text.len() != text_bytes {
        return None;
    }
    batch.bytes.extend_from_slice(text);
    match wide {
        true => batch.keys.extend(numbers(keys, u64::from_le_bytes)),
        false => batch.keys.extend(numbers(keys, u32::from_le_bytes).map(u64::from)),
    }
    batch.values.extend(numbers(values, f64::from_le_bytes));
    batch.names.extend(numbers(names, span));
    batch.labels.extend(numbers(label_spans, span));
    let inside = |span: &Span| span.start as usize + span.len as usize <= text_bytes;
    let (mut end, mut labels_end) = (0, 0u32);
    for bytes in heads.as_chunks::<HEAD_BYTES>().0 {
        let head = head(bytes, &mut end, &mut labels_end)?;
        if !head.tag.iter().all(inside) {
            return None;
        }
        batch.heads.push(head);
    }
    let all = end == features && labels_end as usize == labels;
    (all && batch.labels.iter().chain(&batch.names).all(inside)).then_some(())
}

fn head(bytes: &[u8; HEAD_BYTES], end: &mut usize, labels_end: &mut u32) -> Option<ExampleHead> {
    let (line, rest) = bytes.split_first_chunk()?;
    let (weight, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (labels, rest) = rest.split_first_chunk()?;
    let (tag, rest) = rest.split_first_chunk()?;
    let (features, rest) = rest.split_first_chunk()?;
    let features = u32::from_le_bytes(*features) as usize;
    let mut counts = numbers(rest, u32::from_le_bytes);
    let segments = Segments([counts.next()?, counts.next()?, counts.next()?]);
    if segments.len() > features {
        return None;
    }
    *end += features;
    let labels = u32::from_le_bytes(*labels);
    let labels_start = std::mem::replace(labels_end, labels_end.checked_add(labels & !SEVERAL)?);
    let tag = Some(span(*tag)).filter(|span| span.start != ABSENT);
    let (line, weight) = (u64::from_le_bytes(*line), f64::from_le_bytes(*weight));
    let length = f64::from_le_bytes(*length);
    Some(ExampleHead {
        line,
        weight,
        labels_start,
        labels_end: *labels_end,
        several: labels & SEVERAL != 0,
        tag,
        end: *end,
        length,
        segments,
        skipped: false,
    })
}

fn span(bytes: [u8; 8]) -> Span {
    let [a, b, c, d, e, f, g, h] = bytes;
    Span { start: u32::from_le_bytes([a, b, c, d]), len: u32::from_le_bytes([e, f, g, h]) }
}

/// The numbers of `N` bytes each that `bytes` holds.
fn numbers<const N: usize, T>(bytes: &[u8], number: impl Fn([u8; N]) -> T) -> impl Iterator<Item = T> {
    bytes.as_chunks::<N>().0.iter().map(move |bytes| number(*bytes))
}
