//! Where integers are dense, features get other indices in the middle of a stream. Nobody notices: the same is learned and
//! shown as where the same integers are scattered so far apart that they keep their first ones.

use surefoot::core::LearnerSpec;
use surefoot::data::{Batch, Features, Random, Recipe, Scale, Source, Task};
use surefoot::train::{Observer, RoundView, Silent, TrainOptions, resume, train};
use surefoot::{Model, explain, merge};

/// Far apart, and in the same order.
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

fn has_gaps(model: &Model) -> bool {
    let space = model.encoder().index();
    space.bound() > space.len()
}

/// Names, means and variances of all weights; names as they are where integers are dense.
fn weights(model: &Model, apart: u64) -> Vec<(String, f64, f64)> {
    let name = |name: String| name.parse::<u64>().map_or(name, |id| (id / apart).to_string());
    model.weights().map(|w| (name(w.feature.to_string()), w.weight.mean, w.weight.variance)).collect()
}

const LEARNERS: [(&str, u64, Scale); 6] = [
    ("arow", 2, Scale::None),
    ("auto", 2, Scale::None),
    ("arow", 3, Scale::Rms),
    ("auto", 3, Scale::None),
    ("pa1:average=true", 2, Scale::Rms),
    ("cw-var:schedule=exact,top=2", 3, Scale::None),
];

#[test]
fn what_is_learned_and_shown_is_the_same() {
    for (learner, classes, scale) in LEARNERS {
        for threads in [1, 2] {
            let options = options(learner, scale, threads);
            let (near, diary) = learned(&rows(classes, 1500, 1, 1), &options);
            let (far, other) = learned(&rows(classes, 1500, 1, APART), &options);
            assert!(has_gaps(&near) && !has_gaps(&far), "{learner}");
            assert!(diary.0 == other.0, "{learner}: rounds differ");
            assert_eq!(weights(&near, 1), weights(&far, APART), "{learner}");
            let x = |apart: u64| [3 * apart, 7 * apart, 5_999_999 * apart];
            let why = |model: &Model, apart: u64| {
                let found = explain(model, &Features::given(&x(apart), &[1.0, 2.0, 1.0]), 10).unwrap();
                (found.score.to_bits(), found.sd.to_bits(), found.unknown, found.features.len())
            };
            assert_eq!(why(&near, 1), why(&far, APART), "{learner}");
        }
    }
}

#[test]
fn it_does_not_matter_who_learns_and_where_a_run_was_interrupted() {
    for (learner, classes, scale) in LEARNERS {
        let text = rows(classes, 1400, 2, 1);
        let whole = learned(&text, &options(learner, scale, 1)).0.to_bytes().unwrap();
        assert!(whole == learned(&text, &options(learner, scale, 2)).0.to_bytes().unwrap(), "{learner}");
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for at in [90, 150, 151, 152, 700, 1300] {
            for threads in [1, 2] {
                let options = options(learner, scale, threads).task(if classes == 2 {
                    Task::Binary
                } else {
                    Task::Multiclass
                });
                let half = learned(&lines[..at].concat(), &options).0;
                let loaded = Model::from_bytes(&half.to_bytes().unwrap()).unwrap();
                let rest = source(&lines[at..].concat());
                let (resumed, _) = resume(loaded, rest, &options, &mut Silent).unwrap();
                let straight = learned(&text, &options).0;
                assert!(resumed.to_bytes().unwrap() == straight.to_bytes().unwrap(), "{learner} at {at}");
            }
        }
    }
}

#[test]
fn a_run_may_end_in_the_very_round_that_makes_ids_dense() {
    let options = options("arow", Scale::None, 1).task(Task::Binary);
    let text = rows(2, 200, 6, 1);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let whole = learned(&text, &options).0.to_bytes().unwrap();
    let mut gaps = Vec::new();
    for at in 40..140 {
        let half = learned(&lines[..at].concat(), &options).0;
        gaps.push(has_gaps(&half));
        let loaded = Model::from_bytes(&half.to_bytes().unwrap()).unwrap();
        let (resumed, _) = resume(loaded, source(&lines[at..].concat()), &options, &mut Silent).unwrap();
        assert!(resumed.to_bytes().unwrap() == whole, "at {at}");
    }
    assert!(!gaps[0] && gaps[99] && gaps.is_sorted(), "the move is in between");
}

/// The model at every checkpoint.
#[derive(Default)]
struct Checkpoints(Vec<Vec<u8>>);

impl Observer for Checkpoints {
    fn checkpoint(&mut self, model: &Model) -> surefoot::Result<()> {
        self.0.push(model.to_bytes()?);
        Ok(())
    }
}

#[test]
fn checkpoints_lie_where_a_run_would_have_ended() {
    for (learner, classes, scale) in LEARNERS {
        let task = if classes == 2 { Task::Binary } else { Task::Multiclass };
        let options = options(learner, scale, 1).task(task).checkpoint_every(40);
        let text = rows(classes, 200, 7, 1);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut seen = Checkpoints::default();
        let whole = train(source(&text), &options, &mut seen).unwrap().0.to_bytes().unwrap();
        assert_eq!(seen.0.len(), 5);
        for (at, bytes) in (1..).map(|number| 40 * number).zip(&seen.0[..4]) {
            let (checkpoint, rest) = (Model::from_bytes(bytes).unwrap(), source(&lines[at..].concat()));
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
    let (start, _) = learned(text.split_inclusive('\n').next().unwrap(), &options.task(Task::Binary));
    let mut model = start;
    let mut reader = model.read(source(&text), &surefoot::Reading::default()).unwrap();
    let (mut batch, mut first) = (Batch::new(), true);
    while reader.next_batch(&mut batch).unwrap() {
        for example in batch.iter().skip(usize::from(std::mem::take(&mut first))) {
            model.learn(&example.features, example.label.unwrap(), 1.0).unwrap();
        }
    }
    assert!(has_gaps(&model));
    assert_eq!(weights(&model, 1), weights(&whole, 1));
}

#[test]
fn merged_models_have_no_gaps_and_the_same_weights() {
    for learner in ["arow", "auto"] {
        let options = options(learner, Scale::Rms, 1);
        let both = |apart: u64| {
            let models: Vec<Model> =
                (4..6).map(|seed| learned(&rows(2, 900, seed, apart), &options).0).collect();
            assert_eq!(models.iter().all(has_gaps), apart == 1);
            merge(&models, None).unwrap()
        };
        let (near, far) = (both(1), both(APART));
        assert!(!has_gaps(&near));
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
fn memory_follows_what_was_met() {
    // One id of ten: too few for a learner of many classes, enough for none.
    for (learner, classes) in [("arow", 2), ("auto", 3)] {
        let (model, _) = learned(&rows(classes, 500, 5, 10), &options(learner, Scale::None, 1));
        assert!(!has_gaps(&model), "{learner}");
        assert!(model.learner().gaussian().dimension() <= model.encoder().index().len());
    }
}
