//! Weights that make all labels count alike, however rare some are: `--class-weight balanced`.

/// How many examples of each class a learner has learned from, and the weights that follow.
///
/// An example weighs n/(K·nₖ), where n counts the examples so far and this one, nₖ those of its class among them, and K the
/// classes that were met: what scikit-learn calls balanced, of the stream up to here. Examples that are met again do not count
/// again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClassBalance(Vec<u64>);

impl ClassBalance {
    /// As it was saved.
    pub(crate) fn new(counts: Vec<u64>) -> Self {
        Self(counts)
    }

    /// The examples of each class, for the model file.
    pub(crate) fn counts(&self) -> &[u64] {
        &self.0
    }

    /// The factor on the importance of an example of this class; `new` if it is met for the first time.
    pub(crate) fn factor(&self, class: usize, new: bool) -> f64 {
        let more = u64::from(new);
        let own = (self.of(class) + more).max(1);
        let all = self.0.iter().sum::<u64>() + more;
        let met = self.0.iter().filter(|&&count| count > 0).count() + usize::from(self.of(class) == 0);
        all.max(own) as f64 / (met as f64 * own as f64)
    }

    /// An example of this class was learned for the first time.
    pub(crate) fn count(&mut self, class: usize) {
        self.0.resize(self.0.len().max(class + 1), 0);
        self.0[class] += 1;
    }

    /// What several learners have counted that learned apart, each so many times, with the name that each of their classes has now;
    /// none if none has counted.
    pub(crate) fn sum<'a>(
        parts: impl Iterator<Item = (Option<&'a ClassBalance>, f64, &'a [usize])>,
    ) -> Option<Self> {
        let mut sum: Option<Vec<f64>> = None;
        for (part, times, classes) in parts {
            let Some(part) = part else { continue };
            let sum = sum.get_or_insert_default();
            for (&count, &class) in part.0.iter().zip(classes) {
                sum.resize(sum.len().max(class + 1), 0.0);
                sum[class] += times * count as f64;
            }
        }
        sum.map(|sum| Self(sum.into_iter().map(|count| count.max(0.0) as u64).collect()))
    }

    fn of(&self, class: usize) -> u64 {
        self.0.get(class).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_class_weighs_more() {
        let mut balance = ClassBalance::default();
        let mut weights = Vec::new();
        for class in [0, 0, 1, 0] {
            weights.push(balance.factor(class, true));
            balance.count(class);
        }
        assert_eq!(weights, [1.0, 1.0, 1.5, 4.0 / 6.0]);
        // As scikit-learn has it of all four, when they are met again.
        assert_eq!((balance.factor(0, false), balance.factor(1, false)), (4.0 / 6.0, 2.0));
        assert_eq!(balance.counts(), [3, 1]);
    }

    #[test]
    fn what_was_counted_apart_adds_up() {
        let (one, two, base) = (ClassBalance(vec![3, 1]), ClassBalance(vec![2, 5]), ClassBalance(vec![1]));
        let parts = [(Some(&one), 1.0, &[0, 1][..]), (Some(&two), 1.0, &[1, 2]), (Some(&base), -1.0, &[0])];
        assert_eq!(ClassBalance::sum(parts.into_iter()), Some(ClassBalance(vec![2, 3, 5])));
        assert_eq!(ClassBalance::sum([(None, 1.0, &[0][..])].into_iter()), None);
    }
}
