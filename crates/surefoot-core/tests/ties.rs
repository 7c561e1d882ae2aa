//! Exact ties and exact zeros: they go to the smaller label, and to the positive one of two, whatever came first.

mod common;

use common::{Pair, pair};
use surefoot_core::store::STORES;
use surefoot_core::{SparseVec, Task, Vector};

fn unit(feature: u32) -> Vector {
    Vector::from_pairs([(feature, 1.0)]).unwrap()
}

fn empty() -> SparseVec<'static> {
    SparseVec::new(&[], &[]).unwrap()
}

/// A learner that has met its labels in the order of these places.
fn learned(text: &str, places: &[u32]) -> Pair {
    let mut learner = pair(text, Task::Multiclass, 0);
    for class in 0..places.len() {
        let earlier = &places[..=class];
        let order: Vec<u32> =
            earlier.iter().map(|own| earlier.iter().filter(|&other| other < own).count() as u32).collect();
        learner.set_classes(class, &order).unwrap();
        learner.learn(unit(class as u32).features(), class, 1.0).unwrap();
    }
    learner
}

#[test]
fn of_equal_certain_labels_the_smaller_gets_the_vote() {
    for (places, smallest) in [(&[2, 0, 1][..], 1), (&[1, 0], 1), (&[0, 1, 2], 0)] {
        for text in ["arow", "arow:decision=vote", "ensemble(arow@none; logistic@none)"] {
            let learner = learned(text, places);
            let votes: Vec<f64> = (0..places.len()).map(|k| f64::from(u8::from(k == smallest))).collect();
            assert_eq!(learner.vote(empty()), votes, "{text} {places:?}");
            assert_eq!(learner.predict(empty()).label, Some(smallest), "{text} {places:?}");
        }
    }
}

#[test]
fn a_mean_over_rounds_that_is_zero_is_zero() {
    let mut learner = pair("perceptron:average=true", Task::Binary, 2);
    let (one, two, twice) = (unit(1), unit(2), Vector::from_pairs([(1, 2.0)]).unwrap());
    learner.learn(one.features(), 1, 1.0).unwrap();
    (0..48).for_each(|_| _ = learner.learn(two.features(), 1, 1.0).unwrap());
    learner.learn(twice.features(), 0, 1.0).unwrap();
    (0..48).for_each(|_| _ = learner.learn(two.features(), 1, 1.0).unwrap());
    let prediction = learner.predict(one.features());
    assert_eq!((prediction.label, prediction.score), (Some(1), 0.0));
}

#[test]
fn nothing_has_the_variance_zero_and_no_sign() {
    // Of the kernels, the linear one takes nothing for nothing.
    let stores = STORES.iter().map(|store| match store.name {
        "kernel" => "arow/kernel:kernel=linear".into(),
        name => format!("arow/{name}"),
    });
    for spec in stores.chain(["perceptron".into(), "perceptron:average=true".into()]) {
        let tasks = [Task::Binary, Task::Multiclass];
        for mut learner in tasks.map(|task| pair(&spec, task, 3)) {
            for rounds in 0..3 {
                let prediction = learner.predict(empty());
                assert!(
                    prediction.variance.is_sign_positive() && prediction.score.is_sign_positive(),
                    "{spec}: {prediction:?}"
                );
                learner.learn(unit(rounds).features(), rounds as usize % 2, 1.0).unwrap();
                assert!(learner.learn(empty(), 0, 1.0).unwrap().prediction.variance.is_sign_positive());
            }
        }
    }
}

#[test]
fn what_is_beyond_all_numbers_has_votes() {
    let x = Vector::from_pairs([(0, 1e160)]).unwrap();
    for text in [
        "arow",
        "arow:decision=vote",
        "ensemble(arow@none; logistic@none)",
        "ensemble(arow@none+l2; arow@sqrt)",
    ] {
        let votes = learned(text, &[0, 1, 2]).vote(x.features());
        assert!((votes.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{text}: {votes:?}");
    }
}
