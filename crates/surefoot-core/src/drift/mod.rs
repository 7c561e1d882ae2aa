//! Detectors of change: they watch a number from 0 to 1, one an example, and tell when its mean has moved. One file a detector.
//!
//! A new detector is one file with a `SPEC`, and one line in the list [`DETECTORS`].
//!
//! ```
//! use surefoot_core::drift;
//!
//! let mut detector = (drift::find("adwin")?.build)();
//! let mistakes = (0..4000).map(|n| f64::from(n % 10 == 0)).chain((0..2000).map(|n| f64::from(n % 3 == 0)));
//! let alarms: Vec<_> = mistakes.filter_map(|mistake| detector.update(mistake)).collect();
//! assert_eq!(alarms.len(), 1);
//! // So many examples ago the mean moved, from one value to another.
//! assert!(alarms[0].since < 1000 && alarms[0].before < 0.11 && alarms[0].after > 0.2);
//! # Ok::<(), surefoot_core::Error>(())
//! ```

use std::fmt::Debug;

use crate::{Error, Result};

mod adwin;
mod ddm;
mod page_hinkley;

pub use adwin::Adwin;
pub use ddm::Ddm;
pub use page_hinkley::PageHinkley;

/// What a detector found when it raised an alarm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// How many numbers ago the mean moved, as far as the detector can tell.
    pub since: u64,
    /// The mean before.
    pub before: f64,
    /// The mean since then.
    pub after: f64,
}

/// Watches numbers from 0 to 1.
pub trait Detector: Debug + Send + Sync {
    /// Takes in the next number; what changed, if the detector is sure by now. After an alarm it knows only what came after the
    /// change.
    fn update(&mut self, number: f64) -> Option<Change>;
}

/// A detector's entry in the list.
#[derive(Debug)]
pub struct DetectorSpec {
    /// The name that users type.
    pub name: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// Makes one that has seen nothing.
    pub build: fn() -> Box<dyn Detector>,
}

/// Every detector.
pub static DETECTORS: &[&DetectorSpec] = &[&adwin::SPEC, &page_hinkley::SPEC, &ddm::SPEC];

/// The detector of this name.
pub fn find(name: &str) -> Result<&'static DetectorSpec> {
    DETECTORS.iter().copied().find(|spec| spec.name == name).ok_or_else(|| Error::Unknown {
        what: "detector",
        found: name.to_owned(),
        known: DETECTORS.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", "),
    })
}
