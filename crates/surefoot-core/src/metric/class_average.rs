//! Precision, recall and F1, of each class and of all in one number.

use super::{MadeOf, Metric, MetricSpec, Outcome, Tasks, ValueScale, ratio};

/// How often each class occurred, was predicted, and both.
#[derive(Debug, Clone, Default)]
pub struct ClassCounts {
    classes: Vec<LabelCounts>,
}

#[derive(Debug, Clone, Copy, Default)]
struct LabelCounts {
    actual: f64,
    predicted: f64,
    hits: f64,
}

impl ClassCounts {
    /// Takes an outcome in; one with several labels is left out.
    pub fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        let Some(truth) = outcome.truth.class() else { return };
        let counts = self.class(truth);
        counts.actual += weight;
        if outcome.predicted == Some(truth) {
            counts.hits += weight;
        }
        if let Some(predicted) = outcome.predicted {
            self.class(predicted).predicted += weight;
        }
    }

    /// The same of an outcome with several labels; one of a single class is left out.
    pub fn update_labels(&mut self, outcome: &Outcome<'_>, weight: f64) {
        let Some(truth) = outcome.truth.labels() else { return };
        for &label in truth {
            self.class(label as usize).actual += weight;
        }
        for &label in outcome.labels {
            let hit = outcome.truth.holds(label as usize);
            let counts = self.class(label as usize);
            counts.predicted += weight;
            counts.hits += if hit { weight } else { 0.0 };
        }
    }

    fn class(&mut self, class: usize) -> &mut LabelCounts {
        if class >= self.classes.len() {
            self.classes.resize(class + 1, LabelCounts::default());
        }
        &mut self.classes[class]
    }

    fn get(&self, class: usize) -> LabelCounts {
        self.classes.get(class).copied().unwrap_or_default()
    }

    /// One more than the largest class seen.
    #[must_use]
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether nothing was seen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The weight of the examples of a class.
    #[must_use]
    pub fn support(&self, class: usize) -> f64 {
        self.get(class).actual
    }

    /// Of the examples predicted as a class, the share that were; none if there were none.
    #[must_use]
    pub fn precision(&self, class: usize) -> Option<f64> {
        let counts = self.get(class);
        ratio(counts.hits, counts.predicted)
    }

    /// Of the examples of a class, the share predicted so; none if there were none.
    #[must_use]
    pub fn recall(&self, class: usize) -> Option<f64> {
        let counts = self.get(class);
        ratio(counts.hits, counts.actual)
    }

    /// The harmonic mean of precision and recall, 2·hits/(occurred + predicted); none if it did neither.
    #[must_use]
    pub fn f1(&self, class: usize) -> Option<f64> {
        let counts = self.get(class);
        ratio(2.0 * counts.hits, counts.actual + counts.predicted)
    }

    /// The mean over the classes that occurred or were predicted; a class without the number counts as 0.
    fn macro_average(&self, of: impl Fn(&Self, usize) -> Option<f64>) -> Option<f64> {
        let occurred = |&k: &usize| self.get(k).actual > 0.0 || self.get(k).predicted > 0.0;
        let numbers = (0..self.len()).filter(occurred).map(|k| of(self, k).unwrap_or(0.0));
        let (sum, classes) = numbers.fold((0.0, 0), |(sum, n), number| (sum + number, n + 1));
        ratio(sum, f64::from(classes))
    }

    /// The class with the fewest examples, the last of them if there are several, and its share of all examples. None unless
    /// two classes occurred.
    #[must_use]
    pub fn rarest(&self) -> Option<(usize, f64)> {
        let occurring = (0..self.len()).filter(|&class| self.support(class) > 0.0);
        let rarest =
            occurring.clone().min_by(|&a, &b| self.support(a).total_cmp(&self.support(b)).then(b.cmp(&a)))?;
        let total: f64 = occurring.clone().map(|class| self.support(class)).sum();
        (occurring.count() > 1).then(|| (rarest, self.support(rarest) / total))
    }

    /// F1 of the rarer of two classes, the last one if they are even; none with a third.
    fn rarer_f1(&self) -> Option<f64> {
        let (rarer, _) = self.rarest().filter(|_| (2..self.len()).all(|class| self.support(class) == 0.0))?;
        self.f1(rarer)
    }

    fn macro_precision(&self) -> Option<f64> {
        self.macro_average(Self::precision)
    }

    fn macro_recall(&self) -> Option<f64> {
        self.macro_average(Self::recall)
    }

    pub(super) fn macro_f1(&self) -> Option<f64> {
        self.macro_average(Self::f1)
    }

    /// F1 of the counts of all classes together.
    pub(super) fn micro_f1(&self) -> Option<f64> {
        let total = |of: fn(&LabelCounts) -> f64| self.classes.iter().map(of).sum::<f64>();
        ratio(2.0 * total(|c| c.hits), total(|c| c.actual) + total(|c| c.predicted))
    }
}

/// A number made of the counts of all classes.
#[derive(Debug, Clone)]
pub struct ClassAverage {
    counts: ClassCounts,
    /// Whether a row may have several labels.
    several: bool,
    value: fn(&ClassCounts) -> Option<f64>,
}

impl ClassAverage {
    fn boxed(value: fn(&ClassCounts) -> Option<f64>) -> Box<dyn Metric> {
        Box::new(Self { counts: ClassCounts::default(), several: false, value })
    }

    pub(super) fn of_labels(value: fn(&ClassCounts) -> Option<f64>) -> Box<dyn Metric> {
        Box::new(Self { counts: ClassCounts::default(), several: true, value })
    }
}

impl Metric for ClassAverage {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        match self.several {
            true => self.counts.update_labels(outcome, weight),
            false => self.counts.update(outcome, weight),
        }
    }

    fn value(&self) -> Option<f64> {
        (self.value)(&self.counts)
    }
}

/// Precision averaged over the classes that occurred or were predicted; 0 for one never predicted.
pub const MACRO_PRECISION: MetricSpec = MetricSpec {
    name: "macro-precision",
    key: "macro_precision",
    title: "macro precision",
    help: "precision, averaged over the classes",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::OneClass,
    progressive: false,
    tally: MadeOf::Counts(ClassCounts::macro_precision),
    build: || ClassAverage::boxed(ClassCounts::macro_precision),
};

/// Recall averaged over the classes that occurred or were predicted; 0 for one that never occurred.
pub const MACRO_RECALL: MetricSpec = MetricSpec {
    name: "macro-recall",
    key: "macro_recall",
    title: "macro recall",
    help: "recall, averaged over the classes",
    tally: MadeOf::Counts(ClassCounts::macro_recall),
    build: || ClassAverage::boxed(ClassCounts::macro_recall),
    ..MACRO_PRECISION
};

/// F1 of the rarer of two labels: the number to look at where the error is small because one label is.
pub const F1: MetricSpec = MetricSpec {
    name: "f1",
    key: "f1",
    title: "F1",
    help: "F1 of the rarer label",
    tasks: Tasks::TwoClasses,
    progressive: true,
    tally: MadeOf::Counts(ClassCounts::rarer_f1),
    build: || ClassAverage::boxed(ClassCounts::rarer_f1),
    ..MACRO_PRECISION
};

/// F1 averaged over the classes that occurred or were predicted: every class weighs the same.
pub const MACRO_F1: MetricSpec = MetricSpec {
    name: "macro-f1",
    key: "macro_f1",
    title: "macro F1",
    help: "F1, averaged over the classes",
    progressive: true,
    tally: MadeOf::Counts(ClassCounts::macro_f1),
    build: || ClassAverage::boxed(ClassCounts::macro_f1),
    ..MACRO_PRECISION
};

/// F1 of the counts of all classes together; the accuracy, if every example got a prediction.
pub const MICRO_F1: MetricSpec = MetricSpec {
    name: "micro-f1",
    key: "micro_f1",
    title: "micro F1",
    help: "F1 of the counts of all classes together",
    tally: MadeOf::Counts(ClassCounts::micro_f1),
    build: || ClassAverage::boxed(ClassCounts::micro_f1),
    ..MACRO_PRECISION
};

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;
    use crate::Target;

    fn outcome(truth: usize, predicted: Option<usize>) -> Outcome<'static> {
        Outcome { truth: Target::Class(truth), predicted, probabilities: &[], score: 0.0, labels: &[] }
    }

    fn fill(update: &mut dyn FnMut(&Outcome<'_>)) {
        // truth, prediction: class 0 → 2 of 3 found; class 1 → 1 of 2; class 4 never found, predicted once.
        for (truth, predicted) in [(0, 0), (0, 0), (0, 1), (1, 1), (1, 4), (4, 0)] {
            update(&outcome(truth, Some(predicted)));
        }
    }

    fn value(name: &str) -> f64 {
        let mut metric = (find(name).unwrap().build)();
        fill(&mut |outcome| metric.update(outcome, 1.0));
        metric.value().unwrap_or(f64::NAN)
    }

    #[test]
    fn counts_by_class() {
        let mut counts = ClassCounts::default();
        fill(&mut |outcome| counts.update(outcome, 1.0));
        assert_eq!(counts.len(), 5);
        assert_eq!(counts.support(0), 3.0);
        assert_eq!((counts.precision(0), counts.recall(0)), (Some(2.0 / 3.0), Some(2.0 / 3.0)));
        assert_eq!((counts.precision(1), counts.recall(1)), (Some(0.5), Some(0.5)));
        assert_eq!((counts.precision(4), counts.recall(4)), (Some(0.0), Some(0.0)));
        assert_eq!((counts.precision(2), counts.recall(99), counts.f1(2)), (None, None, None));
    }

    #[test]
    fn averages_skip_classes_that_never_occurred() {
        let expected = (2.0 / 3.0 + 0.5 + 0.0) / 3.0;
        assert!((value("macro-f1") - expected).abs() < 1e-15);
        assert!((value("macro-precision") - expected).abs() < 1e-15);
        assert!((value("macro-recall") - expected).abs() < 1e-15);
        assert_eq!(value("micro-f1"), 0.5);
    }

    #[test]
    fn f1_is_of_the_rarer_of_two() {
        let mut metric = (find("f1").unwrap().build)();
        let mut counts = ClassCounts::default();
        for (truth, predicted) in [(0, 0), (0, 0), (0, 1), (1, 1), (1, 0)] {
            metric.update(&outcome(truth, Some(predicted)), 1.0);
            counts.update(&outcome(truth, Some(predicted)), 1.0);
        }
        assert_eq!((metric.value(), counts.rarest()), (Some(0.5), Some((1, 0.4))));
        (0..2).for_each(|_| metric.update(&outcome(1, Some(1)), 1.0));
        assert_eq!(metric.value(), Some(4.0 / 6.0), "class 0 is the rarer one now");
        metric.update(&outcome(2, Some(1)), 1.0);
        assert_eq!(metric.value(), None);
    }

    #[test]
    fn an_example_without_prediction_lowers_recall_only() {
        let mut metric = (find("micro-f1").unwrap().build)();
        let mut counts = ClassCounts::default();
        let mut update = |outcome: &Outcome<'_>| {
            metric.update(outcome, 1.0);
            counts.update(outcome, 1.0);
        };
        fill(&mut update);
        update(&outcome(1, None));
        assert_eq!(metric.value(), Some(6.0 / 13.0));
        assert_eq!(counts.precision(1), Some(0.5));
        assert_eq!(counts.recall(1), Some(1.0 / 3.0));
    }
}
