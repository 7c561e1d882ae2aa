//! Members that see their examples through what the stream has shown of the features: the contract of every scaling.

mod common;

use common::{Pair, Random, many_class_stream, pair, sparse, stream};
use surefoot_core::transform::{SCALINGS, Scaling, SeenRow};
use surefoot_core::{LearnerPart, LearnerSpec, Merging, PartRole, Scores, SparseVec, Target, Task, Vector};

/// Ensembles in which members share a scaling, in one table and one after the other, and a member alone.
fn ensembles(scaling: &str) -> [String; 4] {
    [
        format!("ensemble(arow@{scaling}+l2; logistic@none; scw1@{scaling})"),
        format!("ensemble(arow/factored:rank=2@{scaling}; arow:half-life=40@{scaling}+l2)"),
        format!("ensemble(arow:restart=true@{scaling}+l2; cw-var@sqrt)"),
        format!("arow:per-row=true@{scaling}"),
    ]
}

fn every(mut check: impl FnMut(&str, Task, &[(Vector, usize)])) {
    let (two, many) = (stream(3, 7, 240, 0.1), many_class_stream(3, 4, 7, 240));
    for scaling in SCALINGS {
        for text in ensembles(scaling.name) {
            check(&text, Task::Binary, &two);
            check(&text, Task::Multiclass, &many);
        }
    }
}

fn learn(pair: &mut Pair, examples: &[(Vector, usize)]) {
    examples.iter().for_each(|(x, class)| _ = pair.learn(x.features(), *class, 1.0).unwrap());
}

fn fingerprint(pair: &Pair) -> String {
    format!("{:?}", pair.save())
}

/// Rows whose features have gaps, and never the same ids twice in order.
fn sparse_stream(seed: u64, rows: usize) -> Vec<(Vector, usize)> {
    let mut random = Random(seed);
    let row = |_| (sparse(&mut random, 90, 9), random.below(2));
    (0..rows).map(row).collect()
}

#[test]
fn they_learn_and_a_save_at_any_example_changes_nothing() {
    every(|text, task, examples| {
        let mut whole = pair(text, task, 4);
        learn(&mut whole, examples);
        for cut in [1, 100, 239] {
            let mut first = pair(text, task, 4);
            learn(&mut first, &examples[..cut]);
            let mut second = pair(text, task, 4);
            second.restore(first.save()).unwrap();
            learn(&mut second, &examples[cut..]);
            assert_eq!(fingerprint(&whole), fingerprint(&second), "{text}, cut at {cut}");
        }
        let right = |(x, class): &&(Vector, usize)| whole.predict(x.features()).label == Some(*class);
        let right = examples[140..].iter().filter(right).count();
        assert!(right > if task == Task::Binary { 75 } else { 60 }, "{text}: {right} of 100");
    });
}

/// What is said of an example to predict is what is said of it before it is learned, whose label plays no part in it.
#[test]
fn scores_before_and_in_a_round_are_the_same() {
    every(|text, task, examples| {
        let mut own = pair(text, task, 4);
        let (mut before, mut within) = (Scores::default(), Scores::default());
        for (x, class) in examples {
            own.learner.scores(x.features(), &mut before);
            let (mut other, wrong) = (own.learner.clone(), (class + 1) % 2);
            other.update(x.features(), Target::Class(wrong), 1.0, &mut within).unwrap();
            assert_eq!((before.of(0), before.variance(0)), (within.of(0), within.variance(0)), "{text}");
            own.learner.update(x.features(), Target::Class(*class), 1.0, &mut within).unwrap();
            assert_eq!((before.of(0), before.variance(0)), (within.of(0), within.variance(0)), "{text}");
        }
    });
}

#[test]
fn an_example_without_weight_counts_nothing() {
    every(|text, task, examples| {
        let mut own = pair(text, task, 4);
        learn(&mut own, &examples[..50]);
        let before = fingerprint(&own);
        own.learn(examples[60].0.features(), 1, 0.0).unwrap();
        assert_eq!(before, fingerprint(&own), "{text}");
    });
}

/// A share of nothing leaves a learner that goes on as a new one does.
#[test]
fn what_is_forgotten_is_counted_no_more() {
    every(|text, task, examples| {
        let (mut own, mut fresh) = (pair(text, task, 4), pair(text, task, 4));
        learn(&mut own, &examples[..120]);
        let before = fingerprint(&own);
        own.learner.discount(1.0);
        assert_eq!(before, fingerprint(&own), "{text}");
        if text.contains("factored") || text.contains("per-row") || text.contains("restart") {
            // They keep basis, rows or alarms.
            return;
        }
        own.learner.discount(0.0);
        let (mut one, mut other) = (Scores::default(), Scores::default());
        for (x, class) in &examples[120..] {
            own.learner.update(x.features(), Target::Class(*class), 1.0, &mut one).unwrap();
            fresh.learner.update(x.features(), Target::Class(*class), 1.0, &mut other).unwrap();
            for member in 0..one.members() {
                for (a, b) in one.of(member).iter().zip(other.of(member)) {
                    assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{text}: {a} {b}");
                }
            }
        }
    });
}

#[test]
fn a_member_alone_goes_on_bit_for_bit() {
    every(|text, task, examples| {
        let mut ensemble = pair(text, task, 4);
        learn(&mut ensemble, &examples[..120]);
        let own = ensemble.learner.as_ensemble().unwrap();
        let members = own.members().len();
        let mut alone: Vec<Pair> = (0..members)
            .map(|i| Pair::new(Box::new(own.only(i).unwrap()), ensemble.head.member(i)))
            .collect();
        let mut scores = Scores::default();
        for (x, class) in &examples[120..] {
            ensemble.learner.scores(x.features(), &mut scores);
            for (i, member) in alone.iter_mut().enumerate() {
                let round = member.learn(x.features(), *class, 1.0).unwrap();
                assert_eq!(round.prediction.scores, scores.of(i), "{text}, member {i}");
            }
            ensemble.learn(x.features(), *class, 1.0).unwrap();
            if text.contains("restart") {
                // A member that starts anew takes the scaling with it.
                break;
            }
        }
    });
}

/// Counts of models that learned apart add up, and a common base is counted once.
#[test]
fn counts_add_up() {
    let data = sparse_stream(5, 200);
    let identity: Vec<u32> = (0..90).collect();
    let classes = [0, 1];
    for scaling in SCALINGS {
        let build = || (scaling.build)(None);
        let count = |examples: &[(Vector, usize)]| {
            let mut own = build();
            examples.iter().for_each(|(x, class)| own.learn(x.features(), Target::Class(*class)).unwrap());
            own
        };
        let (whole, base) = (count(&data), count(&data[..50]));
        let (one, mut rest) = (count(&data[..120]), count(&data[..50]));
        data[120..].iter().for_each(|(x, class)| rest.learn(x.features(), Target::Class(*class)).unwrap());
        let mut sum = build();
        for (part, times) in [(&one, 1.0), (&rest, 1.0), (&base, -1.0)] {
            sum.add(&**part, &identity, &classes, times);
        }
        assert_same(scaling.name, &*whole, &*sum, &data);
        // Another order of features and classes, and back.
        let reversed: Vec<u32> = identity.iter().rev().copied().collect();
        let (mut turned, mut back) = (build(), build());
        turned.add(&*whole, &reversed, &[1, 0], 1.0);
        back.add(&*turned, &reversed, &[1, 0], 1.0);
        assert_same(scaling.name, &*whole, &*back, &data);
    }
}

fn assert_same(name: &str, one: &dyn Scaling, other: &dyn Scaling, data: &[(Vector, usize)]) {
    let (mut a, mut b) = (SeenRow::default(), SeenRow::default());
    for (x, _) in data {
        one.see(x.features(), true, &mut a);
        other.see(x.features(), true, &mut b);
        let (a, b) = (a.of(x.features()), b.of(x.features()));
        assert_eq!(a.ids(), b.ids(), "{name}");
        for (one, other) in a.values().iter().zip(b.values()) {
            assert!((one - other).abs() < 1e-9 * (1.0 + one.abs()), "{name}: {one} {other}");
        }
    }
}

#[test]
fn merged_ensembles_see_as_one_that_saw_all() {
    let data = sparse_stream(8, 200);
    let (features, classes) = ((0..90).collect::<Vec<u32>>(), [0, 1]);
    let text = "ensemble(arow@nb+l2; logistic@none; scw1@rms)";
    let (mut one, mut two) = (pair(text, Task::Binary, 2), pair(text, Task::Binary, 2));
    let mut whole = pair(text, Task::Binary, 2);
    learn(&mut one, &data[..100]);
    learn(&mut two, &data[100..]);
    learn(&mut whole, &data);
    let role = PartRole::Part;
    let part = LearnerPart { features: &features, classes: &classes, examples: 100.0, role };
    let mut merged = pair(text, Task::Binary, 2);
    merged.merge(&[(&one, part), (&two, part)], Merging::Measured).unwrap();
    let (merged, whole) = (merged.learner.as_ensemble().unwrap(), whole.learner.as_ensemble().unwrap());
    for (x, _) in &data {
        for member in 0..3 {
            let (a, b) = (merged.seen_by(member, x.features()), whole.seen_by(member, x.features()));
            for (one, other) in a.features().values().iter().zip(b.features().values()) {
                assert!((one - other).abs() < 1e-9, "{one} {other}");
            }
        }
    }
}

/// The formula: p and q, n₁ and n₀ of what came before.
#[test]
fn the_naive_bayes_view_is_the_log_count_ratio() {
    let data = sparse_stream(2, 300);
    let (mut scaling, mut seen) = ((SCALINGS[0].build)(None), SeenRow::default());
    let (mut counts, mut totals) = (vec![[0.0f64; 2]; 90], [0.0f64; 2]);
    for (x, class) in &data {
        scaling.see(x.features(), true, &mut seen);
        let share = (totals[1] + 1.0) / (totals[0] + totals[1] + 2.0);
        for ((id, value), found) in x.features().iter().zip(&seen.values) {
            let [q, p] = counts[id];
            let ratio = ((p + share) / (q + 1.0 - share)).ln() - (share / (1.0 - share)).ln();
            let expected = value.abs().sqrt().copysign(value) * (1.0 + ratio.abs());
            assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{found} {expected}");
        }
        scaling.learn(x.features(), Target::Class(*class)).unwrap();
        x.features().ids().iter().for_each(|&id| counts[id as usize][*class] += 1.0);
        totals[*class] += 1.0;
    }
}

/// With a half-life it sees what one sees whose counts are multiplied after each example.
#[test]
fn counts_fade_with_the_half_life_of_the_member() {
    let data = sparse_stream(4, 3000);
    let (mut fading, mut discounted) = ((SCALINGS[0].build)(Some(20.0)), (SCALINGS[0].build)(None));
    for (x, class) in &data {
        fading.learn(x.features(), Target::Class(*class)).unwrap();
        discounted.learn(x.features(), Target::Class(*class)).unwrap();
        discounted.discount(0.5f64.powf(1.0 / 20.0));
    }
    let (mut a, mut b) = (SeenRow::default(), SeenRow::default());
    for (x, _) in &data[2900..] {
        fading.see(x.features(), true, &mut a);
        discounted.see(x.features(), true, &mut b);
        for (one, other) in a.values.iter().zip(&b.values) {
            assert!((one - other).abs() < 1e-4 * (1.0 + one.abs()), "{one} {other}");
        }
    }
}

#[test]
fn the_bias_is_scaled_by_none() {
    for scaling in SCALINGS {
        let spec = LearnerSpec::parse(&format!("ensemble(arow@{}; logistic@none)", scaling.name)).unwrap();
        let (mut learner, mut scores) = (spec.build(Task::Binary, 2, true).unwrap(), Scores::default());
        for (i, (x, class)) in stream(6, 5, 40, 0.0).iter().enumerate() {
            let (mut ids, mut values) = (x.features().ids().to_vec(), x.features().values().to_vec());
            ids.push(5);
            values.push(1.0);
            let x = SparseVec::new(&ids, &values).unwrap();
            learner.update(x, Target::Class(*class), 1.0, &mut scores).unwrap();
            let seen = learner.as_ensemble().unwrap().seen_by(0, x);
            let last = seen.features().iter().last();
            assert_eq!(last, Some((5, 1.0)), "{}: round {i}", scaling.name);
            assert_eq!(seen.features().ids().iter().filter(|id| **id == 5).count(), 1);
        }
    }
}

#[test]
fn damaged_counts_are_refused() {
    use surefoot_core::state::Tensor;
    for scaling in SCALINGS {
        let mut own = (scaling.build)(None);
        sparse_stream(1, 30)
            .iter()
            .for_each(|(x, class)| own.learn(x.features(), Target::Class(*class)).unwrap());
        let names: Vec<String> = own.save().iter().map(|(name, _)| name.to_string()).collect();
        for name in names {
            let restored = |change: &dyn Fn(&mut Vec<f64>)| {
                let mut state = own.save();
                let tensor = state.iter().find(|(own, _)| *own == name).unwrap().1.clone();
                match tensor {
                    Tensor::F64(numbers) => {
                        let mut numbers = numbers.into_owned();
                        change(&mut numbers);
                        state.put(&*name, Tensor::F64(numbers.into()));
                    }
                    Tensor::F32(numbers) => {
                        let mut numbers = numbers.iter().map(|&number| number.into()).collect();
                        change(&mut numbers);
                        state.put(
                            &*name,
                            Tensor::F32(numbers.into_iter().map(|number| number as f32).collect()),
                        );
                    }
                    _ => return None,
                }
                Some((scaling.build)(None).restore(state))
            };
            if restored(&|_| ()).is_some() {
                assert!(restored(&|_| ()).unwrap().is_ok(), "{name}");
                assert!(restored(&|numbers| numbers[0] = f64::NAN).unwrap().is_err(), "{name}");
                assert!(restored(&|numbers| numbers.push(1.0)).unwrap().is_err(), "{name}");
                assert!(
                    name == "means" || restored(&|numbers| numbers[0] = -1.0).unwrap().is_err(),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn columns_are_few() {
    let mut own = pair("arow@std", Task::Binary, 2);
    let x = Vector::from_pairs([(1 << 16, 1.0)]).unwrap();
    let error = own.learn(x.features(), 1, 1.0).unwrap_err().to_string();
    assert!(error.contains("columns") && error.contains("65536"), "{error}");
    // To predict it, what is no column is left out.
    assert_eq!(own.predict(x.features()).scores, [0.0]);
}
