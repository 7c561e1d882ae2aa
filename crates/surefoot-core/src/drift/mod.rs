//! Change: [`SIGNALS`] say what of a stream is watched, a number from 0 to 1 an example, and [`DETECTORS`] tell when its mean
//! has moved.
//!
//! A new detector is one file with a `SPEC`, and one line in its list; a new signal is an entry in the other.
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

use dyn_clone::DynClone;

use crate::{Error, Result};

mod adwin;
mod ddm;
mod page_hinkley;
mod signal;
mod watch;

pub use adwin::Adwin;
pub use ddm::Ddm;
pub use page_hinkley::PageHinkley;
pub use signal::{Observation, SIGNALS, SignalSpec};
pub use watch::{Alarm, Watch, detectors};

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
pub trait Detector: Debug + Send + Sync + DynClone {
    /// Takes in the next number; what changed, if the detector is sure by now. After an alarm it knows only what came after the
    /// change.
    fn update(&mut self, number: f64) -> Option<Change>;

    /// Everything that it knows of the stream; none of the numbers is below 0.
    fn save(&self) -> Vec<f64>;

    /// Takes over what [`Detector::save`] of the same detector gave.
    fn restore(&mut self, numbers: &[f64]) -> Result<()>;
}

dyn_clone::clone_trait_object!(Detector);

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
pub static DETECTORS: [&DetectorSpec; 3] = [&adwin::SPEC, &page_hinkley::SPEC, &ddm::SPEC];

/// The detector of this name.
pub fn find(name: &str) -> Result<&'static DetectorSpec> {
    DETECTORS.iter().copied().find(|spec| spec.name == name).ok_or_else(|| Error::Unknown {
        what: "detector",
        found: name.to_owned(),
        known: DETECTORS.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", "),
    })
}

/// The numbers of a detector that always saves as many.
fn restored<const N: usize>(detector: &str, numbers: &[f64]) -> Result<[f64; N]> {
    let fine = numbers.iter().all(|number| number.is_finite() && *number >= 0.0);
    numbers.try_into().ok().filter(|_| fine).ok_or_else(|| damaged(detector))
}

/// What a saved detector says if no run of ours can have saved it.
fn damaged(detector: &str) -> Error {
    Error::State(format!("what the detector `{detector}` has seen is damaged"))
}
