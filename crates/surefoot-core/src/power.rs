//! e^x and ln x: the same bits on every machine, several at a time, and without a branch that the numbers decide.
//!
//! `libm` chooses between ways by how large x is. Margins lie on both sides of its borders, so the processor guesses wrong
//! every other time, and each round of an ensemble has a dozen of these (benches/README.md has what that costs), and each feature of a row a logarithm.

use std::f64::consts::LOG2_E;

/// ln 2 in two parts. The first has so many zeros at its end that a product with any exponent is exact.
const LN_2: [f64; 2] = [f64::from_bits(0x3fe6_2e42_fee0_0000), f64::from_bits(0x3dea_39ef_3579_3c76)];

/// Beside so large a number only whole ones have room: the sum rounds, and its lowest bits are the whole number.
const ROUND: f64 = 1.5 * (1_u64 << 52) as f64;

/// Between minus and plus this number all powers are normal numbers.
const LARGEST: f64 = 708.0;

/// 1/n! from n = 2 on: for a rest of at most ln 2 / 2 the first term that is left out is 4e-18.
const SERIES: [f64; 12] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// e^x, to less than one unit in the last place.
#[inline]
pub(crate) fn exp(x: f64) -> f64 {
    if x.abs() <= LARGEST { usual(x) } else { libm::exp(x) }
}

/// e^x for each, with the bits of [`exp`], if none is farther than 708 from 0; what is counts as that.
#[inline]
pub(crate) fn exp_each<const N: usize>(x: [f64; N]) -> [f64; N] {
    std::array::from_fn(|i| usual(x[i].clamp(-LARGEST, LARGEST)))
}

/// The nearest power of 2, times the series for the rest.
#[inline(always)]
fn usual(x: f64) -> f64 {
    let rounded = x * LOG2_E + ROUND;
    let whole = rounded - ROUND;
    let r = (x - whole * LN_2[0]) - whole * LN_2[1];
    // Terms in pairs, pairs of pairs, and so on: a processor works on several at a time.
    let r2 = r * r;
    let r4 = r2 * r2;
    let pair = |n: usize| SERIES[n] + SERIES[n + 1] * r;
    let four = |n: usize| pair(n) + pair(n + 2) * r2;
    let series = four(0) + (four(4) + four(8) * r4) * r4;
    let power = 1.0 + (r + series * r2);
    power * f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52)
}

/// 1/(2n + 1) from n = 1 on: for a mantissa between √½ and √2 the first term that is left out is 1e-17 of the whole.
const ARTANH: [f64; 10] = [
    1.0 / 3.0,
    1.0 / 5.0,
    1.0 / 7.0,
    1.0 / 9.0,
    1.0 / 11.0,
    1.0 / 13.0,
    1.0 / 15.0,
    1.0 / 17.0,
    1.0 / 19.0,
    1.0 / 21.0,
];

/// The natural logarithm of a normal number above 0, to a few units in the last place: that of the nearest power of 2, and a
/// series for the rest, ln m = 2·artanh((m − 1)/(m + 1)).
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    // The distance to √½ in bits: its upper part is the exponent.
    let above = x.to_bits().wrapping_sub(std::f64::consts::FRAC_1_SQRT_2.to_bits());
    let exponent = (above as i64 >> 52) as f64;
    let m = f64::from_bits((above & ((1 << 52) - 1)) + std::f64::consts::FRAC_1_SQRT_2.to_bits());
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let z2 = z * z;
    let z4 = z2 * z2;
    let pair = |n: usize| ARTANH[n] + ARTANH[n + 1] * z;
    let series = (pair(0) + pair(2) * z2) + ((pair(4) + pair(6) * z2) + pair(8) * z4) * z4;
    exponent * LN_2[0] + (exponent * LN_2[1] + (2.0 * s + 2.0 * s * z * series))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ends_and_oddities_are_those_of_libm() {
        for x in [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 709.9, -745.0, -800.0, 708.0, -708.0, 1e-300] {
            let (own, exact) = (exp(x), libm::exp(x));
            assert!(own == exact || (own / exact - 1.0).abs() < 3e-16, "{x}: {own} and {exact}");
        }
        assert!(exp(f64::NAN).is_nan() && exp_each([f64::NAN])[0].is_nan());
        assert_eq!(exp_each([1e9, -1e9]), [exp(708.0), exp(-708.0)]);
    }

    #[test]
    fn the_logarithm_of_one_is_nothing() {
        assert_eq!((ln(1.0), ln(2.0)), (0.0, std::f64::consts::LN_2));
    }

    proptest! {
        #[test]
        fn logarithms_are_those_of_libm(x in prop_oneof![1e-300..1e300_f64, 0.5..2.0_f64, 1.0..1000.0_f64]) {
            let (own, exact) = (ln(x), libm::log(x));
            prop_assert!((own - exact).abs() <= 4e-16 * exact.abs(), "{}: {} and {}", x, own, exact);
        }

        #[test]
        fn is_right_to_the_last_digit(x in prop_oneof![-708.0..708.0_f64, -2.0..2.0_f64, -1e-9..1e-9_f64]) {
            let (own, exact) = (exp(x), libm::exp(x));
            // Each within one unit of the truth.
            prop_assert!(own.to_bits().abs_diff(exact.to_bits()) <= 1, "{}: {} and {}", x, own, exact);
            prop_assert_eq!(exp_each([x, 0.5, -x]), [own, exp(0.5), exp(-x)]);
        }
    }
}
