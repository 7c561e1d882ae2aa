//! Learners that start anew where their own mistakes say that what they learned is no longer true.
//!
//! What an old concept taught is worse than nothing for a thousand examples, and no half-life serves every stream: one that is
//! short enough for a change costs accuracy where nothing changes. So a detector watches how often the learner is wrong. Where
//! that rises, and stays high for [`CONFIRMING`] examples more, everything learned goes back to the prior. A file that is
//! sorted by label raises an alarm too, but the learner is right again a few examples later, and keeps what it knows. What was
//! known before is on [`Shelved`] until it is clear that it is not missed.

use super::trial::{Shelved, Verdict};
use super::{Learner, Scores};
use crate::drift::{Adwin, Detector};
use crate::param::{Param, Params, Range};
use crate::state::{State, Tensor, check_finite, damaged};
use crate::{Error, Result, SparseVec, Target};

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
    watch: MistakeWatch,
    trial: Option<Shelved>,
}

/// What a learner is to do after a round.
#[derive(Debug)]
pub(super) enum Advice {
    /// To go on.
    GoOn,
    /// To begin at the prior again; what it knew is kept by [`Restart::keep`].
    StartAnew,
    /// To go on with what it knew before it started anew.
    TakeBack(Box<dyn Learner>),
}

impl Restart {
    /// What the parameters ask for; none for a learner that goes on whatever happens.
    pub(super) fn new(params: &Params) -> Option<Self> {
        params.flag(RESTART.name).then(Self::default)
    }

    /// Whether what was known before is still learning.
    pub(super) fn is_on_trial(&self) -> bool {
        self.trial.is_some()
    }

    /// Takes in a round, and whether the learner predicted it wrongly.
    pub(super) fn update(
        &mut self,
        x: SparseVec<'_>,
        target: Target<'_>,
        weight: f64,
        mistake: bool,
    ) -> Result<Advice> {
        if let Some(trial) = &mut self.trial
            && trial.update(x, target, weight, mistake)?
            && let Some(Verdict::Old(old)) = self.trial.take().map(Shelved::verdict)
        {
            self.watch = MistakeWatch::default();
            return Ok(Advice::TakeBack(old));
        }
        Ok(if self.watch.update(mistake) { Advice::StartAnew } else { Advice::GoOn })
    }

    /// Keeps a copy of what the learner knows, which is about to start anew. One that is on trial already is better: what
    /// began anew after it has hardly learned anything.
    pub(super) fn keep(&mut self, copy: impl FnOnce() -> Result<Box<dyn Learner>>) -> Result<()> {
        self.trial = Some(match self.trial.take() {
            Some(trial) => trial.again(),
            None => Shelved::new(copy()?),
        });
        Ok(())
    }

    /// [`Restart::update`] for a learner alone, and what it advises; meanwhile the learner has no watch.
    pub(super) fn act<L: Learner + Clone + 'static>(
        &mut self,
        learner: &mut L,
        x: SparseVec<'_>,
        (target, weight): (Target<'_>, f64),
        scores: &mut Scores,
    ) -> Result<()> {
        match self.update(x, target, weight, scores.is_wrong(0, target))? {
            Advice::GoOn => Ok(()),
            Advice::StartAnew => {
                self.keep(|| Ok(Box::new(learner.clone())))?;
                learner.discount(0.0);
                scores.restarted = true;
                Ok(())
            }
            Advice::TakeBack(old) => learner.restore(old.save()),
        }
    }

    /// What was known before is not asked any more.
    pub(super) fn end_trial(&mut self) {
        self.trial = None;
    }

    /// A class came to life.
    pub(super) fn set_classes(&mut self, classes: usize, ranks: &[u32]) -> Result<()> {
        self.trial.as_mut().map_or(Ok(()), |trial| trial.set_classes(classes, ranks))
    }

    pub(super) fn save(&self) -> State<'_> {
        let mut state = self.watch.save();
        self.trial.iter().for_each(|trial| state.join(TRIAL, trial.save()));
        state
    }

    /// Takes over what was saved; `copy` is a learner of the same SPEC without a watch.
    pub(super) fn restore(
        &mut self,
        mut state: State<'_>,
        copy: impl FnOnce() -> Result<Box<dyn Learner>>,
    ) -> Result<()> {
        self.trial = Shelved::restored(state.split(TRIAL), copy)?;
        self.watch.restore(state)
    }
}

/// The part of a learner's [`State`] that holds the weights from before it started anew, as long as they may come back.
pub const TRIAL: &str = "trial";

/// Notices where mistakes become more, and stay more.
#[derive(Debug, Clone, Default)]
struct MistakeWatch {
    detector: Adwin,
    alarm: Option<Suspicion>,
}

/// An alarm that waits to be confirmed.
#[derive(Debug, Clone, Copy)]
struct Suspicion {
    /// The error that confirms it: halfway between the errors before and after the change.
    confirming: f64,
    examples: f64,
    mistakes: f64,
}

const DETECTOR: &str = "detector";
const ALARM: &str = "alarm";

impl MistakeWatch {
    /// Takes in whether an example was predicted wrongly. True if the learner is to start anew, and then so does the watch.
    fn update(&mut self, mistake: bool) -> bool {
        let mistake = f64::from(u8::from(mistake));
        let change = self.detector.update(mistake);
        let Some(alarm) = &mut self.alarm else {
            let worse = change.filter(|change| change.after > change.before);
            self.alarm = worse.map(|change| Suspicion {
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

    fn save(&self) -> State<'_> {
        let mut state = State::default();
        state.put(DETECTOR, Tensor::F64(self.detector.save().into()));
        let alarm = self.alarm.map(|alarm| vec![alarm.confirming, alarm.examples, alarm.mistakes]);
        state.put(ALARM, Tensor::F64(alarm.unwrap_or_default().into()));
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
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
                Some(Suspicion { confirming, examples, mistakes })
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
        let mut watch = MistakeWatch::default();
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
            let mut first = MistakeWatch::default();
            let mut found: Vec<usize> = (0..cut).filter(|&n| first.update(mistakes[n])).collect();
            let mut second = MistakeWatch::default();
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
            assert!(MistakeWatch::default().restore(state).is_err(), "{alarm:?}");
        }
    }
}
