use proptest::prelude::*;

use super::*;
use crate::key::{BIAS_KEY, name_key};
use surefoot_core::state::Tensor;

const KINDS: [SpaceKind; 3] =
    [SpaceKind::AsGiven, SpaceKind::Dictionary, SpaceKind::Hashed { bits: 10, seed: 3 }];

fn key(kind: SpaceKind, name: &str) -> u64 {
    match kind {
        SpaceKind::AsGiven => name.parse().unwrap(),
        SpaceKind::Auto | SpaceKind::Dictionary => name_key(name.as_bytes(), 0),
        SpaceKind::Hashed { seed, .. } => name_key(name.as_bytes(), seed),
    }
}

fn filled(kind: SpaceKind, names: &[&str]) -> Box<dyn FeatureIndex> {
    let mut index = new_index(kind, false);
    for name in names {
        index.intern(key(kind, name), name.as_bytes());
    }
    index.intern(BIAS_KEY, b"");
    index
}

fn names_in_order(index: &dyn FeatureIndex) -> Vec<String> {
    index.feature_order().into_iter().map(|at| index.name(at).unwrap().to_string()).collect()
}

#[test]
fn indices_come_by_first_appearance() {
    for kind in KINDS {
        let index = filled(kind, &["30", "4", "30", "4000000000"]);
        let found = ["30", "4", "4000000000", "5"].map(|name| index.get(key(kind, name)));
        assert_eq!(found, [Some(0), Some(1), Some(2), None], "{kind:?}");
        assert_eq!(index.get(BIAS_KEY), Some(3), "{kind:?}");
        assert_eq!(index.len(), 4);
        for at in 0..4 {
            assert_eq!(index.get(index.key(at)), Some(at), "{kind:?}");
        }
    }
}

#[test]
fn feature_order_is_what_people_expect() {
    let order = |kind| names_in_order(&*filled(kind, &["30", "4", "200"]));
    assert_eq!(order(SpaceKind::AsGiven), ["4", "30", "200", "(bias)"]);
    assert_eq!(order(SpaceKind::Dictionary), ["200", "30", "4", "(bias)"]);
}

#[test]
fn hashed_slots_are_the_published_hash() {
    // From the reference implementation's Python binding: xxhash.xxh3_64_intdigest(b"good", seed=42).
    assert_eq!(name_key(b"good", 42), 0x21e9_14db_9e43_04a8);
    let mut index = Hashed::with_names(16, 0);
    let at = index.intern(name_key(b"good", 42), b"");
    assert_eq!(index.feature(at).unwrap().1, FeatureName::Slot(0x04a8));
}

#[test]
fn hashed_counts_slots_that_are_shared() {
    let mut index = Hashed::new(1);
    for name in ["a", "b", "c", "a", "b", "c"] {
        index.intern(name_key(name.as_bytes(), 0), name.as_bytes());
    }
    assert!(index.len() <= 2);
    assert!(index.collisions() >= 1);
    let mut roomy = Hashed::new(32);
    for name in ["a", "b", "c", "a"] {
        roomy.intern(name_key(name.as_bytes(), 0), name.as_bytes());
    }
    assert_eq!((roomy.len(), roomy.collisions()), (3, 0));
}

#[test]
fn hashed_keeps_the_names_met_most_often() {
    let mut index = Hashed::with_names(32, 4);
    let mut meet = |name: String| index.intern(name_key(name.as_bytes(), 0), name.as_bytes());
    for round in 0..50 {
        for heavy in ["the", "of", "and"] {
            meet(heavy.to_string());
        }
        for rare in 0..10 {
            meet(format!("rare{round}x{rare}"));
        }
    }
    let names = names_in_order(&index);
    for heavy in ["the", "of", "and"] {
        assert!(names.contains(&heavy.to_string()), "{heavy} is not among the names");
    }
    assert!(names.iter().filter(|name| !name.starts_with("(slot")).count() < 8);
}

#[test]
fn state_goes_round() {
    for kind in KINDS {
        let index = filled(kind, &["30", "4", "4000000000"]);
        let mut state = State::new();
        index.export(&mut state);
        let copy = load_index(kind, &mut state.clone()).unwrap();
        let mut again = State::new();
        copy.export(&mut again);
        assert_eq!(state, again);
        assert_eq!(names_in_order(&*copy), names_in_order(&*index));
        assert_eq!(copy.get(key(kind, "4")), Some(1));
    }
}

#[test]
fn damaged_states_are_refused() {
    let refused = |kind, name: &str, tensor: Tensor<'static>| {
        let index = filled(kind, &["1", "2"]);
        let mut state = State::new();
        index.export(&mut state);
        state.put(name, tensor);
        load_index(kind, &mut state).unwrap_err().to_string()
    };
    let u64s = |list: &[u64]| Tensor::U64(Cow::Owned(list.to_vec()));
    let u32s = |list: &[u32]| Tensor::U32(Cow::Owned(list.to_vec()));
    let twice = refused(SpaceKind::AsGiven, "space.pages", u64s(&[1, 1]));
    assert_eq!(twice, "model state: tensor `space.pages` is damaged: page 1 is impossible, or occurs twice");
    let wrong = refused(SpaceKind::AsGiven, "space.pages", u32s(&[1]));
    assert_eq!(wrong, "model state: tensor `space.pages` is of another kind than counts");
    for ends in [&[1, 2, 3][..], &[2, 1, 2], &[u64::MAX, 2, 2]] {
        let ends = refused(SpaceKind::Dictionary, "space.ends", u64s(ends));
        assert_eq!(
            ends,
            "model state: tensor `space.ends` is damaged: the names do not end where the text ends"
        );
    }
    let bias = refused(SpaceKind::Dictionary, "space.bias", u32s(&[9]));
    assert_eq!(bias, "model state: tensor `space.bias` is damaged: it does not point to one feature");
    let text = refused(SpaceKind::Dictionary, "space.names", Tensor::U8(Cow::Borrowed(b"\xff2")));
    assert_eq!(text, "model state: tensor `space.names` is damaged: a name is not valid UTF-8");
    let counts = refused(KINDS[2], "space.counts", u32s(&[1]));
    assert_eq!(counts, "model state: tensor `space.counts` has 1 numbers; expected 3");
    let named = refused(KINDS[2], "space.named", u32s(&[0, 77]));
    assert_eq!(named, "model state: tensor `space.named` is damaged: 77 is not the index of one feature");
}

proptest! {
    #[test]
    fn indices_survive_storage(names in prop::collection::vec("[a-zé]{0,3}", 0..40), bits in 1u8..12) {
        for kind in [SpaceKind::Dictionary, SpaceKind::Hashed { bits, seed: 0 }] {
            let index = filled(kind, &names.iter().map(String::as_str).collect::<Vec<_>>());
            let mut state = State::new();
            index.export(&mut state);
            let copy = load_index(kind, &mut state).unwrap();
            for name in &names {
                let key = key(kind, name);
                prop_assert_eq!(copy.get(key), index.get(key));
            }
            prop_assert_eq!(names_in_order(&*copy), names_in_order(&*index));
        }
    }

    #[test]
    fn all_features_of_an_example_together_have_the_indices_that_they_have_alone(
        rows in prop::collection::vec(prop::collection::vec(0u64..60, 0..20), 0..20),
    ) {
        for kind in KINDS {
            for gaps in [false, true] {
                let [mut alone, mut together] = [0; 2].map(|_| new_index(kind, gaps));
                for ids in &rows {
                    // Keys that repeat are no features of a reader, and do no harm.
                    let keys: Vec<u64> = ids.iter().map(|id| key(kind, &id.to_string())).collect();
                    let one_by_one: Vec<u32> = keys.iter().map(|&key| alone.intern(key, b"")).collect();
                    let (mut found, mut indices) = (FoundFeatures::default(), Vec::new());
                    together.get_all(&keys, &mut found);
                    for (at, (&key, &index)) in (0..).zip(keys.iter().zip(&found.indices)) {
                        let met = together.get(key);
                        prop_assert_eq!(met.is_none(), found.new.contains(&at));
                        prop_assert!(met.is_none_or(|met| met == index));
                        prop_assert!(index == UNKNOWN || index == one_by_one[at as usize], "reserved for it");
                    }
                    together.intern_all(&KeyedFeatures::given(&keys, &vec![1.0; keys.len()]), &mut indices);
                    prop_assert_eq!(indices, one_by_one);
                }
                prop_assert_eq!(format!("{:?}", tensors(&*alone)), format!("{:?}", tensors(&*together)));
            }
        }
    }

    #[test]
    fn a_union_holds_the_features_of_both(
        one in prop::collection::btree_set(0u64..200, 0..40),
        two in prop::collection::btree_set(0u64..200, 0..40),
    ) {
        for kind in KINDS {
            for gaps in [false, true] {
                let fill = |ids: &std::collections::BTreeSet<u64>| {
                    let mut index = new_index(kind, gaps);
                    for name in ids.iter().map(u64::to_string) {
                        index.intern(key(kind, &name), name.as_bytes());
                    }
                    index
                };
                let (mut union, other) = (fill(&one), fill(&two));
                let before: Vec<u32> = union.indices().collect();
                let places = union.union(&*other);
                prop_assert!(before.iter().all(|&index| union.contains(index)));
                prop_assert_eq!(places.len(), other.bound());
                for (index, place) in (0..).zip(places) {
                    prop_assert_eq!(other.contains(index), place != UNKNOWN);
                    if place != UNKNOWN {
                        prop_assert_eq!(union.get(other.key(index)), Some(place));
                    }
                }
                // Names may share a slot where they are hashed.
                let all = one.union(&two).count();
                let shared = matches!(kind, SpaceKind::Hashed { .. }) && union.len() < all;
                prop_assert!(union.len() == all || shared, "{} of {}", union.len(), all);
            }
        }
    }
}

/// The state of an index, as tensors of its own.
fn tensors(index: &dyn FeatureIndex) -> Vec<(String, Tensor<'static>)> {
    let mut state = State::new();
    index.export(&mut state);
    let own = |tensor: &Tensor<'_>| match tensor {
        Tensor::U8(values) => Tensor::U8(values.to_vec().into()),
        Tensor::U32(values) => Tensor::U32(values.to_vec().into()),
        Tensor::U64(values) => Tensor::U64(values.to_vec().into()),
        other => panic!("{other:?} in an index"),
    };
    state.iter().map(|(name, tensor)| (name.to_string(), own(tensor))).collect()
}
