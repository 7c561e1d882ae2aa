//! ln Φ and its derivative from a table: the vote needs thousands of them a label distribution.

use crate::normal;

/// How many standard deviations of a Gaussian matter: beyond, on either side, lies less than 1.1e-18.
pub(super) const REACH: f64 = 8.75;

const CELLS_PER_UNIT: f64 = 8.0;
const CELLS: usize = 141;
/// Φ has no zero within 2.8 of the real line and a cell's radius is 1/16, so the terms shrink by a factor of
/// 45: ten leave 1e-15 in the derivative.
const TERMS: usize = 10;

/// Taylor series of ln Φ about points an eighth apart, from −[`REACH`] to [`REACH`].
#[derive(Debug, Clone)]
pub(super) struct LnPhi {
    cells: Box<[[f64; TERMS]; CELLS]>,
}

impl LnPhi {
    pub(super) fn new() -> Self {
        let mut cells = Box::new([[0.0; TERMS]; CELLS]);
        for (i, cell) in cells.iter_mut().enumerate() {
            *cell = taylor(i as f64 / CELLS_PER_UNIT - REACH);
        }
        LnPhi { cells }
    }

    /// ln Φ(t); beyond the reach Φ is 1 above and stays what it is below.
    pub(super) fn value(&self, t: f64) -> f64 {
        self.value_and_slope(t).0
    }

    /// ln Φ(t) and its derivative pdf(t)/Φ(t), cut in the same way.
    #[inline]
    pub(super) fn value_and_slope(&self, t: f64) -> (f64, f64) {
        if t > REACH {
            return (0.0, 0.0);
        }
        let (cell, offset) = self.locate(t);
        cell.iter().rev().fold((0.0, 0.0), |(value, slope), c| (value * offset + c, slope * offset + value))
    }

    #[inline]
    fn locate(&self, t: f64) -> (&[f64; TERMS], f64) {
        let position = (t.max(-REACH) + REACH) * CELLS_PER_UNIT;
        let nearest = ((position + 0.5) as usize).min(CELLS - 1);
        (&self.cells[nearest], (position - nearest as f64) / CELLS_PER_UNIT)
    }
}

/// The Taylor coefficients of ln Φ at `t`, from h = (ln Φ)' = pdf/Φ and its differential equation h' = −h·(t + h).
fn taylor(t: f64) -> [f64; TERMS] {
    let mut h = [0.0; TERMS];
    let ln_phi = normal::ln_cdf(t);
    h[0] = libm::exp(normal::ln_pdf(t) - ln_phi);
    for n in 0..TERMS - 1 {
        let square: f64 = (0..=n).map(|i| h[i] * h[n - i]).sum();
        let shifted = if n > 0 { h[n - 1] } else { 0.0 };
        h[n + 1] = -(t * h[n] + shifted + square) / (n + 1) as f64;
    }
    std::array::from_fn(|n| if n == 0 { ln_phi } else { h[n - 1] / n as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_direct_form(t in -REACH..REACH) {
            let table = LnPhi::new();
            let ln_phi = normal::ln_cdf(t);
            let ratio = libm::exp(normal::ln_pdf(t) - ln_phi);
            let (value, slope) = table.value_and_slope(t);
            prop_assert!((value - ln_phi).abs() <= 4e-15 * (1.0 + ln_phi.abs()), "{value} {ln_phi}");
            // The direct form itself loses digits as t².
            prop_assert!((slope - ratio).abs() <= 4e-15 * (1.0 + t * t * ratio), "{slope} {ratio}");
            prop_assert_eq!(value, table.value(t));
        }

        #[test]
        fn keeps_the_digits_of_a_small_upper_tail(t in 5.0..REACH) {
            let found = LnPhi::new().value(t);
            prop_assert!((found - normal::ln_cdf(t)).abs() <= 1e-6 * normal::upper_tail(t));
        }
    }
}
