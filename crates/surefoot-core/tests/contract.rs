//! One contract for every rule on every store, alone and with every schedule: a new rule or store is tested
//! before its author writes a test.

mod common;

use common::{Pair, Random, many_class_stream, pair, pair_of, stream, unit_rows};
use surefoot_core::rule::{RULES, Step};
use surefoot_core::state::Tensor;
use surefoot_core::store::{Projection, STORES, Shape};
use surefoot_core::transform::View;
use surefoot_core::{SparseVec, Spec, Task, Vector};

fn every_binary(mut check: impl FnMut(&str, Pair)) {
    for rule in RULES {
        for store in STORES {
            let spec = format!("{}/{}", rule.name, store.name);
            check(&spec, pair(&spec, Task::Binary, 2));
        }
    }
}

fn every_multiclass(mut check: impl FnMut(&str, Spec)) {
    for rule in RULES {
        for store in STORES {
            for schedule in ["sequential", "parallel", "exact", "one-vs-rest"] {
                for top in ["1", "3", "all"] {
                    let text = format!("{}/{}:schedule={schedule},top={top}", rule.name, store.name);
                    match Spec::parse(&text) {
                        Ok(spec) => check(&text, spec),
                        Err(error) => {
                            assert!(schedule == "exact" && error.to_string().contains("exact"), "{error}")
                        }
                    }
                }
            }
        }
    }
}

/// The numbers of a learner as bits, to compare runs exactly.
fn fingerprint(learner: &Pair) -> String {
    format!("{:?}", learner.save())
}

fn assert_finite(name: &str, learner: &Pair, d: usize) {
    for block in 0..learner.classes() {
        for feature in 0..d {
            if let Some(w) = learner.store().weight(feature, block) {
                assert!(w.mean.is_finite() && w.variance.is_finite() && w.variance >= 0.0, "{name}: {w:?}");
            }
        }
    }
}

#[test]
fn steps_are_finite_and_not_negative() {
    let mut random = Random(1);
    for rule in RULES {
        let spec = Spec::parse(rule.name).unwrap();
        let rule = (spec.rule().build)(&spec.params().unwrap());
        for _ in 0..20_000 {
            let m = random.normal() * 10f64.powf(random.uniform() * 16.0 - 8.0);
            let v = 10f64.powf(random.uniform() * 200.0 - 100.0);
            if let Some(step) = rule.checked_step(m, v, 1.0) {
                assert!(step.alpha >= 0.0 && step.gain >= 0.0, "{rule:?} at m={m} v={v}: {step:?}");
            }
        }
    }
}

#[test]
fn binary_learners_are_finite_deterministic_and_learn() {
    // Rows of unit length: the rbf kernel's default width is made for them.
    let train = unit_rows(stream(7, 10, 600, 0.0));
    every_binary(|name, mut learner| {
        let mut again = pair(name, Task::Binary, 2);
        let mut late_mistakes = 0;
        for (i, (x, class)) in train.iter().enumerate() {
            let prior = learner.store().prior_variance(x.features());
            let round = learner.learn(x.features(), *class, 1.0).unwrap();
            assert!(round.prediction.variance <= prior * (1.0 + 1e-12), "{name}: variance grew");
            assert!((0.0..=1.0).contains(&round.probability), "{name}");
            late_mistakes += usize::from(i >= 300 && round.prediction.label != Some(*class));
            again.learn(x.features(), *class, 1.0).unwrap();
        }
        assert_finite(name, &learner, 10);
        assert_eq!(fingerprint(&learner), fingerprint(&again), "{name} is not deterministic");
        assert!(late_mistakes < 60, "{name}: {late_mistakes} mistakes of 300 on separable data");
    });
}

#[test]
fn a_save_in_the_middle_changes_nothing() {
    let train = stream(3, 6, 80, 0.1);
    every_binary(|name, mut learner| {
        let (first, second) = train.split_at(40);
        let mut straight = pair(name, Task::Binary, 2);
        for (x, class) in first {
            learner.learn(x.features(), *class, 1.0).unwrap();
            straight.learn(x.features(), *class, 1.0).unwrap();
        }
        let mut resumed = pair(name, Task::Binary, 2);
        resumed.restore(learner.save()).unwrap();
        for (x, class) in second {
            resumed.learn(x.features(), *class, 1.0).unwrap();
            straight.learn(x.features(), *class, 1.0).unwrap();
        }
        assert_eq!(fingerprint(&resumed), fingerprint(&straight), "{name}");
    });
}

#[test]
fn no_step_without_variance_or_weight() {
    let empty = Vector::default();
    let x = Vector::from_pairs([(0, 1.0), (3, -2.0)]).unwrap();
    every_binary(|name, mut learner| {
        // Only in the space of an rbf or polynomial kernel does an empty example have a variance.
        let variance = learner.store().prior_variance(empty.features());
        let updated = learner.learn(empty.features(), 1, 1.0).unwrap().updated;
        assert!(variance > 0.0 || !updated, "{name} moved on an empty example");
        let before = fingerprint(&learner);
        assert!(!learner.learn(x.features(), 0, 0.0).unwrap().updated, "{name} moved at weight 0");
        assert_eq!(before, fingerprint(&learner), "{name}");
        for weight in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(learner.learn(x.features(), 0, weight).is_err(), "{name} took the weight {weight}");
        }
    });
}

#[test]
fn bad_features_never_reach_a_learner() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(SparseVec::new(&[1], &[bad]).is_err());
        assert!(Vector::from_pairs([(1, bad)]).is_err());
    }
    assert!(SparseVec::new(&[1, 2], &[1.0]).is_err());
}

#[test]
fn huge_ids_are_refused_or_cheap() {
    let far = Vector::from_pairs([(4_000_000_000, 1.0)]).unwrap();
    every_binary(|name, mut learner| {
        if let Err(error) = learner.learn(far.features(), 1, 1.0) {
            assert!(error.to_string().contains("limit"), "{name}: {error}");
        }
    });
}

#[test]
fn multiclass_learners_are_finite_and_learn() {
    let train = many_class_stream(11, 4, 6, 240);
    every_multiclass(|name, spec| {
        let mut learner = pair_of(&spec, Task::Multiclass, 4);
        let mut late_mistakes = 0;
        for (i, (x, class)) in train.iter().enumerate() {
            let round = learner.learn(x.features(), *class, 1.0).unwrap();
            late_mistakes += usize::from(i >= 120 && round.prediction.label != Some(*class));
            let mut probabilities = Vec::new();
            let prediction = learner.predict(x.features());
            prediction.probabilities(&mut probabilities);
            assert!(probabilities.iter().all(|&p| p <= probabilities[prediction.label.unwrap()]), "{name}");
            let sum: f64 = probabilities.iter().sum();
            assert!((sum - 1.0).abs() < 1e-12, "{name}: probabilities sum to {sum}");
        }
        assert_finite(name, &learner, 6);
        assert!(late_mistakes < 60, "{name}: {late_mistakes} mistakes of 120 on separable data");
    });
}

#[test]
fn steps_of_all_blocks_at_once_are_the_steps_one_by_one() {
    let mut random = Random(31);
    for (store, text) in STORES.iter().flat_map(|s| ["precision", "covariance"].map(|p| (s, p))) {
        let text = format!("arow/{}:projection={text}", store.name);
        // Stores without a covariance know no projection.
        let Ok(spec) = Spec::parse(&text) else { continue };
        let build =
            || (store.build)(&spec.params().unwrap(), Shape { blocks: 5, all_touched: true }).unwrap();
        let (mut once, mut each, mut p) = (build(), build(), Projection::default());
        for (round, (x, _)) in many_class_stream(31, 5, 6, 60).iter().enumerate() {
            let (mut means, mut variances) = ([0.0; 5], [0.0; 5]);
            once.scores(x.features(), &mut means, Some(&mut variances), &mut p);
            let mut step = || Step { alpha: random.normal(), gain: random.uniform() };
            let steps: [Option<Step>; 5] = std::array::from_fn(|b| (b % 3 <= round % 4).then(&mut step));
            once.absorb_all(x.features(), &variances, &steps, &mut p).unwrap();
            for (block, step) in steps.iter().enumerate().filter_map(|(b, step)| step.map(|s| (b, s))) {
                p.ready = false;
                each.project(x.features(), block, &mut p);
                each.absorb(x.features(), block, &mut p, step).unwrap();
            }
        }
        assert_eq!(format!("{:?}", once.save()), format!("{:?}", each.save()), "{text}");
    }
}

#[test]
fn labels_may_appear_at_any_time() {
    let train = many_class_stream(5, 6, 5, 120);
    every_multiclass(|name, spec| {
        let mut learner = pair_of(&spec, Task::Multiclass, 0);
        let mut seen: Vec<usize> = Vec::new();
        for (x, class) in &train {
            let index = seen.iter().position(|c| c == class).unwrap_or_else(|| {
                seen.push(*class);
                seen.len() - 1
            });
            let known = learner.classes();
            let round = learner.learn(x.features(), index, 1.0).unwrap();
            assert!(
                index < known || round.prediction.label != Some(index),
                "{name}: predicted an unknown label"
            );
        }
        assert_eq!(learner.classes(), seen.len(), "{name}");
        let mut resumed = pair_of(&spec, Task::Multiclass, 0);
        resumed.restore(learner.save()).unwrap();
        assert_eq!(fingerprint(&resumed), fingerprint(&learner), "{name}");
    });
}

#[test]
fn ensembles_learn_and_resume() {
    let train = stream(9, 8, 400, 0.05);
    let mut ensemble = pair("auto", Task::Binary, 2);
    let mut resumed = pair("auto", Task::Binary, 2);
    for (i, (x, class)) in train.iter().enumerate() {
        ensemble.learn(x.features(), *class, 1.0).unwrap();
        if i == 199 {
            resumed.restore(ensemble.save()).unwrap();
        } else if i > 199 {
            resumed.learn(x.features(), *class, 1.0).unwrap();
        }
    }
    assert_eq!(fingerprint(&ensemble), fingerprint(&resumed));
    let late =
        train[300..].iter().filter(|(x, class)| ensemble.predict(x.features()).label == Some(*class)).count();
    assert!(late > 85, "{late} of 100 right");
    let shares = ensemble.head.shares();
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn members_of_an_ensemble_learn_what_they_learn_alone() {
    let train = stream(21, 7, 300, 0.1);
    for (store, view) in
        [("diagonal", "none"), ("diagonal", "sqrt+l2"), ("compact", "none"), ("compact", "sqrt+l2")]
    {
        for members in [
            [
                "arow:r=0.1,prior=0.3",
                "logistic:scale=0.5",
                "cw-var",
                "cw-stdev:projection=precision,floor=0.01",
            ],
            ["scw1:projection=covariance", "arow", "cw-stdev:projection=covariance,floor=0.01", "nherd"],
        ] {
            learn_together_and_alone(&members.map(|member| on(member, store)), &train, view);
        }
    }
}

/// The SPEC of a rule on a store.
fn on(member: &str, store: &str) -> String {
    let (rule, params) = member.split_once(':').unwrap_or((member, ""));
    format!("{rule}/{store}:{params}")
}

fn learn_together_and_alone(members: &[String], train: &[(Vector, usize)], view: &str) {
    let text: Vec<String> = members.iter().map(|member| format!("{member}@{view}")).collect();
    let mut ensemble = pair(&format!("ensemble({})", text.join(";")), Task::Binary, 2);
    assert!(ensemble.save().has("learner.table00.cells"), "in one table");
    let mut alone: Vec<_> = members.iter().map(|m| pair(m, Task::Binary, 2)).collect();
    let (view, mut values) = (View::parse(view).unwrap(), Vec::new());
    for (x, class) in train {
        view.apply(x.features(), false, &mut values);
        let seen = SparseVec::new(x.features().ids(), &values).unwrap();
        for learner in &mut alone {
            learner.learn(seen, *class, 1.0).unwrap();
        }
        ensemble.learn(x.features(), *class, 1.0).unwrap();
    }
    for (i, learner) in alone.iter().enumerate() {
        let own = ensemble.learner.as_ensemble().unwrap().member(i).unwrap();
        let extracted = Pair::new(own, ensemble.head.member(i));
        for feature in 0..7 {
            let (a, b) = (learner.store().weight(feature, 0), extracted.store().weight(feature, 0));
            assert_eq!(a, b, "{} feature {feature}", members[i]);
        }
        assert_eq!(learner.predict(train[0].0.features()), extracted.predict(train[0].0.features()));
    }
    // Weights are read in the common table.
    for (i, learner) in alone.iter().enumerate() {
        for feature in 0..9 {
            let (a, b) = (ensemble.learner.weight(i, feature, 0), learner.learner.weight(0, feature, 0));
            assert_eq!(a, b, "member {i}, feature {feature}");
        }
    }
}

#[test]
fn ensembles_stay_finite_on_values_of_any_size() {
    let mut ensemble = pair("auto", Task::Binary, 2);
    let sizes = [1e-300, 1e-30, 1.0, 1e18, 1e30, 1e100, 1e150];
    for round in 0..400 {
        let x = Vector::from_pairs([(0, sizes[round % 7]), (1, 1.0), (2, -sizes[(round / 7) % 7])]).unwrap();
        let learned = ensemble.learn(x.features(), round % 2, 1.0).unwrap();
        assert!(learned.probability.is_finite() && learned.prediction.score.is_finite(), "round {round}");
    }
    let mut again = pair("auto", Task::Binary, 2);
    again.restore(ensemble.save()).unwrap();
    // Squares beyond the range of numbers: a member that cannot step stays as it is while the others do.
    let x = Vector::from_pairs([(0, 1e200), (3, 1.0)]).unwrap();
    (0..4).for_each(|round| _ = ensemble.learn(x.features(), round % 2, 1.0).unwrap());
    again.restore(ensemble.save()).unwrap();
}

#[test]
fn a_damaged_table_of_an_ensemble_is_refused() {
    for store in ["diagonal", "compact"] {
        let text = format!("ensemble(arow/{store}@none; logistic/{store}@sqrt)");
        let mut ensemble = pair(&text, Task::Binary, 2);
        stream(3, 4, 20, 0.0)
            .iter()
            .for_each(|(x, class)| _ = ensemble.learn(x.features(), *class, 1.0).unwrap());
        let damaged = |change: fn(&mut Vec<f64>)| {
            let mut state = ensemble.learner.save();
            let mut cells: Vec<f64> = match store {
                "compact" => state.take_f32("table00.cells").unwrap().into_iter().map(f64::from).collect(),
                _ => state.take_f64("table00.cells").unwrap(),
            };
            change(&mut cells);
            let cells = match store {
                "compact" => Tensor::F32(cells.into_iter().map(|number| number as f32).collect()),
                _ => Tensor::F64(cells.into()),
            };
            state.put("table00.cells", cells);
            pair(&text, Task::Binary, 2).learner.restore(state)
        };
        assert!(damaged(|_| ()).is_ok());
        assert!(damaged(|cells| cells.push(1.0)).is_err());
        assert!(damaged(|cells| cells[0] = f64::NAN).is_err());
        // Two means, then two variances.
        assert!(damaged(|cells| cells[2] = -1.0).unwrap_err().to_string().contains("negative variance"));
    }
}

#[test]
fn features_never_met_are_at_the_prior() {
    let train = stream(2, 4, 50, 0.0);
    let probe = Vector::from_pairs([(1, 0.5), (90, 2.0)]).unwrap();
    let known = Vector::from_pairs([(1, 0.5)]).unwrap();
    for rule in RULES {
        for store in STORES.iter().filter(|s| s.name != "kernel") {
            let mut learner = pair(&format!("{}/{}", rule.name, store.name), Task::Binary, 2);
            for (x, class) in &train {
                learner.learn(x.features(), *class, 1.0).unwrap();
            }
            let (with, without) = (learner.predict(probe.features()), learner.predict(known.features()));
            assert!((with.score - without.score).abs() < 1e-12, "{}/{}", rule.name, store.name);
            assert!((with.variance - without.variance - 4.0).abs() < 1e-9, "{}/{}", rule.name, store.name);
        }
    }
}
