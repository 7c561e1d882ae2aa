//! One bit an example.

/// A list of marks, one bit each.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    bits: Vec<u64>,
    len: usize,
}

impl Marks {
    pub(crate) fn push(&mut self, mark: bool) {
        if self.len.is_multiple_of(64) {
            self.bits.push(0);
        }
        if let Some(last) = self.bits.last_mut() {
            *last |= u64::from(mark) << (self.len % 64);
        }
        self.len += 1;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|i| self.bits[i / 64] >> (i % 64) & 1 == 1)
    }
}
