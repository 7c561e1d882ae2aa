use std::collections::HashMap;

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

/// Random ids, half of them among few, some far away.
fn crowd_of_ids(seed: u64, rows: usize) -> Vec<Vec<u64>> {
    let mut random = crate::Random::new(seed);
    let mut row = || {
        let mut ids: Vec<u64> = (0..40)
            .map(|_| match random.below(40) {
                0 => (1 << 40) + random.below(1 << 30),
                1..20 => random.below(2000),
                _ => random.below(60_000),
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    (0..rows).map(|_| row()).collect()
}

#[test]
fn dense_integers_move_and_keep_their_names() {
    for seed in 0..4 {
        let (mut space, mut plain) = (new_space(SpaceKind::AsGiven), HashMap::new());
        // Which feature each place of a table belongs to, moved as a table would be.
        let (mut owners, mut moves, mut indices) = (HashMap::new(), 0, Vec::new());
        for (round, ids) in crowd_of_ids(seed, 700).into_iter().enumerate() {
            let may = space.may_move();
            assert!(space.plan_move(8) <= may, "a move that nobody expected");
            if may && space.plan_move(8) && round % 3 != seed as usize {
                let places = space.make_move().unwrap();
                owners = owners.into_iter().map(|(index, id)| (places[index as usize], id)).collect();
                moves += 1;
                assert_eq!(space.layout(), moves);
            }
            indices.clear();
            space.locate_all(&ids, &mut indices);
            for (index, &id) in indices.iter_mut().zip(&ids).filter(|(index, _)| **index == UNKNOWN) {
                *index = space.index(id, b"");
            }
            space.meet_all(&indices);
            for (&index, &id) in indices.iter().zip(&ids) {
                assert_eq!(*owners.entry(index).or_insert(id), id, "two features at one place");
                plain.insert(id, index);
            }
        }
        assert_eq!(moves, 2, "to 2^14 and to 2^16");
        assert_eq!((space.len(), owners.len()), (plain.len(), plain.len()));
        assert_eq!(space.indices().count(), plain.len());
        for (&index, &id) in &owners {
            assert_eq!((space.lookup(id), space.key(index)), (Some(index), id));
            assert!(space.holds(index) && (index as usize) < space.bound());
        }
        let strangers = (0..60_000).filter(|id| !plain.contains_key(id));
        assert!(strangers.take(500).all(|id| space.lookup(id).is_none()));
        assert!(!space.holds(space.bound() as u32) && !space.holds(u32::MAX));
        let order: Vec<u64> = space.feature_order().into_iter().map(|index| space.key(index)).collect();
        assert!(order.is_sorted() && order.len() == plain.len());
    }
}

/// An example as learning sees it: known features by their index, others looked up or new.
fn learn(space: &mut dyn Space, ids: &[u64]) -> Vec<u32> {
    let mut indices = Vec::new();
    space.locate_all(ids, &mut indices);
    space.meet_all(&indices);
    for (index, &id) in indices.iter_mut().zip(ids).filter(|(index, _)| **index == UNKNOWN) {
        *index = space.index(id, b"");
    }
    indices
}

/// Moves those who own the places of a table; 1 if there was a move.
fn follow(owners: &mut HashMap<u32, u64>, places: Option<Vec<u32>>) -> usize {
    let Some(places) = places else { return 0 };
    *owners = owners.drain().map(|(index, id)| (places[index as usize], id)).collect();
    1
}

#[test]
fn early_moves_leave_no_trace() {
    let exported = |space: &dyn Space| {
        let mut state = State::new();
        space.export(&mut state);
        state.iter().map(|(name, tensor)| (name.to_string(), owned(tensor))).collect::<Vec<_>>()
    };
    for (seed, most) in [(0, u64::MAX), (1, 1 << 14), (2, 1 << 16), (3, u64::MAX)] {
        let (mut space, mut plain) = (new_space(SpaceKind::AsGiven), new_space(SpaceKind::AsGiven));
        let (mut owners, mut early, mut taken_back) = (HashMap::<u32, u64>::new(), 0, 0);
        for (round, ids) in crowd_of_ids(seed, 700).into_iter().enumerate() {
            let may = space.may_move();
            early += follow(&mut owners, space.move_early(64, most).inspect(|_| assert!(may)));
            let may = (space.may_move(), plain.may_move());
            let planned = (space.plan_move(8), plain.plan_move(8));
            assert!(planned.0 == planned.1 && planned.0 <= may.0 && planned.1 <= may.1);
            follow(&mut owners, space.make_move());
            plain.make_move();
            for (index, &id) in learn(&mut *space, &ids).into_iter().zip(&ids) {
                assert_eq!(*owners.entry(index).or_insert(id), id, "two features at one place");
            }
            learn(&mut *plain, &ids);
            if round % 90 == 5 {
                taken_back += follow(&mut owners, space.settle());
                assert_eq!(exported(&*space), exported(&*plain), "round {round}");
                assert!(space.settle().is_none());
            }
        }
        assert!(early > 0 && taken_back > 0, "{early} {taken_back}");
        assert_eq!((space.len(), owners.len()), (plain.len(), plain.len()));
        for (&index, &id) in &owners {
            assert_eq!((space.lookup(id), space.key(index)), (Some(index), id));
        }
    }
}

/// Ids that were only noted while nothing could move count as soon as something can.
#[test]
fn what_was_noted_counts_when_an_id_comes_from_outside() {
    let mut spaces = [0, 1].map(|_| new_space(SpaceKind::AsGiven));
    let planned = spaces.each_mut().map(|space| {
        (0..2048).for_each(|id| _ = space.index(id, b""));
        assert!(space.plan_move(8) && space.make_move().is_some() && !space.may_move());
        space
    });
    let [told, noted] = planned;
    let rows: Vec<Vec<u64>> = (2048..8192).collect::<Vec<u64>>().chunks(70).map(<[u64]>::to_vec).collect();
    for ids in &rows {
        ids.iter().for_each(|&id| _ = told.index(id, b""));
        let mut indices = Vec::new();
        noted.locate_all(ids, &mut indices);
        noted.meet_all(&indices);
        assert_eq!((told.len(), told.bound()), (noted.len(), noted.bound()));
    }
    // One of eight below 2¹⁶ is 8192: the one from outside is the first that is needed.
    for space in [told, noted] {
        assert!(!space.plan_move(8));
        space.index(1 << 15, b"");
        assert!(space.may_move() && space.plan_move(8));
        assert_eq!(space.make_move().map(|places| places[8191]), Some(8191));
        assert!(space.holds(8191) && !space.holds(8192) && space.holds(1 << 15));
    }
}

/// A space with a region, its state as owned tensors, and what is in it.
fn moved() -> (Box<dyn Space>, Vec<(String, Tensor<'static>)>) {
    let mut space = new_space(SpaceKind::AsGiven);
    space.index(BIAS_KEY, b"");
    (0..2048).for_each(|id| _ = space.index(2 * id, b""));
    assert!(space.plan_move(8));
    space.index(1 << 50, b""); // came after the plan: behind the region
    assert_eq!(space.make_move().unwrap()[..2], [0, 1]);
    let mut state = State::new();
    space.export(&mut state);
    let tensors = state.iter().map(|(name, tensor)| (name.to_string(), owned(tensor))).collect();
    (space, tensors)
}

fn owned(tensor: &Tensor<'_>) -> Tensor<'static> {
    match tensor {
        Tensor::U64(values) => Tensor::U64(values.to_vec().into()),
        other => panic!("{other:?} in a space of integers"),
    }
}

fn loaded(tensors: &[(String, Tensor<'static>)]) -> Result<Box<dyn Space>, surefoot_core::Error> {
    let mut state = State::new();
    tensors.iter().for_each(|(name, tensor)| state.put(name, tensor.clone()));
    let space = load_space(SpaceKind::AsGiven, &mut state)?;
    state.finish()?;
    Ok(space)
}

#[test]
fn a_region_comes_back_from_a_file() {
    let (mut space, tensors) = moved();
    let mut again = loaded(&tensors).unwrap();
    assert_eq!((again.len(), again.bound()), (2050, (1 << 14) + 2));
    assert_eq!(again.feature_order(), space.feature_order());
    for id in (0..9000).chain([BIAS_KEY, 1 << 50, 7 << 50]) {
        assert_eq!(again.lookup(id), space.lookup(id), "{id}");
        assert_eq!(again.index(id, b""), space.index(id, b""), "{id}");
    }
    let bytes = |space: &dyn Space| {
        let mut state = State::new();
        space.export(&mut state);
        format!("{state:?}")
    };
    assert_eq!(bytes(&*again), bytes(&*space));
}

#[test]
fn a_region_that_cannot_be_is_refused() {
    let (_, tensors) = moved();
    let with = |name: &str, numbers: Vec<u64>| {
        let changed = tensors.iter().cloned().map(|(own, tensor)| {
            if own == name { (own, Tensor::U64(numbers.clone().into())) } else { (own, tensor) }
        });
        loaded(&changed.collect::<Vec<_>>()).map(|_| ()).unwrap_err().to_string()
    };
    for sizes in
        [vec![], vec![1], vec![1, 1 << 15], vec![1, 1 << 30], vec![3, 1 << 14], vec![u64::MAX, 1 << 14]]
    {
        assert!(with("space.region", sizes.clone()).contains("is no region"), "{sizes:?}");
    }
    assert!(with("space.met", vec![u64::MAX; 257]).contains("257 words"));
    // A few bits do not make a region of a quarter of a billion ids.
    assert!(with("space.region", vec![1, 1 << 28]).contains("for 268435456 ids"));
    assert!(with("space.met", vec![1; 256]).contains("256 words"));
    assert!(with("space.ids", vec![BIAS_KEY, 5]).contains("feature 5 occurs twice"));
    let without: Vec<_> = tensors.iter().filter(|(name, _)| name != "space.met").cloned().collect();
    assert!(matches!(loaded(&without), Err(StateProblem::Missing(_))));
}
