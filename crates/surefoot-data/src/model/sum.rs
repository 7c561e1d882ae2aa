//! The checksum of a model file: over its header, and the name and the bytes of every tensor, each behind its length.

use std::borrow::Cow;
use std::vec;

use xxhash_rust::xxh3::Xxh3Default;

/// A checksum that is reckoned bit by bit, while somebody writes.
#[derive(Default)]
pub(super) struct Sum<'a> {
    hash: Xxh3Default,
    /// What is still to come behind the present part.
    parts: vec::IntoIter<Cow<'a, [u8]>>,
    part: Cow<'a, [u8]>,
    /// Bytes of the present part that are in the hash.
    done: usize,
}

impl<'a> Sum<'a> {
    /// The checksum of these, nothing of it reckoned yet. Tensors come in the order of their names.
    pub(super) fn new(header: &'a str, tensors: impl Iterator<Item = (&'a str, Cow<'a, [u8]>)>) -> Self {
        let named = tensors.flat_map(|(name, bytes)| [name.as_bytes().into(), bytes]);
        let texts = [header.as_bytes().into()].into_iter().chain(named);
        let parts: Vec<Cow<'a, [u8]>> = texts
            .flat_map(|part: Cow<'a, [u8]>| [(part.len() as u64).to_le_bytes().to_vec().into(), part])
            .collect();
        Sum { parts: parts.into_iter(), ..Sum::default() }
    }

    /// Reckons with so many bytes more, if there are as many.
    pub(super) fn advance(&mut self, mut count: usize) {
        while count > 0 {
            if self.done == self.part.len() {
                let Some(part) = self.parts.next() else { return };
                (self.part, self.done) = (part, 0);
            }
            let next = &self.part[self.done..];
            let next = &next[..next.len().min(count)];
            self.hash.update(next);
            self.done += next.len();
            count -= next.len();
        }
    }

    /// The checksum of all of it, as the file has it: always of the same length.
    pub(super) fn finish(mut self) -> String {
        self.advance(usize::MAX);
        format!("xxh3-128:{:032x}", self.hash.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_however_it_is_reckoned() {
        let tensors =
            || [("a", vec![1; 300].into()), ("b", vec![].into()), ("c", vec![7; 5].into())].into_iter();
        let at_once = Sum::new("header", tensors()).finish();
        for step in [1, 7, 300, 10_000] {
            let mut sum = Sum::new("header", tensors());
            (0..40).for_each(|_| sum.advance(step));
            assert_eq!(sum.finish(), at_once);
        }
        let other =
            || [("a", vec![1; 300].into()), ("b", vec![7].into()), ("c", vec![7; 4].into())].into_iter();
        assert_ne!(Sum::new("header", other()).finish(), at_once);
        assert_eq!(Sum::default().finish().len(), at_once.len());
    }
}
