//! The contract where a row may have several labels, for every rule on every store with every schedule.

mod common;

use common::{Pair, label_stream, many_class_stream, pair, pair_of};
use surefoot_core::rule::RULES;
use surefoot_core::store::STORES;
use surefoot_core::{
    F1Average, LearnerPart, LearnerSpec, Merging, PartRole, Scores, Spec, Target, Task, Vector,
};

const LABELS: usize = 4;

fn every_spec(mut check: impl FnMut(&str, &Spec)) {
    for rule in RULES {
        for store in STORES {
            for schedule in ["sequential", "parallel", "exact", "one-vs-rest"] {
                for top in ["1", "all"] {
                    let text = format!("{}/{}:schedule={schedule},top={top}", rule.name, store.name);
                    match Spec::parse(&text) {
                        Ok(spec) => check(&text, &spec),
                        Err(error) => {
                            assert!(schedule == "exact" && error.to_string().contains("exact"), "{error}")
                        }
                    }
                }
            }
        }
    }
}

fn fingerprint(learner: &Pair) -> String {
    format!("{:?}", learner.save())
}

fn labels(all: &[u32]) -> Target<'_> {
    Target::Labels(all)
}

#[test]
fn learners_are_finite_deterministic_and_learn() {
    let train = label_stream(11, LABELS, 5, 300);
    every_spec(|name, spec| {
        let [mut learner, mut again] = [0; 2].map(|_| pair_of(spec, Task::Multilabel, LABELS));
        let mut wrong = 0;
        for (i, (x, own)) in train.iter().enumerate() {
            let round = learner.learn_target(x.features(), labels(own), 1.0).unwrap();
            assert!((0.0..=1.0).contains(&round.probability), "{name}: {}", round.probability);
            if i >= 150 {
                let differs = |label: u32| round.prediction.labels.contains(&label) != own.contains(&label);
                wrong += (0..LABELS as u32).filter(|&label| differs(label)).count();
            }
            again.learn_target(x.features(), labels(own), 1.0).unwrap();
        }
        assert_eq!(fingerprint(&learner), fingerprint(&again), "{name} is not deterministic");
        let prediction = learner.predict(train[0].0.features());
        let mut probabilities = Vec::new();
        prediction.probabilities(&mut probabilities);
        assert_eq!((probabilities.len(), prediction.several), (LABELS, true), "{name}");
        for (label, p) in probabilities.iter().enumerate() {
            let told = prediction.labels.contains(&(label as u32));
            assert!((0.0..=1.0).contains(p) && told == (*p > 0.5), "{name}: {label} {p}");
        }
        for (block, feature) in (0..LABELS).flat_map(|block| (0..6).map(move |f| (block, f))) {
            if let Some(weight) = learner.store().weight(feature, block) {
                assert!(weight.mean.is_finite() && weight.variance >= 0.0, "{name}: {weight:?}");
            }
        }
        assert!(wrong < 120, "{name}: {wrong} of 600 labels wrong");
    });
}

#[test]
fn with_one_label_a_row_the_scores_are_those_of_many_classes() {
    let train = many_class_stream(5, LABELS, 5, 120);
    for rule in RULES {
        for store in STORES {
            let spec = Spec::parse(&format!("{}/{}:schedule=one-vs-rest", rule.name, store.name)).unwrap();
            // Labels come to life as they come in the stream, in both.
            let mut one = spec.build(Task::Multiclass, 0).unwrap();
            let mut several = spec.build(Task::Multilabel, 0).unwrap();
            let (mut known, mut found, mut expected) = (Vec::new(), Scores::default(), Scores::default());
            for (x, class) in &train {
                let class = known.iter().position(|own| own == class).unwrap_or_else(|| {
                    known.push(*class);
                    known.len() - 1
                });
                one.update(x.features(), Target::Class(class), 1.0, &mut expected).unwrap();
                several.update(x.features(), labels(&[class as u32]), 1.0, &mut found).unwrap();
                let pairs = found.of(0).iter().zip(expected.of(0));
                let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
                assert!(pairs.into_iter().all(near), "{}/{}", rule.name, store.name);
                assert_eq!(found.variance(0), expected.variance(0), "{}/{}", rule.name, store.name);
            }
        }
    }
}

#[test]
fn a_row_without_labels_is_a_negative_for_all() {
    let x = Vector::from_pairs([(0, 1.0), (2, -0.5)]).unwrap();
    every_spec(|name, spec| {
        let mut learner = pair_of(spec, Task::Multilabel, LABELS);
        let moved = learner.learn_target(x.features(), labels(&[]), 1.0).unwrap().updated;
        let scores = learner.predict(x.features()).scores;
        assert!(moved && scores.iter().any(|&score| score < 0.0), "{name}: {scores:?}");
        assert!(scores.iter().all(|&score| score <= 0.0), "{name}: {scores:?}");
        if name.ends_with("top=all") {
            assert!(scores.iter().all(|&score| score < 0.0), "{name}: {scores:?}");
        }
    });
}

#[test]
fn labels_appear_at_any_time_and_a_save_changes_nothing() {
    let train = label_stream(3, 5, 4, 80);
    let known_after =
        |n: usize| train[..n].iter().flat_map(|(_, own)| own).max().map_or(0, |&l| l as usize + 1);
    every_spec(|name, spec| {
        let mut straight = pair_of(spec, Task::Multilabel, 0);
        let mut resumed = pair_of(spec, Task::Multilabel, 0);
        let mut known = 0;
        for (i, (x, own)) in train.iter().enumerate() {
            // Classes come to life one after the other: those of the row below the next one and that one.
            let own: Vec<u32> = own.iter().copied().filter(|&label| label as usize <= known).collect();
            known += usize::from(own.contains(&(known as u32)));
            for learner in [&mut straight, &mut resumed] {
                learner.learn_target(x.features(), labels(&own), 1.0).unwrap();
            }
            assert_eq!(straight.classes(), known, "{name}");
            if i % 20 == 7 {
                let mut fresh = pair_of(spec, Task::Multilabel, 0);
                fresh.restore(resumed.save()).unwrap();
                resumed = fresh;
            }
        }
        assert!(known > 2 && known <= known_after(80), "{name}: {known}");
        assert_eq!(fingerprint(&straight), fingerprint(&resumed), "{name}");
    });
}

#[test]
fn what_is_no_set_of_labels_is_refused_and_no_weight_moves_nothing() {
    let x = Vector::from_pairs([(0, 1.0)]).unwrap();
    every_spec(|name, spec| {
        let mut learner = pair_of(spec, Task::Multilabel, 2);
        let before = fingerprint(&learner);
        for target in [Target::Class(0), labels(&[1, 0]), labels(&[1, 1])] {
            assert!(learner.learn_target(x.features(), target, 1.0).is_err(), "{name}: {target:?}");
        }
        assert!(learner.learn_target(x.features(), labels(&[0]), f64::NAN).is_err(), "{name}");
        assert!(!learner.learn_target(x.features(), labels(&[0, 1]), 0.0).unwrap().updated, "{name}");
        assert_eq!(fingerprint(&learner), before, "{name}");
        // A weight of 0 makes a label known all the same.
        learner.learn_target(x.features(), labels(&[2]), 0.0).unwrap();
        assert_eq!(learner.classes(), 3, "{name}");
        assert!(pair_of(spec, Task::Multiclass, 2).learn_target(x.features(), labels(&[0]), 1.0).is_err());
    });
    assert!(pair("arow", Task::Binary, 2).learn_target(x.features(), labels(&[0]), 1.0).is_err());
}

#[test]
fn ensembles_of_labels_learn_and_resume() {
    let train = label_stream(9, 6, 8, 500);
    let mut learner = pair("auto", Task::Multilabel, 6);
    let mut resumed = pair("auto", Task::Multilabel, 6);
    let mut wrong = 0;
    for (i, (x, own)) in train.iter().enumerate() {
        let round = learner.learn_target(x.features(), labels(own), 1.0).unwrap();
        if i >= 400 {
            let differs = |label: u32| round.prediction.labels.contains(&label) != own.contains(&label);
            wrong += (0..6).filter(|&label| differs(label)).count();
        }
        match i {
            249 => resumed.restore(learner.save()).unwrap(),
            250.. => _ = resumed.learn_target(x.features(), labels(own), 1.0).unwrap(),
            _ => {}
        }
    }
    assert_eq!(fingerprint(&learner), fingerprint(&resumed));
    assert!(wrong < 60, "{wrong} of 600 labels wrong");
    assert!((learner.head.shares().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // Sequential members of many classes learn each label against the rest.
    let text = LearnerSpec::parse("auto").unwrap().text(Task::Multilabel).unwrap();
    assert_eq!(text.matches("schedule=one-vs-rest").count(), learner.head.members().len(), "{text}");
    let again = LearnerSpec::parse(&text).unwrap().text(Task::Multilabel).unwrap();
    assert_eq!(again, text);
    let ensemble = learner.learner.as_ensemble().unwrap();
    let alone = Pair::new(ensemble.member(1).unwrap(), learner.head.member(1));
    assert_eq!(alone.predict(train[0].0.features()).scores.len(), 6);
}

#[test]
fn thresholds_for_f1_are_half_of_it_and_raise_it_on_rare_labels() {
    let all = label_stream(17, 6, 10, 4000);
    let mut learner = pair("arow:r=1", Task::Multilabel, 6);
    for (x, own) in &all[..3000] {
        learner.learn_target(x.features(), labels(own), 1.0).unwrap();
    }
    for average in [F1Average::Micro, F1Average::Label] {
        let thresholds = learner.head.f1_thresholds(average, 6);
        assert!(thresholds.iter().all(|t| (0.2..=0.5).contains(t)), "{average:?}: {thresholds:?}");
    }
    let micro = learner.head.f1_thresholds(F1Average::Micro, 6)[0];
    let f1 = |threshold: f64| {
        let (mut hits, mut of, mut probabilities) = (0, 0, Vec::new());
        for (x, own) in &all[3000..] {
            learner.predict(x.features()).probabilities(&mut probabilities);
            let told = |label: &u32| probabilities[*label as usize] > threshold;
            hits += own.iter().filter(|label| told(label)).count();
            of += own.len() + (0..6).filter(told).count();
        }
        2.0 * hits as f64 / of as f64
    };
    assert!(f1(micro) >= f1(0.5) - 0.005, "{} {}", f1(micro), f1(0.5));
    assert!((f1(micro) / 2.0 - micro).abs() < 0.05, "{} {micro}", f1(micro));
}

#[test]
fn what_learned_apart_merges_label_by_label() {
    let all = label_stream(23, 5, 6, 600);
    for text in ["arow:r=1", "ensemble(arow:r=0.1@none; logistic@none)"] {
        let spec = LearnerSpec::parse(text).unwrap();
        // The second part calls its labels by other numbers.
        let classes: [Vec<usize>; 2] = [(0..5).collect(), vec![4, 3, 2, 1, 0]];
        let mut parts = [0; 2].map(|_| pair(text, Task::Multilabel, 5));
        for (at, (x, own)) in all.iter().enumerate().take(500) {
            let of_part = |label: &u32| classes[at % 2].iter().position(|&c| c == *label as usize);
            let mut own: Vec<u32> = own.iter().filter_map(of_part).map(|label| label as u32).collect();
            own.sort_unstable();
            parts[at % 2].learn_target(x.features(), labels(&own), 1.0).unwrap();
        }
        let features: Vec<u32> = (0..7).collect();
        let of = |i: usize| LearnerPart {
            features: &features,
            classes: &classes[i],
            examples: 250.0,
            role: PartRole::Part,
        };
        let mut merged =
            Pair::new(spec.build(Task::Multilabel, 5, false).unwrap(), spec.head(Task::Multilabel).unwrap());
        merged.merge(&[(&parts[0], of(0)), (&parts[1], of(1))], Merging::Measured).unwrap();
        let wrong: usize = all[500..]
            .iter()
            .map(|(x, own)| {
                let told = merged.predict(x.features()).labels;
                (0..5).filter(|label| told.contains(label) != own.contains(label)).count()
            })
            .sum();
        assert!(wrong < 75, "{text}: {wrong} of 500 labels wrong");
    }
}
