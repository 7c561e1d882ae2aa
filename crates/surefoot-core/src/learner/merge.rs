//! Merging learners that learned apart: their stores' natural parameters add up. Calibrations are
//! the [`Head`](super::Head)'s.
//!
//! The means of diagonal stores are pooled, as estimates of one weight are in a meta-analysis.
//!
//! Seen from what all parts began with (the prior, or a base: mean β, precision Λ₀), part i has moved a weight by
//! dᵢ = μᵢ − β and gained the precision γᵢ. With s the rule's share of Λ₀ that holds means back,
//!
//! ```text
//! μ = β + Σᵢwᵢdᵢ / (Σᵢkᵢγᵢ + sΛ₀)      wᵢ = kᵢ(γᵢ + sΛ₀)      kᵢ = 1/(1 + τ²γᵢ)
//! ```
//!
//! At τ² = 0 and s = 1 that is the exact product, which a rule with s = 1 keeps for two classes. Two things are taken off
//! it for the others:
//!
//! - *Scatter.* Precisions tell how often a part was wrong rather than what it knows. Where parts that claim to be sure
//!   disagree by more than they claim, τ² is the variance between them, estimated by the method of moments of DerSimonian
//!   and Laird over all weights of the store. The surer parts then count hardly more than the others, up to the plain mean.
//! - *Balance.* Classes are ranked by their scores, so adding one number to a feature's weights of all classes changes
//!   nothing. It would change the merged ranking if each class weighed the parts its own way. So γᵢ is one for all
//!   classes of a feature.

use super::Learner;
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
    fn store(&self) -> Result<&dyn Store> {
        let mismatch =
            || Error::Conflict("an ensemble merges only with ensembles of the same members".into());
        self.learner.store().ok_or_else(mismatch)
    }

    /// Its ids, and which feature of the merged learner each of them is.
    fn places(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        let place = |&place: &u32| (place != NOWHERE).then_some(place as usize);
        self.features.iter().map(place).enumerate()
    }

    /// Which of its blocks is this one of the merged learner; one that it does not have if it knows nothing of it.
    fn own_block(&self, block: usize) -> usize {
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

/// How the gains of a feature's classes become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Common {
    /// An example is a round of every class: the largest says how much was seen.
    Largest,
    /// An example is a round of a few classes: what all have gained together.
    Sum,
}

/// Gains below this part of the prior's precision are rounding.
const SMALLEST_GAIN: f64 = 1e-9;

/// What is needed to pool the means of any block.
#[derive(Debug)]
struct Pool<'a> {
    parts: &'a [LearnerPart<'a>],
    /// The prior's precision.
    prior: f64,
    /// s.
    share: f64,
    /// For every part, the gain of each of its features that all classes have in common; empty with a single block.
    common: Vec<Vec<f64>>,
    /// τ².
    scatter: f64,
}

/// What is known of a block, feature by feature: the gain over the prior, and the mean.
type Known = Vec<[f64; 2]>;

/// Sums over the parts, for one weight.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    parts: f64,
    gain: f64,
    square: f64,
    first: f64,
    second: f64,
}

impl<'a> Pool<'a> {
    /// A pool of diagonal stores; none if the stores are others.
    fn new(
        parts: &'a [LearnerPart<'a>],
        blocks: usize,
        prior: f64,
        share: f64,
        common: Common,
    ) -> Result<Option<Self>> {
        let mut pool = Self { parts, prior, share, common: Vec::new(), scatter: 0.0 };
        for part in parts {
            if pool.known(part, 0)?.is_none() {
                return Ok(None);
            }
        }
        if blocks > 1 {
            pool.share_gains(blocks, common)?;
        }
        // A rule that adds the same evidence whatever its mean is has the exact product coming to it.
        pool.scatter = if share < 1.0 { pool.measure_scatter(blocks)? } else { 0.0 };
        Ok(Some(pool))
    }

    /// The pooled means of a block, by feature of the merged learner.
    fn means(&self, block: usize) -> Result<Vec<f64>> {
        let start = self.start(block)?;
        let mut sums: Vec<[f64; 2]> = Vec::new();
        self.each(block, &start, |place, gain, held, moved| {
            let kept = 1.0 / (1.0 + self.scatter * gain);
            let [above, below] = at(&mut sums, place);
            *above += kept * (gain + held) * moved;
            *below += kept * gain;
        })?;
        let mean = |(place, [above, below]): (usize, &[f64; 2])| {
            let [gain, mean] = of(&start, place);
            mean + above / (below + self.share * (self.prior + gain))
        };
        Ok(sums.iter().enumerate().map(mean).collect())
    }

    /// τ² over all weights: what the parts' disagreement exceeds their variances by.
    fn measure_scatter(&self, blocks: usize) -> Result<f64> {
        let (mut excess, mut scale) = (0.0, 0.0);
        for block in 0..blocks {
            let start = self.start(block)?;
            let mut tallies: Vec<Tally> = Vec::new();
            self.each(block, &start, |place, gain, held, moved| {
                if gain > SMALLEST_GAIN * self.prior {
                    at(&mut tallies, place).add(gain, (gain + held) / gain * moved);
                }
            })?;
            for tally in tallies.iter().filter(|tally| tally.parts > 1.0) {
                excess += tally.second - tally.first * tally.first / tally.gain - (tally.parts - 1.0);
                scale += tally.gain - tally.square / tally.gain;
            }
        }
        Ok(if excess > 0.0 && scale > 0.0 { excess / scale } else { 0.0 })
    }

    /// Every weight of every part but the base: its place in the merged learner, its gain γ, sΛ₀, and how far it moved.
    fn each(&self, block: usize, start: &Known, mut seen: impl FnMut(usize, f64, f64, f64)) -> Result<()> {
        for (i, part) in self.parts.iter().enumerate().filter(|(_, part)| part.times > 0.0) {
            let known = self.known(part, block)?.unwrap_or_default();
            for ((own, place), [gain, mean]) in part.places().zip(known) {
                let Some(place) = place else { continue };
                let [start_gain, start_mean] = of(start, place);
                let gain = self.common.get(i).map_or((gain - start_gain).max(0.0), |common| common[own]);
                seen(place, gain, self.share * (self.prior + start_gain), mean - start_mean);
            }
        }
        Ok(())
    }

    /// One gain a feature for all its classes.
    fn share_gains(&mut self, blocks: usize, common: Common) -> Result<()> {
        let mut all = vec![Vec::new(); self.parts.len()];
        for block in 0..blocks {
            let start = self.start(block)?;
            for (part, shared) in self.parts.iter().zip(&mut all) {
                let known = self.known(part, block)?.unwrap_or_default();
                for ((own, place), [gain, _]) in part.places().zip(known) {
                    let gain = (gain - place.map_or(0.0, |place| of(&start, place)[0])).max(0.0);
                    let shared: &mut f64 = at(shared, own);
                    *shared = match common {
                        Common::Largest => shared.max(gain),
                        Common::Sum => *shared + gain,
                    };
                }
            }
        }
        self.common = all;
        Ok(())
    }

    /// What all parts began with in a block.
    fn start(&self, block: usize) -> Result<Known> {
        let mut start = Known::new();
        for part in self.parts.iter().filter(|part| part.times < 0.0) {
            let known = self.known(part, block)?.unwrap_or_default();
            for ((_, place), own) in part.places().zip(known) {
                place.into_iter().for_each(|place| *at(&mut start, place) = own);
            }
        }
        Ok(start)
    }

    /// A part's gains over the prior and its means; none if its store is not diagonal.
    fn known(&self, part: &LearnerPart<'_>, block: usize) -> Result<Option<Known>> {
        let params = part.store()?.natural_params(part.own_block(block), part.examples)?;
        let Gain::Diagonal(gains) = params.gain else { return Ok(None) };
        let known = |(shift, gain): (f64, f64)| [gain, shift / (self.prior + gain)];
        Ok(Some(params.shift.into_iter().zip(gains).map(known).collect()))
    }
}

impl Tally {
    fn add(&mut self, gain: f64, mean: f64) {
        self.parts += 1.0;
        self.gain += gain;
        self.square += gain * gain;
        self.first += gain * mean;
        self.second += gain * mean * mean;
    }
}

/// What is known of a feature; nothing beyond the end, as where there is no base.
fn of(known: &Known, place: usize) -> [f64; 2] {
    known.get(place).copied().unwrap_or_default()
}

/// The entry of a place in a list that grows as needed.
fn at<T: Default + Clone>(list: &mut Vec<T>, place: usize) -> &mut T {
    if place >= list.len() {
        list.resize(place + 1, T::default());
    }
    &mut list[place]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Tensor;
    use crate::{Spec, Task};

    /// A learner of as many classes as each feature has weights; each weight a mean and a variance.
    fn learner(rows: &[&[[f64; 2]]]) -> Box<dyn Learner> {
        let classes = rows[0].len();
        let task = if classes == 1 { Task::Binary } else { Task::Multiclass };
        let spec = Spec::parse("arow:schedule=one-vs-rest").unwrap();
        let mut learner = spec.build(task, classes).unwrap();
        let mut state = learner.save().into_owned();
        let column = |row: &&[[f64; 2]], which: usize| row.iter().map(|cell| cell[which]).collect::<Vec<_>>();
        let cells = rows.iter().flat_map(|row| [column(row, 0), column(row, 1)].concat()).collect::<Vec<_>>();
        state.put("store.shape", Tensor::U64(vec![rows.len() as u64, classes as u64].into()));
        state.put("store.cells", Tensor::F64(cells.into()));
        learner.restore(state).unwrap();
        learner
    }

    const FEATURES: [u32; 2] = [0, 1];

    fn pooled(
        learners: &[Box<dyn Learner>],
        blocks: usize,
        share: f64,
        common: Common,
    ) -> (f64, Vec<Vec<f64>>) {
        let classes: Vec<usize> = (0..blocks).collect();
        let part = |learner| LearnerPart {
            learner,
            features: &FEATURES,
            classes: &classes,
            examples: 1.0,
            times: 1.0,
        };
        let parts: Vec<LearnerPart<'_>> = learners.iter().map(|learner| part(&**learner)).collect();
        let pool = Pool::new(&parts, blocks, 1.0, share, common).unwrap().unwrap();
        (pool.scatter, (0..blocks).map(|block| pool.means(block).unwrap()).collect())
    }

    #[test]
    fn models_that_agree_make_the_exact_product() {
        let learners = [learner(&[&[[0.5, 0.5]], &[[0.1, 1.0]]]), learner(&[&[[0.6, 0.25]], &[[0.3, 0.5]]])];
        let (scatter, means) = pooled(&learners, 1, 1.0, Common::Largest);
        assert_eq!(scatter, 0.0);
        // Λ = 2 + 4 − 1 and 1 + 2 − 1, η = 0.5·2 + 0.6·4 and 0.1 + 0.3·2.
        assert!((means[0][0] - 3.4 / 5.0).abs() < 1e-15 && (means[0][1] - 0.35).abs() < 1e-15, "{means:?}");
    }

    #[test]
    fn the_surest_does_not_drown_those_that_disagree_with_it() {
        let learners = [learner(&[&[[1.0, 1e-6]]]), learner(&[&[[-1.0, 1e-3]]])];
        let (scatter, means) = pooled(&learners, 1, 0.1, Common::Largest);
        // Two estimates that are sure of themselves and 2 apart: their own variance is 2²/2.
        assert!((scatter - 2.0).abs() < 0.01, "{scatter}");
        assert!(means[0][0].abs() < 0.01, "the product would be 0.998: {means:?}");
        // A rule whose evidence does not depend on its mean keeps the product.
        let (scatter, means) = pooled(&learners, 1, 1.0, Common::Largest);
        assert_eq!(scatter, 0.0);
        assert!((means[0][0] - (1e6 - 1e3) / (1e6 + 1e3 - 1.0)).abs() < 1e-12, "{means:?}");
    }

    /// What is added to all classes of a feature in one model changes no ranking, there or in the merged model.
    #[test]
    fn the_ranking_depends_on_differences_between_classes_alone() {
        for common in [Common::Largest, Common::Sum] {
            let merged = |offset: f64| {
                let first: &[[f64; 2]] = &[[0.4 + offset, 0.1], [-0.2 + offset, 0.5], [0.1 + offset, 0.9]];
                let second: &[[f64; 2]] = &[[0.1, 0.8], [0.3, 0.05], [-0.1, 0.3]];
                let (_, means) = pooled(&[learner(&[first]), learner(&[second])], 3, 0.1, common);
                [means[1][0] - means[0][0], means[2][0] - means[0][0]]
            };
            let (plain, moved) = (merged(0.0), merged(0.05));
            assert!((0..2).all(|i| (plain[i] - moved[i]).abs() < 1e-12), "{common:?}: {plain:?} {moved:?}");
        }
    }
}
