//! From the features of an example to the vector of the learner: all that depends on the stream so far.
//!
//! Indices, then the running scale, then the length of the row, then the bias, which is always last and always 1. One
//! consumer does this in file order, so the result does not depend on the number of parse workers.

use thiserror::Error;

use crate::batch::{Batch, Features};
use crate::debut::{Follower, News};
use crate::errand::{Ending, Errand};
use crate::key::BIAS_KEY;
use crate::recipe::{Normalize, Plan, Recipe, Scale};
use crate::scale::{COLUMN_LIMIT, Scaler};
use crate::space::{SPACE_LIMIT, Space, UNKNOWN, load_space, new_space};
use crate::state::{State, StateProblem};
use crate::vectors::{Vectors, to_unit};

/// Features that are looked up together, roughly.
const TOGETHER: usize = 2048;

/// The feature space and the running statistics of one model.
///
/// ```
/// use surefoot_data::{Features, Normalize, Plan, Preparer, Recipe, SpaceKind, Vectors};
///
/// let recipe = Recipe { space: SpaceKind::AsGiven, normalize: Normalize::L2, ..Recipe::default() };
/// let mut preparer = Preparer::new(&Plan::new(recipe).unwrap());
/// let mut vectors = Vectors::new();
/// preparer.learn(&Features::given(&[7, 4_000_000_000], &[3.0, 4.0]), &mut vectors).unwrap();
/// assert_eq!(vectors.ids, [0, 1, 2]);
/// assert_eq!(vectors.values, [0.6, 0.8, 1.0]);
///
/// // Prediction knows feature 7 and the bias. A feature that was never met gets an index past the space, where every
/// // store is still at the prior: it counts in the length of the row and in the variance of the score.
/// preparer.predict(&Features::given(&[5, 7], &[4.0, 3.0]), &mut vectors);
/// assert_eq!(vectors.ids, [3, 0, 2]);
/// assert_eq!(vectors.values, [0.8, 0.6, 1.0]);
/// ```
#[derive(Debug)]
pub struct Preparer {
    recipe: Recipe,
    space: Box<dyn Space>,
    scaler: Scaler,
    bias: Option<u32>,
    /// The stream whose examples it has learned, where there is one that says what is new.
    follower: Follower,
}

/// An example to learn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prepared<'v> {
    /// The indices of its features.
    pub ids: &'v [u32],
    /// Their values.
    pub values: &'v [f64],
    /// Whether the values were found to be finite before; otherwise nobody has looked.
    pub finite: bool,
}

impl Preparer {
    /// Nothing learnt yet.
    pub fn new(plan: &Plan) -> Self {
        let recipe = plan.recipe().clone();
        let (space, scaler) = (new_space(recipe.space), Scaler::new(recipe.scale));
        Preparer { space, scaler, bias: None, follower: Follower::default(), recipe }
    }

    /// What [`Preparer::export`] wrote, under the recipe that it was made with.
    pub fn load(plan: &Plan, state: &mut State<'_>) -> Result<Self, StateProblem> {
        let recipe = plan.recipe().clone();
        let space = load_space(recipe.space, state)?;
        let scaler = Scaler::import(recipe.scale, space.bound(), state)?;
        Ok(Preparer { bias: space.lookup(BIAS_KEY), space, scaler, follower: Follower::default(), recipe })
    }

    /// Puts the space and the statistics into `state`.
    pub fn export<'a>(&'a self, state: &mut State<'a>) {
        self.space.export(state);
        self.scaler.export(state);
    }

    /// The spaces and statistics of several models of one recipe together, each counted so many times (a negative
    /// number takes a common base off again). Also returns what each feature of each is called now.
    pub fn merge(plan: &Plan, parts: &[(&Preparer, f64)]) -> Result<(Self, Vec<Vec<u32>>), SpaceFull> {
        let mut merged = Preparer::new(plan);
        let mut features = Vec::new();
        for (part, _) in parts {
            features.push(merged.space.unite(&*part.space));
            if merged.space.bound() > merged.limit() {
                return Err(merged.full());
            }
        }
        for ((part, times), features) in parts.iter().zip(&features) {
            merged.scaler.add(&part.scaler, features, *times);
        }
        merged.bias = merged.space.lookup(BIAS_KEY);
        Ok((merged, features))
    }

    /// The settings.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The feature space.
    pub fn space(&self) -> &dyn Space {
        &*self.space
    }

    /// The indices and values of an example to learn from. New features get an index, and the example enters the
    /// statistics before it is scaled by them.
    pub fn learn<'v>(
        &mut self,
        features: &Features<'v>,
        out: &'v mut Vectors,
    ) -> Result<Prepared<'v>, SpaceFull> {
        self.check_room(features)?;
        let news = self.follower.news(features.debut(), self.space.is_empty());
        let known = features.known_in(self.space.layout());
        let ended = features.ended(Ending::of(&self.recipe));
        if let Some(values) = ended.filter(|_| self.is_complete(features, known)) {
            // As the learner wants it, and nothing is copied.
            self.meet(features, news, &known[..features.len()], &mut out.new);
            self.follower.learned(features.debut(), news);
            return Ok(Prepared { ids: known, values, finite: true });
        }
        out.clear();
        if known.is_empty() {
            self.space.index_all(features, &mut out.ids);
        } else {
            out.ids.extend_from_slice(&known[..features.len()]);
            // Those that have their index already come first in an example, and so they do among the new ones.
            self.meet(features, news, &out.ids, &mut out.new);
            self.space.index_rest(features, &mut out.ids);
        }
        self.follower.learned(features.debut(), news);
        if self.recipe.bias && self.bias.is_none() {
            self.bias = Some(self.space.index(BIAS_KEY, b""));
        }
        if let Some(values) = ended {
            out.ids.extend(self.bias.filter(|_| self.recipe.bias));
            return Ok(Prepared { ids: &out.ids, values, finite: true });
        }
        self.enter(features, out);
        Ok(Prepared { ids: &out.ids, values: &out.values, finite: false })
    }

    /// Whether the indices that were found before are all that learning would find, the bias among them.
    fn is_complete(&self, features: &Features<'_>, known: &[u32]) -> bool {
        let bias = if self.recipe.bias { self.bias } else { None };
        known.len() == features.len() + usize::from(self.recipe.bias)
            && known.get(features.len()).copied() == bias
            && features.unknown().all(|at| known[at] != UNKNOWN)
            && !self.space.counts_appearances()
    }

    /// Takes note of features that have their index already and were perhaps not met; `new` is memory to work in.
    fn meet(&mut self, features: &Features<'_>, news: News, ids: &[u32], new: &mut Vec<u32>) {
        let Some(debut) = features.debut().filter(|_| news != News::Unheard) else {
            return self.space.meet_all(ids);
        };
        new.clear();
        new.extend(debut.places.iter().map(|&at| ids[at as usize]));
        if news == News::Sure { self.space.meet_new(new) } else { self.space.meet_all(new) }
    }

    /// Everything behind the indices.
    fn enter(&mut self, features: &Features<'_>, out: &mut Vectors) {
        out.values.extend_from_slice(features.values());
        self.scaler.learn(self.space.bound(), out);
        self.finish(out);
    }

    /// What parse workers can do for this preparer, so that it does not have to.
    pub fn errand(&self) -> Errand {
        Errand { directory: self.space.directory(), bias: self.recipe.bias, ending: Ending::of(&self.recipe) }
    }

    /// Looks up the features of examples to come, several examples together: a loop that does nothing else keeps many
    /// reads of memory under way. What a parse worker did not find is looked up again, because it may have come
    /// meanwhile. Changes nothing that is kept. Returns the first example that is left.
    pub fn look_ahead(&self, batch: &mut Batch) -> usize {
        let from = batch.known.asked();
        let (asked, rest) = batch.heads.split_at(from);
        let end = asked.last().map_or(0, |head| head.end) + TOGETHER;
        let to = from + rest.partition_point(|head| head.end <= end).max(1).min(rest.len());
        if to > from {
            let bias = self.recipe.bias.then(|| self.bias.unwrap_or(UNKNOWN));
            batch.known.ask(to, &batch.keys, &batch.heads, &*self.space, bias);
        }
        to
    }

    /// The indices of the features that are known by now, `u32::MAX` for the others; changes nothing.
    pub fn known(&self, keys: &[u64], ids: &mut Vec<u32>) {
        ids.clear();
        self.space.locate_all(keys, ids);
    }

    /// Whether a move may be planned, or made early, by now; quickly told.
    pub fn may_move(&self) -> bool {
        // Every index is a column there, and a gap would be one too.
        self.recipe.scale != Scale::Standardize && self.space.may_move()
    }

    /// Plans to give features other indices, of which at least one in `sparsity` is used, if that pays by now; whether a move
    /// is planned. Whoever keeps numbers by index asks before every example, or never.
    pub fn plan_move(&mut self, sparsity: u64) -> bool {
        self.may_move() && self.space.plan_move(sparsity)
    }

    /// Makes the move that was planned; returns the new index of every old one, `u32::MAX` where there was no feature.
    pub fn make_move(&mut self) -> Option<Vec<u32>> {
        let places = self.space.make_move()?;
        Some(self.follow(places))
    }

    /// The same before a move is planned, if one of every `sparsity` of at most `most` indices is used then. Until it is
    /// [settled](Preparer::settle), nothing must be exported.
    pub fn move_early(&mut self, sparsity: u64, most: u64) -> Option<Vec<u32>> {
        if !self.may_move() {
            return None;
        }
        let places = self.space.move_early(sparsity, most)?;
        Some(self.follow(places))
    }

    /// Takes back what moves came too early; see [`Preparer::make_move`].
    pub fn settle(&mut self) -> Option<Vec<u32>> {
        let places = self.space.settle()?;
        Some(self.follow(places))
    }

    fn follow(&mut self, places: Vec<u32>) -> Vec<u32> {
        self.scaler.relocate(&places);
        self.bias = self.space.lookup(BIAS_KEY);
        places
    }

    /// The vector of an example to predict, as learning would see it; nothing changes. Features that were never met
    /// get indices past the space.
    pub fn predict(&self, features: &Features<'_>, out: &mut Vectors) {
        out.clear();
        self.space.lookup_all(features.keys(), &mut out.ids);
        out.values.extend_from_slice(features.values());
        let mut next = self.space.bound() as u32;
        for id in out.ids.iter_mut().filter(|id| **id == UNKNOWN) {
            *id = next;
            next = next.saturating_add(1);
        }
        self.finish(out);
    }

    /// Scale, length, bias.
    fn finish(&self, out: &mut Vectors) {
        self.scaler.apply(self.bias, out);
        if self.recipe.normalize == Normalize::L2 {
            to_unit(&mut out.values);
        }
        if self.recipe.bias {
            // Before anything is learnt the bias is a feature like any other that was never met.
            let past =
                || out.ids.iter().map(|&id| id.saturating_add(1)).fold(self.space.bound() as u32, u32::max);
            let index = self.bias.unwrap_or_else(past);
            out.push(index, 1.0);
        }
    }

    fn check_room(&self, features: &Features<'_>) -> Result<(), SpaceFull> {
        let room = self.room();
        if features.len() <= room {
            return Ok(());
        }
        let new = features.keys().iter().filter(|&&key| self.space.lookup(key).is_none()).count();
        if new <= room { Ok(()) } else { Err(self.full()) }
    }

    /// Features that can still get an index, the bias not among them.
    fn room(&self) -> usize {
        self.limit().saturating_sub(self.space.bound() + 1)
    }

    fn limit(&self) -> usize {
        match self.recipe.scale {
            Scale::Standardize => COLUMN_LIMIT,
            _ => SPACE_LIMIT,
        }
    }

    fn full(&self) -> SpaceFull {
        SpaceFull { limit: self.limit(), standardize: self.recipe.scale == Scale::Standardize }
    }
}

/// There are more features than can be indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "more than {limit} features; {}",
    if *standardize { "standardising makes every example dense: use scale=rms for so many" }
    else { "use the hashed feature space" }
)]
pub struct SpaceFull {
    limit: usize,
    standardize: bool,
}

#[cfg(test)]
mod tests;
