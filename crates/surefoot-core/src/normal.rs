//! The standard normal distribution: density, Φ, its tails and logarithm, and Φ⁻¹.
//!
//! Everything transcendental comes from `libm`, so that results are the same bits on every platform.

use std::f64::consts::FRAC_1_SQRT_2;

/// 1/√(2π).
const FRAC_1_SQRT_2PI: f64 = 0.398_942_280_401_432_7;
/// ln √(2π).
const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_8;

/// Below this, ln Φ comes from the asymptotic series: ten terms are exact to 1e-17 there, while `erfc`
/// loses digits as x² and underflows near −38.
const ASYMPTOTIC: f64 = -20.0;

/// The density at `x`.
pub fn pdf(x: f64) -> f64 {
    FRAC_1_SQRT_2PI * libm::exp(-0.5 * x * x)
}

/// The logarithm of the density at `x`; never underflows.
pub fn ln_pdf(x: f64) -> f64 {
    -0.5 * x * x - LN_SQRT_2PI
}

/// Φ(x), the probability of a value below `x`.
///
/// ```
/// use surefoot_core::normal;
/// assert!((normal::cdf(1.0) - 0.841_344_746_068_542_9).abs() < 1e-15);
/// ```
pub fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// 1 − Φ(x), the probability of a value above `x`, without the cancellation of computing it that way.
pub fn upper_tail(x: f64) -> f64 {
    cdf(-x)
}

/// ln Φ(x), for any `x`: it neither underflows far on the left nor rounds to 0 on the right.
///
/// ```
/// use surefoot_core::normal;
/// assert!(normal::ln_cdf(-1e8) < -4.9e15);
/// assert!(normal::ln_cdf(20.0) < 0.0);
/// ```
pub fn ln_cdf(x: f64) -> f64 {
    if x < ASYMPTOTIC {
        ln_pdf(x) - libm::log(-x) + libm::log1p(mills_correction(x))
    } else if x < 0.0 {
        libm::log(cdf(x))
    } else {
        libm::log1p(-upper_tail(x))
    }
}

/// −1/x² + 3/x⁴ − 15/x⁶ + …, so that Φ(x) = pdf(x)/|x| · (1 + correction) for x far below zero.
fn mills_correction(x: f64) -> f64 {
    let inverse_square = 1.0 / (x * x);
    let nested = (1..=10).rev().fold(1.0, |sum, k| 1.0 - f64::from(2 * k - 1) * inverse_square * sum);
    nested - 1.0
}

/// Φ⁻¹(p): Wichura's algorithm AS 241 (PPND16), relative error about 5e-16 for `p` down to 1e-300.
///
/// `quantile(0)` is −∞ and `quantile(1)` is +∞; outside [0, 1] the answer is NaN. Near 1 a double cannot hold
/// `p` well: use `-quantile(1 − p)` with the tail you know.
///
/// ```
/// use surefoot_core::normal;
/// assert!((normal::quantile(0.9) - 1.281_551_565_544_600_4).abs() < 1e-15);
/// ```
pub fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * horner(&CENTRE_NUMERATOR, r) / horner(&CENTRE_DENOMINATOR, r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail == 0.0 {
        return q.signum() * f64::INFINITY;
    }
    let r = (-libm::log(tail)).sqrt(); // NaN outside [0, 1]
    let magnitude = if r <= 5.0 {
        horner(&SHOULDER_NUMERATOR, r - 1.6) / horner(&SHOULDER_DENOMINATOR, r - 1.6)
    } else {
        horner(&TAIL_NUMERATOR, r - 5.0) / horner(&TAIL_DENOMINATOR, r - 5.0)
    };
    magnitude.copysign(q)
}

/// The papers' φ = Φ⁻¹(η) of a confidence ½ < η < 1, computed from the tail 1 − η, which is exact in
/// floating point there. Callers refuse other values of η: ½ gives 0 and 1 gives ∞, and neither can learn.
///
/// ```
/// use surefoot_core::normal;
/// assert!((normal::phi_of_confidence(0.95) - 1.644_853_626_951_472_7).abs() < 1e-14);
/// ```
pub fn phi_of_confidence(eta: f64) -> f64 {
    -quantile(1.0 - eta)
}

/// The polynomial with these coefficients, lowest power first.
fn horner(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

// Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics 37 (1988).
const CENTRE_NUMERATOR: [f64; 8] = [
    3.3871328727963665,
    133.14166789178438,
    1971.5909503065513,
    13731.69376550946,
    45921.95393154987,
    67265.7709270087,
    33430.57558358813,
    2509.0809287301227,
];
const CENTRE_DENOMINATOR: [f64; 8] = [
    1.0,
    42.31333070160091,
    687.1870074920579,
    5394.196021424751,
    21213.794301586597,
    39307.89580009271,
    28729.085735721943,
    5226.495278852854,
];
const SHOULDER_NUMERATOR: [f64; 8] = [
    1.4234371107496835,
    4.630337846156546,
    5.769497221460691,
    3.6478483247632045,
    1.2704582524523684,
    0.2417807251774506,
    0.022723844989269184,
    0.0007745450142783414,
];
const SHOULDER_DENOMINATOR: [f64; 8] = [
    1.0,
    2.053191626637759,
    1.6763848301838038,
    0.6897673349851,
    0.14810397642748008,
    0.015198666563616457,
    0.0005475938084995345,
    1.0507500716444169e-09,
];
const TAIL_NUMERATOR: [f64; 8] = [
    6.657904643501103,
    5.463784911164114,
    1.7848265399172913,
    0.29656057182850487,
    0.026532189526576124,
    0.0012426609473880784,
    2.7115555687434876e-05,
    2.0103343992922881e-07,
];
const TAIL_DENOMINATOR: [f64; 8] = [
    1.0,
    0.599832206555888,
    0.1369298809227358,
    0.014875361290850615,
    0.0007868691311456133,
    1.8463183175100548e-05,
    1.421511758316446e-07,
    2.0442631033899397e-15,
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Continuous, ContinuousCDF, Normal};

    fn close(found: f64, expected: f64, relative: f64) -> bool {
        (found - expected).abs() <= relative * expected.abs()
    }

    /// ln Φ to 17 digits, from 60-digit arithmetic.
    const LN_CDF: [(f64, f64); 16] = [
        (-1e8, -5000000000000019.3396),
        (-1e4, -50000010.12927891),
        (-100.0, -5005.524208694205),
        (-37.5, -707.6689893175072),
        (-20.5, -214.0667289632638),
        (-20.0, -203.91715537109727),
        (-19.5, -194.0169657774975),
        (-10.0, -53.23128515051247),
        (-5.0, -15.064998393988725),
        (-1.0, -1.8410216450092636),
        (-0.25, -0.9130617648111351),
        (0.5, -0.3689464152886564),
        (1.0, -0.17275377902344988),
        (3.0, -0.0013508099647481938),
        (8.0, -6.220960574271786e-16),
        (20.0, -2.7536241186062337e-89),
    ];

    /// Φ⁻¹ of these doubles to 17 digits, from 60-digit arithmetic.
    const QUANTILE: [(f64, f64); 12] = [
        (1e-300, -37.0470962993612),
        (1e-200, -30.20559417957964),
        (1e-100, -21.273453560965326),
        (1e-20, -9.262340089798407),
        (1e-11, -6.706023155495136),
        (1e-9, -5.9978070150076865),
        (1e-5, -4.264890793922825),
        (0.01, -2.326347874040841),
        (0.05, -1.6448536269514726),
        (0.1, -1.2815515655446004),
        (0.25, -0.6744897501960817),
        (0.45, -0.12566134685507402),
    ];

    #[test]
    fn ln_cdf_matches_multiprecision_values() {
        for (x, expected) in LN_CDF {
            // On the right ln Φ ≈ −upper tail, whose relative error grows as x².
            assert!(close(ln_cdf(x), expected, 4e-15 * x.max(1.0) * x.max(1.0)), "{x}: {}", ln_cdf(x));
        }
        assert_eq!(ln_cdf(f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(ln_cdf(f64::INFINITY), 0.0);
        assert!(ln_cdf(f64::NAN).is_nan());
    }

    #[test]
    fn quantile_matches_multiprecision_values() {
        for (p, expected) in QUANTILE {
            assert!(close(quantile(p), expected, 5e-16), "{p}: {}", quantile(p));
        }
    }

    #[test]
    fn quantile_at_and_beyond_the_ends() {
        assert_eq!(quantile(0.5), 0.0);
        assert_eq!(quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(quantile(1.0), f64::INFINITY);
        assert!(quantile(-0.1).is_nan() && quantile(1.1).is_nan() && quantile(f64::NAN).is_nan());
    }

    #[test]
    fn phi_near_one_keeps_its_digits() {
        let eta = 1.0 - 1e-12;
        assert!(close(upper_tail(phi_of_confidence(eta)), 1.0 - eta, 1e-13));
        let barely = 0.5 + 1e-10;
        assert!(close(phi_of_confidence(barely), (barely - 0.5) / FRAC_1_SQRT_2PI, 1e-15));
    }

    proptest! {
        #[test]
        fn agrees_with_statrs(x in -35.0..35.0_f64) {
            let normal = Normal::standard();
            prop_assert!(close(pdf(x), normal.pdf(x), 1e-12));
            prop_assert!(close(libm::exp(ln_pdf(x)), pdf(x), 1e-12));
            // statrs loses digits in the tail of its erfc.
            prop_assert!(close(cdf(x), normal.cdf(x), 1e-9));
            prop_assert!(close(upper_tail(x), normal.sf(x), 1e-9));
        }

        #[test]
        fn quantile_agrees_with_statrs(exponent in -300.0..-0.001_f64) {
            let p = libm::exp(exponent * std::f64::consts::LN_10);
            prop_assert!(close(quantile(p), Normal::standard().inverse_cdf(p), 2e-15));
        }

        #[test]
        fn quantile_inverts_cdf(x in -37.0..7.0_f64) {
            // For x > 0 the double nearest Φ(x) limits what can be recovered: half an ulp over the density.
            let lost = f64::EPSILON / pdf(x.max(0.0)) + 1e-13 * (1.0 + x.abs());
            prop_assert!((quantile(cdf(x)) - x).abs() <= lost);
        }

        #[test]
        fn tails_add_up_and_ln_cdf_is_the_logarithm(x in -36.0..36.0_f64) {
            prop_assert!((cdf(x) + upper_tail(x) - 1.0).abs() <= 4.0 * f64::EPSILON);
            prop_assert!(close(libm::exp(ln_cdf(x)), cdf(x), 3e-13));
        }
    }
}
