//! Numbers that begin with a cache line, so that a row of 64 or 32 bytes never lies in two of them.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};

/// A cache line.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

/// A growing list of numbers, as a `Vec` but for its alignment.
#[derive(Debug, Clone)]
pub(super) struct Lines<T> {
    lines: Vec<Line>,
    length: usize,
    kind: PhantomData<T>,
}

impl<T: Pod> Lines<T> {
    /// No numbers; room for so many.
    pub(super) fn with_capacity(numbers: usize) -> Self {
        Self { lines: Vec::with_capacity(lines_of::<T>(numbers)), length: 0, kind: PhantomData }
    }

    /// Makes room for so many numbers more.
    pub(super) fn reserve(&mut self, more: usize) {
        self.lines.reserve(lines_of::<T>(self.length + more) - self.lines.len());
    }

    /// Appends numbers.
    pub(super) fn extend_from_slice(&mut self, numbers: &[T]) {
        let start = self.length;
        self.length += numbers.len();
        self.lines.resize(lines_of::<T>(self.length), Line::zeroed());
        self[start..].copy_from_slice(numbers);
    }
}

fn lines_of<T>(numbers: usize) -> usize {
    (numbers * size_of::<T>()).div_ceil(size_of::<Line>())
}

impl<T: Pod> From<&[T]> for Lines<T> {
    fn from(numbers: &[T]) -> Self {
        let mut lines = Self::with_capacity(numbers.len());
        lines.extend_from_slice(numbers);
        lines
    }
}

impl<T: Pod> Deref for Lines<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &cast_slice(&self.lines)[..self.length]
    }
}

impl<T: Pod> DerefMut for Lines<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut cast_slice_mut(&mut self.lines)[..self.length]
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
