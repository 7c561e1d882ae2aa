//! From parsed examples to the vectors of learners: all that depends on the stream so far.
//!
//! The class of the label; indices, then the running scale, then the length of the row, then the bias, which is always last and
//! always 1. One thread does this in file order, so the result does not depend on the number of threads that parse.

mod fewer;
pub(crate) mod index;
pub(crate) mod labels;
mod met_once;
mod row;
pub(crate) mod scale;
pub(crate) mod task;

use std::sync::Arc;

use surefoot_core::transform::unit_divisor;
use surefoot_core::{Task, all_finite, check_weight};

use crate::batch::KeyedFeatures;
use crate::key::BIAS_KEY;
use crate::problem::{EncodeProblem, IndexFull};
use crate::recipe::{Normalize, Plan, Recipe, Scale, SpaceKind};
use index::{FeatureIndex, FoundFeatures, INDEX_LIMIT, ROWS_A_FEATURE, UNKNOWN, load_index, new_index};
use labels::{LabelProblem, Labels};
use met_once::MetOnce;
pub use row::Row;
use scale::Scaler;
use surefoot_core::state::State;
use surefoot_core::transform::COLUMN_LIMIT;

/// Labels that need not be looked up.
const RECENT: usize = 2;

/// Labels, feature index and running statistics of one model.
///
/// ```
/// use std::sync::Arc;
/// use surefoot_data::{Encoder, KeyedFeatures, Labels, Normalize, Plan, Recipe, Row, SpaceKind};
///
/// let recipe = Recipe { space: SpaceKind::AsGiven, normalize: Normalize::L2, ..Recipe::default() };
/// let mut encoder = Encoder::new(Labels::open(), Arc::new(Plan::new(recipe)?), false);
/// let mut row = Row::new();
/// let encoded = encoder.encode(&KeyedFeatures::given(&[7, 4_000_000_000], &[3.0, 4.0]), b"spam", 1.0, &mut row)?;
/// assert_eq!((encoded.class, encoded.known), (0, Some(0))); // a new label; there were no classes before
/// assert_eq!(row.ids, [0, 1, 2]);
/// assert_eq!(row.values, [0.6, 0.8, 1.0]);
///
/// // Prediction knows feature 7 and the bias. A feature that was never met gets an index past the others, where every
/// // store is still at the prior: it counts in the length of the row and in the variance of the score.
/// encoder.encode_known(&KeyedFeatures::given(&[5, 7], &[4.0, 3.0]), &mut row);
/// assert_eq!(row.ids, [3, 0, 2]);
/// assert_eq!(row.values, [0.8, 0.6, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    labels: Labels,
    plan: Arc<Plan>,
    index: Box<dyn FeatureIndex>,
    scaler: Scaler,
    /// What was met once of the features that get an index when they come again.
    once: MetOnce,
    bias: Option<u32>,
    /// The labels met last and their classes: streams repeat themselves.
    recent: [Option<(Vec<u8>, usize)>; RECENT],
}

/// What the label of an example is to a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Its class.
    pub class: usize,
    /// How many classes there were before, if the label is new.
    pub known: Option<usize>,
}

impl Encoder {
    /// Nothing learnt yet. `gaps` says whether the learner's stores take indices with gaps: then neighbouring integers share
    /// a page of indices. Standardised columns never have gaps.
    pub fn new(labels: Labels, plan: Arc<Plan>, gaps: bool) -> Self {
        let Recipe { space, scale, .. } = *plan.recipe();
        let index = new_index(space, gaps && scale != Scale::Standardize);
        Self::with(labels, plan, index, Scaler::new(scale), MetOnce::default())
    }

    fn with(
        labels: Labels,
        plan: Arc<Plan>,
        index: Box<dyn FeatureIndex>,
        scaler: Scaler,
        once: MetOnce,
    ) -> Self {
        let bias = index.get(BIAS_KEY);
        Self { labels, plan, index, scaler, once, bias, recent: Default::default() }
    }

    /// What [`Encoder::export`] wrote, under the recipe that it was made with.
    pub fn load(
        labels: Labels,
        plan: Arc<Plan>,
        state: &mut State<'_>,
    ) -> Result<Self, surefoot_core::Error> {
        let Recipe { space, scale, .. } = *plan.recipe();
        let index = load_index(space, state)?;
        let scaler = Scaler::import(scale, index.bound(), state)?;
        let once = MetOnce::import(state)?;
        Ok(Self::with(labels, plan, index, scaler, once))
    }

    /// Puts the index and the statistics into `state`; labels are kept [as JSON](Labels::to_json).
    pub fn export<'a>(&'a self, state: &mut State<'a>) {
        self.index.export(state);
        self.scaler.export(state);
        self.once.export(state);
    }

    /// Takes in the features and labels of another encoder of the same recipe. Returns the index here of each index there,
    /// [`UNKNOWN`] where it had no feature. What was here before keeps its index and class.
    pub fn absorb(&mut self, other: &Encoder) -> Result<Vec<u32>, EncodeProblem> {
        self.labels = self.labels.union(&other.labels)?;
        let features = if self.index.is_empty() {
            self.index = other.index.clone();
            let same = |index| if other.index.contains(index) { index } else { UNKNOWN };
            (0..other.index.bound() as u32).map(same).collect()
        } else {
            self.index.union(&*other.index)
        };
        if self.index.bound() > self.limit() {
            return Err(self.full().into());
        }
        self.bias = self.index.get(BIAS_KEY);
        Ok(features)
    }

    /// Adds the statistics of an encoder that was [absorbed](Encoder::absorb), so many times; a negative number takes a common
    /// base off again.
    pub fn add_statistics(&mut self, other: &Encoder, features: &[u32], times: f64) {
        self.scaler.add(&other.scaler, features, times);
    }

    /// Where the bias is, if it has been met.
    pub fn bias(&self) -> Option<u32> {
        self.bias
    }

    /// The same features and labels under another recipe, which may differ in transforms, length and bias, but not in the kind
    /// of index and scale.
    pub fn with_plan(&self, plan: Arc<Plan>) -> Self {
        Self { plan, ..self.clone() }
    }

    /// The labels met or declared so far.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The place of each class among the labels: ties between classes go to the smaller one.
    pub fn ranks(&self) -> Vec<u32> {
        self.labels.ranks()
    }

    /// Whether two classes are told apart or any number, and whether a row may have several.
    pub fn task(&self) -> Task {
        self.labels.task()
    }

    /// Which index each feature has.
    pub fn index(&self) -> &dyn FeatureIndex {
        &*self.index
    }

    /// The checked settings.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The settings.
    pub fn recipe(&self) -> &Recipe {
        self.plan.recipe()
    }

    /// The class and the vector of an example to learn from. New features get an index, a new label a class, and the example
    /// enters the statistics before it is scaled by them. What cannot be learned from is refused before anything has changed.
    pub fn encode(
        &mut self,
        features: &KeyedFeatures<'_>,
        label: &[u8],
        weight: f64,
        row: &mut Row,
    ) -> Result<Encoded, EncodeProblem> {
        self.encode_found(features, &FoundFeatures::default(), label, weight, row)
    }

    /// Whether an example could be learned from: the class of its label, none if it would be new. Changes nothing.
    pub fn check(
        &self,
        features: &KeyedFeatures<'_>,
        label: &[u8],
        weight: f64,
    ) -> Result<Option<usize>, EncodeProblem> {
        check_weight(weight).map_err(EncodeProblem::Weight)?;
        let class = self.labels.admit(label)?;
        if !features.finite {
            check_values(features)?;
        }
        self.check_room(features)?;
        Ok(class.map(|class| class as usize))
    }

    /// The same where [`look_up`](Encoder::look_up) has found the features before, at any time: an index never changes, so only
    /// those that were new then are looked for again.
    pub fn encode_found(
        &mut self,
        features: &KeyedFeatures<'_>,
        found: &FoundFeatures,
        label: &[u8],
        weight: f64,
        row: &mut Row,
    ) -> Result<Encoded, EncodeProblem> {
        check_weight(weight).map_err(EncodeProblem::Weight)?;
        let class = self.class(label)?;
        self.learn_features(features, found, row)?;
        match class {
            Some(class) => Ok(Encoded { class, known: None }),
            None => Ok(self.meet(label)?),
        }
    }

    /// The same where a row may have several labels, or none: `classes` becomes their classes, ascending. Returns how many classes
    /// there were before, if any label is new.
    pub fn encode_labels<'l>(
        &mut self,
        features: &KeyedFeatures<'_>,
        found: &FoundFeatures,
        labels: impl Iterator<Item = &'l [u8]> + Clone,
        weight: f64,
        row: &mut Row,
        classes: &mut Vec<u32>,
    ) -> Result<Option<usize>, EncodeProblem> {
        check_weight(weight).map_err(EncodeProblem::Weight)?;
        labels.clone().try_for_each(|label| self.labels.admit(label).map(drop))?;
        self.learn_features(features, found, row)?;
        let before = self.labels.len();
        classes.clear();
        for label in labels {
            classes.push(self.labels.meet(label)?);
        }
        classes.sort_unstable();
        classes.dedup();
        Ok((self.labels.len() > before).then_some(before))
    }

    /// The vector of an example to learn from, whose features and statistics are known afterwards.
    fn learn_features(
        &mut self,
        features: &KeyedFeatures<'_>,
        found: &FoundFeatures,
        row: &mut Row,
    ) -> Result<(), EncodeProblem> {
        if !features.finite {
            check_values(features)?;
        }
        self.check_room(features)?;
        row.clear();
        row.segments = features.segments;
        self.intern(features, found, row);
        if self.recipe().bias && self.bias.is_none() {
            self.bias = Some(self.index.intern(BIAS_KEY, b""));
        }
        if self.scaler.is_none() {
            self.fill(features, row);
        } else {
            row.take_values(features);
            self.scaler.learn(row).map_err(EncodeProblem::Scale)?;
            self.finish(row);
        }
        Ok(())
    }

    /// The index of every feature, given now to those that are new.
    fn intern(&mut self, features: &KeyedFeatures<'_>, found: &FoundFeatures, row: &mut Row) {
        // A hashed index counts how often its features occur.
        if matches!(self.recipe().space, SpaceKind::Hashed { .. }) {
            return self.index.intern_all(features, &mut row.ids);
        }
        let looked_up = found.indices.len() == features.len();
        if !features.segments.has_many() {
            if !looked_up {
                return self.index.intern_all(features, &mut row.ids);
            }
            row.ids.extend_from_slice(&found.indices);
            for at in found.new.iter().map(|&at| at as usize) {
                row.ids[at] = self.index.intern(features.keys()[at], features.name(at));
            }
            return;
        }
        if looked_up {
            row.found.clone_from(found);
        } else {
            self.index.get_all(features.keys(), &mut row.found);
        }
        row.ids.extend_from_slice(&row.found.indices);
        let many = features.segments.first_of_many(features.len());
        // What came to be known since is found once more.
        row.keys.clear();
        row.keys.extend(row.found.new.iter().map(|&at| features.keys()[at as usize]));
        self.once.prefetch(&row.keys);
        self.index.get_all(&row.keys, &mut row.again);
        let again = row.found.new.iter().zip(&row.again.indices);
        for (at, &known) in again.map(|(&at, known)| (at as usize, known)) {
            let key = features.keys()[at];
            row.ids[at] = match known {
                UNKNOWN if at >= many && !self.once.meet(key) => UNKNOWN,
                UNKNOWN => self.index.intern(key, features.name(at)),
                known => known,
            };
        }
    }

    /// The vector of an example to predict, as learning would see it; nothing changes. Features that were never met get
    /// indices that no feature has, where every store is at the prior.
    pub fn encode_known(&self, features: &KeyedFeatures<'_>, row: &mut Row) {
        row.clear();
        row.segments = features.segments;
        self.index.get_all(features.keys(), &mut row.found);
        row.ids.extend_from_slice(&row.found.indices);
        let mut next = self.index.bound() as u32;
        // Of those that are many, learning leaves out what was never met before.
        let hashed = matches!(self.recipe().space, SpaceKind::Hashed { .. });
        let many = if hashed { row.ids.len() } else { features.segments.first_of_many(features.len()) };
        let keys = features.keys().iter();
        for (at, (id, &key)) in
            row.ids.iter_mut().zip(keys).enumerate().filter(|(_, (id, _))| **id == UNKNOWN)
        {
            if at < many || self.once.has(key) {
                *id = next;
                next = next.saturating_add(1);
            }
        }
        if self.scaler.is_none() {
            return self.fill(features, row);
        }
        row.take_values(features);
        self.scaler.apply(row);
        self.finish(row);
    }

    /// Finds the features that are known by now. Changes nothing.
    pub fn look_up(&self, keys: &[u64], found: &mut FoundFeatures) {
        self.index.get_all(keys, found);
    }

    /// Length and bias of values that need no scale, in one pass.
    fn fill(&self, features: &KeyedFeatures<'_>, row: &mut Row) {
        row.take_values(features);
        if self.recipe().normalize == Normalize::L2 {
            let known = features.length > 0.0 && row.values.len() == features.len();
            let length = if known { features.length } else { unit_divisor(&row.values) };
            row.values.iter_mut().for_each(|value| *value /= length);
        }
        self.push_bias(row);
    }

    /// Length and bias of values that were scaled.
    fn finish(&self, row: &mut Row) {
        if self.recipe().normalize == Normalize::L2 {
            let length = unit_divisor(&row.values);
            row.values.iter_mut().for_each(|value| *value /= length);
        }
        self.push_bias(row);
    }

    fn push_bias(&self, row: &mut Row) {
        if self.recipe().bias {
            // Before anything is learnt the bias is a feature like any other that was never met.
            let past =
                || row.ids.iter().map(|&id| id.saturating_add(1)).fold(self.index.bound() as u32, u32::max);
            let index = self.bias.unwrap_or_else(past);
            row.push(index, 1.0);
        }
    }

    /// The class of a label that can be learned from, none if it is new.
    fn class(&mut self, label: &[u8]) -> Result<Option<usize>, LabelProblem> {
        if let Some((_, class)) = self.recent.iter().flatten().find(|(known, _)| known == label) {
            return Ok(Some(*class));
        }
        let class = self.labels.admit(label)?.map(|class| class as usize);
        class.into_iter().for_each(|class| self.remember(label, class));
        Ok(class)
    }

    /// Gives a class to a label that is new.
    fn meet(&mut self, label: &[u8]) -> Result<Encoded, LabelProblem> {
        let before = self.labels.len();
        let class = self.labels.meet(label)? as usize;
        self.remember(label, class);
        Ok(Encoded { class, known: (self.labels.len() > before).then_some(before) })
    }

    /// Puts a label in front of those met last.
    fn remember(&mut self, label: &[u8], class: usize) {
        self.recent.rotate_right(1);
        let (newest, of) = self.recent[0].get_or_insert_default();
        newest.clear();
        newest.extend_from_slice(label);
        *of = class;
    }

    fn check_room(&self, features: &KeyedFeatures<'_>) -> Result<(), IndexFull> {
        let each = if matches!(self.recipe().scale, Scale::Standardize) { 1 } else { ROWS_A_FEATURE };
        // The bias has room in any case.
        let room = self.limit().saturating_sub(self.index.bound() + each) / each;
        if features.len() <= room {
            return Ok(());
        }
        let mut found = FoundFeatures::default();
        self.look_up(features.keys(), &mut found);
        let new = found.indices.iter().filter(|index| **index == UNKNOWN).count();
        if new <= room { Ok(()) } else { Err(self.full()) }
    }

    fn limit(&self) -> usize {
        match self.recipe().scale {
            Scale::Standardize => COLUMN_LIMIT,
            _ => INDEX_LIMIT,
        }
    }

    fn full(&self) -> IndexFull {
        IndexFull { limit: self.limit(), standardize: self.recipe().scale == Scale::Standardize }
    }
}

/// Refuses values that would spoil statistics and weights for good.
fn check_values(features: &KeyedFeatures<'_>) -> Result<(), EncodeProblem> {
    let values = features.values();
    if all_finite(values.iter().copied()) {
        return Ok(());
    }
    let at = values.iter().position(|value| !value.is_finite()).unwrap_or(0);
    let name = match features.named() {
        true => String::from_utf8_lossy(features.name(at)).into_owned(),
        false => features.keys()[at].to_string(),
    };
    Err(EncodeProblem::Value { name, value: values[at] })
}

#[cfg(test)]
mod tests;
