//! Where rows are dense, a learner that keeps correlations joins `auto`, and nothing else depends on when that is.

use surefoot::data::{KeyedFeatures, Random};
use surefoot::prelude::*;
use surefoot::train::{Silent, resume};
use surefoot::{Comparison, Contender, Protocol, Reading, compare, evaluate, merge};

/// Rows of correlated measurements in svmlight format, each with most of the columns.
fn measurements(classes: u64, count: usize, seed: u64) -> String {
    table(12, classes, count, seed)
}

/// The same with so many columns.
fn table(columns: u64, classes: u64, count: usize, seed: u64) -> String {
    let (mut random, mut text) = (Random::new(seed), String::new());
    for _ in 0..count {
        let class = random.below(classes);
        let common = random.below(1000) as f64 / 100.0;
        text += &format!("{}", class + 1);
        for column in 1..=columns {
            let own = random.below(100) as f64 / 200.0 + if column % classes == class { 0.6 } else { 0.0 };
            text += &format!(" {column}:{}", common + own + 0.1);
        }
        text.push('\n');
    }
    text
}

/// Rows that have a few of many features each.
fn words(count: usize) -> String {
    let mut random = Random::new(9);
    let row = |_| {
        let mut ids: Vec<u64> = (0..8).map(|_| 1 + random.below(500)).collect();
        ids.sort_unstable();
        ids.dedup();
        let label = 1 + ids[0] % 2;
        format!("{label} {}\n", ids.iter().map(|id| format!("{id}:1")).collect::<Vec<_>>().join(" "))
    };
    (0..count).map(row).collect()
}

fn source(text: &str) -> Vec<Source> {
    vec![Source::memory("rows.svm", text.as_bytes())]
}

fn learned(text: &str, threads: usize) -> Result<Model> {
    let options = TrainOptions::default().threads(threads);
    Ok(train(source(text), &options, &mut Silent)?.0)
}

fn joined(model: &Model) -> Result<bool> {
    Ok(model.spec()?.contains("factored"))
}

#[test]
fn a_member_that_keeps_correlations_joins_where_there_are_some() -> Result<()> {
    for classes in [2, 3] {
        let text = measurements(classes, 200, 1);
        let model = learned(&text, 1)?;
        assert!(joined(&model)?, "{}", model.spec()?);
        assert!(model.to_bytes()? == learned(&text, 2)?.to_bytes()?, "{classes} classes on two threads");
        let again = Model::from_bytes(&model.to_bytes()?)?;
        assert_eq!(again.to_bytes()?, model.to_bytes()?);
    }
    assert!(!joined(&learned(&words(200), 1)?)?, "words have no correlations worth keeping");
    assert!(!joined(&learned(&measurements(2, 60, 1), 1)?)?, "too few rows to tell");
    Ok(())
}

#[test]
fn row_by_row_it_joins_in_the_same_round() -> Result<()> {
    // More columns than a page of the index has.
    let text = table(400, 2, 120, 1);
    let trained = learned(&text, 1)?;
    let recipe = trained.encoder().recipe().clone();
    let mut model = Model::new(Settings::new(LearnerSpec::parse("auto")?, trained.labels().clone(), recipe))?;
    for row in text.lines() {
        let mut words = row.split(' ');
        let label = words.next().unwrap_or_default();
        let pairs = words.filter_map(|word| word.split_once(':'));
        let pairs =
            pairs.filter_map(|(id, value)| Some((id.parse::<u64>().ok()?, value.parse::<f64>().ok()?)));
        let (ids, values): (Vec<u64>, Vec<f64>) = pairs.unzip();
        model.learn(&KeyedFeatures::given(&ids, &values), label)?;
    }
    assert!(joined(&model)? && joined(&trained)?);
    let probabilities = |model: &Model| evaluate(model, source(&text), &Reading::default());
    let loss = |model: &Model| Ok::<_, Error>(probabilities(model)?.metric("log-loss"));
    assert!(loss(&model)?.is_some());
    assert_eq!(loss(&model)?, loss(&trained)?);
    assert_eq!(model.learner().save(), trained.learner().save());
    assert_eq!(model.head().save(), trained.head().save());
    Ok(())
}

#[test]
fn an_ensemble_that_was_asked_for_stays_as_it_is() -> Result<()> {
    let learner = LearnerSpec::parse("ensemble(arow@none; logistic@none)")?;
    let options = TrainOptions::default().learner(learner);
    let (model, _) = train(source(&measurements(2, 200, 1)), &options, &mut Silent)?;
    assert!(!joined(&model)?);
    // Of `auto` as of an ensemble: what it says of itself is what it can be made from again.
    let auto = learned(&measurements(2, 200, 1), 1)?;
    assert_eq!(LearnerSpec::parse(&auto.spec()?)?.text(auto.task())?, auto.spec()?);
    Ok(())
}

#[test]
fn it_does_not_matter_where_the_stream_is_interrupted() -> Result<()> {
    for classes in [2, 3] {
        let text = measurements(classes, 130, 2);
        let lines: Vec<&str> = text.lines().collect();
        let labels = (1..=classes).map(|label| label.to_string()).collect();
        let options = TrainOptions::default().labels(labels);
        let (whole, _) = train(source(&text), &options, &mut Silent)?;
        assert!(joined(&whole)?);
        for cut in [1, 20, 63, 64, 65, 100] {
            let [first, second] = [&lines[..cut], &lines[cut..]].map(|part| part.join("\n"));
            let (half, _) = train(source(&first), &options, &mut Silent)?;
            let half = Model::from_bytes(&half.to_bytes()?)?;
            let (resumed, _) = resume(half, source(&second), &options, &mut Silent)?;
            assert!(resumed.to_bytes()? == whole.to_bytes()?, "{classes} classes, cut after {cut}");
        }
    }
    Ok(())
}

#[test]
fn in_a_comparison_it_is_the_same_ensemble() -> Result<()> {
    let text = measurements(2, 150, 3);
    let options = TrainOptions::default();
    let (model, report) = train(source(&text), &options, &mut Silent)?;
    let contender = Contender::parse("auto", &options.recipe)?;
    let Comparison { rows, .. } = compare(&source(&text), &[contender], Protocol::Progressive, &options)?;
    assert_eq!(rows[0].error_rate, report.error_rate, "of {}", model.spec()?);
    Ok(())
}

#[test]
fn models_that_have_not_decided_merge_with_those_that_have() -> Result<()> {
    let [few, many, other] = [(30, 4), (150, 5), (40, 6)].map(|(count, seed)| measurements(2, count, seed));
    let (few, many, other) = (learned(&few, 1)?, learned(&many, 1)?, learned(&other, 1)?);
    let (bytes, few_bytes) = (many.to_bytes()?, few.to_bytes()?);
    let both = merge(&[few, many], None)?;
    assert!(joined(&both)? && both.counts().examples == 180);
    // Together they know enough, as soon as one more row comes.
    let both = merge(&[Model::from_bytes(&few_bytes)?, other], None)?;
    assert!(!joined(&both)?);
    let (both, _) = resume(both, source(&measurements(2, 1, 7)), &TrainOptions::default(), &mut Silent)?;
    assert!(joined(&both)?);
    // A base that had not decided.
    let base = Model::from_bytes(&few_bytes)?;
    let parts = [8, 9].map(|seed| -> Result<Model> {
        let go_on = Model::from_bytes(&few_bytes)?;
        Ok(resume(go_on, source(&measurements(2, 80, seed)), &TrainOptions::default(), &mut Silent)?.0)
    });
    let parts: Vec<Model> = parts.into_iter().collect::<Result<_>>()?;
    let both = merge(&parts, Some(&base))?;
    assert!(joined(&both)? && both.counts().examples == 190);
    assert!(joined(&Model::from_bytes(&bytes)?)?);
    Ok(())
}
