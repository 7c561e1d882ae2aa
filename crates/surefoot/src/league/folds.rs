//! Cross-validation in two streaming passes: learn everywhere but in one fold, then predict that fold.
//!
//! All learners of all folds run side by side, so the data is never held. Feature indices and running scales come from
//! all examples; no label of a fold reaches the learners that are tested on it.

use surefoot_core::{Prediction, Roster};
use surefoot_data::{Batch, Random, Source};

use super::League;
use crate::train::{Course, Start, Supply, TrainOptions, feed};
use crate::{Result, Settings};

/// Deals examples to folds: of any `folds` neighbours each fold gets one, in an order drawn from the seed.
struct Dealer {
    random: Random,
    hand: Vec<usize>,
    folds: usize,
}

impl Dealer {
    fn new(folds: usize, seed: u64) -> Self {
        Self { random: Random::new(seed), hand: Vec::new(), folds }
    }

    fn next(&mut self) -> usize {
        if self.hand.is_empty() {
            self.hand.extend(0..self.folds);
        }
        let drawn = self.random.below(self.hand.len() as u64) as usize;
        self.hand.swap_remove(drawn)
    }
}

/// A cross-validation under way. Entry `l·folds + f` of the league is learner `l` without fold `f`.
pub(crate) struct Folds<'a> {
    rosters: Vec<Roster>,
    options: &'a TrainOptions,
    folds: usize,
    dealer: Dealer,
    testing: bool,
    prediction: Prediction,
}

impl<'a> Folds<'a> {
    /// Runs it; every example is judged once by each learner.
    pub(crate) fn run(
        sources: &[Source],
        rosters: &[Roster],
        folds: usize,
        options: &'a TrainOptions,
    ) -> Result<League> {
        let each = |roster: &Roster| vec![roster.clone(); folds];
        let mut course = Self {
            rosters: rosters.iter().flat_map(each).collect(),
            options,
            folds,
            dealer: Dealer::new(folds, options.seed),
            testing: false,
            prediction: Prediction::default(),
        };
        let (mut start, passes) = (Start::new(None, options)?, options.passes.max(1));
        // Not in random orders: the dealer must meet the examples in the same order in every pass.
        let mut supply = Supply::new(sources.to_vec(), passes + 1);
        let mut bad_lines = 0;
        for pass in 0..=passes {
            course.testing = pass == passes;
            course.dealer = Dealer::new(folds, options.seed);
            bad_lines = feed(&mut supply, pass, options, &mut start, &mut course)?.bad_lines;
        }
        Ok(League { bad_lines, ..start.into_pupil()? })
    }
}

impl Course<League> for Folds<'_> {
    fn begin(&mut self, settings: Settings) -> Result<League> {
        League::new(settings, &self.rosters)
    }

    fn round(&mut self, league: &mut League, batch: &Batch, at: usize) -> Result<()> {
        let example = batch.example(at);
        let (label, weight) = self.options.labelled(&example)?;
        let (fold, folds, testing) = (self.dealer.next(), self.folds, self.testing);
        // Learners of this fold are tested on the example, the others learn from it.
        let concerned = |i: &usize| (i % folds == fold) == testing;
        if !testing {
            // A learner may never see an example of the class in its part of the data.
            let (class, x, entries) = league.take(&example, (label, weight), true)?;
            let mut learning = entries.iter_mut().enumerate().filter(|(i, _)| concerned(i));
            return learning.try_for_each(|(_, entry)| entry.learn(x, class, weight, false));
        }
        let League { front, entries, .. } = league;
        // All labels were met while learning.
        let class = front.labels.admit(label)?.ok_or(crate::Error::NoLabel)? as usize;
        let x = front.look(&example.features)?;
        for (_, entry) in entries.iter_mut().enumerate().filter(|(i, _)| concerned(i)) {
            entry.judge(x, class, &mut self.prediction);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_balanced_and_depend_on_the_seed_alone() {
        let deal = |seed| {
            let mut dealer = Dealer::new(5, seed);
            (0..1000).map(|_| dealer.next()).collect::<Vec<_>>()
        };
        assert_eq!(deal(3), deal(3));
        assert_ne!(deal(3), deal(4));
        for neighbours in deal(3).chunks(5) {
            let mut sorted = neighbours.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
    }
}
