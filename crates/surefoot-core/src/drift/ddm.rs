//! DDM, the drift detection method: the error of a learner falls as long as nothing changes.
//!
//! J. Gama, P. Medas, G. Castillo and P. Rodrigues, "Learning with drift detection", SBIA 2004. With p the error so far and
//! s = √(p(1−p)/n), the lowest p + s is remembered; where p + s exceeds p_min + f·s_min, the stream has changed. The paper's f
//! is 3, which chance reaches every few thousand examples.

use super::{Change, Detector, DetectorSpec, restored};
use crate::Result;

/// Standard deviations above the lowest error, f.
const FACTOR: f64 = 6.0;
/// So many examples before anything is remembered, as in the paper.
const WARM_UP: f64 = 30.0;
/// An error of 0 has no deviation: as many mistakes as this are assumed beside those that were made.
const PRIOR_MISTAKES: f64 = 1.0;

/// Above every error and its deviation.
const NONE_YET: (f64, f64) = (1.0, 1.0);

/// The detector; it looks for errors that rise.
#[derive(Debug, Clone)]
pub struct Ddm {
    count: f64,
    sum: f64,
    /// The lowest error and its deviation, how many examples it is of, and their mistakes.
    lowest: (f64, f64),
    then: (f64, f64),
}

impl Default for Ddm {
    fn default() -> Self {
        Self { count: 0.0, sum: 0.0, lowest: NONE_YET, then: (0.0, 0.0) }
    }
}

impl Detector for Ddm {
    fn update(&mut self, number: f64) -> Option<Change> {
        (self.count, self.sum) = (self.count + 1.0, self.sum + number);
        if self.count < WARM_UP {
            return None;
        }
        let error = (self.sum + PRIOR_MISTAKES) / (self.count + 2.0 * PRIOR_MISTAKES);
        let deviation = (error * (1.0 - error) / self.count).max(0.0).sqrt();
        if error + deviation <= self.lowest.0 + self.lowest.1 {
            (self.lowest, self.then) = ((error, deviation), (self.count, self.sum));
        }
        if error + deviation <= self.lowest.0 + FACTOR * self.lowest.1 {
            return None;
        }
        let ((count, sum), since) = (self.then, self.count - self.then.0);
        let change =
            Change { since: since as u64, before: sum / count, after: (self.sum - sum) / since.max(1.0) };
        *self = Self::default();
        Some(change)
    }

    fn save(&self) -> Vec<f64> {
        vec![self.count, self.sum, self.lowest.0, self.lowest.1, self.then.0, self.then.1]
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [count, sum, error, deviation, then, then_sum] = restored(SPEC.name, numbers)?;
        *self = Self { count, sum, lowest: (error, deviation), then: (then, then_sum) };
        Ok(())
    }
}

/// Cheap, and slow to notice a change after a long calm.
pub static SPEC: DetectorSpec = DetectorSpec {
    name: "ddm",
    help: "drift detection method: the error so far against its lowest",
    paper: "Gama, Medas, Castillo, Rodrigues: Learning with drift detection (2004)",
    build: || Box::new(Ddm::default()),
};
