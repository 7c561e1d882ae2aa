//! How much of some data a model knows: whether it is the kind of data that it was trained on.

use serde::Serialize;
use surefoot_data::{FoundFeatures, KeyedFeatures};

use crate::Model;

/// Predictions on nothing are worth a word where they are more than this share of the examples, and not just a few, unless they
/// are most of them.
const UNKNOWN_SHARE: f64 = 0.05;
const FEW: u64 = 10;
/// And so are examples of which less than a tenth is known, where they are more than this share.
const MOSTLY_UNKNOWN_SHARE: f64 = 0.5;
/// A model that goes on learning meets new features all the time: only nearly nothing known is worth a word.
const RESUMED_SHARE: f64 = 0.9;

/// How many examples had features that a model knows; the bias does not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Familiarity {
    /// Examples that have features.
    pub with_features: u64,
    /// Those of which the model knows none.
    pub unknown: u64,
    /// Those of which it knows less than a tenth, the unknown ones among them.
    pub mostly_unknown: u64,
    /// Examples without any features, which are not among the others.
    pub empty: u64,
}

impl Familiarity {
    /// Counts an example by its features and how many of them the model knows.
    pub(crate) fn count(&mut self, features: usize, known: usize) {
        self.empty += u64::from(features == 0);
        self.with_features += u64::from(features > 0);
        self.unknown += u64::from(features > 0 && known == 0);
        self.mostly_unknown += u64::from(10 * known < features);
    }

    /// Counts an example that is looked at here; a [`Predictor`](crate::Predictor) counts its own.
    pub fn see(&mut self, model: &Model, features: &KeyedFeatures<'_>) {
        let mut found = FoundFeatures::default();
        model.encoder().look_up(features.keys(), &mut found);
        self.count(features.len(), features.len() - found.new.len());
    }

    /// What is said of data to predict, where too little of it is known.
    #[must_use]
    pub fn warning(&self, model: &Model) -> Option<String> {
        let Familiarity { with_features: examples, unknown, mostly_unknown, .. } = *self;
        let many = unknown >= FEW && unknown as f64 > UNKNOWN_SHARE * examples as f64;
        if many || 2 * unknown > examples {
            Some(sentence(unknown, examples, "no feature that the model knows", model))
        } else if mostly_unknown as f64 > MOSTLY_UNKNOWN_SHARE * examples as f64 {
            let few = "less than a tenth of their features known to the model";
            Some(sentence(mostly_unknown, examples, few, model))
        } else {
            None
        }
    }

    /// What is said of data to go on with.
    pub(crate) fn warning_of_resumed(&self, model: &Model) -> Option<String> {
        let Familiarity { with_features: examples, mostly_unknown, .. } = *self;
        let few = "less than a tenth of their features known to the model that went on";
        (mostly_unknown as f64 > RESUMED_SHARE * examples as f64)
            .then(|| sentence(mostly_unknown, examples, few, model))
    }
}

fn sentence(count: u64, of: u64, what: &str, model: &Model) -> String {
    let (have, examples) = if of == 1 { ("has", "example") } else { ("have", "examples") };
    let what = if of == 1 { what.replace("their", "its") } else { what.to_owned() };
    let trained = model.columns().layout.as_ref();
    let trained = trained.map_or_else(String::new, |layout| format!(" (the model was trained on {layout})"));
    format!("{count} of {of} {examples} {have} {what}; was this data made as the training data was?{trained}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_is_enough_and_empty_examples_are_apart() {
        let mut seen = Familiarity::default();
        for (features, known) in [(0, 0), (10, 0), (10, 1), (11, 1), (3, 3)] {
            seen.count(features, known);
        }
        assert_eq!(seen, Familiarity { with_features: 4, unknown: 1, mostly_unknown: 2, empty: 1 });
    }
}
