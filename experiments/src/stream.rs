//! Examples in memory, and the progressive loop over them.

use surefoot_core::{Learner, Scores, Spec, Store, Target, Task, Vector};
use surefoot_data::{Point, Random, Stream};

use crate::{Error, Result};

/// An example as a learner takes it: features and class.
pub type Example = (Vector, usize);

/// The next `count` examples of a generated stream: features from 0; of two labels class 1 is the positive one.
pub fn generated(stream: &mut dyn Stream, count: usize) -> Result<Vec<Example>> {
    let mut point = Point::default();
    let mut next = || {
        stream.fill(&mut point);
        let pairs = point.ids.iter().zip(&point.values).map(|(&id, &value)| (id as u32 - 1, value));
        let class = if point.label < 0 { 0 } else { point.label as usize };
        Ok((Vector::from_pairs(pairs)?, class))
    };
    (0..count).map(|_| next()).collect()
}

/// A binary learner at the start of its stream.
pub fn build(spec: &str) -> Result<Box<dyn Learner>> {
    Ok(Spec::parse(spec)?.build(Task::Binary, 2)?)
}

/// Predicts, then learns, each example in turn; says which were predicted wrongly.
pub fn learn(learner: &mut dyn Learner, examples: &[Example]) -> Result<Vec<bool>> {
    let mut scores = Scores::default();
    let mut is_wrong = |(x, class): &Example| {
        learner.update(x.features(), Target::Class(*class), 1.0, &mut scores)?;
        Ok(scores.label(0) != Some(*class))
    };
    examples.iter().map(&mut is_wrong).collect()
}

/// The share of examples that a learner predicts wrongly; nothing is learned.
#[must_use]
pub fn error(learner: &dyn Learner, examples: &[Example]) -> f64 {
    let mut scores = Scores::default();
    let mut is_wrong = |(x, class): &&Example| {
        learner.scores(x.features(), &mut scores);
        scores.label(0) != Some(*class)
    };
    examples.iter().filter(&mut is_wrong).count() as f64 / examples.len().max(1) as f64
}

/// The store of a learner that is no ensemble.
pub fn store(learner: &dyn Learner) -> Result<&dyn Store> {
    learner.store().ok_or_else(|| Error::Other("an ensemble has no store of its own".into()))
}

/// One past the largest feature that occurs.
#[must_use]
pub fn dimension(examples: &[Example]) -> usize {
    examples.iter().map(|(x, _)| x.features().dimension()).max().unwrap_or(0)
}

/// Progressive mistakes of a binary learner.
pub fn mistakes(spec: &str, examples: &[Example]) -> Result<usize> {
    Ok(count(&learn(&mut *build(spec)?, examples)?))
}

/// The candidate with the fewest progressive mistakes over these streams, which must not be those it is judged by; the
/// first of equals.
pub fn tuned(candidates: &[String], streams: &[Vec<Example>]) -> Result<String> {
    let mut best: Option<(usize, &String)> = None;
    for candidate in candidates {
        let wrong: usize = streams.iter().map(|stream| mistakes(candidate, stream)).sum::<Result<usize>>()?;
        if best.is_none_or(|(least, _)| wrong < least) {
            best = Some((wrong, candidate));
        }
    }
    Ok(best.map(|(_, candidate)| candidate.clone()).unwrap_or_default())
}

/// How many were wrong.
#[must_use]
pub fn count(wrong: &[bool]) -> usize {
    wrong.iter().filter(|wrong| **wrong).count()
}

/// Cumulative mistakes after each of these numbers of rounds.
#[must_use]
pub fn cumulative(wrong: &[bool], rounds: &[usize]) -> Vec<f64> {
    rounds.iter().map(|&rounds| count(&wrong[..rounds.min(wrong.len())]) as f64).collect()
}

/// The same items in an order drawn from the seed.
#[must_use]
pub fn shuffled<T: Clone>(items: &[T], seed: u64) -> Vec<T> {
    let (mut items, mut random) = (items.to_vec(), Random::new(seed));
    for i in (1..items.len()).rev() {
        items.swap(i, random.below(i as u64 + 1) as usize);
    }
    items
}

/// The fold of each of `count` examples: of any `folds` neighbours each fold gets one, in an order drawn from the seed.
#[must_use]
pub fn folds(count: usize, folds: usize, seed: u64) -> Vec<usize> {
    let all: Vec<usize> = (0..folds).collect();
    let hands = (0..count.div_ceil(folds)).flat_map(|hand| shuffled(&all, seed.wrapping_add(hand as u64)));
    hands.take(count).collect()
}
