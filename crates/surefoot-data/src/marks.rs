//! Where the marks of a line stand, sixty-four bytes at a time.
//!
//! A parser that goes from byte to byte knows where a word begins only when it has read the one before, and guesses
//! wrong at nearly every end of a word. Here the ends of many words are found first, as the bits of a mask that costs
//! no branch; words are then read independently of each other, in loops of their own.

use wide::u8x16;

/// Bytes that are looked at together.
const BLOCK: usize = 64;

/// Marks that are written together; fewer may count.
const STRIDE: usize = 8;

/// Marks that are kept at most.
const ROOM: usize = 4 * BLOCK;

/// Positions of two bytes in a piece of a line.
pub(crate) struct Marks {
    at: [u32; ROOM + BLOCK],
    count: usize,
}

impl Marks {
    /// None yet.
    pub(crate) fn new() -> Self {
        Marks { at: [0; ROOM + BLOCK], count: 0 }
    }

    /// Finds the marks of `line` from `start` on, some hundreds at most, and takes the end of the line for the last.
    /// The line must be shorter than 2³² bytes.
    #[inline]
    pub(crate) fn find(&mut self, line: &[u8], start: usize, marks: [u8; 2]) -> &[u32] {
        self.count = 0;
        let mut base = start;
        while base <= line.len() && self.count < ROOM - BLOCK {
            self.write(base as u32, bits(&line[base..], marks));
            base += BLOCK;
        }
        &self.at[..self.count]
    }

    /// Writes the positions of the bits. More than there are, in runs of fixed length: what is too much is overwritten
    /// by the next block, and the number of bits, which nobody can predict, costs hardly a branch.
    #[inline(always)]
    fn write(&mut self, base: u32, mut bits: u64) {
        let mut next = self.count;
        self.count += bits.count_ones() as usize;
        loop {
            if let Some(run) = self.at[next..].first_chunk_mut::<STRIDE>() {
                for place in run {
                    *place = base + bits.trailing_zeros();
                    bits &= bits.wrapping_sub(1);
                }
            }
            next += STRIDE;
            if bits == 0 {
                return;
            }
        }
    }
}

/// A bit for each mark of the block at the front of `rest`, and one for the end of the line if it is in the block.
#[inline(always)]
fn bits(rest: &[u8], marks: [u8; 2]) -> u64 {
    match rest.first_chunk() {
        Some(block) => whole(block, marks),
        None => last(rest, marks),
    }
}

#[inline(always)]
fn whole(block: &[u8; BLOCK], marks: [u8; 2]) -> u64 {
    let [one, other] = marks.map(u8x16::splat);
    let (parts, _) = block.as_chunks::<16>();
    parts.iter().rev().fold(0, |bits, &part| {
        let part = u8x16::new(part);
        bits << 16 | u64::from((part.simd_eq(one) | part.simd_eq(other)).to_bitmask())
    })
}

fn last(rest: &[u8], marks: [u8; 2]) -> u64 {
    let mut block = [marks[0]; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    // Of what fills the block up, only the first byte is a mark.
    whole(&block, marks) & (u64::MAX >> (BLOCK - 1 - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn are_where_a_search_finds_them(line in "[ :0-9é]{0,900}", start in 0usize..80) {
            let line = line.as_bytes();
            let start = start.min(line.len());
            let is_mark = |at: &usize| matches!(line[*at], b' ' | b':');
            let expected: Vec<u32> = (start..line.len()).filter(is_mark).chain([line.len()]).map(|at| at as u32).collect();
            let mut marks = Marks::new();
            let found = marks.find(line, start, [b' ', b':']);
            prop_assert_eq!(found, &expected[..found.len()]);
            prop_assert!(found.len() == expected.len() || found.len() >= ROOM - BLOCK);
        }

        #[test]
        fn as_dense_as_can_be(length in 0usize..600) {
            let line = vec![b':'; length];
            let mut marks = Marks::new();
            let found = marks.find(&line, 0, [b' ', b':']);
            prop_assert!(found.iter().enumerate().all(|(at, &mark)| mark == at as u32));
            prop_assert!(found.len() >= (length + 1).min(ROOM - BLOCK));
        }
    }
}
