//! A search over features: one change after the other of what the best candidate so far sees, each in a pass of its own.

use surefoot_core::transform::Transform;
use surefoot_data::{Ngrams, Recipe, Scale};

use super::trials::{Trial, Trials};
use crate::Result;
use crate::options::options;

/// Every example becomes dense where features are standardised: not tried where there are more features than that.
const MOST_STANDARDIZED: usize = 1 << 10;

options! {
    /// What a search may change of how features are made. What the user has said is not to be changed.
    pub struct FeatureSearch {
        /// The lengths of word n-grams, where there is text.
        words: bool = false,
        /// The lengths of character n-grams, where there is text.
        characters: bool = false,
        /// The transform of values; the members of an ensemble have their own.
        values: bool = false,
        /// The running scale of features.
        scale: bool = false,
    }
}

impl FeatureSearch {
    /// Whether anything is to be searched.
    #[must_use]
    pub fn any(&self) -> bool {
        self.words || self.characters || self.values || self.scale
    }

    /// The alternatives to what a candidate has, one list for each thing that may change. They are tried in this order, because
    /// what words there are matters most, and a scale is one of the features that there are by then.
    fn alternatives(&self, data: DataShape) -> Vec<Vec<FeatureChange>> {
        let lengths = |list: &[(usize, usize)]| list.iter().map(|&(min, max)| Ngrams { min, max }).collect();
        let (words, characters): (Vec<Ngrams>, Vec<Ngrams>) =
            (lengths(&[(1, 2), (1, 3)]), lengths(&[(2, 4), (3, 5)]));
        // Only the counts of text are transformed when nothing is said.
        let values = [Transform::None, Transform::Binary, Transform::Sqrt, Transform::Log];
        let values = values.into_iter().filter(|values| data.text || *values != Transform::None);
        let dense = data.features <= MOST_STANDARDIZED && !data.text;
        let scales =
            [Scale::Rms, Scale::Standardize].into_iter().filter(|scale| dense || *scale == Scale::Rms);
        let lists: [(bool, Vec<FeatureChange>); 4] = [
            (self.words && data.text, words.into_iter().map(FeatureChange::Words).collect()),
            (self.characters && data.text, characters.into_iter().map(FeatureChange::Characters).collect()),
            (self.values, values.map(FeatureChange::Values).collect()),
            (self.scale, scales.map(FeatureChange::Scale).collect()),
        ];
        lists.into_iter().filter(|(wanted, _)| *wanted).map(|(_, list)| list).collect()
    }
}

/// What the first candidates showed of the data.
#[derive(Debug, Clone, Copy)]
pub(super) struct DataShape {
    /// Whether there is running text.
    pub(super) text: bool,
    /// How many features there are.
    pub(super) features: usize,
}

/// One thing that is otherwise than the user or the defaults have it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FeatureChange {
    Words(Ngrams),
    Characters(Ngrams),
    Values(Transform),
    Scale(Scale),
}

impl FeatureChange {
    /// Makes the change, as the flag does.
    pub(super) fn apply(self, recipe: &mut Recipe) {
        if matches!(self, Self::Words(_) | Self::Characters(_)) {
            recipe.text = recipe.text.clone().uncut();
        }
        match self {
            Self::Words(lengths) => recipe.text.ngrams = Some(lengths),
            Self::Characters(lengths) => recipe.text.characters = Some(lengths),
            Self::Values(values) => (recipe.values, recipe.text.values) = (values, values),
            Self::Scale(scale) => recipe.scale = scale,
        }
    }

    /// The flag that makes it.
    pub(super) fn flag(self) -> String {
        let lengths = |flag: &str, Ngrams { min, max }| format!("--{flag} {min}-{max}");
        match self {
            Self::Words(own) => lengths("ngrams", own),
            Self::Characters(own) => lengths("char-ngrams", own),
            Self::Values(values) => format!("--values {}", values.word()),
            Self::Scale(Scale::None) => "--scale-features none".into(),
            Self::Scale(Scale::Rms) => "--scale-features rms".into(),
            Self::Scale(Scale::Standardize) => "--scale-features standardize".into(),
        }
    }
}

/// Tries one list of alternatives after the other on the best candidate so far; then, with the features that were found best,
/// the candidates that had been worse without them.
pub(super) fn search(trials: &mut Trials<'_>, wanted: &FeatureSearch) -> Result<()> {
    let Some(data) = trials.data else { return Ok(()) };
    for list in wanted.alternatives(data) {
        let Some(best) = trials.best().cloned() else { return Ok(()) };
        let changed = list.into_iter().filter_map(|change| best.with(change));
        trials.run(changed.collect())?;
    }
    let Some(best) = trials.best().cloned() else { return Ok(()) };
    if best.changes.is_empty() {
        return Ok(());
    }
    let others = trials.candidates().into_iter().filter(|other| other.contender.name != best.contender.name);
    let changed = |other: Trial| best.changes.iter().fold(other, |own, &c| own.with(c).unwrap_or(own));
    trials.run(others.map(changed).filter(|other| !other.changes.is_empty()).collect())
}
