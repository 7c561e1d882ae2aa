//! Models trained apart, merged: what adds up exactly does, what cannot be merged says so.

use surefoot::core::LearnerSpec;
use surefoot::core::learner::Merging;
use surefoot::data::{KeyedFeatures, Ngrams, Normalize, Recipe, Scale, Source, SpaceKind};
use surefoot::train::{Shards, Silent, TrainOptions, resume, train, train_shards};
use surefoot::{Model, Predictor, Reading, Result, evaluate, merge, merge_by, merge_files};

const ROWS: usize = 90;
const DIMENSION: usize = 12;

/// Dense rows with correlated features and noisy labels, rows `from..to` of one endless table.
fn table(from: usize, to: usize) -> Source {
    let number = |i: usize| ((i * 2_654_435_761) % 1000) as f64 / 500.0 - 1.0;
    let mut text = String::new();
    for row in from..to {
        let x: Vec<f64> = (0..DIMENSION).map(|f| number(row * 31 + f) + number(row * 17)).collect();
        let label = if x[0] - x[1] + 0.5 * x[2] + number(row * 7) > 0.0 { "+1" } else { "-1" };
        let cells: Vec<String> = x.iter().enumerate().map(|(f, v)| format!("{}:{v}", f + 1)).collect();
        text += &format!("{label} {}\n", cells.join(" "));
    }
    Source::memory("table.svm", text.into_bytes())
}

/// Some words of three topics; the words and labels of a shard depend on where it begins.
fn words(from: usize, to: usize) -> Source {
    let topics = [("sport", ["goal", "team"]), ("money", ["stock", "price"]), ("weather", ["rain", "sun"])];
    let lines = (from..to).map(|i| {
        let (label, own) = topics[(i / 10 + i) % 3];
        format!("{label}\t{} {} word{}\n", own[i % 2], own[(i / 3) % 2], i % 17)
    });
    Source::memory("words.tsv", lines.collect::<String>().into_bytes())
}

fn options(learner: &str, recipe: Recipe) -> TrainOptions {
    TrainOptions::default().learner(LearnerSpec::parse(learner).unwrap()).recipe(recipe)
}

fn plain() -> Recipe {
    Recipe::default()
}

fn trained(source: Source, options: &TrainOptions) -> Model {
    train(vec![source], options, &mut Silent).unwrap().0
}

/// Score and variance of some examples.
fn moments(model: &Model) -> Vec<(f64, f64)> {
    let ids: Vec<u64> = (1..=DIMENSION as u64).collect();
    let mut predictor = Predictor::new(model);
    let mut one = |i: usize| {
        let values: Vec<f64> = (0..DIMENSION).map(|f| ((i * 7 + f * 3) % 5) as f64 + 0.5).collect();
        let p = predictor.predict(&KeyedFeatures::given(&ids, &values));
        (p.score, p.variance)
    };
    (0..20).map(&mut one).collect()
}

fn assert_close(one: &Model, two: &Model, tolerance: f64, what: &str) {
    for ((a, v), (b, w)) in moments(one).into_iter().zip(moments(two)) {
        assert!((a - b).abs() <= tolerance * (1.0 + a.abs()), "{what}: score {a} {b}");
        assert!((v - w).abs() <= tolerance * (1.0 + v.abs()), "{what}: variance {v} {w}");
    }
}

/// So large an r that no margin reaches 1: every example is an update, whatever the order.
const ALWAYS: &str = "arow/full:r=1000";

#[test]
fn shards_of_a_full_covariance_make_the_model_of_one_machine() {
    let options = options(ALWAYS, plain());
    let whole = trained(table(0, ROWS), &options);
    assert_eq!(whole.counts().updates, ROWS as u64);
    let shards: Vec<Model> = (0..3).map(|i| trained(table(30 * i, 30 * i + 30), &options)).collect();
    let merged = merge(&shards, None).unwrap();
    assert_close(&merged, &whole, 1e-9, "three shards");
    assert_eq!(merged.counts().examples, whole.counts().examples);
    assert_eq!(merged.counts().updates, whole.counts().updates);
}

#[test]
fn a_common_base_is_counted_once() {
    for learner in [ALWAYS, "arow/diagonal:r=1000"] {
        let options = options(learner, plain());
        let go_on = |from, to| {
            let base = trained(table(0, 30), &options);
            resume(base, vec![table(from, to)], &options, &mut Silent).unwrap().0
        };
        let base = trained(table(0, 30), &options);
        let merged = merge_by(&[go_on(30, 60), go_on(60, 90)], Some(&base), Merging::Exact).unwrap();
        let whole = trained(table(0, ROWS), &options);
        assert_eq!(merged.counts().examples, 90);
        for ((a, v), (b, w)) in moments(&merged).into_iter().zip(moments(&whole)) {
            assert!((v - w).abs() < 1e-9 * w, "{learner}: {v} {w}");
            let near = if learner == ALWAYS { 1e-9 } else { 0.1 };
            assert!((a - b).abs() < near, "{learner}: {a} {b}");
        }
        // Without the base what all have in common counts twice.
        let twice = merge(&[go_on(30, 60), go_on(60, 90)], None).unwrap();
        assert!(moments(&twice)[0].1 < moments(&merged)[0].1);
    }
}

#[test]
fn the_order_of_the_models_does_not_matter() {
    for learner in [
        "arow",
        "arow/full",
        "cw-stdev",
        "pa1",
        "pa1:average=true",
        "logistic",
        "ensemble(arow@none; pa1@sqrt)",
    ] {
        let options = options(learner, plain());
        let shards = || (0..3).map(|i| trained(table(30 * i, 30 * i + 30), &options));
        let forth = merge(&shards().collect::<Vec<_>>(), None).unwrap();
        let back = merge(&shards().rev().collect::<Vec<_>>(), None).unwrap();
        assert_eq!(forth.to_bytes().unwrap(), back.to_bytes().unwrap(), "{learner}");
    }
}

#[test]
fn one_model_stays_itself() {
    let model = trained(table(0, 30), &options("arow", plain()));
    assert_eq!(
        merge(&[trained(table(0, 30), &options("arow", plain()))], None).unwrap().to_bytes().unwrap(),
        model.to_bytes().unwrap()
    );
    assert_eq!(merge(&[], None).unwrap_err().to_string(), "no model to merge");
}

#[test]
fn weights_follow_the_names_of_features_and_labels() -> Result<()> {
    for learner in ["arow", "arow:schedule=one-vs-rest", "perceptron", "pa1:average=true"] {
        let train_on = |text: &'static [u8]| {
            let options = options(learner, plain()).task(Some(surefoot::Task::Multiclass));
            trained(Source::memory("x.tsv", text.repeat(5)), &options)
        };
        let one = train_on(b"sport\tgoal team\nmoney\tstock price\nsport\tgoal\nmoney\tprice\n");
        let two = train_on(b"weather\train sun\nmoney\tprice stock\nweather\tsun\nmoney\tstock\n");
        let merged = merge(&[one, two], None)?;
        let mut names: Vec<String> = merged.labels().names().iter().map(ToString::to_string).collect();
        names.sort();
        assert_eq!(names, ["money", "sport", "weather"]);
        assert_eq!(merged.encoder().index().len(), 7);
        let test = Source::memory("t.tsv", *b"sport\tgoal team\nmoney\tstock price\nweather\train sun\n");
        let report = evaluate(&merged, vec![test], &Reading::default())?;
        assert_eq!(report.mistakes(), 0, "{learner}: {:?}", report.confusion);
    }
    Ok(())
}

#[test]
fn first_order_models_are_averaged_by_examples() {
    let options = options("pa1", plain());
    let (one, two) = (trained(table(0, 60), &options), trained(table(60, 90), &options));
    let (a, b) = (moments(&one)[0].0, moments(&two)[0].0);
    let merged = merge(&[one, two], None).unwrap();
    assert!((moments(&merged)[0].0 - (60.0 * a + 30.0 * b) / 90.0).abs() < 1e-12);
}

#[test]
fn factored_models_merge_like_full_ones_while_the_rank_suffices() {
    let shard = |learner: &str, i: usize| trained(table(8 * i, 8 * i + 8), &options(learner, plain()));
    let all =
        |learner: &str| merge(&[shard(learner, 0), shard(learner, 1), shard(learner, 2)], None).unwrap();
    let full = all(ALWAYS);
    assert_close(&all("arow/factored:rank=32,r=1000"), &full, 1e-8, "rank 32");
    // With too few columns the means are still those of all of them; only the variances are approximate.
    for ((a, _), (b, _)) in moments(&all("arow/factored:rank=8,buffer=8,r=1000")).iter().zip(&moments(&full))
    {
        assert!((a - b).abs() < 1e-6 * (1.0 + b.abs()), "{a} {b}");
    }
}

#[test]
fn merged_models_are_models() -> Result<()> {
    for learner in ["arow", "arow/full", "arow/factored:rank=4", "pa1:average=true", "auto"] {
        for space in [SpaceKind::Dictionary, SpaceKind::Hashed { bits: 10, seed: 0 }] {
            let options = options(learner, Recipe { space, normalize: Normalize::L2, ..plain() });
            let merged = merge(&[trained(words(0, 60), &options), trained(words(60, 140), &options)], None)?;
            assert_eq!(merged.counts().examples, 140);
            let report = evaluate(&merged, vec![words(140, 200)], &Reading::default())?;
            assert!(report.error_rate() < 0.1, "{learner} {space:?}: {}", report.error_rate());
            let loaded = Model::from_bytes(&merged.to_bytes()?)?;
            assert_eq!(loaded.to_bytes()?, merged.to_bytes()?);
            let (on, _) = resume(merged, vec![words(200, 260)], &options, &mut Silent)?;
            let (same, _) = resume(loaded, vec![words(200, 260)], &options, &mut Silent)?;
            assert_eq!(on.counts().examples, 200);
            assert_eq!(on.to_bytes()?, same.to_bytes()?, "{learner}");
        }
    }
    Ok(())
}

#[test]
fn running_scales_are_those_of_all_the_data() -> Result<()> {
    for scale in [Scale::Rms, Scale::Standardize] {
        let options = options("arow", Recipe { scale, ..plain() });
        let whole = trained(table(0, ROWS), &options);
        let parts = [trained(table(0, 50), &options), trained(table(50, ROWS), &options)];
        let merged = merge(&parts, None)?;
        let seen = |model: &Model| {
            let mut row = surefoot::data::Row::new();
            let ids: Vec<u64> = (1..=DIMENSION as u64).collect();
            model.encoder().encode_known(&KeyedFeatures::given(&ids, &[1.5; DIMENSION]), &mut row);
            row.values
        };
        for (a, b) in seen(&merged).into_iter().zip(seen(&whole)) {
            assert!((a - b).abs() < 1e-12 * b.abs().max(1.0), "{scale:?}: {a} {b}");
        }
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let refused = |one: Model, two: Model| merge(&[one, two], None).unwrap_err().to_string();
    let arow = || trained(words(0, 30), &options("arow", plain()));
    let with = |learner: &str, recipe: Recipe| trained(words(0, 30), &options(learner, recipe));
    let message = refused(arow(), with("arow:r=7", plain()));
    assert!(
        message.contains("models 1 and 2 cannot be merged: they differ in the learner")
            && message.contains("r=7")
    );
    let mut bigrams = plain();
    bigrams.text.ngrams = Some(Ngrams { min: 1, max: 2 });
    assert!(refused(arow(), with("arow", bigrams)).contains("they differ in `text.ngrams.max` (1 and 2)"));
    let hashed = Recipe { space: SpaceKind::Hashed { bits: 10, seed: 0 }, ..plain() };
    assert!(refused(arow(), with("arow", hashed)).contains("they differ in `space`"));
    let kernel = || with("arow/kernel", plain());
    assert!(refused(kernel(), kernel()).contains("cannot be merged"));
    let two = |text: &'static [u8]| trained(Source::memory("t.tsv", text), &options("arow", plain()));
    assert!(refused(two(b"a\tx\nb\ty\n"), two(b"a\tx\nc\ty\n")).contains("third label"));
    assert!(refused(two(b"a\tx\nb\ty\n"), arow()).contains("same --task"));
}

/// Models in files are merged as models in memory are, one at a time.
#[test]
fn files_merge_as_models_do() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let options = options("auto", plain());
    let models: Vec<Model> = (0..3).map(|i| trained(words(60 * i, 60 * i + 60), &options)).collect();
    let base = trained(words(0, 30), &options);
    let paths: Vec<_> = (0..3).map(|i| folder.path().join(format!("{i}.model"))).collect();
    models.iter().zip(&paths).try_for_each(|(model, path)| model.save(path))?;
    for base in [None, Some(&base)] {
        let (one, two) = (merge(&models, base)?, merge_files(&paths, base, Merging::Measured)?);
        assert_eq!(one.to_bytes()?, two.to_bytes()?);
    }
    Ok(())
}

/// Shards that met one label alone, and labels that others did not meet.
#[test]
fn shards_of_one_label_merge() -> Result<()> {
    let lines = |label: &str, word: &str| format!("{label}\t{word} thing\n").repeat(40);
    for learner in ["arow", "auto", "pa1"] {
        for names in [&["a", "b"][..], &["a", "b", "c"]] {
            let labels = names.iter().map(ToString::to_string).collect();
            let options = options(learner, plain()).labels(labels);
            let shard = |name: &&str| {
                trained(Source::memory("x.tsv", lines(name, &format!("word{name}")).into_bytes()), &options)
            };
            let merged = merge(&names.iter().map(shard).collect::<Vec<_>>(), None)?;
            for name in names {
                let word = format!("word{name}");
                assert_eq!(merged.predict(&[(word.as_str(), 1.0)]).label(), *name, "{learner} {names:?}");
            }
        }
    }
    Ok(())
}

/// A bias that is off is put right by rows with labels, for learners with one member and with several.
#[test]
fn recalibration_finds_the_threshold() -> Result<()> {
    for (learner, labels) in [("arow", 2), ("auto", 2), ("arow/full", 2), ("arow", 3), ("auto", 3)] {
        let rows = |from: usize, to: usize, share: usize| {
            // The first label is rarer or more frequent than the words say.
            let line = |i: usize| {
                let label = if i.is_multiple_of(share) { 0 } else { 1 + i % (labels - 1) };
                format!("l{label}\tword{label} w{} w{}\n", i % 7, (i * 3 + label) % 11)
            };
            Source::memory("rows.tsv", (from..to).map(line).collect::<String>().into_bytes())
        };
        let options = options(learner, plain());
        let mut model = trained(rows(0, 400, 5), &options);
        let before = evaluate(&model, vec![rows(1000, 1600, 5)], &Reading::default())?;
        let held = model.counts();
        assert_eq!(model.recalibrate(vec![rows(400, 1000, 5)], &Reading::default())?, 600);
        let after = evaluate(&model, vec![rows(1000, 1600, 5)], &Reading::default())?;
        let loss = |report: &surefoot::Evaluation| report.metric("log-loss").unwrap();
        assert!(
            after.mistakes() <= before.mistakes() + 6,
            "{learner} {labels}: {} {}",
            after.mistakes(),
            before.mistakes()
        );
        assert!(
            loss(&after) <= 1.1 * loss(&before) + 0.01,
            "{learner} {labels}: {} {}",
            loss(&after),
            loss(&before)
        );
        assert_eq!(model.counts(), held, "{learner}: what it has seen stays");
        let loaded = Model::from_bytes(&model.to_bytes()?)?;
        assert_eq!(loaded.to_bytes()?, model.to_bytes()?);
    }
    let mut model = trained(words(0, 30), &options("arow", plain()));
    let strange = Source::memory("s.tsv", *b"nonsense\tgoal\n");
    let refused = model.recalibrate(vec![strange], &Reading::default()).unwrap_err().to_string();
    assert!(refused.contains("no rows with a label that the model knows"), "{refused}");
    Ok(())
}

/// Shards on threads give the same bytes whenever they run and whatever the reader's threads, and the model is about as good as one
/// that saw all of it.
#[test]
fn training_in_shards_is_the_same_every_time() -> Result<()> {
    for learner in ["arow", "auto"] {
        let run = |threads: usize| {
            let options = options(learner, plain()).threads(threads);
            train_shards(vec![words(0, 600)], &options, &Shards::default().shards(4).rounds(3), &mut Silent)
        };
        let (model, rounds) = run(1)?;
        let (again, _) = run(3)?;
        assert_eq!(model.to_bytes()?, again.to_bytes()?, "{learner}");
        assert_eq!((rounds[0].examples, rounds[0].held_out), (570, 30));
        assert_eq!(rounds.iter().filter(|round| round.kept).count(), 1, "{rounds:?}");
        let report = evaluate(&model, vec![words(600, 800)], &Reading::default())?;
        assert!(report.error_rate() < 0.1, "{learner}: {}", report.error_rate());
    }
    // A line that cannot be learned from stops it, and says where.
    let bad = Source::memory("bad.tsv", *b"a\tx\nb\ty\n\n+\n");
    let options = options("arow", plain()).labels(vec!["a".into(), "b".into()]);
    let refused = train_shards(vec![bad], &options, &Shards::default(), &mut Silent).unwrap_err();
    assert!(refused.to_string().contains("bad.tsv:"), "{refused}");
    Ok(())
}
