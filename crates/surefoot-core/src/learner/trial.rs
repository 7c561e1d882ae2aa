//! What a learner knew before it started anew, kept until it is clear that it is not missed.
//!
//! A detector cannot tell a change from a few hundred wrong labels: both are mistakes that last. So the weights from before go on
//! learning beside those that began anew, and every example that one of the two predicts rightly and the other wrongly speaks for
//! one of them. After a change the new ones win within some fifty examples; after a burst of noise the old ones do, and come back.

use super::{Learner, Scores};
use crate::state::{State, Tensor, check_finite, damaged};
use crate::{Result, SparseVec, Target};

/// The lead, in standard deviations of a lead by chance, that decides.
const CLEAR: f64 = 3.0;

/// Examples that must have spoken for one of the two.
const FEWEST: f64 = 10.0;

/// After so many examples without a clear lead the new weights stay: they are as good, and one learner is enough.
const LONGEST: f64 = 2000.0;

/// The weights from before beside those that began anew.
#[derive(Debug, Clone)]
pub(super) struct Shelved {
    old: Box<dyn Learner>,
    scores: Scores,
    /// By how many examples the old weights lead.
    lead: f64,
    /// Examples that only one of the two predicted rightly.
    apart: f64,
    examples: f64,
}

/// How a trial ended.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The new weights stay.
    New,
    /// The old ones come back.
    Old(Box<dyn Learner>),
}

const COUNTS: &str = "counts";
const OLD: &str = "old";

impl Shelved {
    /// The first round is the next one.
    pub(super) fn new(old: Box<dyn Learner>) -> Self {
        Self { old, scores: Scores::default(), lead: 0.0, apart: 0.0, examples: 0.0 }
    }

    /// The old weights, once more against new ones that know nothing.
    pub(super) fn again(self) -> Self {
        Self::new(self.old)
    }

    /// A class came to life.
    pub(super) fn set_classes(&mut self, classes: usize, ranks: &[u32]) -> Result<()> {
        self.old.set_classes(classes, ranks)
    }

    /// A round of the old weights; `mistake` says whether the new ones were wrong. Clear leads end the trial.
    pub(super) fn update(
        &mut self,
        x: SparseVec<'_>,
        target: Target<'_>,
        weight: f64,
        mistake: bool,
    ) -> Result<bool> {
        self.old.update(x, target, weight, &mut self.scores)?;
        let old_mistake = self.scores.is_wrong(0, target);
        self.examples += 1.0;
        if old_mistake != mistake {
            self.apart += 1.0;
            self.lead += if mistake { 1.0 } else { -1.0 };
        }
        let clear = self.apart >= FEWEST && self.lead.abs() >= CLEAR * self.apart.sqrt();
        Ok(clear || self.examples >= LONGEST)
    }

    /// Who is to go on, once the trial has ended.
    pub(super) fn verdict(self) -> Verdict {
        if self.lead > 0.0 && self.examples < LONGEST { Verdict::Old(self.old) } else { Verdict::New }
    }

    pub(super) fn save(&self) -> State<'_> {
        let mut state = State::default();
        state.put(COUNTS, Tensor::F64(vec![self.lead, self.apart, self.examples].into()));
        state.join(OLD, self.old.save());
        state
    }

    /// The trial that was saved, if there was one; `old` is a learner of the same SPEC.
    pub(super) fn restored(
        mut state: State<'_>,
        old: impl FnOnce() -> Result<Box<dyn Learner>>,
    ) -> Result<Option<Self>> {
        if !state.has(COUNTS) {
            state.finish()?;
            return Ok(None);
        }
        let counts = state.take_f64(COUNTS)?;
        check_finite(COUNTS, &counts)?;
        let [lead, apart, examples] = counts[..] else {
            return Err(damaged(COUNTS, format!("{} numbers where 3 are needed", counts.len())));
        };
        if !(0.0..LONGEST).contains(&examples) || !(0.0..=examples).contains(&apart) || lead.abs() > apart {
            return Err(damaged(COUNTS, "no trial can have come to this"));
        }
        let mut old = old()?;
        old.restore(state.split(OLD))?;
        state.finish()?;
        Ok(Some(Self { old, scores: Scores::default(), lead, apart, examples }))
    }
}
