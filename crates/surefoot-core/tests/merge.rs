//! Every store merges or says why not: what one learner has learned, merged into an empty one, is the same learner.

mod common;

use common::{Pair, PairPart, pair_of};
use surefoot_core::learner::{LearnerPart, Merging, PartRole};
use surefoot_core::rule::RULES;
use surefoot_core::store::STORES;
use surefoot_core::{Spec, Task, Vector};

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

fn learned(spec: &Spec, task: Task, classes: usize) -> Pair {
    let mut learner = pair_of(spec, task, classes);
    for i in 0..60 {
        learner.learn(row(i).features(), (i * i + i / 4) % classes, 1.0).unwrap();
    }
    learner
}

/// The only part of a merge.
fn alone<'a>(pair: &'a Pair, features: &'a [u32], classes: &'a [usize]) -> PairPart<'a> {
    (pair, LearnerPart { features, classes, examples: 60.0, role: PartRole::Part })
}

/// The same as the base of all parts.
fn begun((pair, part): PairPart<'_>) -> PairPart<'_> {
    (pair, LearnerPart { role: PartRole::Base, ..part })
}

#[test]
fn a_product_of_one_is_that_one_for_every_rule_and_store() {
    let tasks = [(Task::Binary, 2), (Task::Multiclass, 3)];
    for (rule, store) in RULES.iter().flat_map(|rule| STORES.iter().map(move |store| (rule, store))) {
        let Ok(spec) = Spec::parse(&format!("{}/{}", rule.name, store.name)) else { continue };
        for (task, classes) in tasks {
            let learner = learned(&spec, task, classes);
            let (features, order) = ((0..10).collect::<Vec<u32>>(), (0..classes).collect::<Vec<_>>());
            let mut merged = pair_of(&spec, task, classes);
            let result = merged.merge(&[alone(&learner, &features, &order)], Merging::Measured);
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
    let learner = learned(&spec, Task::Multiclass, 3);
    let features: Vec<u32> = (0..10).rev().collect();
    let mut merged = pair_of(&spec, Task::Multiclass, 4);
    merged.merge(&[alone(&learner, &features, &[3, 0, 1])], Merging::Measured).unwrap();
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

/// Two models of one feature each round, merged from a base or from the prior: mean and variance of that weight.
fn product(rule: &str, base: Option<(usize, usize)>, merging: Merging) -> [(f64, f64); 3] {
    let spec = Spec::parse(rule).unwrap();
    let x = Vector::from_pairs([(0, 1.0)]).unwrap();
    let on = |ranges: &[(usize, usize)]| {
        let mut learner = pair_of(&spec, Task::Binary, 2);
        for i in ranges.iter().flat_map(|&(from, to)| from..to) {
            learner.learn(x.features(), usize::from(i % 3 > 0), 1.0).unwrap();
        }
        learner
    };
    let start: Vec<_> = base.into_iter().collect();
    let learners =
        [on(&[start.clone(), vec![(0, 5)]].concat()), on(&[start.clone(), vec![(7, 19)]].concat())];
    let parts: Vec<PairPart<'_>> = learners.iter().map(|l| alone(l, &[0], &[0])).collect();
    let before = on(&start);
    let taken = begun(alone(&before, &[0], &[0]));
    let mut merged = pair_of(&spec, Task::Binary, 2);
    merged.merge(&[&parts[..], &[taken]].concat(), merging).unwrap();
    [&learners[0], &learners[1], &merged].map(|learner| {
        let weight = learner.store().weight(0, 0).unwrap();
        (weight.mean, weight.variance)
    })
}

#[test]
fn natural_parameters_add_up_for_arow_and_for_every_rule_that_is_merged_exactly() {
    for (rule, merging) in
        [("arow:r=2", Merging::Measured), ("cw-stdev", Merging::Exact), ("logistic", Merging::Exact)]
    {
        let [(a, v), (b, w), (mean, variance)] = product(rule, None, merging);
        let precision = 1.0 / v + 1.0 / w - 1.0;
        assert!((1.0 / variance - precision).abs() < 1e-12 * precision, "{rule}");
        assert!((mean - (a / v + b / w) / precision).abs() < 1e-12, "{rule}: {mean}");
    }
}

#[test]
fn other_rules_add_up_precisions_and_hold_the_means_back() {
    for rule in ["cw-stdev", "scw1", "nherd", "logistic", "sop"] {
        for base in [None, Some((20, 30))] {
            let [.., (exact, exactly)] = product(rule, base, Merging::Exact);
            let [(a, _), (b, _), (mean, variance)] = product(rule, base, Merging::Measured);
            assert!((variance - exactly).abs() < 1e-12 * exactly, "{rule}: {variance} {exactly}");
            // Between what the models say and their product.
            let (low, high) = (a.min(b).min(exact), a.max(b).max(exact));
            assert!((low..=high).contains(&mean), "{rule}: {mean} of {a}, {b}, {exact}");
            // A rule that is sure of its weight has nothing to hold back.
            assert!(rule != "logistic" || (mean - exact).abs() > 1e-3, "{rule}: {mean} {exact}");
        }
    }
}

#[test]
fn models_that_learned_nothing_since_their_base_merge_into_it() {
    let tasks = [(Task::Binary, 2), (Task::Multiclass, 3)];
    for (rule, (task, classes)) in
        ["arow", "logistic", "cw-stdev"].into_iter().flat_map(|rule| tasks.map(|task| (rule, task)))
    {
        let spec = Spec::parse(rule).unwrap();
        let before = learned(&spec, task, classes);
        let (features, order) = ((0..10).collect::<Vec<u32>>(), (0..classes).collect::<Vec<_>>());
        let part = alone(&before, &features, &order);
        let mut merged = pair_of(&spec, task, classes);
        merged.merge(&[part, part, part, begun(part)], Merging::Measured).unwrap();
        for x in (0..30).map(row) {
            let (a, b) = (before.predict(x.features()), merged.predict(x.features()));
            assert!((a.score - b.score).abs() < 1e-9 && (a.variance - b.variance).abs() < 1e-9, "{rule}");
        }
    }
}

/// Rounds: parts that start from what was merged before, over the same rows again and again, do not overshoot.
#[test]
fn ten_rounds_from_a_base_do_not_diverge() {
    for rule in
        ["arow", "arow/compact", "arow/full", "arow/factored", "pa1", "pa1:average=true", "scw1", "logistic"]
    {
        let spec = Spec::parse(rule).unwrap();
        let (features, classes) = ((0..10).collect::<Vec<u32>>(), [0, 1]);
        let truth = |i: usize| {
            usize::from(row(i).features().iter().map(|(id, x)| x * (id as f64 - 4.0)).sum::<f64>() > 0.0)
        };
        let wrong =
            |own: &Pair| (0..240).filter(|&i| own.predict(row(i).features()).label != Some(truth(i))).count();
        let mut begun: Option<(Pair, f64)> = None;
        let mut first = 0;
        for round in 0..10 {
            let mut shards: Vec<Pair> = (0..8).map(|_| pair_of(&spec, Task::Binary, 2)).collect();
            for (shard, own) in shards.iter_mut().enumerate() {
                begun.iter().for_each(|(base, _)| own.restore(base.save()).unwrap());
                (0..30).map(|i| 8 * i + shard).for_each(|i| {
                    own.learn(row(i).features(), truth(i), 1.0).unwrap();
                });
            }
            let before = begun.as_ref().map_or(0.0, |(_, examples)| *examples);
            let part =
                |role, examples| LearnerPart { features: &features, classes: &classes, examples, role };
            let mut parts: Vec<PairPart<'_>> =
                shards.iter().map(|own| (own, part(PartRole::Part, before + 30.0))).collect();
            parts.extend(begun.as_ref().map(|(base, examples)| (base, part(PartRole::Base, *examples))));
            let mut merged = pair_of(&spec, Task::Binary, 2);
            merged.merge(&parts, Merging::Measured).unwrap();
            first = if round == 0 { wrong(&merged) } else { first };
            assert!(
                wrong(&merged) <= first + 12,
                "{rule}, round {round}: {} of 240, {first} at first",
                wrong(&merged)
            );
            begun = Some((merged, before + 240.0));
        }
    }
}

/// The merger of mergers is the merger of all, whatever the order.
#[test]
fn a_tree_of_merges_is_one_merge() {
    for rule in ["arow", "cw-stdev", "logistic", "pa1", "arow/full"] {
        let spec = Spec::parse(rule).unwrap();
        let (features, classes) = ((0..10).collect::<Vec<u32>>(), [0, 1]);
        let shard = |number: usize| {
            let mut own = pair_of(&spec, Task::Binary, 2);
            (0..20 + number).for_each(|i| {
                own.learn(row(i * 4 + number).features(), (i * i + number) % 2, 1.0).unwrap();
            });
            own
        };
        let shards: Vec<Pair> = (0..4).map(shard).collect();
        let merged = |parts: &[(&Pair, f64)]| {
            let part = |examples| LearnerPart {
                features: &features,
                classes: &classes,
                examples,
                role: PartRole::Part,
            };
            let parts: Vec<PairPart<'_>> =
                parts.iter().map(|&(own, examples)| (own, part(examples))).collect();
            let mut merged = pair_of(&spec, Task::Binary, 2);
            merged.merge(&parts, Merging::Measured).unwrap();
            merged
        };
        let all: Vec<(&Pair, f64)> = shards.iter().zip([20.0, 21.0, 22.0, 23.0]).collect();
        let flat = merged(&all);
        let tree = merged(&[(&merged(&[all[3], all[0]]), 43.0), (&merged(&[all[2], all[1]]), 43.0)]);
        for x in (0..30).map(row) {
            let (a, b) = (flat.predict(x.features()), tree.predict(x.features()));
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
            assert!(near(a.score, b.score) && near(a.variance, b.variance), "{rule}: {a:?} {b:?}");
            assert!(near(a.slope, b.slope), "{rule}: {} {}", a.slope, b.slope);
        }
    }
}
