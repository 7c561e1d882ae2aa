//! Kernels: inner products in a space that is never written out.

/// A kernel function of two examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kernel {
    /// x·z: the same learner as the full store, in the dual form.
    Linear,
    /// (gamma·x·z + coef0)^degree. A negative coef0 is no Mercer kernel: where it makes variances negative, no
    /// step is made.
    Poly {
        /// Scale of the inner product.
        gamma: f64,
        /// The power.
        degree: u32,
        /// What is added before the power is taken: above 0, lower powers count too.
        coef0: f64,
    },
    /// exp(−gamma·‖x − z‖²).
    Rbf {
        /// How fast similarity falls with distance.
        gamma: f64,
    },
}

impl Kernel {
    /// K(x, z) from x·z, ‖x‖² and ‖z‖².
    pub(super) fn of(self, product: f64, xx: f64, zz: f64) -> f64 {
        match self {
            Self::Linear => product,
            Self::Poly { gamma, degree, coef0 } => power(gamma * product + coef0, degree),
            Self::Rbf { gamma } => libm::exp(-gamma * (xx + zz - 2.0 * product).max(0.0)),
        }
    }

    /// K(x, x) from ‖x‖².
    pub(super) fn own(self, xx: f64) -> f64 {
        self.of(xx, xx, xx)
    }
}

/// base^exponent by squaring: multiplications only, so the same bits everywhere.
fn power(base: f64, exponent: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_what_they_are_called() {
        assert_eq!(Kernel::Linear.of(3.0, 5.0, 2.0), 3.0);
        assert_eq!(Kernel::Poly { gamma: 2.0, degree: 5, coef0: 1.0 }.of(0.5, 1.0, 1.0), 32.0);
        let rbf = Kernel::Rbf { gamma: 0.5 };
        assert_eq!(rbf.own(7.0), 1.0);
        assert!((rbf.of(1.0, 3.0, 1.0) - (-1.0_f64).exp()).abs() < 1e-15);
    }
}
