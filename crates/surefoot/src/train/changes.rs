//! Whether the data changed: signals of the first pass are watched, people are told, and the learner may be told too.

use std::collections::VecDeque;
use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};
use surefoot_core::drift::{self, Alarm, DetectorSpec, Observation, Watch};
use surefoot_core::state::State;
use surefoot_data::Labels;

use super::round::{Learned, Truth};
use crate::words::thousands;
use crate::{Error, Result};

/// So many changes of a stream are remembered, the newest.
const REMEMBERED: usize = 1000;

/// A learner that is to do something about a change does it after a multiple of so many examples: rounds that are being
/// evaluated are waited for there.
const ACTS_EVERY: u64 = 32;

/// Changes that were noticed within so many examples may be one.
const APART: u64 = 100;

/// What is done where the error or the log loss rises by more than chance explains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDrift {
    /// People are told.
    #[default]
    Report,
    /// Besides, what was learned counts less from then on.
    Adapt,
    /// Besides, weights and calibration begin anew; labels, features and scales stay.
    Reset,
}

impl OnDrift {
    /// Everything that can be done.
    pub const ALL: [OnDrift; 3] = [OnDrift::Report, OnDrift::Adapt, OnDrift::Reset];

    /// The name that users type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OnDrift::Report => "report",
            OnDrift::Adapt => "adapt",
            OnDrift::Reset => "reset",
        }
    }

    /// What is called by this name.
    pub fn parse(name: &str) -> Result<Self> {
        let known = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|own| own.name() == name);
        found.ok_or_else(|| Error::Other(format!("unknown reaction to change `{name}`; known: {}", known())))
    }
}

/// The detectors that watch a stream unless others are asked for.
#[must_use]
pub fn default_detectors() -> Vec<&'static DetectorSpec> {
    drift::find("adwin").into_iter().collect()
}

/// A change of the data that chance does not explain.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DataChange {
    /// The example near which it was, counted from 1.
    pub example: u64,
    /// The example at which it was noticed.
    pub noticed: u64,
    /// What changed: `error`, `log-loss`, `label-mix` or `unknown-features`.
    pub signal: &'static str,
    /// The detector that noticed it.
    pub detector: &'static str,
    /// Of the label mix, the label that became more frequent, or less; none for all labels that came late together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// How it was before, as far back as it was one way.
    pub before: f64,
    /// How it was from the change to its notice.
    pub after: f64,
    /// How it was lately, when the run ended.
    pub now: f64,
}

impl DataChange {
    /// Whether two signals noticed one change: not farther apart than it took to notice one of them.
    #[must_use]
    pub fn is_near(&self, other: &DataChange) -> bool {
        let slow = |change: &DataChange| change.noticed - change.example.min(change.noticed);
        self.example.abs_diff(other.example) <= slow(self).max(slow(other)).max(APART)
    }
}

/// What changed, as people read it: `error 1.2 % before, 66.0 % after, 1.4 % now`.
impl Display for DataChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (self.signal, &self.label) {
            ("label-mix", Some(label)) => format!("label {label}"),
            ("label-mix", None) => "rare labels".into(),
            (signal, _) => signal.replace('-', " "),
        };
        let number = |number: f64| match self.signal {
            "log-loss" => format!("{number:.2}"),
            _ => format!("{:.1} %", 100.0 * number),
        };
        let [before, after, now] = [self.before, self.after, self.now].map(number);
        write!(f, "{what} {before} before, {after} after, {now} now")
    }
}

/// A place in the stream where the data changed, with all signals that noticed it, the first to notice it first.
#[derive(Debug, Clone)]
pub struct ChangedPlace<'a> {
    /// The example near which it was, counted from 1, as the first signal has it.
    pub example: u64,
    /// What changed.
    pub changes: Vec<&'a DataChange>,
}

/// A sentence: `the data changed near example 2,790: error 1.2 % before, 66.0 % after, 1.4 % now`.
impl Display for ChangedPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signals: Vec<String> = self.changes.iter().map(ToString::to_string).collect();
        write!(f, "the data changed near example {}: {}", thousands(self.example), signals.join("; "))
    }
}

/// Changes by the place where they were: several signals may notice one.
#[must_use]
pub fn by_place(changes: &[DataChange]) -> Vec<ChangedPlace<'_>> {
    let mut places: Vec<ChangedPlace<'_>> = Vec::new();
    for change in changes {
        let is_one = |place: &&mut ChangedPlace<'_>| {
            place.changes[0].is_near(change) && place.changes.iter().all(|own| own.signal != change.signal)
        };
        match places.iter_mut().rev().find(is_one) {
            Some(place) => place.changes.push(change),
            None => places.push(ChangedPlace { example: change.example, changes: vec![change] }),
        }
    }
    places
}

/// Watches the rounds of a model in the order of its stream.
#[derive(Debug, Clone)]
pub(crate) struct ChangeWatch {
    pub(crate) on_drift: OnDrift,
    watch: Watch,
    /// Examples before the present run.
    began: u64,
    found: VecDeque<Alarm>,
}

impl Default for ChangeWatch {
    fn default() -> Self {
        Self::of(&default_detectors(), OnDrift::Report)
    }
}

impl ChangeWatch {
    /// At the start of a stream.
    pub(crate) fn new(detectors: &[&'static DetectorSpec], on_drift: OnDrift) -> Result<Self> {
        if detectors.is_empty() && on_drift != OnDrift::Report {
            let name = on_drift.name();
            return Err(Error::Other(format!("on-drift={name} needs a detector that notices a change")));
        }
        Ok(Self::of(detectors, on_drift))
    }

    fn of(detectors: &[&'static DetectorSpec], on_drift: OnDrift) -> Self {
        Self { on_drift, watch: Watch::new(detectors), began: 0, found: VecDeque::new() }
    }

    /// The same, at the start of a stream.
    pub(crate) fn anew(&self) -> Self {
        Self::of(self.watch.detectors(), self.on_drift)
    }

    /// What is found from here on is of a run of its own.
    pub(crate) fn begin_run(&mut self) {
        (self.began, self.found) = (self.watch.seen(), VecDeque::new());
    }

    /// The detectors that watch.
    pub(crate) fn detectors(&self) -> &[&'static DetectorSpec] {
        self.watch.detectors()
    }

    /// Takes in a round; the changes that are noticed with it.
    pub(crate) fn update(&mut self, round: &Learned<'_>, truth: &Truth) -> &[Alarm] {
        let (mistake, probability) = (round.mistake(), round.probability);
        // Of several labels the first; a row without any counts with all others.
        let class = truth.target().classes().next().unwrap_or(usize::MAX);
        let seen = Observation { mistake, probability, class, unknown: truth.unknown };
        let alarms = self.watch.update(&seen);
        for alarm in alarms {
            if self.found.len() == REMEMBERED {
                self.found.pop_front();
            }
            self.found.push_back(*alarm);
        }
        alarms
    }

    /// Examples seen.
    pub(crate) fn seen(&self) -> u64 {
        self.watch.seen()
    }

    /// Whether the learner may have to do something about a change after so many examples.
    pub(crate) fn acts_at(&self, examples: u64) -> bool {
        self.on_drift != OnDrift::Report && examples.is_multiple_of(ACTS_EVERY)
    }

    /// Whether it has to, now; asked once a change.
    pub(crate) fn is_due(&mut self) -> bool {
        self.acts_at(self.seen()) && self.watch.take_risen()
    }

    /// A change as it is told.
    pub(crate) fn tell(&self, alarm: &Alarm, labels: &Labels, now: f64) -> DataChange {
        let unit = alarm.signal.unit;
        let is_label = alarm.signal.name == "label-mix" && !alarm.is_of_the_rest();
        DataChange {
            example: alarm.example.saturating_sub(self.began).max(1),
            noticed: alarm.noticed - self.began,
            signal: alarm.signal.name,
            detector: alarm.detector.name,
            label: is_label.then(|| labels.name(alarm.series as u32).to_string()),
            before: unit * alarm.before,
            after: unit * alarm.after,
            now: unit * now,
        }
    }

    /// The changes of the run.
    pub(crate) fn changes(&self, labels: &Labels) -> Vec<DataChange> {
        self.found.iter().map(|alarm| self.tell(alarm, labels, self.watch.now(alarm))).collect()
    }

    /// What it has seen, where that decides how the model goes on.
    pub(crate) fn save(&self) -> Option<State<'static>> {
        (self.on_drift != OnDrift::Report).then(|| self.watch.save())
    }

    /// Takes over what was saved.
    pub(crate) fn restore(&mut self, state: State<'_>) -> Result<(), surefoot_core::Error> {
        if self.on_drift == OnDrift::Report {
            return state.finish();
        }
        self.watch.restore(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(example: u64, noticed: u64, signal: &'static str) -> DataChange {
        let (before, after, now) = (0.012, 0.66, 0.014);
        DataChange { example, noticed, signal, detector: "adwin", label: None, before, after, now }
    }

    #[test]
    fn signals_that_notice_one_change_are_one_place() {
        let changes = [
            change(2790, 2816, "error"),
            change(2785, 2900, "log-loss"),
            change(3040, 3400, "unknown-features"),
            change(9000, 9100, "error"),
        ];
        let places: Vec<usize> = by_place(&changes).iter().map(|place| place.changes.len()).collect();
        assert_eq!(places, [3, 1]);
    }

    #[test]
    fn changes_read_as_sentences() {
        assert_eq!(change(1, 2, "error").to_string(), "error 1.2 % before, 66.0 % after, 1.4 % now");
        assert_eq!(change(1, 2, "log-loss").to_string(), "log loss 0.01 before, 0.66 after, 0.01 now");
        let label = DataChange { label: Some("spam".into()), ..change(1, 2, "label-mix") };
        assert_eq!(label.to_string(), "label spam 1.2 % before, 66.0 % after, 1.4 % now");
    }
}
