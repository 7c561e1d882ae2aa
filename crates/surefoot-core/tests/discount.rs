//! What was learned counts less at once: the contract of `discount` for every rule on every store.

mod common;

use common::{Pair, Random, many_class_stream, pair, pair_of, sparse, stream, unit_rows};
use surefoot_core::rule::{RULES, Step};
use surefoot_core::state::State;
use surefoot_core::store::{Projection, STORES, Shape, Store};
use surefoot_core::{Learner, Scores, Spec, Task, Vector};

/// A rule on a store, with what has to be said for it; averaged weights are a form of their own.
fn every(mut check: impl FnMut(&str)) {
    for rule in RULES {
        for store in STORES {
            check(&format!("{}/{}", rule.name, store.name));
            if store.name == "identity" {
                check(&format!("{}/identity:average=true", rule.name));
            }
        }
    }
}

fn scores_of(learner: &dyn Learner, x: &Vector) -> (Vec<f64>, f64) {
    let mut scores = Scores::default();
    learner.scores(x.features(), &mut scores);
    (scores.of(0).to_vec(), scores.variance(0))
}

fn fingerprint(state: &State<'_>) -> String {
    format!("{state:?}")
}

#[test]
fn a_share_of_one_changes_nothing_and_one_of_zero_forgets_all() {
    let two = unit_rows(stream(3, 8, 60, 0.1));
    let four = unit_rows(many_class_stream(4, 4, 8, 60));
    let check = |text: &str, data: &[(Vector, usize)], task: Task, classes: usize| {
        let spec = Spec::parse(text).unwrap();
        let (mut own, fresh) = (pair_of(&spec, task, classes), pair_of(&spec, task, classes));
        for (x, class) in data {
            own.learn(x.features(), *class, 1.0).unwrap();
        }
        let before = fingerprint(&own.save());
        own.learner.discount(1.0);
        own.head.discount(1.0);
        assert_eq!(fingerprint(&own.save()), before, "{text}");
        own.learner.discount(0.0);
        own.head.discount(0.0);
        for (x, _) in data {
            assert_eq!(scores_of(&*own.learner, x), scores_of(&*fresh.learner, x), "{text}");
            let (one, other) = (own.predict(x.features()), fresh.predict(x.features()));
            let apart = one.probability(1) - other.probability(1);
            assert!(apart.abs() < 1e-12, "{text}: {apart}");
        }
        // And it learns as a fresh one does.
        for (x, class) in data {
            own.learn(x.features(), *class, 1.0).unwrap();
        }
        let late = own.predict(data[0].0.features());
        assert!(late.probability(data[0].1).is_finite(), "{text}");
    };
    every(|text| {
        check(text, &two, Task::Binary, 2);
        check(text, &four, Task::Multiclass, 4);
    });
}

/// Two stores after the same steps: one that has never forgotten, and one whose half-life is a single round.
fn stepped(store: &str) -> [Box<dyn Store>; 2] {
    ["", ",half-life=1"].map(|extra| {
        let spec = Spec::parse(&format!("arow/{store}:prior=0.7{extra}")).unwrap();
        let params = spec.params().unwrap();
        let mut own = (spec.store().build)(&params, Shape { blocks: 2, all_touched: false }).unwrap();
        let (mut random, mut p) = (Random(9), Projection::default());
        for round in 0..30 {
            let x = sparse(&mut random, 10, 4);
            let step = Step { alpha: 0.3 * random.normal(), gain: random.uniform() };
            p.known = false;
            p.ready = false;
            own.project(x.features(), round % 2, &mut p);
            own.absorb(x.features(), round % 2, &mut p, step).unwrap();
        }
        own
    })
}

#[test]
fn a_share_is_what_a_half_life_leaves() {
    let mut random = Random(10);
    for store in STORES {
        let [mut own, mut forgetting] = stepped(store.name);
        own.discount(0.5);
        forgetting.end_round();
        let tolerance = if store.name == "compact" { 1e-6 } else { 1e-10 };
        for block in 0..2 {
            for _ in 0..20 {
                let x = sparse(&mut random, 12, 4);
                let [one, other] = [&own, &forgetting].map(|store| {
                    let mut p = Projection::default();
                    store.project(x.features(), block, &mut p);
                    [p.mean, p.variance]
                });
                for (a, b) in one.into_iter().zip(other) {
                    assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{}: {a} for {b}", store.name);
                }
            }
        }
    }
}

/// The mean of past weights fades as the weights do, and follows new ones sooner.
#[test]
fn averages_fade_and_follow_what_comes() {
    let data = stream(5, 6, 400, 0.0);
    let probe = &data[0].0;
    for extra in ["", ",half-life=100"] {
        let mut own = pair(&format!("perceptron/identity:average=true{extra}"), Task::Binary, 2);
        data.iter().for_each(|(x, class)| _ = own.learn(x.features(), *class, 1.0).unwrap());
        let (before, _) = scores_of(&*own.learner, probe);
        own.learner.discount(0.25);
        let (after, _) = scores_of(&*own.learner, probe);
        assert!((after[0] - 0.25 * before[0]).abs() < 1e-9 * before[0].abs(), "{after:?} for {before:?}");
    }
    let wrong_after = |share: f64| {
        let mut own = pair("perceptron/identity:average=true", Task::Binary, 2);
        data.iter().for_each(|(x, class)| _ = own.learn(x.features(), *class, 1.0).unwrap());
        own.learner.discount(share);
        // From here on the labels are the other way round.
        let mut wrong = 0;
        for (x, class) in &data {
            wrong += usize::from(
                own.learn(x.features(), 1 - class, 1.0).unwrap().prediction.label != Some(1 - class),
            );
        }
        wrong
    };
    assert!(2 * wrong_after(0.1) < wrong_after(1.0));
}

#[test]
fn members_of_an_ensemble_forget_as_they_would_alone() {
    let data = unit_rows(stream(6, 8, 80, 0.1));
    for text in [
        "ensemble(arow@none; logistic:prior=0.5@none+l2; scw1@none)",
        "ensemble(arow/compact@none; logistic/compact@none)",
        "ensemble(arow@none; pa1@none; arow/full@none)",
    ] {
        let mut own = pair(text, Task::Binary, 2);
        data.iter().for_each(|(x, class)| _ = own.learn(x.features(), *class, 1.0).unwrap());
        let members = own.learner.as_ensemble().unwrap().members().len();
        let mut alone: Vec<Box<dyn Learner>> =
            (0..members).map(|i| own.learner.as_ensemble().unwrap().member(i).unwrap()).collect();
        own.learner.discount(0.3);
        alone.iter_mut().for_each(|learner| learner.discount(0.3));
        for (i, learner) in alone.iter().enumerate() {
            let member = own.learner.as_ensemble().unwrap().member(i).unwrap();
            assert_eq!(fingerprint(&member.save()), fingerprint(&learner.save()), "{text}, member {i}");
        }
        own.learner.discount(0.0);
        let fresh = pair(text, Task::Binary, 2);
        for (x, _) in &data {
            let [mut a, mut b] = [Scores::default(), Scores::default()];
            own.learner.scores(x.features(), &mut a);
            fresh.learner.scores(x.features(), &mut b);
            assert!((0..members).all(|i| a.of(i) == b.of(i) && a.variance(i) == b.variance(i)), "{text}");
        }
    }
}

/// Rows that forget by themselves are brought up to date first, so that a discount comes after what fades with time.
#[test]
fn rows_that_are_behind_are_brought_up_to_date() {
    let data = stream(7, 12, 100, 0.0);
    let learn = |discounts: &[f64]| {
        let mut own: Pair = pair("arow:half-life=20", Task::Binary, 2);
        for (round, (x, class)) in data.iter().enumerate() {
            let some =
                Vector::from_pairs(x.features().iter().skip(round % 9).take(3).map(|(id, v)| (id as u32, v)));
            own.learn(some.unwrap().features(), *class, 1.0).unwrap();
        }
        discounts.iter().for_each(|share| own.learner.discount(*share));
        (0..12).map(|feature| own.learner.weight(0, feature, 0).unwrap()).collect::<Vec<_>>()
    };
    for (whole, parts) in learn(&[0.25]).into_iter().zip(learn(&[0.5, 0.5])) {
        assert!((whole.mean - parts.mean).abs() < 1e-12 && (whole.variance - parts.variance).abs() < 1e-12);
    }
    for (plain, half) in learn(&[]).into_iter().zip(learn(&[0.5])) {
        let gained = |weight: surefoot_core::Weight| 1.0 / weight.variance - 1.0 / weight.prior;
        assert!((gained(half) - 0.5 * gained(plain)).abs() < 1e-9 * (1.0 + gained(plain)));
    }
}
