//! Who learns from what: ten random parts, as in the paper's ten-fold cross-validation.
//!
//! Five parts are for tuning: parameters learn from four of them (often not from all rows) and are judged on the fifth.
//! The other five are tested one after the other, each with all the other nine parts for learning. So no tested example had a say in any setting.

use crate::Setup;
use crate::stream::shuffled;

const PARTS: usize = 10;
const FOR_TUNING: usize = 5;
/// Rows that a setting learns from at most while it is tried, unless all is computed that the papers did.
const TUNING_ROWS: usize = 4_000;

/// Examples to learn from and examples to be judged on.
#[derive(Debug, Clone)]
pub(super) struct Split {
    /// In the order in which they are learned.
    pub(super) train: Vec<usize>,
    /// The examples that are predicted.
    pub(super) test: Vec<usize>,
}

/// A task cut into ten parts.
#[derive(Debug)]
pub(super) struct Parts {
    order: Vec<usize>,
    /// How many of the tested parts are tested.
    folds: usize,
    /// Rows that a setting learns from at most while it is tried.
    tuning_rows: usize,
}

impl Parts {
    /// Deals `count` examples in an order drawn from the seed; the first `folds` of the five parts are tested.
    pub(super) fn deal(count: usize, folds: usize, seed: u64) -> Self {
        let order: Vec<usize> = (0..count).collect();
        Self { order: shuffled(&order, seed), folds, tuning_rows: usize::MAX }
    }

    /// The same with fewer rows to tune on, if the size of the run asks for it.
    pub(super) fn tuned_on(self, setup: &Setup) -> Self {
        Self { tuning_rows: setup.pick(TUNING_ROWS, TUNING_ROWS, usize::MAX), ..self }
    }

    /// What parameters are chosen on.
    pub(super) fn tuning(&self) -> Split {
        let most = |rows: &[usize], count: usize| rows.iter().copied().take(count).collect();
        let (train, test) = (self.range(0, FOR_TUNING - 1), self.range(FOR_TUNING - 1, FOR_TUNING));
        Split { train: most(train, self.tuning_rows), test: most(test, self.tuning_rows / 4) }
    }

    /// What is reported.
    pub(super) fn tests(&self) -> Vec<Split> {
        (FOR_TUNING..PARTS).take(self.folds).map(|part| self.without(part)).collect()
    }

    fn without(&self, part: usize) -> Split {
        let train = [self.range(0, part), self.range(part + 1, PARTS)].concat();
        Split { train, test: self.range(part, part + 1).to_vec() }
    }

    fn range(&self, from: usize, to: usize) -> &[usize] {
        let cut = |part: usize| part * self.order.len() / PARTS;
        &self.order[cut(from)..cut(to)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tested_example_was_tuned_on_or_learned() {
        let parts = Parts::deal(103, 5, 7);
        let tuning = parts.tuning();
        let mut tested = Vec::new();
        for split in parts.tests() {
            assert_eq!(split.train.len() + split.test.len(), 103);
            for i in split.test {
                assert!(!split.train.contains(&i) && !tuning.train.contains(&i) && !tuning.test.contains(&i));
                assert!(!tested.contains(&i));
                tested.push(i);
            }
        }
        assert_eq!(tested.len() + tuning.train.len() + tuning.test.len(), 103);
    }
}
