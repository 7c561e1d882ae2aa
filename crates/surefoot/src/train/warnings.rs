//! What a run did that its user may not have meant: said after it, because a stream shows only then what it holds.

use std::collections::BTreeSet;

use surefoot_core::LearnerSpec;
use surefoot_data::{BIAS_NAME, SpaceKind};

use super::TrainOptions;
use crate::Model;

/// So many names are listed at most.
const LISTED: usize = 12;

/// Everything worth saying; `weighted` tells whether any example had an importance other than 0 and 1.
pub(super) fn warnings(model: &Model, options: &TrainOptions, weighted: bool) -> Vec<String> {
    let said = [unused_weights(model, weighted), unknown_fields(model), unknown_labels(model, options)];
    said.into_iter().flatten().collect()
}

/// Examples that the model had learned in an earlier run.
pub(super) fn learned_before(examples: u64) -> Option<String> {
    (examples > 0).then(|| {
        format!(
            "the model had learned the first {examples} of these examples before: they change its weights once more, but not its \
             probabilities, and the error is not that of new examples"
        )
    })
}

/// Labels with a weight of their own that no example has.
fn unknown_labels(model: &Model, options: &TrainOptions) -> Option<String> {
    let known = model.labels().names();
    let unknown = options.class_weights.keys().filter(|label| !known.contains(label));
    let unknown: Vec<String> = unknown.take(LISTED).map(ToString::to_string).collect();
    let joined = unknown.join("`, `");
    (!unknown.is_empty()).then(|| format!("no example has the label `{joined}`, which --class-weight names"))
}

fn unused_weights(model: &Model, weighted: bool) -> Option<String> {
    let LearnerSpec::One(spec) = model.learner_spec() else { return None };
    let rule = spec.rule();
    (weighted && !rule.weighted).then(|| {
        format!("{} takes no notice of importance weights, except that 0 skips an example", rule.name)
    })
}

/// Namespaces or columns that the settings name and the data does not have. Hashed features have no names to look at, and
/// what is ignored leaves none behind.
fn unknown_fields(model: &Model) -> Option<String> {
    let recipe = model.encoder().recipe();
    let crossed = recipe.interactions.iter().flat_map(|group| group.split('*'));
    let mut unknown: BTreeSet<&str> = crossed.chain(recipe.keep.iter().map(String::as_str)).collect();
    if unknown.is_empty() || recipe.space != SpaceKind::Dictionary {
        return None;
    }
    let (index, mut found) = (model.encoder().index(), BTreeSet::new());
    for name in index.indices().filter_map(|feature| index.name(feature)).map(|name| name.to_string()) {
        // Products are made of fields and are none themselves; the bias is no field's.
        if name.contains('*') || name == BIAS_NAME {
            continue;
        }
        for (place, field) in fields(&name).enumerate() {
            unknown.remove(field);
            if place == 0 && found.len() <= LISTED && !found.contains(field) {
                found.insert(field.to_string());
            }
        }
    }
    let unknown: Vec<&str> = unknown.into_iter().collect();
    let more = if found.len() > LISTED { ", …" } else { "" };
    let found: Vec<String> = found.into_iter().take(LISTED).collect();
    let found = if found.is_empty() {
        "no feature is left".into()
    } else {
        format!("there are {}", found.join(", "))
    };
    (!unknown.is_empty()).then(|| {
        let unknown = unknown.join("`, `");
        format!("no feature belongs to `{unknown}`, which --interactions or --keep names; {found}{more}")
    })
}

/// What a feature belongs to: `user^city=Bern` to `user`, `city` and `user^city`.
fn fields(name: &str) -> impl Iterator<Item = &str> {
    let whole = name.split('=').next().unwrap_or(name);
    let (first, rest) = whole.split_once('^').map_or((whole, None), |(first, rest)| (first, Some(rest)));
    [Some(first), rest, rest.map(|_| whole)].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_belongs_to_its_namespace_its_column_and_both() {
        assert_eq!(fields("user^city=Bern").collect::<Vec<_>>(), ["user", "city", "user^city"]);
        assert_eq!(fields("city=a^b").collect::<Vec<_>>(), ["city"]);
        assert_eq!(fields("age").collect::<Vec<_>>(), ["age"]);
    }
}
