//! Ensembles and their heads: members alone, newcomers, merging, copies, and what a round refuses.

mod common;

use common::{Pair, PairPart, many_class_stream, pair, stream};
use surefoot_core::transform::View;
use surefoot_core::{LearnerPart, Merging, PartRole, Prediction, Scores, Spec, Target, Task, Vector};

/// In one table, and one after the other; of two classes and of many.
const SHARED: &str = "ensemble(arow:r=0.1@none; logistic@sqrt+l2; cw-stdev@none)";
const SEPARATE: &str = "ensemble(arow:r=0.1@none; cw-var/full@sqrt+l2; pa1:average=true@none)";

fn learn(pair: &mut Pair, examples: &[(Vector, usize)]) {
    examples.iter().for_each(|(x, class)| _ = pair.learn(x.features(), *class, 1.0).unwrap());
}

fn each(mut check: impl FnMut(&str, Task, &[(Vector, usize)])) {
    let (two, many) = (stream(3, 6, 200, 0.1), many_class_stream(3, 4, 6, 200));
    check(SHARED, Task::Binary, &two);
    check(SEPARATE, Task::Binary, &two);
    check(SHARED, Task::Multiclass, &many);
    check(SEPARATE, Task::Multiclass, &many);
}

#[test]
fn a_member_alone_goes_on_bit_for_bit() {
    // No view: the member alone is shown the examples as they are.
    let plain = |text: &str| text.replace("sqrt+l2", "none");
    each(|text, task, examples| {
        let (first, second) = examples.split_at(120);
        let mut ensemble = pair(&plain(text), task, 4);
        learn(&mut ensemble, first);
        let mut alone: Vec<Pair> = (0..3)
            .map(|i| {
                let learner = ensemble.learner.as_ensemble().unwrap().member(i).unwrap();
                Pair::new(learner, ensemble.head.member(i))
            })
            .collect();
        let mut own = Scores::default();
        for (x, class) in second {
            ensemble.learner.scores(x.features(), &mut own);
            for (i, member) in alone.iter_mut().enumerate() {
                let round = member.learn(x.features(), *class, 1.0).unwrap();
                assert_eq!(round.prediction.scores, own.of(i), "{text}, member {i}");
                assert_eq!(round.prediction.variance, own.variance(i), "{text}, member {i}");
            }
            ensemble.learn(x.features(), *class, 1.0).unwrap();
        }
        for (i, member) in alone.iter().enumerate() {
            assert_eq!(ensemble.head.member(i).save(), member.head.save(), "{text}");
        }
    });
}

#[test]
fn newcomers_leave_the_others_as_they_are() {
    each(|text, task, examples| {
        let mut ensemble = pair(text, task, 4);
        learn(&mut ensemble, &examples[..120]);
        let newcomer = (Spec::parse("arow/factored").unwrap(), View::default());
        let joined = ensemble.learner.as_ensemble().unwrap().joined_by(&[newcomer]).unwrap();
        assert_eq!(joined.members().len(), 4);
        let mut joined = Pair::new(Box::new(joined), ensemble.head.joined_by(1).unwrap());
        assert_eq!((joined.head.rounds(), joined.head.shares()), (120, vec![0.25; 4]));
        assert_eq!(joined.head.members()[3], ensemble.head.members()[ensemble.head.best()]);
        let (mut own, mut there) = (Scores::default(), Scores::default());
        for (x, class) in &examples[120..] {
            ensemble.learner.scores(x.features(), &mut own);
            joined.learner.scores(x.features(), &mut there);
            (0..3).for_each(|i| assert_eq!(own.of(i), there.of(i), "{text}, member {i}"));
            ensemble.learn(x.features(), *class, 1.0).unwrap();
            joined.learn(x.features(), *class, 1.0).unwrap();
        }
        assert_eq!(ensemble.head.members(), &joined.head.members()[..3], "{text}");
    });
}

#[test]
fn a_product_of_one_is_that_one() {
    each(|text, task, examples| {
        let mut ensemble = pair(text, task, 4);
        learn(&mut ensemble, examples);
        let (features, classes) = ((0..6).collect::<Vec<u32>>(), (0..4).collect::<Vec<usize>>());
        let role = PartRole::Part;
        let part = LearnerPart { features: &features, classes: &classes, examples: 200.0, role };
        let part: PairPart<'_> = (&ensemble, part);
        let mut merged = pair(text, task, 4);
        merged.merge(&[part], Merging::Measured).unwrap();
        assert_eq!(merged.head.members(), ensemble.head.members(), "{text}");
        assert_eq!(merged.head.rounds(), 200);
        let (mut own, mut there) = (Scores::default(), Scores::default());
        for (x, _) in &examples[..40] {
            ensemble.learner.scores(x.features(), &mut own);
            merged.learner.scores(x.features(), &mut there);
            for (i, (a, b)) in
                (0..3).flat_map(|i| own.of(i).iter().zip(there.of(i)).map(move |pair| (i, pair)))
            {
                assert!((a - b).abs() <= 1e-8 * (1.0 + a.abs()), "{text}, member {i}: {a} {b}");
            }
        }
        // Twice the same, less itself as their base.
        let mut thrice = pair(text, task, 4);
        let base = (part.0, LearnerPart { role: PartRole::Base, ..part.1 });
        thrice.merge(&[part, part, base], Merging::Exact).unwrap();
        assert_eq!(thrice.head.members()[0].mistakes, ensemble.head.members()[0].mistakes);
        // A learner that is no ensemble has other members.
        let lone = pair("arow", task, 4);
        assert!(merged.merge(&[part, (&lone, part.1)], Merging::Measured).is_err());
        assert!(merged.merge(&[(&lone, part.1), part], Merging::Measured).is_err());
    });
}

#[test]
fn a_copy_goes_on_as_the_original() {
    each(|text, task, examples| {
        let mut ensemble = pair(text, task, 4);
        learn(&mut ensemble, &examples[..100]);
        let mut copy = Pair::new(ensemble.learner.clone(), ensemble.head.clone());
        learn(&mut ensemble, &examples[100..]);
        learn(&mut copy, &examples[100..]);
        assert_eq!(ensemble.save(), copy.save(), "{text}");
    });
}

#[test]
fn an_ensemble_tells_how_unsure_it_is() {
    each(|text, task, examples| {
        let mut ensemble = pair(text, task, 4);
        let (x, _) = &examples[0];
        let before = ensemble.predict(x.features());
        learn(&mut ensemble, examples);
        let after = ensemble.predict(x.features());
        assert!(before.variance > 0.0 && after.variance > 0.0, "{text}");
        assert_eq!(after.relative, task == Task::Multiclass, "{text}");
        let shown: f64 = (0..after.scores.len().max(2)).map(|class| after.score_of(class)).sum();
        assert!(shown.abs() < 1e-9, "{text}: {shown}");
    });
}

/// Scores that were taken before a round do not depend on when the head hears of them.
#[test]
fn a_head_may_follow_later() {
    each(|text, task, examples| {
        let (mut at_once, mut later) = (pair(text, task, 4), pair(text, task, 4));
        learn(&mut at_once, examples);
        let mut waiting = vec![Scores::default(); examples.len()];
        for ((x, class), scores) in examples.iter().zip(&mut waiting) {
            later.learner.update(x.features(), Target::Class(*class), 1.0, scores).unwrap();
        }
        let mut prediction = Prediction::default();
        for ((_, class), scores) in examples.iter().zip(&waiting) {
            later.head.update(scores, Target::Class(*class), 1.0, &mut prediction).unwrap();
        }
        assert_eq!(at_once.save(), later.save(), "{text}");
    });
}

#[test]
fn a_class_comes_to_life_after_the_prediction() {
    for text in ["arow", SHARED, SEPARATE] {
        let mut pair = pair(text, Task::Multiclass, 0);
        let x = Vector::from_pairs([(0, 1.0)]).unwrap();
        for (class, weight) in [(0, 1.0), (1, 0.0), (2, 1.0)] {
            let ranks: Vec<u32> = (0..=class as u32).collect();
            pair.set_classes(class, &ranks).unwrap();
            let round = pair.learn(x.features(), class, weight).unwrap();
            assert_eq!((round.prediction.scores.len(), round.probability), (class, 0.0), "{text}");
            assert_eq!(pair.classes(), class + 1, "{text}: even without a weight");
        }
        assert_eq!(pair.head.rounds(), 2, "{text}");
        assert!(pair.learn(x.features(), 4, 1.0).is_err(), "{text}: class 3 comes first");
    }
}

#[test]
fn several_labels_are_refused() {
    for (text, task) in [("arow", Task::Binary), ("arow", Task::Multiclass), (SHARED, Task::Binary)] {
        let mut pair = pair(text, task, 3);
        let (x, mut scores) = (Vector::from_pairs([(0, 1.0)]).unwrap(), Scores::default());
        let before = format!("{:?}", pair.save());
        let error = pair.learner.update(x.features(), Target::Labels(&[0]), 1.0, &mut scores).unwrap_err();
        assert!(error.to_string().contains("a set of labels"), "{text}: {error}");
        pair.learner.scores(x.features(), &mut scores);
        let out = &mut Prediction::default();
        assert!(pair.head.update(&scores, Target::Labels(&[]), 1.0, out).is_err(), "{text}");
        assert_eq!(before, format!("{:?}", pair.save()), "{text}");
    }
}

#[test]
fn a_damaged_head_is_refused() {
    use surefoot_core::state::Tensor;
    let mut ensemble = pair(SHARED, Task::Binary, 2);
    learn(&mut ensemble, &stream(3, 6, 50, 0.1));
    let restored = |name: &str, tensor: Tensor<'static>| {
        let mut state = ensemble.head.save();
        state.put(name, tensor);
        pair(SHARED, Task::Binary, 2).head.restore(state)
    };
    assert!(restored("rounds", Tensor::U64(vec![50].into())).is_ok());
    assert!(restored("rounds", Tensor::U64(vec![u64::MAX].into())).is_err());
    assert!(restored("mistakes", Tensor::U64(vec![1, 2].into())).is_err());
    assert!(restored("mistakes", Tensor::U64(vec![1, 2, u64::MAX].into())).is_err());
    assert!(restored("loss", Tensor::F64(vec![1.0, f64::NAN, 2.0].into())).is_err());
    assert!(restored("calibration03.link", Tensor::F64(vec![1.0; 5].into())).is_err());
    assert!(pair("arow", Task::Binary, 2).head.restore(ensemble.head.save()).is_err());
}
