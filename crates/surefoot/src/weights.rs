//! What a model has learned, weight by weight, under the names that people know.

use surefoot_core::gaussian::Weight;
use surefoot_data::{FeatureName, Label};

use crate::Model;

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

impl NamedWeight<'_> {
    /// How far the weight surely is from 0: its distance less one standard deviation.
    #[must_use]
    pub fn sure(&self) -> f64 {
        self.weight.mean.abs() - self.weight.variance.sqrt()
    }
}

impl Model {
    /// Every weight of every feature met, in feature order and then in that of the labels; of a bank, those of its best
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
        let order = self.preparer().space().feature_order();
        let pairs =
            order.into_iter().flat_map(move |index| blocks.clone().into_iter().map(move |b| (index, b)));
        pairs.filter_map(move |(index, (block, label))| self.named_weight(index, block, label))
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
        index: u32,
        block: usize,
        label: Option<&'a Label>,
    ) -> Option<NamedWeight<'a>> {
        let gaussian = self.learner().gaussian();
        let weight = gaussian.weight(index as usize, block)?;
        let feature = self.preparer().space().name(index);
        Some(NamedWeight { feature, label, weight, evidence: gaussian.prior() / weight.variance - 1.0 })
    }

    /// The features that speak most surely for each label, the surest first, at most `count` of each; the labels in
    /// their order.
    #[must_use]
    pub fn decisive(&self, count: usize) -> Vec<(&Label, Vec<NamedWeight<'_>>)> {
        let labels = self.labels().order().into_iter().filter_map(|class| self.label(Some(class as usize)));
        let mut tops: Vec<_> = labels.map(|label| (label, Vec::new())).collect();
        let blocks = self.blocks().len();
        for (at, weight) in self.weights().enumerate() {
            let mean = weight.weight.mean;
            let place = match blocks {
                1 if tops.len() == 2 => usize::from(mean > 0.0),
                _ => at % blocks,
            };
            let speaks = mean > 0.0 || (mean < 0.0 && weight.label.is_none());
            if let (true, Some((_, top))) =
                (speaks && weight.feature != FeatureName::Bias, tops.get_mut(place))
            {
                keep_surest(top, weight, count);
            }
        }
        tops
    }
}

/// Puts a weight into a short list that is sorted from the surest down; of equals the earlier feature stays ahead.
fn keep_surest<'a>(top: &mut Vec<NamedWeight<'a>>, weight: NamedWeight<'a>, count: usize) {
    let sure = weight.sure();
    let place = top.partition_point(|kept| kept.sure() >= sure);
    if place < count {
        top.insert(place, weight);
        top.truncate(count);
    }
}
