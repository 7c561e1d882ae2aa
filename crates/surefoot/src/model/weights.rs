//! What a model has learned, weight by weight, under the names that people know.

use std::cmp::Ordering;

use surefoot_core::store::Weight;
use surefoot_core::transform::Cuts;
use surefoot_data::{BIAS_KEY, FeatureName, Label};

use super::Model;

/// More examples than any stream has.
const MOST_EVIDENCE: f64 = 1e18;

/// The weight of one feature, for one label if there are many.
#[derive(Debug, Clone)]
pub struct NamedWeight<'a> {
    /// The feature.
    pub feature: FeatureName<'a>,
    /// The label; none in a binary problem, where the weight speaks for the positive one.
    pub label: Option<&'a Label>,
    /// Mean and variance.
    pub weight: Weight,
    /// What the weight has seen, in units of the prior, which counts as one example: prior variance / variance − 1.
    pub evidence: f64,
}

impl Model {
    /// Every weight of every feature met, in feature order and then in that of the labels; of an ensemble, those of its best
    /// member. Nothing where weights have no single feature, as with non-linear kernels.
    ///
    /// ```
    /// # use surefoot::prelude::*;
    /// # use surefoot::train::Silent;
    /// let mail = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\n");
    /// let (model, _) = train(vec![mail], &TrainOptions::default(), &mut Silent)?;
    /// let names: Vec<String> = model.weights().map(|w| w.feature.to_string()).collect();
    /// assert_eq!(names, ["cheap", "lunch", "pills", "today", "(bias)"]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn weights(&self) -> impl Iterator<Item = NamedWeight<'_>> {
        let blocks = self.blocks();
        let order = self.encoder().index().feature_order();
        let pairs =
            order.into_iter().flat_map(move |index| blocks.clone().into_iter().map(move |b| (index, b)));
        let best = self.head().best();
        pairs.filter_map(move |(index, (block, label))| self.named_weight(best, index, block, label))
    }

    /// The blocks of weights with their labels, in the order of the labels.
    fn blocks(&self) -> Vec<(usize, Option<&Label>)> {
        if self.labels().is_binary() {
            return vec![(0, None)];
        }
        let classes = self.labels().order().into_iter().map(|class| class as usize);
        classes.map(|class| (class, self.label(Some(class)))).collect()
    }

    fn named_weight<'a>(
        &'a self,
        member: usize,
        index: u32,
        block: usize,
        label: Option<&'a Label>,
    ) -> Option<NamedWeight<'a>> {
        let feature = self.encoder().index().name(index)?;
        let weight = self.learner().weight(member, index as usize, block)?;
        // A variance may be so small that rounding has left nothing of it.
        let evidence = (weight.prior / weight.variance - 1.0).min(MOST_EVIDENCE);
        Some(NamedWeight { feature, label, weight, evidence })
    }

    /// The features that decide for each label, at most `count` of each, the labels in their order: those whose weight is the most of
    /// its standard deviations away from 0, of the weights that are at least a quarter of the label's largest. A weight that
    /// is surely small decides nothing, and a large one of a word met once is not sure. Of members that see text cut in several
    /// ways it is the best of those that see words, which people read.
    #[must_use]
    pub fn decisive(&self, count: usize) -> Vec<(&Label, Vec<NamedWeight<'_>>)> {
        let labels = self.labels().order().into_iter().filter_map(|class| self.label(Some(class as usize)));
        let labels: Vec<&Label> = labels.collect();
        let (blocks, index, member) = (self.blocks(), self.encoder().index(), self.readable_member());
        let mut largest = vec![0.0f64; labels.len()];
        for (place, _, _, weight) in self.speaking(member, &blocks) {
            largest.iter_mut().skip(place).take(1).for_each(|most| *most = most.max(weight.mean.abs()));
        }
        let mut tops = vec![Surest::new(count); labels.len()];
        for (place, at, feature, weight) in self.speaking(member, &blocks) {
            let Some(top) = tops.get_mut(place) else { continue };
            if weight.mean.abs() >= FLOOR * largest[place] {
                top.offer(standard_score(weight), feature, at);
            }
        }
        let named = |top: Surest| {
            let best = top.into_sorted(|one, other| index.compare(one, other)).into_iter();
            best.filter_map(|(_, index, at)| self.named_weight(member, index, blocks[at].0, blocks[at].1))
                .collect()
        };
        labels.into_iter().zip(tops.into_iter().map(named)).collect()
    }

    /// The best member; where text was cut in several ways, the best of those that see words alone.
    fn readable_member(&self) -> usize {
        let best = self.head().best();
        let Some(ensemble) = self.learner().as_ensemble().filter(|ensemble| ensemble.is_cut(best)) else {
            return best;
        };
        let members = ensemble.members().zip(self.head().members()).enumerate();
        let words = members.filter(|(_, ((_, view), _))| view.cuts == Cuts::WORDS);
        let readable = words.min_by(|(_, (_, one)), (_, (_, other))| one.loss.total_cmp(&other.loss));
        readable.map_or(best, |(member, _)| member)
    }

    /// Every weight that speaks for a label: the place of the label, the place of the block, the feature and the weight; in the
    /// order of the indices, in which weights lie in memory. One block speaks for two labels: for the positive one, or against it.
    fn speaking<'m>(
        &'m self,
        member: usize,
        blocks: &'m [(usize, Option<&'m Label>)],
    ) -> impl Iterator<Item = (usize, usize, u32, Weight)> + 'm {
        let (learner, index) = (self.learner(), self.encoder().index());
        let features = index.indices().filter(move |&feature| index.key(feature) != BIAS_KEY);
        let weights = features.flat_map(move |feature| {
            let each = blocks.iter().enumerate();
            each.filter_map(move |(at, &(block, label))| {
                let weight = learner.weight(member, feature as usize, block)?;
                let place = if label.is_none() { usize::from(weight.mean > 0.0) } else { at };
                Some((place, at, feature, weight))
            })
        });
        weights
            .filter(|(_, at, _, weight)| weight.mean > 0.0 || (weight.mean < 0.0 && blocks[*at].1.is_none()))
    }
}

/// Weights below this part of their label's largest decide little, however sure they are.
const FLOOR: f64 = 0.25;

/// How many of its standard deviations a weight is away from 0; its size where nothing is known of that.
fn standard_score(weight: Weight) -> f64 {
    let size = weight.mean.abs();
    if weight.variance > 0.0 { size / weight.variance.sqrt() } else { size }
}

/// The surest weights of a long row, without sorting all of them.
#[derive(Debug, Clone)]
struct Surest {
    count: usize,
    /// What a weight must reach to be among the first `count`, as far as is known.
    bar: f64,
    /// How sure, which index, which block.
    found: Vec<(f64, u32, usize)>,
}

impl Surest {
    /// Weights held for each one that is wanted before the rest are thrown out.
    const SLACK: usize = 16;

    fn new(count: usize) -> Self {
        Self { count, bar: f64::NEG_INFINITY, found: Vec::new() }
    }

    fn offer(&mut self, sure: f64, index: u32, at: usize) {
        if sure < self.bar || self.count == 0 {
            return;
        }
        self.found.push((sure, index, at));
        let full = (self.count * Self::SLACK).max(1 << 10);
        if self.found.len() >= full && self.found.len().is_power_of_two() {
            // All that tie with the last of the wanted ones stay: the order of the features decides between them.
            let wanted = self.count.min(self.found.len()) - 1;
            self.bar = self.found.select_nth_unstable_by(wanted, |a, b| b.0.total_cmp(&a.0)).1.0;
            self.found.retain(|&(sure, ..)| sure >= self.bar);
        }
    }

    /// The surest first; of equals the earlier feature.
    fn into_sorted(self, compare: impl Fn(u32, u32) -> Ordering) -> Vec<(f64, u32, usize)> {
        let mut found = self.found;
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| compare(a.1, b.1)));
        found.truncate(self.count);
        found
    }
}
