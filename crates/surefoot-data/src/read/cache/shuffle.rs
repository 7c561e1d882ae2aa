//! Examples in random order, from a file that does not fit in memory.

use super::block;
use super::file::{self, BlockFile};
use crate::batch::Batch;
use crate::error::Result;
use crate::generate::Random;

/// Blocks that examples are drawn from at a time.
const WINDOW: usize = 32;

/// A pass in random order.
pub(super) struct Shuffle {
    random: Random,
    /// Blocks still to be read, the next one last.
    blocks: Vec<usize>,
    /// Blocks in memory, and which examples of them are still to be given.
    window: Vec<Batch>,
    waiting: Vec<(u32, u32)>,
    bytes: Vec<u8>,
}

impl Shuffle {
    pub(super) fn new(blocks: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut blocks: Vec<usize> = (0..blocks).collect();
        permute(&mut blocks, &mut random);
        Shuffle { random, blocks, window: Vec::new(), waiting: Vec::new(), bytes: Vec::new() }
    }

    pub(super) fn next_batch(&mut self, file: &mut BlockFile, batch: &mut Batch) -> Result<bool> {
        batch.clear();
        batch.file = None;
        if self.waiting.is_empty() {
            self.refill(file)?;
        }
        while let Some(&(block, position)) = self.waiting.last() {
            let example = self.window[block as usize].example(position as usize);
            if block::is_full(batch) || !block::append(batch, example) {
                break;
            }
            self.waiting.pop();
        }
        Ok(!batch.is_empty())
    }

    /// Reads the next blocks and draws the order of their examples.
    fn refill(&mut self, file: &mut BlockFile) -> Result<()> {
        let count = self.blocks.len().min(WINDOW);
        self.window.resize_with(count.max(self.window.len()), Batch::new);
        for slot in 0..count {
            let Some(block) = self.blocks.pop() else { break };
            file.read(block, &mut self.bytes)?;
            file::decode(file.path(), &self.bytes, &mut self.window[slot])?;
            self.waiting.extend((0..self.window[slot].len()).map(|position| (slot as u32, position as u32)));
        }
        permute(&mut self.waiting, &mut self.random);
        Ok(())
    }
}

/// Every order with the same chance (Fisher and Yates).
fn permute<T>(items: &mut [T], random: &mut Random) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last as u64 + 1) as usize);
    }
}
