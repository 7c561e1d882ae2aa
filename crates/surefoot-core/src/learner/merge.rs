//! Merging learners that learned apart: their stores' natural parameters add up. Calibrations are
//! the [`Head`](super::Head)'s.

use super::Learner;
use super::pool::{Common, Pool};
use crate::rule::Rule;
use crate::store::{Gain, NOWHERE, NaturalParams, Store, unmergeable};
use crate::{Error, Result};

/// One of the learners that are merged, and how its numbers are to be read.
#[derive(Debug, Clone, Copy)]
pub struct LearnerPart<'a> {
    /// The learner.
    pub learner: &'a dyn Learner,
    /// What each of its features is called in the merged learner; [`NOWHERE`] for an id that no feature has.
    pub features: &'a [u32],
    /// What each of its classes is called in the merged learner.
    pub classes: &'a [usize],
    /// Examples that it learned from.
    pub examples: f64,
    /// How often it counts: 1, or a negative number for a base that the others have in common.
    pub times: f64,
}

impl LearnerPart<'_> {
    /// Its one store.
    pub(super) fn store(&self) -> Result<&dyn Store> {
        let mismatch =
            || Error::Conflict("an ensemble merges only with ensembles of the same members".into());
        self.learner.store().ok_or_else(mismatch)
    }

    /// Its ids, and which feature of the merged learner each of them is.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        let place = |&place: &u32| (place != NOWHERE).then_some(place as usize);
        self.features.iter().map(place).enumerate()
    }

    /// Which of its blocks is this one of the merged learner; one that it does not have if it knows nothing of it.
    pub(super) fn own_block(&self, block: usize) -> usize {
        self.classes.iter().position(|&class| class == block).unwrap_or(usize::MAX)
    }
}

/// How the means of a diagonal store are merged. Precisions always add up, the prior counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Merging {
    /// Pooled: held back by [`Rule::prior_share`], weighed by precision as far as the models agree, all classes of a feature
    /// alike.
    #[default]
    Measured,
    /// The exact product for every rule.
    Exact,
}

/// Fills an empty store with what the parts' stores have learned together. Precisions add up; so do natural means, but for
/// diagonal stores, whose means are pooled.
pub(super) fn merge_stores(
    store: &mut dyn Store,
    blocks: usize,
    rule: &dyn Rule,
    parts: &[LearnerPart<'_>],
    merging: Merging,
    common: Common,
) -> Result<()> {
    if blocks == 0 {
        return Ok(());
    }
    let prior = store.weight(0, 0).ok_or_else(unmergeable)?.prior.recip();
    let pool = match merging {
        Merging::Measured => Pool::new(parts, blocks, prior, rule.prior_share(), common)?,
        Merging::Exact => None,
    };
    for block in 0..blocks {
        let mut sum: Option<NaturalParams> = None;
        for part in parts {
            let params = part.store()?.natural_params(part.own_block(block), part.examples)?;
            let sum = sum.get_or_insert_with(|| NaturalParams::none_like(&params));
            sum.add(&params, part.features, part.times)?;
        }
        let Some(mut sum) = sum else { continue };
        if let (Some(pool), Gain::Diagonal(gains)) = (&pool, &sum.gain) {
            for ((shift, gain), mean) in sum.shift.iter_mut().zip(gains).zip(pool.means(block)?) {
                *shift = mean * (prior + gain);
            }
        }
        store.from_natural(block, sum)?;
    }
    Ok(())
}
