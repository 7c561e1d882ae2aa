//! Numbers: several at a time, with wider vectors where the processor has them, and as stores keep them.
//!
//! A release runs on every x86-64, whose vectors hold two numbers. Nearly every processor that is left has some of four, and
//! the walks over rows of several members or classes are made of groups of four. The numbers are the same: nothing is
//! reordered, and no product and sum become one. `--bench ensemble` and `--bench multiclass` measure what it saves.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Sub};

use crate::state::{State, Tensor};
use crate::{Result, SparseVec};

/// Four numbers side by side; an operation is done to each. Without branches, so that the compiler takes several at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Four(pub(crate) [f64; 4]);

impl Four {
    /// The numbers for 0 to 3. Not `array::from_fn` or `map`: those are calls, which stop the compiler from taking several
    /// numbers at a time.
    #[inline(always)]
    pub(crate) fn of(number: impl Fn(usize) -> f64) -> Self {
        Self([number(0), number(1), number(2), number(3)])
    }
}

macro_rules! each {
    ($trait:ident, $method:ident) => {
        impl $trait for Four {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self::of(|i| self.0[i].$method(other.0[i]))
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

/// Sums are taken in so many lanes: fast on any processor, the same bits on every one.
///
/// Independent sums let the compiler use vector instructions without changing the order of additions. An entry's lane is
/// its index modulo eight, in sparse sums too, so that a sparse vector with ascending ids and its dense copy give the
/// same bits.
const LANES: usize = 8;

#[inline(always)]
fn total(sums: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// a·b over the shorter of the two.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    vectored(Dot(&a[..n], &b[..n]))
}

/// Two slices of one length.
struct Dot<'a>(&'a [f64], &'a [f64]);

impl Vectorized for Dot<'_> {
    type Found = f64;

    #[inline(always)]
    fn walk(self) -> f64 {
        let ((a, a_rest), (b, b_rest)) = (self.0.as_chunks::<LANES>(), self.1.as_chunks::<LANES>());
        let mut sums = [0.0; LANES];
        for (x, y) in a.iter().zip(b) {
            for lane in 0..LANES {
                sums[lane] += x[lane] * y[lane];
            }
        }
        for (sum, (x, y)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
            *sum += x * y;
        }
        total(sums)
    }
}

/// row·x over the features that have a place in the row.
pub(crate) fn dot_sparse(row: &[f64], x: SparseVec<'_>) -> f64 {
    let mut sums = [0.0; LANES];
    for (id, value) in x.iter() {
        if let Some(entry) = row.get(id) {
            sums[id % LANES] += entry * value;
        }
    }
    total(sums)
}

/// out ← out + scale·row over the shorter of the two.
pub(crate) fn add_scaled(out: &mut [f64], scale: f64, row: &[f64]) {
    for (sum, entry) in out.iter_mut().zip(row) {
        *sum += scale * entry;
    }
}

/// A number as a store keeps it. Every sum and every step is taken in f64; only what stays is rounded.
pub trait Number: bytemuck::Pod + Into<f64> + PartialEq + Debug + Send + Sync {
    /// What a mean is kept as.
    fn mean(exact: f64) -> Self;

    /// What a variance is kept as.
    fn variance(exact: f64) -> Self;

    /// The number to reckon with.
    #[inline(always)]
    fn wide(self) -> f64 {
        self.into()
    }

    /// Such numbers for a model file.
    fn tensor(numbers: Cow<'_, [Self]>) -> Tensor<'_>;

    /// Takes such numbers out of what was in a model file.
    fn take(state: &mut State<'_>, name: &str) -> Result<Vec<Self>>;
}

impl Number for f64 {
    #[inline(always)]
    fn mean(exact: f64) -> Self {
        exact
    }

    #[inline(always)]
    fn variance(exact: f64) -> Self {
        exact
    }

    fn tensor(numbers: Cow<'_, [Self]>) -> Tensor<'_> {
        Tensor::F64(numbers)
    }

    fn take(state: &mut State<'_>, name: &str) -> Result<Vec<Self>> {
        state.take_f64(name)
    }
}

/// The ends of single precision, in double: what is held between them before it is rounded needs no branch.
const LEAST: f64 = f32::MIN_POSITIVE as f64;
const MOST: f64 = f32::MAX as f64;

/// The range is that of the exponents: a mean beyond it stays at its end, and a variance that would vanish stays the
/// smallest with all its digits, so that the weight can still move.
impl Number for f32 {
    #[inline(always)]
    fn mean(exact: f64) -> Self {
        exact.clamp(-MOST, MOST) as f32
    }

    #[inline(always)]
    fn variance(exact: f64) -> Self {
        // Not `clamp`: what is not a number ends at the smallest too.
        let kept = if exact > LEAST { exact } else { LEAST };
        (if kept < MOST { kept } else { MOST }) as f32
    }

    fn tensor(numbers: Cow<'_, [Self]>) -> Tensor<'_> {
        Tensor::F32(numbers)
    }

    fn take(state: &mut State<'_>, name: &str) -> Result<Vec<Self>> {
        state.take_f32(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;

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

    #[test]
    fn sparse_and_dense_sums_have_the_same_bits() {
        for n in 0..40_usize {
            let row: Vec<f64> = (0..n).map(|i| (i as f64 + 0.3).sqrt()).collect();
            let dense: Vec<f64> =
                (0..n).map(|i| if i % 3 == 1 { 0.0 } else { 1.0 / (i as f64 + 0.7) }).collect();
            let sparse = Vector::from_dense(&dense).unwrap();
            assert_eq!(dot(&row, &dense), dot_sparse(&row, sparse.features()));
            let plain: f64 = row.iter().zip(&dense).map(|(a, b)| a * b).sum();
            assert!((dot(&row, &dense) - plain).abs() <= 1e-13);
        }
    }

    #[test]
    fn what_single_precision_cannot_hold_stays_at_the_end_of_its_range() {
        for (exact, kept) in [(1e39, f32::MAX), (-1e300, f32::MIN), (0.1, 0.1), (1e-46, 0.0), (-0.5, -0.5)] {
            assert_eq!(<f32 as Number>::mean(exact), kept, "{exact}");
        }
        let least = f32::MIN_POSITIVE;
        for (exact, kept) in [(0.0, least), (1e-39, least), (1e-300, least), (f64::NAN, least), (0.1, 0.1)] {
            assert_eq!(<f32 as Number>::variance(exact), kept, "{exact}");
        }
        assert_eq!(<f32 as Number>::variance(f64::INFINITY), f32::MAX);
    }
}
