//! Whether the data changed: the mistakes of the first pass are watched, and people are told where the error rose.

use serde::Serialize;
use surefoot_core::drift::{Adwin, Detector};

/// A rise of the error that chance does not explain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DataChange {
    /// The example near which it was, counted from 1.
    pub example: u64,
    /// The example at which it was noticed.
    pub noticed: u64,
    /// The error before, as far back as there was one error.
    pub before: f64,
    /// The error from the change to its notice.
    pub after: f64,
    /// The error at the end of the run, as far back as there is one error.
    pub now: f64,
}

/// Watches mistakes in the order of the stream.
#[derive(Debug, Default)]
pub(super) struct ChangeWatch {
    detector: Adwin,
    seen: u64,
    found: Vec<DataChange>,
}

impl ChangeWatch {
    /// Takes in whether an example was predicted wrongly. That the error falls is what learning is for, and no news.
    pub(super) fn update(&mut self, mistake: bool) {
        self.seen += 1;
        let change = self.detector.update(f64::from(u8::from(mistake)));
        if let Some(change) = change.filter(|change| change.after > change.before) {
            let example = self.seen - change.since.min(self.seen - 1);
            let (noticed, before, after) = (self.seen, change.before, change.after);
            self.found.push(DataChange { example, noticed, before, after, now: after });
        }
    }

    /// The changes so far, with the error of now.
    pub(super) fn changes(&self) -> Vec<DataChange> {
        let (_, now) = self.detector.window();
        self.found.iter().map(|change| DataChange { now, ..*change }).collect()
    }
}
