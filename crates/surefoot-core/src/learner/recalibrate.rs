//! Recalibration: what a merged model says too often, and how far its scores are to be trusted, learned from rows that no
//! part has seen.
//!
//! Merging adds weights up, and what balanced them in every part is averaged: scores of the merged model are of another size,
//! and may all be too high. On n rows with their labels each member gets, for every class, the offset of its bias that makes
//! the rows most probable,
//!
//! ```text
//! P(k) = softmax(a·sₖ + bₖ)      offset of class k: bₖ/a
//! ```
//!
//! by damped Newton steps in each of a and bₖ, with a prior of a few rows that nothing is to be moved. Then calibrations and the weights
//! of members are learned anew from the same rows.

use super::{Head, Learner, Scores, Target};
use crate::transform::Segments;
use crate::{Result, SparseVec};

/// What the prior counts, in rows.
const PRIOR: f64 = 3.0;

/// Newton steps.
const STEPS: usize = 60;

/// The part of a Newton step that is taken: all are taken at once.
const DAMPING: f64 = 0.5;

/// Scores of which a unit is worth less say too little to tell an offset.
const LEAST_SLOPE: f64 = 0.02;

/// Rounds that calibrations take at least; few rows are repeated.
const ROUNDS: usize = 2000;

/// Repetitions at most.
const PASSES: usize = 8;

/// A row with its label.
#[derive(Debug, Clone)]
pub struct LabelledRow {
    ids: Vec<u32>,
    values: Vec<f64>,
    segments: Segments,
    class: usize,
}

impl LabelledRow {
    /// An example of a class.
    #[must_use]
    pub fn new(x: SparseVec<'_>, class: usize) -> Self {
        Self { ids: x.ids().to_vec(), values: x.values().to_vec(), segments: x.segments(), class }
    }

    fn vector(&self) -> SparseVec<'_> {
        SparseVec::of_finite(&self.ids, &self.values).with_segments(self.segments)
    }
}

/// Moves the bias of every member and learns anew how far to trust scores, from rows that the learner has not learned; `bias` is
/// the feature of the bias, if there is one. Weights of other features stay.
///
/// ```
/// use surefoot_core::learner::{LabelledRow, recalibrate};
/// use surefoot_core::{Head, Learner, Prediction, Scores, Spec, Task, Vector};
/// let mut learner = Spec::parse("arow")?.build(Task::Binary, 2)?;
/// let mut head = Head::new(1, false, Task::Binary)?;
/// learner.move_mean(0, 0, 0, 1.0)?; // a weight of feature 0
/// learner.move_mean(0, 9, 0, 5.0)?; // and a bias that makes everything positive
/// let row = |i: usize| Vector::from_pairs([(0, if i % 2 == 0 { -1.0 } else { 1.0 }), (9, 1.0)]);
/// let rows = (0..100).map(|i| Ok(LabelledRow::new(row(i)?.features(), i % 2)));
/// let rows = rows.collect::<surefoot_core::Result<Vec<_>>>()?;
/// recalibrate(&mut *learner, &mut head, &rows, Some(9))?;
/// let (mut scores, mut prediction) = (Scores::default(), Prediction::default());
/// learner.scores(row(0)?.features(), &mut scores);
/// head.predict(&scores, &mut prediction);
/// assert_eq!(prediction.label, Some(0));
/// # Ok::<(), surefoot_core::Error>(())
/// ```
pub fn recalibrate(
    learner: &mut dyn Learner,
    head: &mut Head,
    rows: &[LabelledRow],
    bias: Option<u32>,
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    if let Some(bias) = bias {
        for (member, offsets) in offsets(learner, rows).into_iter().enumerate() {
            for (block, offset) in offsets.into_iter().enumerate().filter(|(_, offset)| *offset != 0.0) {
                learner.move_mean(member, bias as usize, block, offset)?;
            }
        }
    }
    let mut scores = Scores::default();
    let mut rounds = head.begin_again()?;
    for row in std::iter::repeat_n(rows, ROUNDS.div_ceil(rows.len()).clamp(1, PASSES)).flatten() {
        learner.scores(row.vector(), &mut scores);
        rounds.learn(&scores, Target::Class(row.class))?;
    }
    Ok(())
}

/// For each member, how far the bias of each block is to move.
fn offsets(learner: &dyn Learner, rows: &[LabelledRow]) -> Vec<Vec<f64>> {
    let mut members: Vec<Vec<f64>> = Vec::new();
    let (mut scores, mut classes) = (Scores::default(), 0);
    for row in rows {
        learner.scores(row.vector(), &mut scores);
        members.resize(scores.members(), Vec::new());
        classes = scores.classes();
        for (member, own) in members.iter_mut().enumerate() {
            // Two classes have one score between them.
            own.extend(scores.binary().then_some(0.0));
            own.extend_from_slice(scores.of(member));
        }
    }
    let truths: Vec<usize> = rows.iter().map(|row| row.class).collect();
    let offset = |own: Vec<f64>| {
        let offsets = Link::fit(&own, &truths, classes).offsets();
        if scores.binary() { vec![offsets[1] - offsets[0]] } else { offsets }
    };
    members.into_iter().map(offset).collect()
}

/// P(k) = softmax(a·sₖ/size + bₖ).
struct Link {
    size: f64,
    slope: f64,
    shifts: Vec<f64>,
}

impl Link {
    /// The most probable one; `scores` has so many a row.
    fn fit(scores: &[f64], truths: &[usize], classes: usize) -> Self {
        let square = scores.iter().map(|score| score * score).sum::<f64>() / scores.len().max(1) as f64;
        let size = if square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 };
        let mut link = Self { size, slope: 1.0, shifts: vec![0.0; classes] };
        let mut powers = vec![0.0; classes];
        for _ in 0..STEPS {
            let (mut slope, mut bend) = (PRIOR * (1.0 - link.slope), PRIOR);
            let mut slopes: Vec<f64> = link.shifts.iter().map(|shift| -PRIOR * shift).collect();
            let mut bends = vec![PRIOR; classes];
            for (row, &truth) in scores.chunks_exact(classes.max(1)).zip(truths) {
                let logit = |class: usize| link.slope * row[class] / size + link.shifts[class];
                let most = (0..classes).map(logit).fold(f64::NEG_INFINITY, f64::max);
                (0..classes).for_each(|class| powers[class] = libm::exp(logit(class) - most));
                let total: f64 = powers.iter().sum();
                let (mut mean, mut second) = (0.0, 0.0);
                for (class, power) in powers.iter().enumerate() {
                    let (p, u) = (power / total, row[class] / size);
                    mean += p * u;
                    second += p * u * u;
                    slopes[class] += f64::from(u8::from(class == truth)) - p;
                    bends[class] += p * (1.0 - p);
                }
                slope += row.get(truth).map_or(0.0, |score| score / size) - mean;
                bend += (second - mean * mean).max(0.0);
            }
            link.slope = (link.slope + DAMPING * slope / bend).max(0.0);
            for (shift, (slope, bend)) in link.shifts.iter_mut().zip(slopes.iter().zip(&bends)) {
                *shift += DAMPING * slope / bend;
            }
        }
        link
    }

    /// What is to be added to each score.
    fn offsets(&self) -> Vec<f64> {
        if self.slope < LEAST_SLOPE {
            return vec![0.0; self.shifts.len()];
        }
        let mean = self.shifts.iter().sum::<f64>() / self.shifts.len().max(1) as f64;
        self.shifts.iter().map(|shift| (shift - mean) / self.slope * self.size).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_that_is_off_is_found() {
        // Scores around 7 for half of the rows and around 9 for the others.
        let (mut scores, mut truths) = (Vec::new(), Vec::new());
        for i in 0..400_usize {
            let (truth, noise) = (i % 2, (i * 37 % 100) as f64 / 100.0 - 0.5);
            scores.extend([0.0, 7.0 + 2.0 * truth as f64 + 3.0 * noise]);
            truths.push(truth);
        }
        let offsets = Link::fit(&scores, &truths, 2).offsets();
        assert!((offsets[1] - offsets[0] + 8.0).abs() < 0.3, "{offsets:?}");
    }

    #[test]
    fn scores_that_say_nothing_move_nothing() {
        let scores: Vec<f64> = (0..400_usize).flat_map(|i| [0.0, (i * 37 % 100) as f64 - 50.0]).collect();
        let truths: Vec<usize> = (0..400_usize).map(|i| i * 61 % 7 % 2).collect();
        let offsets = Link::fit(&scores, &truths, 2).offsets();
        assert!(offsets.iter().all(|offset| offset.is_finite()), "{offsets:?}");
    }
}
