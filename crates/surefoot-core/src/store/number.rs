//! The numbers that cells are kept as. Every sum and every step is taken in f64; only what stays is rounded.

use std::borrow::Cow;
use std::fmt::Debug;

use crate::Result;
use crate::state::{State, Tensor};

/// A number as a store keeps it.
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
