//! Learners that start anew where their own mistakes say that what they learned is no longer true.
//!
//! What an old concept taught is worse than nothing for a thousand examples, and no half-life serves every stream: one that is
//! short enough for a change costs accuracy where nothing changes. So a detector watches how often the learner is wrong. Where
//! that rises, and stays high for [`CONFIRMING`] examples more, everything learned goes back to the prior. A file that is
//! sorted by label raises an alarm too, but the learner is right again a few examples later, and keeps what it knows.

use crate::drift::{Adwin, Detector};
use crate::param::{Param, Params, Range};
use crate::state::{State, Tensor, check_finite, damaged};
use crate::{Error, Result};

/// Whether a learner watches itself.
pub(crate) const RESTART: Param = Param {
    name: "restart",
    range: Range::Flag,
    default: "false",
    help: "start anew where its own mistakes say that the data changed (ADWIN)",
};

/// So many examples after an alarm have to confirm it.
const CONFIRMING: f64 = 16.0;

/// Watches the mistakes of one learner.
#[derive(Debug, Clone, Default)]
pub(super) struct Restart {
    detector: Adwin,
    alarm: Option<Alarm>,
}

/// An alarm that waits to be confirmed.
#[derive(Debug, Clone, Copy)]
struct Alarm {
    /// The error that confirms it: halfway between the errors before and after the change.
    confirming: f64,
    examples: f64,
    mistakes: f64,
}

const DETECTOR: &str = "detector";
const ALARM: &str = "alarm";

impl Restart {
    /// What the parameters ask for; none for a learner that goes on whatever happens.
    pub(super) fn new(params: &Params) -> Option<Self> {
        params.flag(RESTART.name).then(Self::default)
    }

    /// Takes in whether an example was predicted wrongly. True if the learner is to start anew, and then so does the watch.
    pub(super) fn update(&mut self, mistake: bool) -> bool {
        let mistake = f64::from(u8::from(mistake));
        let change = self.detector.update(mistake);
        let Some(alarm) = &mut self.alarm else {
            let worse = change.filter(|change| change.after > change.before);
            self.alarm = worse.map(|change| Alarm {
                confirming: 0.5 * (change.before + change.after),
                examples: 0.0,
                mistakes: 0.0,
            });
            return false;
        };
        alarm.examples += 1.0;
        alarm.mistakes += mistake;
        if alarm.examples < CONFIRMING {
            return false;
        }
        let confirmed = alarm.mistakes >= alarm.confirming * alarm.examples;
        self.alarm = None;
        if confirmed {
            *self = Self::default();
        }
        confirmed
    }

    pub(super) fn save(&self) -> State<'_> {
        let mut state = State::default();
        state.put(DETECTOR, Tensor::F64(self.detector.save().into()));
        let alarm = self.alarm.map(|alarm| vec![alarm.confirming, alarm.examples, alarm.mistakes]);
        state.put(ALARM, Tensor::F64(alarm.unwrap_or_default().into()));
        state
    }

    pub(super) fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        self.detector.restore(&state.take_f64(DETECTOR)?)?;
        let numbers = state.take_f64(ALARM)?;
        check_finite(ALARM, &numbers)?;
        self.alarm = match numbers[..] {
            [] => None,
            [confirming, examples, mistakes]
                if (0.0..=1.0).contains(&confirming)
                    && (0.0..CONFIRMING).contains(&examples)
                    && (0.0..=examples).contains(&mistakes) =>
            {
                Some(Alarm { confirming, examples, mistakes })
            }
            _ => return Err(alarm_damaged()),
        };
        state.finish()
    }
}

fn alarm_damaged() -> Error {
    damaged(ALARM, "no such alarm can wait to be confirmed")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples after which a learner with these mistakes starts anew.
    fn restarts(mistakes: impl Iterator<Item = bool>) -> Vec<usize> {
        let mut watch = Restart::default();
        let found = mistakes.enumerate().filter(|(_, mistake)| watch.update(*mistake));
        found.map(|(example, _)| example).collect()
    }

    #[test]
    fn a_rise_that_lasts_is_a_reason_to_start_anew() {
        let found = restarts((0..3000).map(|n| if n < 2000 { n % 50 == 0 } else { n % 3 != 0 }));
        assert!(found.len() == 1 && (2016..2100).contains(&found[0]), "{found:?}");
    }

    #[test]
    fn a_burst_is_none_and_neither_is_learning() {
        let burst = (0..3000).map(|n| n % 50 == 0 || (2000..2020).contains(&n));
        assert_eq!(restarts(burst), []);
        let falls = (0..3000usize).map(|n| n.is_multiple_of(2 + n / 100));
        assert_eq!(restarts(falls), []);
    }

    /// Saved at any example it goes on as if it had not been.
    #[test]
    fn it_goes_on_where_it_was_saved() {
        let mistakes: Vec<bool> =
            (0..1200).map(|n| if n < 1000 { n % 40 == 0 } else { n % 3 != 0 }).collect();
        let whole = restarts(mistakes.iter().copied());
        for cut in [1, 500, 1015, 1035, 1040, 1050] {
            let mut first = Restart::default();
            let mut found: Vec<usize> = (0..cut).filter(|&n| first.update(mistakes[n])).collect();
            let mut second = Restart::default();
            second.restore(first.save()).expect("restored");
            found.extend((cut..mistakes.len()).filter(|&n| second.update(mistakes[n])));
            assert_eq!(found, whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_damaged_alarm_is_refused() {
        for alarm in
            [vec![0.5], vec![2.0, 1.0, 1.0], vec![0.5, 3.0, 4.0], vec![0.5, 99.0, 1.0], vec![f64::NAN; 3]]
        {
            let mut state = State::default();
            state.put(DETECTOR, Tensor::F64(Adwin::default().save().into()));
            state.put(ALARM, Tensor::F64(alarm.clone().into()));
            assert!(Restart::default().restore(state).is_err(), "{alarm:?}");
        }
    }
}
