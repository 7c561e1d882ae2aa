//! Whether two classifiers differ by more than chance: McNemar's test and the paired t-test.

use super::beta;
use crate::normal;

/// Up to so many examples that only one of the two got wrong, McNemar's test is exact.
const EXACT_UP_TO: u64 = 1_000;

/// Mistakes of two classifiers on the same examples, for McNemar's test (the one of `[MCCW]`, Table 3).
///
/// ```
/// use surefoot_core::metric::significance::PairedMistakes;
///
/// let mut paired = PairedMistakes::default();
/// for i in 0..40 {
///     paired.update(i % 4 == 0, i % 20 == 0); // the first is wrong ten times, the second twice
/// }
/// assert!(paired.p_value() < 0.01);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairedMistakes {
    /// Examples that the first got wrong and the second right.
    pub only_first: u64,
    /// Examples that the second got wrong and the first right.
    pub only_second: u64,
}

impl PairedMistakes {
    /// Takes in whether each was wrong on one example.
    pub fn update(&mut self, first_wrong: bool, second_wrong: bool) {
        self.only_first += u64::from(first_wrong && !second_wrong);
        self.only_second += u64::from(second_wrong && !first_wrong);
    }

    /// The two-sided p-value of "both are wrong equally often": the binomial probability of a split at least
    /// as uneven if there are at most 1,000 examples that only one got wrong, otherwise from χ² with the
    /// continuity correction.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        let split = self.only_first + self.only_second;
        if split <= EXACT_UP_TO { self.exact() } else { 2.0 * normal::upper_tail(self.chi_squared().sqrt()) }
    }

    fn exact(&self) -> f64 {
        let fewer = self.only_first.min(self.only_second) as f64;
        let more = self.only_first.max(self.only_second) as f64;
        if fewer == more {
            return 1.0;
        }
        // P[at most `fewer` of n] for a fair coin is the incomplete beta function at ½.
        (2.0 * beta::regularised(0.5, more, fewer + 1.0)).min(1.0)
    }

    /// McNemar's statistic (|b − c| − 1)²/(b + c), with one degree of freedom.
    #[must_use]
    pub fn chi_squared(&self) -> f64 {
        let distance = self.only_first.abs_diff(self.only_second).saturating_sub(1) as f64;
        let split = (self.only_first + self.only_second).max(1) as f64;
        distance * distance / split
    }
}

/// The result of a paired t-test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedT {
    /// The mean difference over its standard error.
    pub t: f64,
    /// One less than the number of pairs.
    pub degrees: f64,
    /// The two-sided p-value of "the mean difference is 0".
    pub p_value: f64,
}

/// Student's paired t-test, for measurements of two classifiers over the same folds.
///
/// None with fewer than two pairs, or if the slices differ in length. Differences that are all the same have
/// t = ±∞ and p = 0, or, if they are all 0, t = 0 and p = 1.
///
/// ```
/// use surefoot_core::metric::significance::paired_t;
///
/// let test = paired_t(&[0.81, 0.79, 0.84, 0.80], &[0.78, 0.77, 0.80, 0.79]);
/// assert!(test.is_some_and(|test| test.p_value < 0.05));
/// ```
#[must_use]
pub fn paired_t(first: &[f64], second: &[f64]) -> Option<PairedT> {
    if first.len() != second.len() || first.len() < 2 {
        return None;
    }
    let n = first.len() as f64;
    let differences = || first.iter().zip(second).map(|(a, b)| a - b);
    let mean = differences().sum::<f64>() / n;
    let degrees = n - 1.0;
    let variance = differences().map(|d| (d - mean) * (d - mean)).sum::<f64>() / degrees;
    let t = if mean == 0.0 { 0.0 } else { mean / (variance / n).sqrt() };
    Some(PairedT { t, degrees, p_value: student_two_sided(t, degrees) })
}

/// The probability that Student's t is at least as far from 0 as `t`.
fn student_two_sided(t: f64, degrees: f64) -> f64 {
    beta::regularised(degrees / (degrees + t * t), 0.5 * degrees, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, StudentsT};

    proptest! {
        #[test]
        fn student_agrees_with_statrs(t in -40.0..40.0_f64, degrees in 1..200_u32) {
            let degrees = f64::from(degrees);
            let expected = StudentsT::new(0.0, 1.0, degrees).map(|s| 2.0 * s.sf(t.abs()));
            prop_assert!(expected.is_ok_and(|p| (student_two_sided(t, degrees) - p).abs() < 1e-11));
        }

        #[test]
        fn mcnemar_agrees_with_statrs(only_first in 0..500_u64, only_second in 0..500_u64) {
            let paired = PairedMistakes { only_first, only_second };
            let binomial = Binomial::new(0.5, only_first + only_second);
            let expected = binomial.map(|b| (2.0 * b.cdf(only_first.min(only_second))).min(1.0));
            prop_assert!(expected.is_ok_and(|p| (paired.p_value() - p).abs() < 1e-10));
        }

        #[test]
        fn many_splits_agree_with_chi_squared(only_first in 600..3000_u64, only_second in 600..3000_u64) {
            let paired = PairedMistakes { only_first, only_second };
            let expected = ChiSquared::new(1.0).map(|c| c.sf(paired.chi_squared()));
            prop_assert!(expected.is_ok_and(|p| (paired.p_value() - p).abs() < 1e-9));
            prop_assert!((paired.p_value() - paired.exact()).abs() < 2e-3);
        }
    }

    #[test]
    fn mcnemar_by_hand() {
        // Of 6 examples all went one way: 2/2⁶.
        let paired = PairedMistakes { only_first: 6, only_second: 0 };
        assert!((paired.p_value() - 2.0 / 64.0).abs() < 1e-15);
        assert_eq!(paired.chi_squared(), 25.0 / 6.0);
        assert_eq!(PairedMistakes::default().p_value(), 1.0);
        assert_eq!(PairedMistakes::default().chi_squared(), 0.0);
        assert_eq!(PairedMistakes { only_first: 4, only_second: 4 }.p_value(), 1.0);
        assert!((0..100).all(|n| PairedMistakes { only_first: n, only_second: n + 1 }.p_value() <= 1.0));
    }

    #[test]
    fn paired_t_by_hand() {
        // Differences 1, 2, 3: mean 2, standard error 1/√3.
        let test = paired_t(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]);
        assert!(test.is_some_and(|t| (t.t - 12.0_f64.sqrt()).abs() < 1e-12 && t.degrees == 2.0));
    }

    #[test]
    fn paired_t_at_the_edges() {
        assert_eq!(paired_t(&[1.0], &[2.0]), None);
        assert_eq!(paired_t(&[1.0, 2.0], &[2.0]), None);
        let same = paired_t(&[1.0, 2.0], &[1.0, 2.0]);
        assert!(same.is_some_and(|t| t.t == 0.0 && t.p_value == 1.0));
        let shifted = paired_t(&[2.0, 3.0], &[1.0, 2.0]);
        assert!(shifted.is_some_and(|t| t.t == f64::INFINITY && t.p_value == 0.0));
    }
}
