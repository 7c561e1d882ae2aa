//! The calls behind the commands agree with each other and with counting by hand.

use surefoot::data::{Recipe, Source};
use surefoot::train::{Silent, TrainOptions, train};
use surefoot::{
    Contender, Explanation, Protocol, Reading, Result, compare, default_recipe, evaluate, explain, settings,
};

/// Words that belong to three topics, with words in common; the last topic is rare.
fn topics(rows: usize) -> Source {
    let words = [["goal", "match", "team"], ["stock", "market", "price"], ["rain", "cloud", "sun"]];
    let labels = ["sport", "money", "weather"];
    let mut text = String::new();
    for i in 0..rows {
        let class = if i % 7 == 0 { 2 } else { (i * i + i / 3) % 2 };
        let (own, other) = (words[class][i % 3], words[(i / 2) % 3][(i / 5) % 3]);
        text += &format!("{}\tthe {own} of {other} {}\n", labels[class], i % 11);
    }
    Source::memory("topics.tsv", text.into_bytes())
}

fn options(learner: &str, recipe: Recipe) -> TrainOptions {
    let learner = surefoot::core::LearnerSpec::parse(learner).unwrap();
    TrainOptions::default().learner(learner).recipe(recipe)
}

#[test]
fn evaluation_counts_what_predictions_say() -> Result<()> {
    let (model, _) = train(vec![topics(200)], &TrainOptions::default(), &mut Silent)?;
    let report = evaluate(&model, vec![topics(300)], &Reading::default())?;
    assert_eq!(report.examples, 300);
    let total: u64 = report.confusion.iter().map(|pair| pair.count).sum();
    let wrong = report.confusion.iter().filter(|pair| pair.predicted.as_ref() != Some(&pair.truth));
    assert_eq!((total, wrong.map(|pair| pair.count).sum::<u64>()), (300, report.mistakes()));
    assert_eq!(report.classes.iter().map(|class| class.support).sum::<u64>(), 300);
    assert_eq!(
        report.classes.iter().map(|c| c.label.as_str()).collect::<Vec<_>>(),
        ["money", "sport", "weather"]
    );
    assert_eq!(report.reliability.iter().map(|bin| bin.count).sum::<u64>(), 300);
    assert_eq!(report.metric("accuracy"), Some(1.0 - report.error_rate()));
    assert_eq!(report.error_rate(), report.mistakes() as f64 / 300.0);
    assert!(report.metric("roc-auc").is_none() && report.metric("log-loss").is_some_and(|loss| loss > 0.0));
    assert!(serde_json::to_string(&report).is_ok_and(|text| text.contains("\"calibration_error\"")));
    Ok(())
}

#[test]
fn evaluation_counts_labels_it_does_not_know_as_mistakes() -> Result<()> {
    let (model, _) = train(vec![topics(50)], &TrainOptions::default(), &mut Silent)?;
    let odd = Source::memory("odd.tsv", *b"opera\tthe goal\nopera\tthe rain\nballet\tthe sun\n");
    let report = evaluate(&model, vec![odd], &Reading::default())?;
    assert_eq!((report.examples, report.mistakes()), (3, 3));
    let unknown: Vec<_> = report.unknown_labels.iter().map(|u| (u.label.as_str(), u.count)).collect();
    assert_eq!(unknown, [("ballet", 1), ("opera", 2)]);
    Ok(())
}

#[test]
fn evaluation_needs_labels() -> Result<()> {
    let (model, _) = train(vec![topics(50)], &TrainOptions::default(), &mut Silent)?;
    let bare = Source::memory("bare.vw", *b"| goal\n");
    let error = evaluate(&model, vec![bare], &Reading::default()).unwrap_err().to_string();
    assert_eq!(error, "bare.vw:1: no label to compare with");
    Ok(())
}

#[test]
fn a_progressive_comparison_is_so_many_training_runs() -> Result<()> {
    let names = ["arow:r=1", "perceptron", "arow@binary+l2", "ensemble(arow@sqrt+l2; pa1@none)"];
    let contenders = names.map(|name| Contender::parse(name, &default_recipe()).unwrap());
    let table = compare(&[topics(400)], &contenders, Protocol::Progressive, &TrainOptions::default())?;
    for (contender, row) in contenders.iter().zip(&table.rows) {
        let options =
            TrainOptions::default().learner(contender.learner.clone()).recipe(contender.recipe.clone());
        let (_, report) = train(vec![topics(400)], &options, &mut Silent)?;
        let of_row = (row.mistakes, row.metrics.get("log-loss"));
        assert_eq!(of_row, (report.mistakes, report.metric("log-loss")), "{}", row.learner);
    }
    assert!(table.rows.iter().all(|row| row.mistakes >= table.rows[table.best].mistakes));
    assert!(table.rows[table.best].mcnemar.is_none() && table.rows.iter().all(|row| row.paired_t.is_none()));
    Ok(())
}

/// So many features that training asks for the memory of examples to come, new features in nearly every line.
fn many_features() -> Source {
    let mut text = String::new();
    for i in 0..4000u64 {
        let label = if i % 3 == 0 { "-1" } else { "+1" };
        text += &format!("{label} {}:1 {}:2 {}:1\n", 1 + i % 3, 10 + i * 7919 % 9000, 10000 + i / 2);
    }
    Source::memory("many.svm", text.into_bytes())
}

#[test]
fn looking_ahead_changes_nothing() -> Result<()> {
    let contenders =
        ["arow", "ensemble(arow; pa1)"].map(|name| Contender::parse(name, &default_recipe()).unwrap());
    // Learners side by side do not look ahead.
    let table = compare(&[many_features()], &contenders, Protocol::Progressive, &TrainOptions::default())?;
    for (contender, row) in contenders.iter().zip(&table.rows) {
        let options = options(&row.learner, contender.recipe.clone());
        let (model, report) = train(vec![many_features()], &options, &mut Silent)?;
        assert!(model.encoder().index().len() > 5000);
        let of_row = (row.mistakes, row.metrics.get("log-loss"));
        assert_eq!(of_row, (report.mistakes, report.metric("log-loss")), "{}", row.learner);
    }
    Ok(())
}

#[test]
fn folds_judge_every_example_once_and_depend_on_the_seed() -> Result<()> {
    let contenders = ["arow", "pa1"].map(|name| Contender::parse(name, &default_recipe()).unwrap());
    let run = |seed| {
        let options = TrainOptions::default().seed(seed);
        compare(&[topics(301)], &contenders, Protocol::Folds(4), &options)
    };
    let (one, again, other) = (run(1)?, run(1)?, run(2)?);
    assert_eq!(one.examples, 301);
    let errors =
        |table: &surefoot::Comparison| table.rows.iter().flat_map(|r| r.folds.clone()).collect::<Vec<_>>();
    assert_eq!(errors(&one).len(), 8);
    assert_eq!(errors(&one), errors(&again));
    assert_ne!(errors(&one), errors(&other));
    assert!(one.rows[1 - one.best].paired_t.is_some_and(|p| (0.0..=1.0).contains(&p)));
    Ok(())
}

#[test]
fn a_fold_is_predicted_by_a_learner_that_has_not_seen_it() -> Result<()> {
    // Every text is new and says nothing: only learners that had seen it could be right.
    let lines: String = (0..400).map(|i| format!("{}\tword{i}\n", ["a", "b"][(i / 2) % 2])).collect();
    let data = Source::memory("noise.tsv", lines.into_bytes());
    let contender = Contender::parse("arow:r=0.01", &default_recipe())?;
    let table = compare(&[data], &[contender], Protocol::Folds(5), &TrainOptions::default())?;
    assert!(table.rows[0].error_rate > 0.35, "{}", table.rows[0].error_rate);
    Ok(())
}

#[test]
fn the_default_of_a_comparison_is_what_training_without_a_word_makes() -> Result<()> {
    let contenders = [Contender::parse("arow", &default_recipe())?, Contender::default()];
    let table = compare(&[topics(300)], &contenders, Protocol::Progressive, &TrainOptions::default())?;
    let (_, report) = train(vec![topics(300)], &TrainOptions::default(), &mut Silent)?;
    assert_eq!(table.rows.iter().map(|row| row.default).collect::<Vec<_>>(), [false, true]);
    let row = &table.rows[1];
    assert_eq!((row.mistakes, row.metrics.get("log-loss")), (report.mistakes, report.metric("log-loss")));
    Ok(())
}

#[test]
fn comparisons_that_cannot_be_made_are_refused() {
    let refused = |sources: &[Source], names: &[&str], protocol| {
        let contenders: Vec<_> =
            names.iter().map(|n| Contender::parse(n, &default_recipe()).unwrap()).collect();
        compare(sources, &contenders, protocol, &TrainOptions::default()).unwrap_err().to_string()
    };
    assert!(refused(&[topics(9)], &[], Protocol::Progressive).starts_with("no learner to compare"));
    assert!(refused(&[topics(9)], &["arow"], Protocol::Folds(1)).starts_with("1 folds;"));
    assert!(refused(&[Source::Stdin], &["arow"], Protocol::Folds(3)).contains("read only once"));
    assert!(
        refused(&[Source::Stdin], &["arow", "arow@none"], Protocol::Progressive).contains("read only once")
    );
}

#[test]
fn every_rule_has_settings_to_search() -> Result<()> {
    for rule in surefoot::core::rule::RULES {
        let found = settings(rule.name)?;
        assert_eq!(found.len() > 1, !rule.params.is_empty(), "{}", rule.name);
        let default = surefoot::core::Spec::parse(rule.name)?.text(surefoot::core::Task::Binary)?;
        let texts = found.iter().map(|learner| learner.text(surefoot::core::Task::Binary));
        assert!(texts.flatten().any(|text| text == default), "{}: the default is not tried", rule.name);
    }
    for whole in ["auto", "ensemble(arow:r=1@none; pa1@sqrt+l2)", "bank(arow)"] {
        assert!(matches!(&settings(whole)?[..], [learner] if learner.is_ensemble()), "{whole}");
    }
    assert!(settings("arow:r=1|x").unwrap_err().to_string().contains("expected a finite number above 0"));
    Ok(())
}

/// The explanation of every example of a source.
fn explained(model: &surefoot::Model, source: Source) -> Result<Vec<Explanation>> {
    let mut reader = model.read(vec![source], &Reading::default())?;
    let (mut batch, mut found) = (surefoot::data::Batch::new(), Vec::new());
    while reader.next_batch(&mut batch)? {
        for example in batch.iter() {
            found.push(explain(model, &example.features, usize::MAX)?);
        }
    }
    Ok(found)
}

#[test]
fn contributions_add_up_to_the_log_odds() -> Result<()> {
    let learners = [
        "auto",
        "arow",
        "pa1:average=true",
        "arow:schedule=one-vs-rest",
        "arow/full",
        "ensemble(arow:r=0.001@none; pa1@sqrt+l2; cw-stdev/full@binary)",
    ];
    let mail =
        Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\nspam\tcheap now\nham\tlunch\n");
    for learner in learners {
        for (data, new) in [(topics(120), topics(40)), (mail.clone(), mail.clone())] {
            let (model, _) = train(vec![data], &options(learner, default_recipe()), &mut Silent)?;
            for why in explained(&model, new)? {
                let sum: f64 = why.features.iter().map(|own| own.contribution).sum();
                let second = why.runner_up.as_ref().expect("several labels").probability;
                let odds = (why.probability / second).ln();
                assert!((sum - odds).abs() < 1e-9, "{learner}: {sum} {odds}");
                assert!((why.logit - odds).abs() < 1e-9 && why.sd >= 0.0, "{learner}: {}", why.logit);
                let shares: f64 = why.features.iter().map(|own| own.share).sum();
                assert!((shares - 1.0).abs() < 1e-12, "{learner}: {shares}");
                let product = |own: &surefoot::Contribution| own.value * own.mean - own.contribution;
                assert!(why.features.iter().all(|own| product(own).abs() < 1e-12 && own.sd > 0.0));
            }
        }
    }
    Ok(())
}

#[test]
fn of_two_labels_contributions_speak_for_the_predicted_one() -> Result<()> {
    let data =
        Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\nspam\tcheap now\nham\tlunch\n");
    for learner in ["arow", "ensemble(arow@sqrt+l2; pa1@none)"] {
        let (model, _) = train(vec![data.clone()], &options(learner, Recipe::default()), &mut Silent)?;
        let why = explained(&model, Source::memory("new.tsv", *b"ham\tlunch sooner\n"))?.remove(0);
        assert_eq!((why.label.as_deref(), why.unknown), (Some("ham"), 1));
        let first = &why.features[0];
        assert!(first.feature == "lunch" && first.contribution > 0.0, "{why:?}");
    }
    Ok(())
}

/// What is cut off is summed up.
#[test]
fn features_that_are_not_listed_are_counted() -> Result<()> {
    let (model, _) = train(vec![topics(120)], &options("auto", default_recipe()), &mut Silent)?;
    let mut reader = model.read(vec![topics(1)], &Reading::default())?;
    let mut batch = surefoot::data::Batch::new();
    reader.next_batch(&mut batch)?;
    let (all, some) = (
        explain(&model, &batch.example(0).features, usize::MAX)?,
        explain(&model, &batch.example(0).features, 2)?,
    );
    assert_eq!((some.features.len(), some.others.features), (2, all.features.len() - 2));
    let listed: f64 = some.features.iter().map(|own| own.contribution).sum();
    assert!((listed + some.others.contribution - all.logit).abs() < 1e-12 && all.others.features == 0);
    Ok(())
}
