use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::key::{BIAS_KEY, name_key};
use crate::state::Tensor;

const KINDS: [SpaceKind; 3] =
    [SpaceKind::AsGiven, SpaceKind::Dictionary, SpaceKind::Hashed { bits: 10, seed: 3 }];

fn key(kind: SpaceKind, name: &str) -> u64 {
    match kind {
        SpaceKind::AsGiven => name.parse().unwrap(),
        SpaceKind::Auto | SpaceKind::Dictionary => name_key(name.as_bytes(), 0),
        SpaceKind::Hashed { seed, .. } => name_key(name.as_bytes(), seed),
    }
}

fn filled(kind: SpaceKind, names: &[&str]) -> Box<dyn Space> {
    let mut space = new_space(kind);
    for name in names {
        space.index(key(kind, name), name.as_bytes());
    }
    space.index(BIAS_KEY, b"");
    space
}

fn names_in_order(space: &dyn Space) -> Vec<String> {
    space.feature_order().into_iter().map(|index| space.name(index).to_string()).collect()
}

#[test]
fn indices_come_by_first_appearance() {
    for kind in KINDS {
        let space = filled(kind, &["30", "4", "30", "4000000000"]);
        let found = ["30", "4", "4000000000", "5"].map(|name| space.lookup(key(kind, name)));
        assert_eq!(found, [Some(0), Some(1), Some(2), None], "{kind:?}");
        assert_eq!(space.lookup(BIAS_KEY), Some(3), "{kind:?}");
        assert_eq!(space.len(), 4);
        for index in 0..4 {
            assert_eq!(space.lookup(space.key(index)), Some(index), "{kind:?}");
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
    let mut space = Hashed::with_names(16, 0);
    let index = space.index(name_key(b"good", 42), b"");
    assert_eq!(space.name(index), FeatureName::Slot(0x04a8));
}

#[test]
fn hashed_counts_slots_that_are_shared() {
    let mut space = Hashed::new(1);
    for name in ["a", "b", "c", "a", "b", "c"] {
        space.index(name_key(name.as_bytes(), 0), name.as_bytes());
    }
    assert!(space.len() <= 2);
    assert!(space.collisions() >= 1);
    let mut roomy = Hashed::new(32);
    for name in ["a", "b", "c", "a"] {
        roomy.index(name_key(name.as_bytes(), 0), name.as_bytes());
    }
    assert_eq!((roomy.len(), roomy.collisions()), (3, 0));
}

#[test]
fn hashed_keeps_the_names_met_most_often() {
    let mut space = Hashed::with_names(32, 4);
    let mut meet = |name: String| space.index(name_key(name.as_bytes(), 0), name.as_bytes());
    for round in 0..50 {
        for heavy in ["the", "of", "and"] {
            meet(heavy.to_string());
        }
        for rare in 0..10 {
            meet(format!("rare{round}x{rare}"));
        }
    }
    let names = names_in_order(&space);
    for heavy in ["the", "of", "and"] {
        assert!(names.contains(&heavy.to_string()), "{heavy} is not among the names");
    }
    assert!(names.iter().filter(|name| !name.starts_with("(slot")).count() < 8);
}

#[test]
fn state_goes_round() {
    for kind in KINDS {
        let space = filled(kind, &["30", "4", "4000000000"]);
        let mut state = State::new();
        space.export(&mut state);
        let copy = load_space(kind, &mut state.clone()).unwrap();
        let mut again = State::new();
        copy.export(&mut again);
        assert_eq!(state, again);
        assert_eq!(names_in_order(&*copy), names_in_order(&*space));
        assert_eq!(copy.lookup(key(kind, "4")), Some(1));
    }
}

#[test]
fn damaged_states_are_refused() {
    let refused = |kind, name: &str, tensor: Tensor<'static>| {
        let space = filled(kind, &["1", "2"]);
        let mut state = State::new();
        space.export(&mut state);
        state.put(name, tensor);
        load_space(kind, &mut state).unwrap_err().to_string()
    };
    let u64s = |list: &[u64]| Tensor::U64(Cow::Owned(list.to_vec()));
    let u32s = |list: &[u32]| Tensor::U32(Cow::Owned(list.to_vec()));
    let twice = refused(SpaceKind::AsGiven, "space.ids", u64s(&[1, 1]));
    assert_eq!(twice, "the tensor 'space.ids' is damaged: feature 1 occurs twice");
    let wrong = refused(SpaceKind::AsGiven, "space.ids", u32s(&[1]));
    assert_eq!(wrong, "the tensor 'space.ids' has the wrong type; expected U64");
    for ends in [&[1, 2, 3][..], &[2, 1, 2], &[u64::MAX, 2, 2]] {
        let ends = refused(SpaceKind::Dictionary, "space.ends", u64s(ends));
        assert_eq!(ends, "the tensor 'space.ends' is damaged: the names do not end where the text ends");
    }
    let bias = refused(SpaceKind::Dictionary, "space.bias", u32s(&[9]));
    assert_eq!(bias, "the tensor 'space.bias' is damaged: it does not point to one feature");
    let text = refused(SpaceKind::Dictionary, "space.names", Tensor::U8(Cow::Borrowed(b"\xff2")));
    assert_eq!(text, "the tensor 'space.names' is damaged: a name is not valid UTF-8");
    let counts = refused(KINDS[2], "space.counts", u32s(&[1]));
    assert_eq!(counts, "the tensor 'space.counts' has 1 numbers; expected 3");
    let named = refused(KINDS[2], "space.named", u32s(&[0, 77]));
    assert_eq!(named, "the tensor 'space.named' is damaged: 77 is not the index of one feature");
}

#[test]
fn dense_ids_move_into_the_array_and_stay_findable() {
    let mut space = AsGiven::default();
    // Downwards, so that most ids are beyond the array when they come.
    for id in (0..300_000u64).rev() {
        space.index(id * 3, b"");
        space.index(u64::MAX - 1 - id, b"");
    }
    for id in 0..300_000u64 {
        let index = 2 * (299_999 - id as u32);
        assert_eq!(space.lookup(id * 3), Some(index));
        assert_eq!(space.lookup(u64::MAX - 1 - id), Some(index + 1));
        assert_eq!(space.lookup(id * 3 + 1), None);
    }
}

proptest! {
    #[test]
    fn remap_is_a_map_by_first_appearance(ids in prop::collection::vec(
        prop_oneof![0u64..100, 0u64..100_000, any::<u64>()], 0..300)) {
        let mut space = AsGiven::default();
        let mut model = HashMap::new();
        for &id in &ids {
            let next = model.len() as u32;
            prop_assert_eq!(space.index(id, b""), *model.entry(id).or_insert(next));
        }
        for (&id, &index) in &model {
            prop_assert_eq!(space.key(index), id);
        }
    }

    #[test]
    fn spaces_survive_storage(names in prop::collection::vec("[a-zé]{0,3}", 0..40), bits in 1u8..12) {
        for kind in [SpaceKind::Dictionary, SpaceKind::Hashed { bits, seed: 0 }] {
            let space = filled(kind, &names.iter().map(String::as_str).collect::<Vec<_>>());
            let mut state = State::new();
            space.export(&mut state);
            let copy = load_space(kind, &mut state).unwrap();
            for name in &names {
                let key = key(kind, name);
                prop_assert_eq!(copy.lookup(key), space.lookup(key));
            }
            prop_assert_eq!(names_in_order(&*copy), names_in_order(&*space));
        }
    }
}
