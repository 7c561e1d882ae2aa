//! Wider vectors where the processor has them.
//!
//! A release runs on every x86-64, whose vectors hold two numbers. Nearly every processor that is left has some of four, and
//! the walks over rows of several members or classes are made of groups of four. The numbers are the same: nothing is
//! reordered, and no product and sum become one. `--bench ensemble` and `--bench multiclass` measure what it saves.

use std::ops::{Add, Div, Mul, Sub};

/// Four numbers side by side; an operation is done to each. Without branches, so that the compiler takes several at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Four(pub(crate) [f64; 4]);

macro_rules! each {
    ($trait:ident, $method:ident) => {
        impl $trait for Four {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i].$method(other.0[i])))
            }
        }
    };
}

each!(Add, add);
each!(Sub, sub);
each!(Mul, mul);
each!(Div, div);

/// A walk over many numbers.
pub(crate) trait Vectorized {
    /// What it finds.
    type Found;

    /// Walks. To gain anything it must be `#[inline(always)]`, and all that it calls inlined: only then is it compiled anew
    /// for the wider vectors.
    fn walk(self) -> Self::Found;
}

/// Walks with vectors of four numbers if the processor has them.
#[inline]
pub(crate) fn vectored<W: Vectorized>(walk: W) -> W::Found {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the only danger of the function is a processor without AVX2, and this one has said that it has it.
        #[allow(unsafe_code)]
        return unsafe { with_avx2(walk) };
    }
    walk.walk()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<W: Vectorized>(walk: W) -> W::Found {
    walk.walk()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Mix<'a>(&'a [[f64; 4]]);

    impl Vectorized for Mix<'_> {
        type Found = [f64; 4];

        #[inline(always)]
        fn walk(self) -> [f64; 4] {
            let mut sums = [0.1; 4];
            for row in self.0 {
                sums = std::array::from_fn(|i| (sums[i] + row[i] * 1.1) / (1.0 + row[i] * row[i]));
            }
            sums
        }
    }

    #[test]
    fn the_numbers_are_the_same() {
        let numbers: Vec<f64> = (0..1000).map(|i| (f64::from(i) * 0.7).sin() / 3.0).collect();
        let rows = numbers.as_chunks().0;
        assert_eq!(vectored(Mix(rows)), Mix(rows).walk());
    }
}
