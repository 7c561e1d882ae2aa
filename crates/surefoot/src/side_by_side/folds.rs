//! Cross-validation in streaming passes: learn everywhere but in one fold, then predict that fold.
//!
//! All learners of all folds run side by side, so the data is never held. Feature indices and running scales come from
//! all examples; no label of a fold reaches the learners that are tested on it.

use surefoot_core::LearnerSpec;
use surefoot_data::{Random, Source};

use super::{SideBySide, run};
use crate::Result;
use crate::train::TrainOptions;
use crate::train::engine::ExampleRole;

/// Assigns examples to folds: of any `folds` neighbours each fold gets one, in an order drawn from the seed.
struct FoldAssigner {
    random: Random,
    /// Folds that the next neighbours may still get.
    left: Vec<usize>,
    folds: usize,
}

impl FoldAssigner {
    fn new(folds: usize, seed: u64) -> Self {
        Self { random: Random::new(seed), left: Vec::new(), folds }
    }
}

impl Iterator for FoldAssigner {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.left.is_empty() {
            self.left.extend(0..self.folds);
        }
        let drawn = self.random.below(self.left.len() as u64) as usize;
        Some(self.left.swap_remove(drawn))
    }
}

/// Every example is predicted once by each learner, after all passes over the rest; learner `l·folds + f` of the result is
/// learner l without fold f.
pub(crate) fn cross_validate(
    sources: &[Source],
    specs: &[LearnerSpec],
    folds: usize,
    options: &TrainOptions,
) -> Result<SideBySide> {
    let each = |spec: &LearnerSpec| vec![spec.clone(); folds];
    let specs: Vec<LearnerSpec> = specs.iter().flat_map(each).collect();
    let learning = options.passes.max(1);
    // Not in random orders: the examples must be assigned in the same order in every pass.
    let options = options.clone().shuffle(false).passes(learning + 1);
    let roles = |pass: usize| {
        FoldAssigner::new(folds, options.seed).map(move |fold| match pass < learning {
            true => ExampleRole::LearnWithout { fold, folds },
            false => ExampleRole::Test { fold, folds },
        })
    };
    run(sources.to_vec(), &specs, &options, (0..=learning).map(roles))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_balanced_and_depend_on_the_seed_alone() {
        let assign = |seed| FoldAssigner::new(5, seed).take(1000).collect::<Vec<_>>();
        assert_eq!(assign(3), assign(3));
        assert_ne!(assign(3), assign(4));
        for neighbours in assign(3).chunks(5) {
            let mut sorted = neighbours.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
    }
}
