//! Members that see their examples through what the stream has shown of the features: whole models of them.

use surefoot::data::{Batch, Source};
use surefoot::prelude::*;
use surefoot::train::{Silent, resume};
use surefoot::{Predictor, Reading, explain, merge};

/// In one table and apart; `std` gives its members columns of their own.
const LEARNERS: [&str; 3] = [
    "ensemble(arow/compact:r=0.1@sqrt+l2; arow/compact:r=10,per-row=true@nb+l2; scw1/compact@nb)",
    "ensemble(arow/compact:r=10@rms+l2; arow/compact@std; logistic/compact@std+l2)",
    "arow:r=10,per-row=true@nb+l2",
];

/// Rows of words of which some go with the label; the words of later rows are others.
fn rows(from: usize, to: usize, classes: usize) -> Vec<Source> {
    let line = |i: usize| {
        let class = (i * 7 + i / 3) % classes;
        let own = class + classes * (i % 5);
        format!("{} | w{own}:2 w{} w{}:0.5 late{}\n", class + 1, 40 + i % 23, 70 + (i * i) % 11, i / 50)
    };
    vec![Source::memory("rows.vw", (from..to).map(line).collect::<String>().into_bytes())]
}

fn options(learner: &str) -> TrainOptions {
    TrainOptions::default().learner(LearnerSpec::parse(learner).expect("a SPEC")).recipe(Recipe::default())
}

fn trained(learner: &str, classes: usize) -> Model {
    train(rows(0, 200, classes), &options(learner), &mut Silent).expect("a model").0
}

/// What the model says of every row, how sure it is of that against the next best, and what the features add to it.
fn told(model: &Model, rows: Vec<Source>) -> Vec<(Option<String>, f64, f64)> {
    let (mut reader, mut batch) = (model.read(rows, &Reading::default()).expect("read"), Batch::new());
    let (mut told, mut predictor) = (Vec::new(), Predictor::new(model));
    while reader.next_batch(&mut batch).expect("a batch") {
        for example in batch.iter() {
            let why = explain(model, &example.features, usize::MAX).expect("explained");
            let sum: f64 = why.features.iter().map(|own| own.contribution).sum();
            predictor.predict(&example.features);
            let mut probabilities = predictor.probabilities().to_vec();
            probabilities.sort_by(|a, b| b.total_cmp(a));
            // Of two, the smaller keeps its digits.
            told.push((why.label, (probabilities[0] / probabilities[1]).ln(), sum));
        }
    }
    told
}

#[test]
fn going_on_is_the_same_as_never_having_stopped() {
    for (learner, classes) in LEARNERS.iter().flat_map(|learner| [(learner, 2), (learner, 4)]) {
        let whole = trained(learner, classes).to_bytes().expect("bytes");
        let (half, _) = train(rows(0, 120, classes), &options(learner), &mut Silent).expect("a model");
        let half = Model::from_bytes(&half.to_bytes().expect("bytes")).expect("loaded");
        let (rest, _) =
            resume(half, rows(120, 200, classes), &options(learner), &mut Silent).expect("resumed");
        assert!(rest.to_bytes().expect("bytes") == whole, "{learner}, {classes} classes");
        for threads in [1, 3] {
            let options = options(learner).threads(threads);
            let (model, _) = train(rows(0, 200, classes), &options, &mut Silent).expect("a model");
            assert!(model.to_bytes().expect("bytes") == whole, "{learner}, {threads} threads");
        }
    }
}

#[test]
fn what_features_add_sums_to_the_log_odds() {
    for learner in LEARNERS {
        for (label, odds, sum) in told(&trained(learner, 2), rows(190, 230, 2)) {
            assert!((sum - odds).abs() < 1e-9 * (1.0 + odds.abs()), "{learner} {label:?}: {sum} {odds}");
        }
    }
}

#[test]
fn the_best_member_and_the_compact_model_see_as_before() {
    for (learner, classes) in LEARNERS.iter().flat_map(|learner| [(learner, 2), (learner, 4)]) {
        let model = trained(learner, classes);
        let alone = model.clone().keep_best().expect("the best");
        assert!(alone.members().expect("members").is_empty());
        let again = Model::from_bytes(&alone.to_bytes().expect("bytes")).expect("loaded");
        assert_eq!(told(&alone, rows(150, 230, classes)), told(&again, rows(150, 230, classes)), "{learner}");
        let compact = model.compact().expect("compact");
        let compact = Model::from_bytes(&compact.to_bytes().expect("bytes")).expect("loaded");
        let (full, small) = (told(&model, rows(0, 100, classes)), told(&compact, rows(0, 100, classes)));
        let same = full.iter().zip(&small).filter(|(a, b)| a.0 == b.0).count();
        assert!(same >= 95, "{learner}, {classes} classes: {same} of 100 labels");
    }
}

#[test]
fn models_that_learned_apart_see_as_one() {
    for learner in LEARNERS {
        let part = |from, to| train(rows(from, to, 2), &options(learner), &mut Silent).expect("a model").0;
        let merged = merge(&[part(0, 100), part(100, 200)], None).expect("merged");
        let told = told(&merged, rows(0, 100, 2));
        let label = |i: usize| if (i * 7 + i / 3).is_multiple_of(2) { "1" } else { "2" };
        let right =
            told.iter().enumerate().filter(|(i, (said, ..))| said.as_deref() == Some(label(*i))).count();
        assert!(right > 80, "{learner}: {right} of 100");
    }
}
