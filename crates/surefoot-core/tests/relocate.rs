//! Features that get other ids in the middle of a stream: what is learned, before and after, is the same, bit for bit.

mod common;

use common::{many_class_stream, stream};
use surefoot_core::gaussian::{NOWHERE, STORES};
use surefoot_core::rule::RULES;
use surefoot_core::{Features, Roster, Task, Vector};

const FEATURES: usize = 12;

/// The new id of every feature: backwards with gaps. An id that no feature has yet goes nowhere.
fn places(features: usize) -> Vec<u32> {
    let mut places: Vec<u32> = (0..features as u32).map(|i| 3 * (features as u32 - i) + 4).collect();
    places.push(NOWHERE);
    places
}

/// Learns the stream twice, once with a move in the middle, and compares everything that can be seen.
fn compare(name: &str, roster: &Roster, task: Task, train: &[(Vector, usize)]) {
    let mut still = roster.build(task, false).unwrap();
    let mut moved = roster.build(task, false).unwrap();
    let places = places(FEATURES);
    for (round, (x, class)) in train.iter().enumerate() {
        if round == train.len() / 2 {
            moved.relocate(&places);
        }
        let after = round >= train.len() / 2;
        let id = |&id: &u32| if after { places[id as usize] } else { id };
        let ids: Vec<u32> = x.features().ids().iter().map(id).collect();
        let x_moved = Features::new(&ids, x.features().values()).unwrap().before(&ids);
        let one = still.learn(x.features(), *class, 1.0).unwrap();
        let other = moved.learn(x_moved, *class, 1.0).unwrap();
        let seen = |p: &surefoot_core::Prediction| (p.label, p.score.to_bits(), p.variance.to_bits());
        assert_eq!(seen(one.prediction), seen(other.prediction), "{name}, round {round}");
        assert_eq!((one.updated, one.probability), (other.updated, other.probability), "{name}");
    }
    for block in 0..still.gaussian().blocks() {
        for (feature, &place) in places.iter().enumerate().take(FEATURES) {
            let (one, other) = (still.weight(feature, block), moved.weight(place as usize, block));
            assert_eq!(one, other, "{name}: feature {feature}");
        }
        // What lies between them is at the prior.
        assert_eq!(moved.weight(5, block).map(|w| w.variance), still.weight(500, block).map(|w| w.variance));
    }
    let mut again = roster.build(task, false).unwrap();
    again.set_classes(moved.classes(), &(0..moved.classes() as u32).collect::<Vec<_>>()).unwrap();
    again.restore(moved.save()).unwrap();
    assert_eq!(format!("{:?}", again.save()), format!("{:?}", moved.save()), "{name}");
}

fn movable(roster: &Roster, task: Task) -> bool {
    roster.build(task, false).unwrap().movable_cell().is_some()
}

#[test]
fn a_learner_of_two_classes_does_not_notice() {
    let (train, mut found) = (stream(3, FEATURES, 200, 0.1), 0);
    for rule in RULES {
        for store in STORES {
            let name = format!("{}/{}", rule.name, store.name);
            let roster = Roster::parse(&name).unwrap();
            if movable(&roster, Task::Binary) {
                found += 1;
                compare(&name, &roster, Task::Binary, &train);
            }
        }
    }
    assert!(found >= 3 * RULES.len(), "diagonal, compact and identity at least");
}

#[test]
fn a_learner_of_many_classes_does_not_notice() {
    let task = Task::Multiclass { classes: 4 };
    let train = many_class_stream(3, 4, FEATURES, 200);
    for name in
        ["arow", "cw-var:schedule=parallel,top=all", "arow/compact:schedule=one-vs-rest", "pa1:average=true"]
    {
        let roster = Roster::parse(name).unwrap();
        assert!(movable(&roster, task), "{name}");
        compare(name, &roster, task, &train);
    }
}

#[test]
fn rows_of_so_many_classes_that_they_are_sparse_move_too() {
    let task = Task::Multiclass { classes: 200 };
    let train = many_class_stream(3, 200, FEATURES, 400);
    compare("arow", &Roster::parse("arow").unwrap(), task, &train);
}

#[test]
fn a_bank_does_not_notice() {
    let auto = Roster::parse("auto").unwrap();
    compare("auto", &auto, Task::Binary, &stream(3, FEATURES, 200, 0.1));
    compare("auto", &auto, Task::Multiclass { classes: 4 }, &many_class_stream(3, 4, FEATURES, 200));
}

#[test]
fn whoever_cannot_move_says_so() {
    for name in ["arow/full", "arow/kernel", "arow/factored", "bank(arow; arow/full)"] {
        assert!(!movable(&Roster::parse(name).unwrap(), Task::Binary), "{name}");
    }
}
