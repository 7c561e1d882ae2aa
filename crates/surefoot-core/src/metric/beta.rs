//! The regularised incomplete beta function, behind the binomial and Student's t.

/// Where the continued fraction stops, and what stands for zero in it.
const PRECISION: f64 = 1e-16;
const TINY: f64 = 1e-300;
/// It needs about √max(a, b) steps: this is enough for a and b of a hundred million.
const STEPS: u32 = 20_000;

/// I_x(a, b) for a, b > 0 and 0 ≤ x ≤ 1.
pub(super) fn regularised(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let ln_front =
        a * libm::log(x) + b * libm::log1p(-x) + libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    let front = libm::exp(ln_front);
    // The fraction converges fast on this side of the mean; the other side by symmetry.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * continued_fraction(x, a, b) / a
    } else {
        1.0 - front * continued_fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function by Lentz's method.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for step in 1..=STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for coefficient in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + coefficient * d);
            c = away_from_zero(1.0 + coefficient / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < PRECISION {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::function::beta::beta_reg;

    proptest! {
        #[test]
        fn agrees_with_statrs(x in 0.0..1.0_f64, a in 0.1..200.0_f64, b in 0.1..200.0_f64) {
            let (found, expected) = (regularised(x, a, b), beta_reg(a, b, x));
            prop_assert!((found - expected).abs() <= 1e-11, "{found} {expected}");
        }

        #[test]
        fn closed_forms(x in 0.0..1.0_f64, a in 0.5..20.0_f64) {
            prop_assert!((regularised(x, a, 1.0) - libm::pow(x, a)).abs() < 1e-13);
            prop_assert!((regularised(x, a, a) + regularised(1.0 - x, a, a) - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn the_ends() {
        assert_eq!((regularised(0.0, 2.0, 3.0), regularised(1.0, 2.0, 3.0)), (0.0, 1.0));
    }
}
