//! Merging learners that learned apart: their stores' evidence adds up, their calibrations are averaged.

use super::{Calibration, Learner};
use crate::Result;
use crate::gaussian::{Evidence, Gaussian};

/// One of the learners that are merged, and how its numbers are to be read.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The learner.
    pub learner: &'a dyn Learner,
    /// What each of its features is called in the merged learner.
    pub features: &'a [u32],
    /// What each of its classes is called in the merged learner.
    pub classes: &'a [usize],
    /// Examples that it learned from.
    pub examples: f64,
    /// How often it counts: 1, or a negative number for a base that the others have in common.
    pub times: f64,
}

/// Fills an empty store with what the parts' stores have learned together.
pub(super) fn merge_stores(store: &mut dyn Gaussian, parts: &[Part<'_>]) -> Result<()> {
    for block in 0..store.blocks() {
        let mut sum: Option<Evidence> = None;
        for part in parts {
            let own = part.classes.iter().position(|&class| class == block).unwrap_or(usize::MAX);
            let evidence = part.learner.gaussian().evidence(own, part.examples)?;
            let sum = sum.get_or_insert_with(|| Evidence::none_like(&evidence));
            sum.add(&evidence, part.features, part.times)?;
        }
        if let Some(sum) = sum {
            store.adopt(block, sum)?;
        }
    }
    Ok(())
}

/// The calibration that fits the parts together: their mean by examples. A base says nothing that they do not.
pub(super) fn merge_calibrations(parts: &[Part<'_>]) -> Calibration {
    let own = parts.iter().filter(|part| part.times > 0.0);
    Calibration::mean(own.filter_map(|part| Some((part.learner.calibration()?, part.examples.max(1.0)))))
}
