use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

/// The index of an id that was met.
fn get(index: &AsGiven, id: u64) -> u32 {
    let (found, met) = index.find(id);
    if met { found } else { UNKNOWN }
}

fn exported(index: &AsGiven) -> State<'_> {
    let mut state = State::new();
    index.export(&mut state);
    state
}

fn loaded(index: &AsGiven) -> AsGiven {
    let mut state = exported(index);
    let again = AsGiven::import(index.trial, &mut state).unwrap();
    state.finish().unwrap();
    again
}

/// Ids near each other, anywhere, and the largest.
fn ids() -> impl Strategy<Value = Vec<u64>> {
    let id = prop_oneof![0u64..100, 0u64..5_000, any::<u64>(), Just(BIAS_KEY)];
    prop::collection::vec(id, 0..300)
}

/// What must hold of an index of these ids, each with the index that it was given.
fn check(index: &AsGiven, given: &HashMap<u64, u32>) {
    assert_eq!(index.len(), given.len());
    for (&id, &place) in given {
        assert_eq!((get(index, id), index.id(place)), (place, Some(id)));
        assert!((place as usize) < index.bound());
    }
    let met = (0..index.bound() as u32 + 20).filter(|&place| index.id(place).is_some());
    assert_eq!(met.count(), given.len(), "places that no id has have no name");
    assert_eq!(index.id(u32::MAX), None);
}

proptest! {
    #[test]
    fn an_index_stays_and_goes_on_from_a_file_as_it_was(
        ids in ids(), cut in 0usize..300, gaps: bool, trial in 1usize..64,
    ) {
        let mut index = AsGiven::with_trial(if gaps { PAGE_BITS } else { 0 }, trial);
        let (mut given, mut resumed) = (HashMap::new(), None);
        for (at, &id) in ids.iter().enumerate() {
            if at == cut {
                resumed = Some(loaded(&index));
            }
            prop_assert_eq!(get(&index, id), given.get(&id).copied().unwrap_or(UNKNOWN));
            let place = index.intern(id, b"");
            prop_assert_eq!(*given.entry(id).or_insert(place), place);
            if let Some(resumed) = &mut resumed {
                prop_assert_eq!(resumed.intern(id, b""), place);
            }
        }
        check(&index, &given);
        if let Some(resumed) = resumed {
            prop_assert_eq!(exported(&resumed), exported(&index));
        }
        if !gaps {
            prop_assert_eq!(index.bound(), index.len());
        }
    }

    #[test]
    fn waste_is_bounded_whatever_the_ids(ids in ids(), trial in 1usize..64) {
        let mut index = AsGiven::with_trial(PAGE_BITS, trial);
        for &id in &ids {
            index.intern(id, b"");
            // Pages of the trial, and behind them pages of which half were worth it when it was last asked.
            let most = (trial.next_power_of_two() << PAGE_BITS).max(8 * index.len());
            prop_assert!(index.bound() <= most + index.singles.len(), "{} for {}", index.bound(), index.len());
        }
    }

    #[test]
    fn pages_of_one_give_indices_by_first_appearance(ids in ids()) {
        let (mut index, mut model) = (AsGiven::new(false), HashMap::new());
        for &id in &ids {
            let next = model.len() as u32;
            prop_assert_eq!(index.intern(id, b""), *model.entry(id).or_insert(next));
        }
        check(&index, &model);
    }
}

#[test]
fn neighbours_share_a_page_in_the_order_of_the_file() {
    let mut index = AsGiven::new(true);
    let found = [35, 32, 4_000_000_000, 47, 48, 3].map(|id| index.intern(id, b""));
    assert_eq!(found, [3, 0, 16, 15, 32, 51]);
    assert_eq!((index.len(), index.bound()), (6, 64));
    assert_eq!((get(&index, 34), index.id(2)), (UNKNOWN, None), "34 was never met");
    assert_eq!(index.feature(16), Some((4_000_000_000, FeatureName::Id(4_000_000_000))));
    assert!(index.compare(51, 3).is_lt());
}

#[test]
fn scattered_ids_get_single_places_from_the_trial_on_and_dense_ones_do_not() {
    let (mut scattered, mut dense) = (AsGiven::new(true), AsGiven::new(true));
    for id in 0..100_000u64 {
        assert_eq!(scattered.scattered, id >= TRIAL as u64);
        scattered.intern(id * 1000, b"");
    }
    assert_eq!(scattered.bound(), (TRIAL << PAGE_BITS) + 100_000 - TRIAL);
    assert_eq!(scattered.intern(1, b""), 1, "what has a page stays in it");
    // Every third id is enough.
    (0..400_000u64).for_each(|id| _ = dense.intern(3 * id, b""));
    assert!(!dense.scattered && dense.bound() == 400_000 * 3);
    let again = loaded(&scattered);
    assert_eq!(exported(&again), exported(&scattered));
}

#[test]
fn dense_ids_come_into_the_array_and_stay_findable() {
    let mut index = AsGiven::new(false);
    // Downwards, so that most ids are beyond the array when they come.
    for id in (0..300_000u64).rev() {
        index.intern(id * 3, b"");
        index.intern(u64::MAX - 1 - id, b"");
    }
    for id in 0..300_000u64 {
        let place = 2 * (299_999 - id as u32);
        assert_eq!((get(&index, id * 3), get(&index, u64::MAX - 1 - id)), (place, place + 1));
        assert_eq!(get(&index, id * 3 + 1), UNKNOWN);
    }
}

#[test]
fn an_index_that_cannot_be_is_refused() {
    let with = |name: &str, tensor: Tensor<'static>| {
        let mut index = AsGiven::with_trial(PAGE_BITS, 2);
        [5, 900, 70_000, 80_000].iter().for_each(|&id| _ = index.intern(id, b""));
        assert!(index.scattered && index.singles == [70_000, 80_000]);
        let mut state = exported(&index);
        state.put(name, tensor);
        let loaded = AsGiven::import(2, &mut state).and_then(|_| state.finish());
        loaded.unwrap_err().to_string()
    };
    let u64s = |list: &[u64]| Tensor::U64(list.to_vec().into());
    for shape in [&[][..], &[4], &[4, 2], &[3, 0], &[0, 1], &[64, 0], &[4, 1, 0]] {
        assert!(with(SHAPE, u64s(shape)).contains("is no shape of an index"), "{shape:?}");
    }
    assert!(with(SHAPE, u64s(&[4, 0])).contains("tensor `space.ids` belongs to nothing"));
    assert!(with(PAGES, u64s(&[0, 0])).contains("page 0 is impossible, or occurs twice"));
    assert!(with(PAGES, u64s(&[0, 1 << 60])).contains("is impossible, or occurs twice"));
    assert!(with(PAGES, u64s(&[0])).contains("has 2 numbers; expected 1"));
    for met in [[0, 1], [1 << 16, 1]] {
        assert!(with(MET, Tensor::U32(met.to_vec().into())).contains("are no ids of a page"), "{met:?}");
    }
    assert!(with(IDS, u64s(&[70_000, 70_000])).contains("feature 70000 occurs twice"));
    assert!(with(IDS, u64s(&[6])).contains("feature 6 occurs twice"));
}

proptest! {
    #[test]
    fn the_map_of_integers_is_a_map(
        keys in prop::collection::vec(
            prop_oneof![0u64..3000, 65_000u64..66_500, (1u64 << 40)..(1 << 40) + 99, Just(u64::MAX)], 0..400),
    ) {
        let (mut map, mut model) = (IntMap::<u32>::default(), HashMap::new());
        for (at, &key) in keys.iter().enumerate() {
            if map.get(key) == 0 {
                map.insert(key, at as u32 + 1);
                model.insert(key, at as u32 + 1);
            }
            if let Some(value) = map.get_mut(key) {
                *value += 1000;
                *model.get_mut(&key).unwrap() += 1000;
            }
        }
        for key in keys.into_iter().chain([5, 70_000, 1 << 50]) {
            prop_assert_eq!(map.get(key), model.get(&key).copied().unwrap_or(0));
            prop_assert_eq!(map.get_mut(key).is_some(), model.contains_key(&key));
        }
    }
}

#[test]
fn dense_keys_end_up_in_the_array_and_a_single_large_one_costs_nothing() {
    let mut map = IntMap::<u32>::default();
    map.insert(4_000_000_000, 7);
    assert!(map.direct.is_empty());
    (0..1 << 19).for_each(|key| map.insert(key, key as u32 + 1));
    assert!(map.direct.len() >= 1 << 18 && map.beyond.len() < 1 << 18, "{}", map.direct.len());
    assert!((0..1 << 19).all(|key| map.get(key) == key as u32 + 1) && map.get(4_000_000_000) == 7);
}
