//! Integers get their indices in pages of neighbours where they are dense, and one by one where they turn out to be scattered.
//! The same is learned and shown either way, on any number of threads.

use surefoot::data::{Batch, KeyedFeatures, Random, Scale};
use surefoot::prelude::*;
use surefoot::train::{RoundView, Silent, resume};
use surefoot::{explain, merge};

/// Far apart, and in the same order: no two of them in one page.
const APART: u64 = 10_000_019;

/// Rows of some of 10,000 features, of so many classes.
fn rows(classes: u64, count: usize, seed: u64, apart: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for _ in 0..count {
        let class = random.below(classes);
        text += &format!("{}", if classes == 2 { 2 * class as i64 - 1 } else { class as i64 + 1 });
        let mut ids: Vec<u64> =
            (0..30)
                .map(|i| {
                    if i % 2 == 0 {
                        1 + random.below(300) * classes + class
                    } else {
                        1 + random.below(10_000)
                    }
                })
                .collect();
        ids.sort_unstable();
        ids.dedup();
        ids.iter().for_each(|id| text += &format!(" {}:{}", id * apart, 1 + random.below(3)));
        text.push('\n');
    }
    text
}

fn source(text: &str) -> Vec<Source> {
    vec![Source::memory("rows.svm", text.as_bytes())]
}

fn options(learner: &str, scale: Scale, threads: usize) -> TrainOptions {
    let recipe = Recipe { scale, ..surefoot::default_recipe() };
    TrainOptions::default().learner(LearnerSpec::parse(learner).unwrap()).recipe(recipe).threads(threads)
}

/// Everything that a run shows of each round.
#[derive(Default)]
struct Diary(Vec<(Option<usize>, u64, u64, u64, bool, usize)>);

impl Observer for Diary {
    fn round(&mut self, view: &RoundView<'_>) {
        let (p, round) = (view.round.prediction, view.round);
        let bits = (p.score.to_bits(), p.variance.to_bits(), round.probability.to_bits());
        self.0.push((p.label, bits.0, bits.1, bits.2, round.updated, view.features));
    }
}

fn learned(text: &str, options: &TrainOptions) -> (Model, Diary) {
    let mut diary = Diary::default();
    let (model, _) = train(source(text), options, &mut diary).unwrap();
    (model, diary)
}

/// Rows of so many features that no other row has, and one that tells the label.
fn fresh_rows(count: u64, features: u64, apart: u64) -> String {
    let row = |row: u64| {
        let first = 10 + row * features;
        let fresh: String = (first..first + features).map(|id| format!(" {}:1", id * apart)).collect();
        format!("{} {}:1{fresh}\n", if row.is_multiple_of(3) { "+1" } else { "-1" }, (1 + row % 3) * apart)
    };
    (0..count).map(row).collect()
}

fn has_gaps(model: &Model) -> bool {
    let index = model.encoder().index();
    index.bound() > index.len()
}

/// Whether every feature has a page of its own, of 16 indices.
fn wastes_pages(model: &Model) -> bool {
    let index = model.encoder().index();
    index.bound() == 16 * index.len()
}

/// Names, means and variances of all weights; names as they are where integers are dense.
fn weights(model: &Model, apart: u64) -> Vec<(String, f64, f64)> {
    let name = |name: String| name.parse::<u64>().map_or(name, |id| (id / apart).to_string());
    model.weights().map(|w| (name(w.feature.to_string()), w.weight.mean, w.weight.variance)).collect()
}

fn task(classes: u64) -> Task {
    if classes == 2 { Task::Binary } else { Task::Multiclass }
}

/// Learners, numbers of classes, scales, and whether indices have gaps where integers are near each other.
const LEARNERS: [(&str, u64, Scale, bool); 7] = [
    ("arow", 2, Scale::None, true),
    ("auto", 2, Scale::None, true),
    ("arow", 3, Scale::Rms, false),
    ("auto", 3, Scale::None, false),
    ("pa1:average=true", 2, Scale::Rms, true),
    ("arow", 2, Scale::Standardize, false),
    ("cw-var:schedule=exact,top=2", 3, Scale::None, false),
];

/// That two models are the same but for the distance between their integers.
fn assert_same((near, seen): &(Model, Diary), (far, other): &(Model, Diary), what: &str) {
    assert!(seen.0 == other.0, "{what}: rounds differ");
    assert!(weights(near, 1) == weights(far, APART), "{what}: weights differ");
    let why = |model: &Model, apart: u64| {
        let x = [3 * apart, 7 * apart, 5_999_999 * apart];
        let found = explain(model, &KeyedFeatures::given(&x, &[1.0, 2.0, 1.0]), 10).unwrap();
        (found.score.to_bits(), found.sd.to_bits(), found.unknown, found.features.len())
    };
    assert_eq!(why(near, 1), why(far, APART), "{what}");
}

#[test]
fn what_is_learned_and_shown_is_the_same() {
    for (learner, classes, scale, gaps) in LEARNERS {
        for threads in [1, 2, 3, 5] {
            let options = options(learner, scale, threads);
            let near = learned(&rows(classes, 1500, 1, 1), &options);
            let far = learned(&rows(classes, 1500, 1, APART), &options);
            assert_eq!((has_gaps(&near.0), wastes_pages(&far.0)), (gaps, gaps), "{learner}");
            assert_same(&near, &far, learner);
        }
    }
}

#[test]
fn integers_that_turn_out_to_be_scattered_are_learned_like_dense_ones() {
    for learner in ["arow", "auto"] {
        for threads in [1, 2, 3, 5] {
            let options = options(learner, Scale::None, threads);
            let near = learned(&fresh_rows(150, 500, 1), &options);
            let far = learned(&fresh_rows(150, 500, APART), &options);
            let (index, features) = (far.0.encoder().index(), far.0.encoder().index().len());
            assert_eq!(features, 150 * 500 + 4, "{learner}");
            assert!(index.bound() < (1 << 20) + features, "{learner}: {} indices", index.bound());
            assert!(near.0.encoder().index().bound() < features + 64, "{learner}");
            assert_same(&near, &far, learner);
        }
    }
}

#[test]
fn it_does_not_matter_where_a_run_was_interrupted() {
    for (learner, classes, scale, _) in LEARNERS {
        let text = rows(classes, 700, 2, 1);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let run = |threads| options(learner, scale, threads).task(Some(task(classes)));
        let whole = learned(&text, &run(1)).0.to_bytes().unwrap();
        for (at, threads) in [(1, 1), (90, 2), (151, 3), (600, 5)] {
            assert!(whole == learned(&text, &run(threads)).0.to_bytes().unwrap(), "{learner}, {threads}");
            let half = learned(&lines[..at].concat(), &run(threads)).0;
            let loaded = Model::from_bytes(&half.to_bytes().unwrap()).unwrap();
            let rest = source(&lines[at..].concat());
            let (resumed, _) = resume(loaded, rest, &run(threads), &mut Silent).unwrap();
            assert!(resumed.to_bytes().unwrap() == whole, "{learner} at {at}");
        }
    }
}

#[test]
fn a_run_may_end_in_the_very_round_that_finds_integers_scattered() {
    let options = options("arow", Scale::None, 1).task(Some(Task::Binary));
    let text = fresh_rows(75, 1000, APART);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let whole = learned(&text, &options).0.to_bytes().unwrap();
    let mut scattered = Vec::new();
    for at in 62..70 {
        let half = learned(&lines[..at].concat(), &options).0;
        scattered.push(!wastes_pages(&half));
        let loaded = Model::from_bytes(&half.to_bytes().unwrap()).unwrap();
        let (resumed, _) = resume(loaded, source(&lines[at..].concat()), &options, &mut Silent).unwrap();
        assert!(resumed.to_bytes().unwrap() == whole, "at {at}");
    }
    assert!(!scattered[0] && scattered[7] && scattered.is_sorted(), "it is found in between");
}

/// The model at every checkpoint.
#[derive(Default)]
struct Checkpoints(Vec<Vec<u8>>);

impl Observer for Checkpoints {
    fn checkpoint(&mut self, model: &Model) -> Result<()> {
        self.0.push(model.to_bytes()?);
        Ok(())
    }
}

#[test]
fn checkpoints_lie_where_a_run_would_have_ended() {
    for (learner, classes, scale, _) in LEARNERS {
        let options = options(learner, scale, 1).task(Some(task(classes))).checkpoint_every(40);
        let text = rows(classes, 200, 7, 1);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut seen = Checkpoints::default();
        let whole = train(source(&text), &options, &mut seen).unwrap().0.to_bytes().unwrap();
        assert_eq!(seen.0.len(), 5);
        for (at, bytes) in (1..).map(|number| 40 * number).zip(&seen.0[..4]) {
            let (checkpoint, rest) = (Model::from_bytes(bytes).unwrap(), source(&lines[at..].concat()));
            let (ended, _) = learned(&lines[..at].concat(), &options);
            assert_eq!(checkpoint.learner().save(), ended.learner().save(), "{learner} at {at}");
            assert_eq!(checkpoint.head().save(), ended.head().save(), "{learner} at {at}");
            let (gone_on, _) = resume(checkpoint, rest, &options, &mut Silent).unwrap();
            assert!(gone_on.to_bytes().unwrap() == whole, "{learner} at {at}");
        }
    }
}

#[test]
fn row_by_row_is_the_same_too() {
    let text = rows(2, 400, 3, 1);
    let options = options("arow", Scale::None, 1);
    let (whole, _) = learned(&text, &options);
    let (start, _) = learned(text.split_inclusive('\n').next().unwrap(), &options.task(Some(Task::Binary)));
    let mut model = start;
    let mut reader = model.read(source(&text), &surefoot::Reading::default()).unwrap();
    let (mut batch, mut first) = (Batch::new(), true);
    while reader.next_batch(&mut batch).unwrap() {
        for example in batch.iter().skip(usize::from(std::mem::take(&mut first))) {
            model.learn(&example.features, example.label().unwrap()).unwrap();
        }
    }
    assert!(has_gaps(&model));
    assert_eq!(weights(&model, 1), weights(&whole, 1));
}

#[test]
fn merged_models_have_the_same_weights() {
    for learner in ["arow", "auto"] {
        let options = options(learner, Scale::Rms, 1);
        let both = |apart: u64| {
            let models: Vec<Model> =
                (4..6).map(|seed| learned(&rows(2, 900, seed, apart), &options).0).collect();
            assert!(models.iter().all(has_gaps));
            merge(&models, None).unwrap()
        };
        let (near, far) = (both(1), both(APART));
        // Sums are taken by index, and so in another order.
        for ((name, mean, variance), (other, m, v)) in weights(&near, 1).into_iter().zip(weights(&far, APART))
        {
            assert_eq!(name, other, "{learner}");
            assert!((mean - m).abs() <= 1e-9 && (variance - v).abs() <= 1e-9, "{learner}: {mean} {m}");
        }
        assert_eq!(near.encoder().index().len(), far.encoder().index().len());
    }
}

#[test]
fn a_learner_of_many_classes_has_a_row_for_every_feature_met_and_no_more() {
    for (learner, apart) in [("arow", 10), ("auto", 1), ("auto", APART)] {
        let (model, _) = learned(&rows(3, 500, 5, apart), &options(learner, Scale::None, 1));
        assert!(!has_gaps(&model), "{learner}");
    }
}
