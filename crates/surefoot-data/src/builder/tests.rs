use proptest::prelude::*;

use super::*;
use crate::batch::KeyedFeatures;
use crate::recipe::Recipe;
use surefoot_core::transform::Cuts;

fn built(recipe: Recipe, fill: impl Fn(&mut Builder)) -> Result<Vec<(String, f64)>, FeatureProblem> {
    let plan = Plan::new(recipe).unwrap();
    let mut batch = Batch::new();
    let mut builder = Builder::new(&plan, &mut batch);
    builder.begin(1);
    fill(&mut builder);
    builder.finish()?;
    let features = batch.example(0).features;
    let name = |at| match features.named() {
        true => String::from_utf8(features.name(at).to_vec()).unwrap(),
        false => features.keys()[at].to_string(),
    };
    Ok((0..features.len()).map(|at| (name(at), features.values()[at])).collect())
}

fn pairs(expected: &[(&str, f64)]) -> Vec<(String, f64)> {
    expected.iter().map(|&(name, value)| (name.to_string(), value)).collect()
}

fn given() -> Recipe {
    Recipe { space: SpaceKind::AsGiven, ..Recipe::default() }
}

#[test]
fn integers_are_sorted_summed_and_zeros_dropped() {
    let features = built(given(), |b| {
        for (id, value) in [(7, 1.0), (3, 2.0), (7, 0.5), (9, 0.0), (4, 1.0), (4, -1.0)] {
            b.indexed(id, value);
        }
    });
    assert_eq!(features.unwrap(), pairs(&[("3", 2.0), ("7", 1.5)]));
}

#[test]
fn a_row_is_the_same_as_its_features_one_by_one() {
    let (ids, values) = ([7, 3, 7, 9], [1.0, 2.0, 0.5, 0.0]);
    for recipe in [given(), Recipe { space: SpaceKind::Dictionary, ..Recipe::default() }] {
        let row = built(recipe.clone(), |b| b.row(ids.into_iter(), values.into_iter()));
        let one_by_one = built(recipe, |b| ids.into_iter().zip(values).for_each(|(id, x)| b.indexed(id, x)));
        assert_eq!(row.unwrap(), one_by_one.unwrap());
    }
    let shorter = built(given(), |b| b.row([1, 2, 3].into_iter(), [0.5].into_iter()));
    assert_eq!(shorter.unwrap(), pairs(&[("1", 0.5)]));
}

#[test]
fn integers_in_order_stay_as_they_are() {
    let features = built(given(), |b| {
        b.indexed(1, 0.5);
        b.indexed(4_000_000_000, -2.0);
    });
    assert_eq!(features.unwrap(), pairs(&[("1", 0.5), ("4000000000", -2.0)]));
}

#[test]
fn digits_count_as_integers_and_names_do_not() {
    let features = built(given(), |b| b.feature(b"12", 3.0));
    assert_eq!(features.unwrap(), pairs(&[("12", 3.0)]));
    let refused = built(given(), |b| b.feature(b"+12", 3.0));
    assert_eq!(refused, Err(FeatureProblem::NameAmongIntegers("+12".into())));
    let refused = built(given(), |b| {
        b.namespace(b"n", 1.0);
        b.feature(b"12", 3.0);
    });
    assert_eq!(refused, Err(FeatureProblem::NameAmongIntegers("n^12".into())));
    let refused = built(given(), |b| b.text(b"body", b"hello"));
    assert_eq!(refused, Err(FeatureProblem::NameAmongIntegers("body".into())));
}

#[test]
fn names_keep_the_order_of_first_occurrence() {
    let features = built(Recipe::default(), |b| {
        b.feature(b"z", 1.0);
        b.feature(b"gone", 1.0);
        b.feature(b"a", 2.0);
        b.feature(b"z", 3.0);
        b.feature(b"gone", -1.0);
        b.indexed(5, 1.0);
    });
    assert_eq!(features.unwrap(), pairs(&[("z", 4.0), ("a", 2.0), ("5", 1.0)]));
}

#[test]
fn sums_come_before_the_transform() {
    let recipe = Recipe { values: Transform::Sqrt, ..Recipe::default() };
    let features = built(recipe, |b| {
        b.feature(b"a", -1.0);
        b.feature(b"a", -3.0);
        b.feature(b"b", 9.0);
    });
    assert_eq!(features.unwrap(), pairs(&[("a", -2.0), ("b", 3.0)]));
}

#[test]
fn text_and_numbers_have_their_own_transforms() {
    let mut recipe = Recipe::default();
    recipe.text.values = Transform::Binary;
    let features = built(recipe, |b| {
        b.text(b"", b"Good, good film\xff");
        b.feature(b"stars", 4.0);
        b.text(b"title", b"good");
    });
    assert_eq!(
        features.unwrap(),
        pairs(&[("good", 1.0), ("film", 1.0), ("stars", 4.0), ("title^good", 1.0)])
    );
}

#[test]
fn namespaces_scale_and_name_their_features() {
    let features = built(Recipe::default(), |b| {
        b.namespace(b"user", 2.0);
        b.feature(b"age", 10.0);
        b.category(b"city", b"Basel");
        b.namespace(b"", 1.0);
        b.feature(b"age", 1.0);
    });
    assert_eq!(features.unwrap(), pairs(&[("user^age", 20.0), ("user^city=Basel", 2.0), ("age", 1.0)]));
}

#[test]
fn fields_are_kept_and_ignored_by_namespace_column_or_both() {
    let fill = |b: &mut Builder| {
        b.feature(b"age", 1.0);
        b.namespace(b"user", 1.0);
        b.feature(b"age", 2.0);
        b.feature(b"size", 3.0);
    };
    let kept = |keep: &[&str], ignore: &[&str]| {
        let names = |list: &[&str]| list.iter().map(|name| name.to_string()).collect();
        let features = built(Recipe { keep: names(keep), ignore: names(ignore), ..Recipe::default() }, fill);
        features.unwrap().into_iter().map(|(_, value)| value).collect::<Vec<_>>()
    };
    assert_eq!(kept(&["user"], &[]), [2.0, 3.0]);
    assert_eq!(kept(&["age"], &[]), [1.0, 2.0]);
    assert_eq!(kept(&[], &["user^age"]), [1.0, 3.0]);
    assert_eq!(kept(&["user"], &["size"]), [2.0]);
}

#[test]
fn integers_are_kept_and_ignored_by_id() {
    let recipe = Recipe { ignore: vec!["2".into()], ..given() };
    let features = built(recipe, |b| (1..4).for_each(|id| b.indexed(id, 1.0)));
    assert_eq!(features.unwrap(), pairs(&[("1", 1.0), ("3", 1.0)]));
}

#[test]
fn interactions_multiply_across_fields() {
    let recipe = Recipe { interactions: vec!["b*a".into(), "a*a".into()], ..Recipe::default() };
    let features = built(recipe, |b| {
        b.namespace(b"a", 1.0);
        b.feature(b"zero", 0.0);
        b.feature(b"x", 2.0);
        b.feature(b"y", 3.0);
        b.namespace(b"b", 1.0);
        b.feature(b"u", 5.0);
    });
    let expected =
        [("a^x", 2.0), ("a^y", 3.0), ("b^u", 5.0), ("a^x*b^u", 10.0), ("a^y*b^u", 15.0), ("a^x*a^y", 6.0)];
    assert_eq!(features.unwrap(), pairs(&expected));
}

#[test]
fn names_that_share_a_slot_are_one_feature() {
    let recipe = Recipe { space: SpaceKind::Hashed { bits: 1, seed: 0 }, ..Recipe::default() };
    let features = built(recipe, |b| b.text(b"", b"one two three four five six seven")).unwrap();
    assert_eq!(features.len(), 2);
    assert_eq!(features[0].1 + features[1].1, 7.0);
}

#[test]
fn bad_values_weights_and_names_are_refused() {
    let refused = built(given(), |b| b.indexed(3, f64::NAN)).unwrap_err();
    assert_eq!(refused.to_string(), "feature '3' has the value NaN; values must be finite numbers");
    let refused = built(given(), |b| b.indexed(u64::MAX, 1.0));
    assert_eq!(refused, Err(FeatureProblem::ReservedId));
    let refused = built(Recipe::default(), |b| {
        b.feature(b"x", f64::MAX);
        b.feature(b"x", f64::MAX);
    });
    assert_eq!(refused, Err(FeatureProblem::NotFinite { name: "x".into(), value: f64::INFINITY }));
    assert_eq!(built(given(), |b| b.weight(-1.0)), Err(FeatureProblem::Weight(-1.0)));
    let refused = built(Recipe::default(), |b| b.feature(b"caf\xe9", 1.0)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the feature name 'caf\u{fffd}' is not valid UTF-8; convert the file to UTF-8"
    );
}

#[test]
fn a_bad_line_leaves_no_trace() {
    let plan = Plan::new(Recipe::default()).unwrap();
    let mut batch = Batch::new();
    let mut builder = Builder::new(&plan, &mut batch);
    builder.begin(1);
    builder.label(b"a");
    builder.feature(b"x", 1.0);
    builder.finish().unwrap();
    builder.begin(2);
    builder.feature(b"x", f64::INFINITY);
    builder.finish().unwrap_err();
    builder.begin(3);
    builder.label(b"c");
    builder.feature(b"y", 1.0);
    builder.abandon();
    builder.begin(4);
    builder.label(b"a label that is set again");
    builder.label(b"b");
    builder.tag(b"id-4");
    builder.weight(0.5);
    builder.feature(b"y", 2.0);
    builder.finish().unwrap();
    assert_eq!(batch.len(), 2);
    let example = batch.example(1);
    assert_eq!(example.labels().len(), 1);
    assert_eq!((example.line, example.weight), (4, 0.5));
    assert_eq!((example.label(), example.tag), (Some(&b"b"[..]), Some(&b"id-4"[..])));
    assert_eq!((example.features.name(0), example.features.values()), (&b"y"[..], &[2.0][..]));
}

fn shown(batch: &Batch) -> Vec<Vec<(u64, String, u64)>> {
    let features = batch.iter().map(|example| example.features);
    let show = |features: KeyedFeatures| {
        let one = |at: usize| {
            let name = String::from_utf8(features.name(at).to_vec()).unwrap();
            (features.keys()[at], name, features.values()[at].to_bits())
        };
        (0..features.len()).map(one).collect()
    };
    features.map(show).collect()
}

fn fill(recipe: &Recipe, rows: &[Vec<(u64, f64)>], batch: &mut Batch) {
    let plan = Plan::new(recipe.clone()).unwrap();
    let mut builder = Builder::new(&plan, batch);
    for row in rows {
        builder.begin(1);
        row.iter().for_each(|&(id, value)| builder.indexed(id, value));
        builder.finish().unwrap();
    }
}

fn rows() -> impl Strategy<Value = Vec<Vec<(u64, f64)>>> {
    let value = prop_oneof![Just(0.0), -9.0..9.0];
    prop::collection::vec(prop::collection::vec((0u64..40, value), 0..30), 0..6)
}

proptest! {
    #[test]
    fn words_that_are_not_copied_are_the_words_of_the_recipe(
        text in "[a-cA-C' .,]{0,80}|[ -~éÄ’ñ中]{0,40}",
        lowercase: bool,
        cut: bool,
    ) {
        let mut recipe = Recipe { space: SpaceKind::Dictionary, ..Recipe::default() };
        recipe.text.lowercase = lowercase;
        if cut {
            recipe.text = recipe.text.cut(Cuts::ALL);
        }
        let mut expected: Vec<(String, f64)> = Vec::new();
        text::features(&recipe.text, &text, &mut TextScratch::default(), &mut |_, word| {
            match expected.iter_mut().find(|(name, _)| name == word) {
                Some((_, count)) => *count += 1.0,
                None => expected.push((word.to_string(), 1.0)),
            }
        });
        prop_assert_eq!(built(recipe, |b| b.text(b"", text.as_bytes())).unwrap(), expected);
    }

    #[test]
    fn the_order_of_integers_in_a_line_does_not_matter(row in prop::collection::btree_map(0u64..99, -9.0..9.0, 0..30),
                                                       turn in 0usize..30) {
        let sorted: Vec<(u64, f64)> = row.into_iter().collect();
        let mut turned = sorted.clone();
        turned.rotate_left(turn.min(sorted.len()));
        let (mut one, mut other) = (Batch::new(), Batch::new());
        fill(&given(), &[sorted], &mut one);
        fill(&given(), &[turned], &mut other);
        prop_assert_eq!(shown(&one), shown(&other));
    }

    #[test]
    fn features_are_canonical(rows in rows()) {
        for space in [SpaceKind::AsGiven, SpaceKind::Dictionary, SpaceKind::Hashed { bits: 4, seed: 1 }] {
            let mut batch = Batch::new();
            fill(&Recipe { space, ..Recipe::default() }, &rows, &mut batch);
            for features in batch.iter().map(|example| example.features) {
                let slot = |key: &u64| if let SpaceKind::Hashed { .. } = space { key & 15 } else { *key };
                let mut slots: Vec<u64> = features.keys().iter().map(slot).collect();
                prop_assert!(space != SpaceKind::AsGiven || slots.is_sorted());
                slots.sort_unstable();
                prop_assert!(slots.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert!(features.values().iter().all(|value| *value != 0.0));
            }
        }
    }

    #[test]
    fn a_recycled_batch_is_as_good_as_a_new_one(old in rows(), new in rows()) {
        for space in [SpaceKind::AsGiven, SpaceKind::Dictionary] {
            let recipe = Recipe { space, ..Recipe::default() };
            let (mut recycled, mut fresh) = (Batch::new(), Batch::new());
            fill(&recipe, &old, &mut recycled);
            recycled.clear();
            fill(&recipe, &new, &mut recycled);
            fill(&recipe, &new, &mut fresh);
            prop_assert_eq!(shown(&recycled), shown(&fresh));
        }
    }
}
