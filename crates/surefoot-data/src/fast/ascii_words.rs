//! Words of ASCII text: runs of letters and digits, found sixty-four bytes at a time.
//!
//! Comparisons of 16 bytes at a time give a bit for each byte, and words are runs of ones. A loop over bytes has a branch that is
//! mispredicted at the end of nearly every word; this one has a branch a word, which is predicted well.

use std::ops::Range;

use wide::u8x16;

/// Bytes of a block: as many as a mask has bits.
const BLOCK: usize = 64;

/// A bit for each byte of a block that is a letter, a digit, an apostrophe.
#[derive(Clone, Copy, Default)]
struct Kinds {
    letters: u64,
    digits: u64,
    apostrophes: u64,
}

/// Calls `take` with the range of each word: a run of letters and digits, in which an apostrophe may stand between two letters or
/// two digits. The text must be ASCII.
pub(crate) fn ascii_words(bytes: &[u8], take: &mut impl FnMut(Range<usize>)) {
    let (mut before, mut inside, mut start) = (Kinds::default(), 0, 0);
    // If the last block is full, an empty one follows, which ends a word at its end.
    for base in (0..=bytes.len()).step_by(BLOCK) {
        let kinds = kinds(&bytes[base..]);
        let after = bytes.get(base + BLOCK).map_or(Kinds::default(), |byte| self::kinds(&[*byte]));
        let word = kinds.word(before, after);
        // Where a word begins or ends: a bit that differs from the one before it.
        let mut edges = word ^ (word << 1 | inside);
        while edges != 0 {
            let at = base + edges.trailing_zeros() as usize;
            if inside == 0 {
                start = at;
            } else {
                take(start..at);
            }
            inside ^= 1;
            edges &= edges - 1;
        }
        before = kinds;
    }
    if inside == 1 {
        take(start..bytes.len());
    }
}

impl Kinds {
    /// A bit for each byte of this block that belongs to a word, given the blocks before and after it.
    #[inline(always)]
    fn word(self, before: Kinds, after: Kinds) -> u64 {
        let between =
            |own: u64, before: u64, after: u64| (own << 1 | before >> 63) & (own >> 1 | after << 63);
        let joined = between(self.letters, before.letters, after.letters)
            | between(self.digits, before.digits, after.digits);
        self.letters | self.digits | (self.apostrophes & joined)
    }
}

/// What the bytes at the front of `rest` are; nothing past the end.
#[inline(always)]
fn kinds(rest: &[u8]) -> Kinds {
    match rest.first_chunk() {
        Some(block) => whole(block),
        None => {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            whole(&block)
        }
    }
}

#[inline(always)]
fn whole(block: &[u8; BLOCK]) -> Kinds {
    let mut kinds = Kinds::default();
    for &part in block.as_chunks::<16>().0.iter().rev() {
        let part = u8x16::new(part);
        let within = |low: u8, count: u8, part: u8x16| {
            let above = part - u8x16::splat(low);
            u64::from(above.min(u8x16::splat(count - 1)).simd_eq(above).to_bitmask())
        };
        kinds.letters = kinds.letters << 16 | within(b'a', 26, part | u8x16::splat(0x20));
        kinds.digits = kinds.digits << 16 | within(b'0', 10, part);
        kinds.apostrophes = kinds.apostrophes << 16 | within(b'\'', 1, part);
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same, a byte at a time.
    fn slowly(text: &str) -> Vec<&str> {
        let bytes = text.as_bytes();
        let is = |at: usize, kind: fn(&u8) -> bool| bytes.get(at).is_some_and(kind);
        let joins = |at: usize, kind| at > 0 && bytes[at] == b'\'' && is(at - 1, kind) && is(at + 1, kind);
        let inside = |at: usize| {
            bytes[at].is_ascii_alphanumeric()
                || joins(at, u8::is_ascii_alphabetic)
                || joins(at, u8::is_ascii_digit)
        };
        let mut words = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let end = (at..bytes.len()).find(|&at| !inside(at)).unwrap_or(bytes.len());
            if at < end {
                words.push(&text[at..end]);
            }
            at = end + 1;
        }
        words
    }

    fn quickly(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        ascii_words(text.as_bytes(), &mut |word| words.push(text[word].to_string()));
        words
    }

    proptest! {
        #[test]
        fn are_those_of_the_slow_way(text in "[ -~]{0,300}", few in "[a1' .]{0,300}") {
            prop_assert_eq!(quickly(&text), slowly(&text));
            prop_assert_eq!(quickly(&few), slowly(&few));
        }
    }

    #[test]
    fn apostrophes_at_the_edges_of_blocks() {
        for length in 60..70 {
            for word in ["a'b", "1'2", "a'1", "'a", "a'", "a''b"] {
                let text = format!("{}{word}", " ".repeat(length));
                assert_eq!(quickly(&text), slowly(&text), "{length} {word}");
                let text = format!("{}{word}", "x".repeat(length));
                assert_eq!(quickly(&text), slowly(&text), "{length} {word}");
            }
        }
    }
}
