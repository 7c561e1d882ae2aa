//! Merging learners that learned apart: their stores' evidence adds up, their calibrations are averaged.

use super::{Calibration, Learner};
use crate::Result;
use crate::gaussian::{Evidence, Gain, Gaussian};
use crate::rule::Rule;

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

/// How the means of a diagonal store are merged. Precisions always add up, the prior counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Merging {
    /// As the rule asks for: [`Rule::prior_share`].
    #[default]
    Measured,
    /// The exact product for every rule.
    Exact,
}

impl Merging {
    fn prior_share(self, rule: &dyn Rule) -> f64 {
        match self {
            Self::Measured => rule.prior_share(),
            Self::Exact => 1.0,
        }
    }
}

/// Fills an empty store with what the parts' stores have learned together.
pub(super) fn merge_stores(
    store: &mut dyn Gaussian,
    rule: &dyn Rule,
    parts: &[Part<'_>],
    merging: Merging,
) -> Result<()> {
    let (share, prior) = (merging.prior_share(rule), store.prior().recip());
    for block in 0..store.blocks() {
        let mut sum: Option<Evidence> = None;
        let mut caution = Caution { held: (1.0 - share) * prior, ..Caution::default() };
        for part in parts {
            let own = part.classes.iter().position(|&class| class == block).unwrap_or(usize::MAX);
            let evidence = part.learner.gaussian().evidence(own, part.examples)?;
            let sum = sum.get_or_insert_with(|| Evidence::none_like(&evidence));
            sum.add(&evidence, part.features, part.times)?;
            if share < 1.0 {
                caution.see(&evidence, prior, part, 1.0 - share);
            }
        }
        if let Some(mut sum) = sum {
            caution.apply(&mut sum, prior);
            store.adopt(block, sum)?;
        }
    }
    Ok(())
}

/// What keeps the means of a diagonal product from being added up where hardly anything is known of them.
///
/// The product's mean is η/Λ. With h, a share of the common start's precision Λ₁, taken off again from each model, it is
/// (η − h·Σᵢμᵢ)/(Λ − h), a base being one of the μᵢ, counted negatively. At h = 0 that is the product, at h = Λ₁ the
/// mean by evidence alone, in which what one model knows of a weight is not watered down by those that know nothing.
#[derive(Debug, Default)]
struct Caution {
    /// h where there is no base.
    held: f64,
    /// What is added to h for each feature that a base has learned.
    base: Vec<f64>,
    /// Σᵢμᵢ.
    means: Vec<f64>,
}

impl Caution {
    fn see(&mut self, evidence: &Evidence, prior: f64, part: &Part<'_>, off: f64) {
        let Gain::Diagonal(gains) = &evidence.gain else { return };
        for ((shift, gain), &feature) in evidence.shift.iter().zip(gains).zip(part.features) {
            let place = feature as usize;
            if place >= self.means.len() {
                self.means.resize(place + 1, 0.0);
                self.base.resize(place + 1, 0.0);
            }
            self.means[place] += part.times * shift / (prior + gain);
            if part.times < 0.0 {
                self.base[place] = off * gain;
            }
        }
    }

    fn apply(&self, sum: &mut Evidence, prior: f64) {
        let Gain::Diagonal(gains) = &sum.gain else { return };
        for (i, (shift, gain)) in sum.shift.iter_mut().zip(gains).enumerate().take(self.means.len()) {
            let (precision, held) = (prior + gain, self.held + self.base[i]);
            if precision > held {
                *shift = (*shift - held * self.means[i]) / (precision - held) * precision;
            }
        }
    }
}

/// The calibration that fits the parts together: their mean by examples. A base says nothing that they do not.
pub(super) fn merge_calibrations(parts: &[Part<'_>]) -> Calibration {
    let own = parts.iter().filter(|part| part.times > 0.0);
    Calibration::mean(own.filter_map(|part| Some((part.learner.calibration()?, part.examples.max(1.0)))))
}
