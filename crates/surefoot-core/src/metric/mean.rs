//! The weighted mean that most metrics are.

/// A running weighted mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    pub(super) fn add(&mut self, value: f64, weight: f64) {
        // Not 0·value, which is NaN for an infinite value.
        if weight > 0.0 {
            self.sum += value * weight;
            self.weight += weight;
        }
    }

    pub(super) fn add_flag(&mut self, flag: bool, weight: f64) {
        self.add(f64::from(u8::from(flag)), weight);
    }

    pub(super) fn value(&self) -> Option<f64> {
        ratio(self.sum, self.weight)
    }

    pub(super) fn sum(&self) -> f64 {
        self.sum
    }

    pub(super) fn weight(&self) -> f64 {
        self.weight
    }
}

/// The ratio of two totals, if there is anything below the line.
pub(super) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
