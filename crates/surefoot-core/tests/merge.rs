//! Every store merges or says why not: what one learner has learned, adopted by an empty one, is the same learner.

use surefoot_core::gaussian::STORES;
use surefoot_core::learner::Part;
use surefoot_core::rule::RULES;
use surefoot_core::{Learner, Spec, Task, Vector};

/// Rows with some features in common and some of their own.
fn row(i: usize) -> Vector {
    let value = |k: usize| ((i * 37 + k * 11) % 19) as f64 / 9.5 - 1.0;
    Vector::from_pairs([
        (0, 1.0),
        (1 + (i % 5) as u32, value(1)),
        (6 + (i % 3) as u32, value(2)),
        (9, value(3)),
    ])
    .unwrap()
}

fn learned(spec: &Spec, task: Task, classes: usize) -> Box<dyn Learner> {
    let mut learner = spec.build(task).unwrap();
    for i in 0..60 {
        learner.learn(row(i).features(), (i * i + i / 4) % classes, 1.0).unwrap();
    }
    learner
}

/// The only part of a merge.
fn alone<'a>(learner: &'a dyn Learner, features: &'a [u32], classes: &'a [usize]) -> Part<'a> {
    Part { learner, features, classes, examples: 60.0, times: 1.0 }
}

#[test]
fn a_product_of_one_is_that_one_for_every_rule_and_store() {
    let tasks = [(Task::Binary, 2), (Task::Multiclass { classes: 3 }, 3)];
    for (rule, store) in RULES.iter().flat_map(|rule| STORES.iter().map(move |store| (rule, store))) {
        let Ok(spec) = Spec::parse(&format!("{}/{}", rule.name, store.name)) else { continue };
        for (task, classes) in tasks {
            let learner = learned(&spec, task, classes);
            let (features, order) = ((0..10).collect::<Vec<u32>>(), (0..classes).collect::<Vec<_>>());
            let mut merged = spec.build(task).unwrap();
            let result = merged.merge(&[alone(&*learner, &features, &order)]);
            if store.name == "kernel" {
                assert!(result.is_err_and(|e| e.to_string().contains("cannot be merged")));
                continue;
            }
            result.unwrap_or_else(|e| panic!("{spec:?}: {e}"));
            for x in (0..30).map(row) {
                let (a, b) = (learner.predict(x.features()), merged.predict(x.features()));
                let near = |a: f64, b: f64| (a - b).abs() <= 1e-8 * (1.0 + a.abs());
                assert!(near(a.score, b.score) && near(a.variance, b.variance), "{spec:?}: {a:?} {b:?}");
                assert!(near(a.slope, b.slope), "{spec:?}: {} {}", a.slope, b.slope);
            }
        }
    }
}

#[test]
fn features_and_classes_can_change_places() {
    let spec = Spec::parse("arow/full").unwrap();
    let learner = learned(&spec, Task::Multiclass { classes: 3 }, 3);
    let features: Vec<u32> = (0..10).rev().collect();
    let mut merged = spec.build(Task::Multiclass { classes: 4 }).unwrap();
    merged.merge(&[alone(&*learner, &features, &[3, 0, 1])]).unwrap();
    for x in (0..30).map(row) {
        let moved =
            Vector::from_pairs(x.features().iter().map(|(id, value)| (9 - id as u32, value))).unwrap();
        let (a, b) = (learner.predict(x.features()), merged.predict(moved.features()));
        for (own, there) in [3, 0, 1].into_iter().enumerate() {
            assert!((a.scores[own] - b.scores[there]).abs() < 1e-9);
        }
        assert_eq!(b.scores[2], 0.0);
    }
}
