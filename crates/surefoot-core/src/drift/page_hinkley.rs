//! The Page–Hinkley test: a sum of what exceeds the mean, which stays near its lowest value as long as nothing changes.
//!
//! E. S. Page, "Continuous inspection schemes", Biometrika 41 (1954). Numbers are divided by their standard deviation, so that
//! one threshold serves streams of any error; mᵢ = Σ (xᵢ − x̄ᵢ)/σᵢ − ν, alarm where mᵢ − min mⱼ > λ.

use super::{Change, Detector, DetectorSpec, restored};
use crate::Result;

/// What a change must be at least to be looked for, ν, in standard deviations.
const SLACK: f64 = 0.1;
/// The threshold λ.
const THRESHOLD: f64 = 95.0;
/// So many numbers before the mean and its deviation are believed.
const WARM_UP: f64 = 100.0;
/// A stream without mistakes has no deviation: one like that of an error of 1 % is assumed at least.
const SMALLEST_VARIANCE: f64 = 0.01;

/// The detector; it looks for means that rise.
#[derive(Debug, Clone, Default)]
pub struct PageHinkley {
    count: f64,
    mean: f64,
    /// Sum of the squared distances to the mean.
    squares: f64,
    /// The sum of what exceeds the mean, above its lowest value.
    excess: f64,
    /// Numbers since the sum was lowest, and their sum.
    since: (f64, f64),
}

impl PageHinkley {
    /// A test that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Detector for PageHinkley {
    fn update(&mut self, number: f64) -> Option<Change> {
        // The number is compared with what came before it.
        let deviation = (self.squares / self.count.max(1.0)).max(SMALLEST_VARIANCE).sqrt();
        if self.count >= WARM_UP {
            self.excess += (number - self.mean) / deviation - SLACK;
        }
        self.since = (self.since.0 + 1.0, self.since.1 + number);
        if self.excess <= 0.0 {
            (self.excess, self.since) = (0.0, (0.0, 0.0));
        }
        self.count += 1.0;
        let distance = number - self.mean;
        self.mean += distance / self.count;
        self.squares += distance * (number - self.mean);
        if self.excess <= THRESHOLD {
            return None;
        }
        let ((since, sum), all) = (self.since, self.count * self.mean);
        let before = (all - sum) / (self.count - since).max(1.0);
        *self = Self::default();
        Some(Change { since: since as u64, before, after: sum / since })
    }

    fn save(&self) -> Vec<f64> {
        vec![self.count, self.mean, self.squares, self.excess, self.since.0, self.since.1]
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [count, mean, squares, excess, since, sum] = restored(SPEC.name, numbers)?;
        *self = Self { count, mean, squares, excess, since: (since, sum) };
        Ok(())
    }
}

/// For means that rise by a third of a deviation and more, as an error of 10 % does that becomes 20 %.
pub static SPEC: DetectorSpec = DetectorSpec {
    name: "page-hinkley",
    help: "Page–Hinkley test: a sum of what exceeds the mean",
    paper: "Page: Continuous inspection schemes (1954)",
    build: || Box::new(PageHinkley::new()),
};
