//! Double-double arithmetic: some 32 digits, enough to judge what double precision lost.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The unevaluated sum of two doubles.
#[derive(Debug, Clone, Copy)]
pub struct Double(f64, f64);

/// A double as a double-double.
pub fn exact(x: f64) -> Double {
    Double(x, 0.0)
}

impl Double {
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let part = high - a;
        Self(high, (a - (high - part)) + (b - part))
    }

    pub fn sqrt(self) -> Self {
        if self.0 == 0.0 {
            return self;
        }
        let root = exact(self.0.sqrt());
        root + (self - root * root) / (root + root)
    }

    /// Rounded to double precision.
    pub fn value(self) -> f64 {
        self.0 + self.1
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.0, other.0), Self::sum(self.1, other.1));
        let once = Self::sum(high.0, high.1 + low.0);
        Self::sum(once.0, once.1 + low.1)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.0 * other.0;
        let low = self.0.mul_add(other.0, -high) + (self.0 * other.1 + self.1 * other.0);
        Self::sum(high, low)
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = exact(self.0 / other.0);
        let rest = self - other * first;
        let second = exact(rest.0 / other.0);
        let third = exact((rest - other * second).0 / other.0);
        first + second + third
    }
}

#[test]
fn double_double_has_thirty_digits() {
    let third = exact(1.0) / exact(3.0);
    assert!((third * exact(3.0) - exact(1.0)).value().abs() < 1e-31);
    let root = exact(2.0).sqrt();
    assert!((root * root - exact(2.0)).value().abs() < 1e-30);
    assert_eq!((exact(1e16) + exact(1e-16) - exact(1e16)).value(), 1e-16);
}
