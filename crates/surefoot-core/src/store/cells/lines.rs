//! Numbers that begin with a cache line, so that a row of 64 or 32 bytes never lies in two of them.
//!
//! A `Vec` of a type with that alignment would do, but the system cannot enlarge such memory in place: every time a table
//! grows, all of it would be copied, and be there twice meanwhile.

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;

/// Bytes of a cache line.
const LINE: usize = 64;

/// A growing list of numbers, as a `Vec` but for its alignment.
#[derive(Debug)]
pub(super) struct Lines<T> {
    numbers: Vec<T>,
    /// Where the first cache line begins.
    start: usize,
}

impl<T: Pod> Lines<T> {
    /// No numbers; room for so many.
    pub(super) fn with_capacity(numbers: usize) -> Self {
        let mut lines = Self { numbers: Vec::new(), start: 0 };
        lines.reserve(numbers);
        lines
    }

    /// Makes room for so many numbers more.
    pub(super) fn reserve(&mut self, more: usize) {
        self.numbers.reserve(more + LINE / size_of::<T>());
        let (start, length) = (self.numbers.as_ptr().align_offset(LINE), self.len());
        if start != self.start {
            // Memory that has moved begins elsewhere in its cache line, if it was small.
            let old = self.start..self.start + length;
            self.numbers.resize(length + start.max(self.start), T::zeroed());
            self.numbers.copy_within(old, start);
            self.numbers.truncate(start + length);
            self.start = start;
        }
    }

    /// Appends numbers.
    pub(super) fn extend_from_slice(&mut self, numbers: &[T]) {
        self.reserve(numbers.len());
        self.numbers.extend_from_slice(numbers);
    }
}

impl<T: Pod> Clone for Lines<T> {
    fn clone(&self) -> Self {
        Self::from(&self[..])
    }
}

impl<T: Pod> From<&[T]> for Lines<T> {
    fn from(numbers: &[T]) -> Self {
        let mut lines = Self::with_capacity(numbers.len());
        lines.extend_from_slice(numbers);
        lines
    }
}

impl<T> Deref for Lines<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.numbers[self.start..]
    }
}

impl<T> DerefMut for Lines<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.numbers[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_and_the_first_begins_a_cache_line() {
        let (mut lines, mut plain) = (Lines::<f32>::with_capacity(0), Vec::new());
        for length in [0, 1, 15, 16, 17, 3, 1000] {
            let more: Vec<f32> = (0..length).map(|i| i as f32 + 0.5).collect();
            lines.reserve(length);
            lines.extend_from_slice(&more);
            plain.extend_from_slice(&more);
            assert_eq!(lines[..], plain[..]);
            assert_eq!(lines.as_ptr().addr() % 64, 0);
        }
        assert_eq!(Lines::from(&plain[..])[..], plain[..]);
    }
}
