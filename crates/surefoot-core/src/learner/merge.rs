//! Merging learners that learned apart, one after the other into a [`LearnerSum`]. Calibrations are the
//! [`Head`](super::Head)'s.
//!
//! The means of diagonal stores are pooled, as estimates of one weight are in a meta-analysis. Seen from what all parts began
//! with (mean β, precision Λ₁: those of a base, or of the prior, whose precision is Λ₀), part i has moved a weight by
//! dᵢ = μᵢ − β and gained the precision γᵢ. With s the share of the prior's precision that holds means of this rule back,
//!
//! ```text
//! μ = β + Σᵢ(gᵢ + sΛ₀)dᵢ / (Σᵢgᵢ + sΛ₀)      Λ = Λ₁ + Σᵢγᵢ
//! ```
//!
//! - Without a base, with two classes and s = 1, that is the exact product of the Gaussians. A weight of which every part has
//!   seen little is added up, one of which they have seen much is averaged.
//! - *A base* takes no part in the sum. In the product it would hold every part's move back and then add all of them up: parts
//!   that put the same mistake of the base right would overshoot by their number, and a few rounds of that diverge.
//! - *Balance.* Classes are ranked by their scores, so adding one number to a feature's weights of all classes changes
//!   nothing. It would change the merged ranking if each class weighed the parts its own way. So gᵢ is one for all classes of
//!   a feature that the part knows; with two classes it is γᵢ.
//!
//! All of it is sums over the parts, so the order of the parts changes nothing but the last digits, and with two classes the
//! merger of mergers is the merger of all.

use super::ensemble::{RowMap, Scalings};
use super::row_unit::RowUnit;
use crate::store::{Cells, LearnedWeight, NOWHERE, NaturalParams, Store, unmergeable};
use crate::{Error, Result};

/// How the numbers of a learner that is merged are to be read.
#[derive(Debug, Clone, Copy)]
pub struct LearnerPart<'a> {
    /// What each of its features is called in the merged learner; [`NOWHERE`] for an id that no feature has.
    pub features: &'a [u32],
    /// What each of its classes is called in the merged learner.
    pub classes: &'a [usize],
    /// Examples that it learned from.
    pub examples: f64,
    /// Whether it is one of the parts, or what they began with.
    pub role: PartRole,
}

impl LearnerPart<'_> {
    /// Its ids, and which feature of the merged learner each of them is.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        let numbered = self.features.iter().enumerate();
        numbered.filter(|(_, place)| **place != NOWHERE).map(|(own, place)| (own, *place as usize))
    }

    /// What one of its blocks is called in the merged learner.
    fn block(&self, own: usize) -> usize {
        self.classes.get(own).copied().unwrap_or(own)
    }

    /// Blocks that the merged learner has at least, where this one has so many of its own.
    fn most_blocks(&self, own: usize) -> usize {
        (0..own).map(|own| self.block(own) + 1).max().unwrap_or(0)
    }
}

/// How the means of a diagonal store are merged. Precisions always add up, the prior counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Merging {
    /// Pooled: held back by [`Rule::prior_share`](crate::rule::Rule::prior_share), moves since a base averaged, all classes of a
    /// feature weighed alike.
    #[default]
    Measured,
    /// The exact product of the Gaussians for every rule and store, with a base or without.
    Exact,
}

/// What a learner is among those that are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartRole {
    /// What all parts began with; it comes first,
    Base,
    /// one of the parts,
    Part,
    /// and the base once more at the end: it is in every part, and counts once.
    Last,
}

/// What learners of one SPEC have learned together; see [`Learner::add_to`](super::Learner::add_to).
#[derive(Debug, Default)]
pub struct LearnerSum {
    merging: Merging,
    parts: f64,
    store: Option<StoreSum>,
    unit: RowUnit,
    /// Of an ensemble, a sum a member.
    members: Vec<LearnerSum>,
    pub(super) scalings: Option<Scalings>,
    /// The rows of each group of its members.
    pub(super) row_maps: Vec<RowMap>,
}

impl LearnerSum {
    /// Nothing yet.
    #[must_use]
    pub fn new(merging: Merging) -> Self {
        Self { merging, ..Self::default() }
    }

    /// Counts a part; returns how often its sums count. A base, which is in all parts, counts once altogether.
    pub(super) fn count(&mut self, role: PartRole) -> f64 {
        match role {
            PartRole::Base => 0.0,
            PartRole::Part => {
                self.parts += 1.0;
                1.0
            }
            PartRole::Last => (1.0 - self.parts).min(0.0),
        }
    }

    /// The sums of so many members.
    pub(super) fn members(&mut self, members: usize) -> Result<&mut [LearnerSum]> {
        if self.members.is_empty() && self.store.is_none() {
            self.members.resize_with(members, || Self::new(self.merging));
        }
        if self.members.len() == members { Ok(&mut self.members) } else { Err(other_members()) }
    }

    /// The sums of so many members, to be taken over.
    pub(super) fn into_members(mut self, members: usize) -> Result<Vec<LearnerSum>> {
        self.members(members)?;
        Ok(self.members)
    }

    /// Takes in a learner of one store.
    pub(super) fn add(&mut self, own: Summand<'_>, part: &LearnerPart<'_>) -> Result<()> {
        if !self.members.is_empty() {
            return Err(other_members());
        }
        let times = self.count(part.role);
        own.unit.iter().for_each(|unit| self.unit.add(*unit, times));
        let merging = self.merging;
        let store = match &mut self.store {
            Some(store) => store,
            none => none.insert(StoreSum::new(own, merging, part.role)?),
        };
        match store {
            StoreSum::Cells(sum) => sum.add(own, part),
            StoreSum::Moves(sum) => sum.add(own, part),
            StoreSum::Natural(sums) => add_natural(sums, own, part, times),
        }
    }

    /// Fills a store that has learned nothing.
    pub(super) fn fill(self, store: &mut dyn Store, unit: &mut Option<RowUnit>) -> Result<()> {
        unit.iter_mut().for_each(|unit| *unit = self.unit.or_none());
        match self.store {
            Some(StoreSum::Cells(sum)) => sum.fill(store),
            Some(StoreSum::Moves(sum)) => sum.fill(store),
            Some(StoreSum::Natural(sums)) => fill_natural(store, sums),
            None => Ok(()),
        }
    }
}

fn other_members() -> Error {
    Error::Conflict("an ensemble merges only with ensembles of the same members".into())
}

/// A learner of one store that is added.
#[derive(Debug, Clone, Copy)]
pub(super) struct Summand<'a> {
    pub(super) store: &'a dyn Store,
    /// Blocks that it has.
    pub(super) blocks: usize,
    pub(super) unit: Option<RowUnit>,
    pub(super) pooling: Pooling,
}

/// How the parts' means are weighed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pooling {
    /// s.
    pub(super) share: f64,
    /// How the gains of a feature's classes become one, if there are several.
    pub(super) common: Option<Common>,
}

/// How the gains of a feature's classes become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Common {
    /// An example is a round of every class: the largest says how much was seen.
    Largest,
    /// An example is a round of a few classes: what all have gained together.
    Sum,
}

/// What is added up of a store.
#[derive(Debug)]
enum StoreSum {
    /// A mean and a variance a weight.
    Cells(Box<CellSum>),
    /// Any other store that continued from a base: its means.
    Moves(MoveSum),
    /// Any other store: natural parameters, block by block.
    Natural(Vec<Option<NaturalParams>>),
}

impl StoreSum {
    fn new(Summand { store, pooling, .. }: Summand<'_>, merging: Merging, role: PartRole) -> Result<Self> {
        let exact = merging == Merging::Exact;
        if store.learned_rows().is_some() {
            let prior = store.weight(0, 0).ok_or_else(unmergeable)?.prior.recip();
            let (start, sums) = (Cells::new(1, [0.0; 2], false), Cells::new(1, [0.0; 3], false));
            return Ok(Self::Cells(Box::new(CellSum { exact, pooling, prior, start, sums })));
        }
        Ok(if role == PartRole::Base && !exact {
            Self::Moves(MoveSum::default())
        } else {
            Self::Natural(Vec::new())
        })
    }
}

/// Sums over the parts for every weight.
#[derive(Debug)]
struct CellSum {
    exact: bool,
    pooling: Pooling,
    /// Λ₀.
    prior: f64,
    /// What all parts began with: β, and the gain Λ₁ − Λ₀.
    start: Cells<2>,
    /// Σ(g + held)d, Σg, Σγ.
    sums: Cells<3>,
}

impl CellSum {
    /// The precision that holds the moves of a weight back.
    fn held(&self, start_gain: f64) -> f64 {
        if self.exact { self.prior + start_gain } else { self.pooling.share * self.prior }
    }

    fn add(&mut self, Summand { store, blocks, .. }: Summand<'_>, part: &LearnerPart<'_>) -> Result<()> {
        if part.role == PartRole::Last {
            return Ok(());
        }
        let rows = store.learned_rows().ok_or_else(unmergeable)?;
        let places = part.places().take_while(|(own, _)| *own < rows);
        let bound = places.clone().map(|(_, place)| place + 1).max().unwrap_or(0);
        self.start.grow(part.most_blocks(blocks));
        self.sums.grow(part.most_blocks(blocks));
        self.start.reserve_rows(bound)?;
        self.sums.reserve_rows(bound)?;
        let mut row = Vec::new();
        for (own, place) in places {
            row.clear();
            store.learned(own, &mut row);
            row.iter_mut().for_each(|weight| weight.block = part.block(weight.block));
            match part.role {
                PartRole::Base => self.start_at(place, &row),
                _ => self.add_row(place, &mut row),
            }
        }
        Ok(())
    }

    /// What all parts began with.
    fn start_at(&mut self, place: usize, row: &[LearnedWeight]) {
        for &LearnedWeight { block, mean, gain } in row {
            self.start.put(place, block, [mean, gain]);
            // Known from now on, moved or not.
            self.sums.put(place, block, [0.0; 3]);
        }
    }

    /// What a part has learned of a feature.
    fn add_row(&mut self, place: usize, row: &mut [LearnedWeight]) {
        let mut shared: f64 = 0.0;
        for own in &mut *row {
            let [mean, gain] = self.start.get(place, own.block);
            (own.mean, own.gain) = (own.mean - mean, own.gain - gain);
            match self.pooling.common {
                Some(Common::Largest) => shared = shared.max(own.gain),
                Some(Common::Sum) => shared += own.gain.max(0.0),
                None => {}
            }
        }
        for &LearnedWeight { block, mean: moved, gain } in &*row {
            let seen = match self.pooling.common {
                Some(_) if !self.exact => shared,
                _ if self.exact => gain,
                _ => gain.max(0.0),
            };
            if [seen, moved, gain] != [0.0; 3] {
                let held = self.held(self.start.get(place, block)[1]);
                let [above, all, gained] = self.sums.get(place, block);
                self.sums.put(place, block, [above + (seen + held) * moved, all + seen, gained + gain]);
            }
        }
    }

    fn fill(self, store: &mut dyn Store) -> Result<()> {
        let mut row = Vec::new();
        for place in 0..self.sums.features() {
            row.clear();
            self.sums.each_touched(place, |block, [above, all, gained]| {
                let [start_mean, start_gain] = self.start.get(place, block);
                let mean = start_mean + above / (all + self.held(start_gain));
                row.push(LearnedWeight { block, mean, gain: start_gain + gained });
            });
            store.put_learned(place, &row)?;
        }
        Ok(())
    }
}

/// Of stores whose precision is no number a weight: the base's, and the mean of how far the parts moved each mean, by the
/// examples behind it.
#[derive(Debug, Default)]
struct MoveSum {
    base: Vec<Option<NaturalParams>>,
    /// The base's examples.
    begun: f64,
    /// By block and feature: the base's mean, and the sum of examples times moves.
    sums: Vec<Vec<[f64; 2]>>,
    /// Those of all parts since the base.
    examples: f64,
}

impl MoveSum {
    fn add(&mut self, own: Summand<'_>, part: &LearnerPart<'_>) -> Result<()> {
        let based = part.role == PartRole::Base;
        match part.role {
            PartRole::Base => {
                self.begun = part.examples;
                add_natural(&mut self.base, own, part, 1.0)?;
            }
            PartRole::Part => self.examples += (part.examples - self.begun).max(0.0),
            PartRole::Last => return Ok(()),
        }
        let examples = (part.examples - self.begun).max(0.0);
        self.sums.resize(self.sums.len().max(part.most_blocks(own.blocks)), Vec::new());
        for block in 0..own.blocks {
            let sums = &mut self.sums[part.block(block)];
            for (id, place) in part.places() {
                let mean = own.store.weight(id, block).ok_or_else(unmergeable)?.mean;
                if place >= sums.len() {
                    sums.resize(place + 1, [0.0; 2]);
                }
                let [start, moved] = &mut sums[place];
                if based {
                    *start = mean;
                } else {
                    *moved += examples * (mean - *start);
                }
            }
        }
        Ok(())
    }

    fn fill(self, store: &mut dyn Store) -> Result<()> {
        fill_natural(store, self.base)?;
        for (block, sums) in self.sums.iter().enumerate() {
            for (place, [_, moved]) in sums.iter().enumerate().filter(|(_, [_, moved])| *moved != 0.0) {
                store.move_mean(place, block, moved / self.examples)?;
            }
        }
        Ok(())
    }
}

fn add_natural(
    sums: &mut Vec<Option<NaturalParams>>,
    Summand { store, blocks, .. }: Summand<'_>,
    part: &LearnerPart<'_>,
    times: f64,
) -> Result<()> {
    if times == 0.0 {
        return Ok(());
    }
    sums.resize(sums.len().max(part.most_blocks(blocks)), None);
    for own in 0..blocks {
        let params = store.natural_params(own, part.examples)?;
        let sum = sums[part.block(own)].get_or_insert_with(|| NaturalParams::none_like(&params));
        sum.add(&params, part.features, times)?;
    }
    Ok(())
}

fn fill_natural(store: &mut dyn Store, sums: Vec<Option<NaturalParams>>) -> Result<()> {
    let mut known = sums.into_iter().enumerate().filter_map(|(block, sum)| Some((block, sum?)));
    known.try_for_each(|(block, sum)| store.from_natural(block, sum))
}
