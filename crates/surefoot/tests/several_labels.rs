//! Rows of several labels from files to models: what the task is, threads, caches, going on, merging, thresholds, explaining.

use surefoot::core::F1Average;
use surefoot::data::{FormatOptions, KeyedFeatures, Random};
use surefoot::prelude::*;
use surefoot::train::{Silent, resume};
use surefoot::{CommonThreshold, LabelThresholds, Reading, evaluate, evaluate_with, explain, merge};

/// Documents of up to three topics, each with words of its own, as fastText reads them; `first` is the first of them.
fn news(count: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let topics = ["grain", "ship", "gold", "trade", "money"];
    let mut text = String::new();
    for number in 0..count {
        let own: Vec<usize> = (0..topics.len()).filter(|_| random.below(4) == 0).collect();
        own.iter().for_each(|&topic| text += &format!("__label__{} ", topics[topic]));
        for &topic in &own {
            (0..2).for_each(|_| text += &format!("{}{} ", topics[topic], random.below(9)));
        }
        text += &format!("the {} of {number}\n", ["price", "news", "report"][random.below(3) as usize]);
    }
    text
}

fn source(text: &str) -> Vec<Source> {
    vec![Source::memory("news.ft", text.as_bytes())]
}

fn options(learner: &str) -> Result<TrainOptions> {
    Ok(TrainOptions::default().learner(LearnerSpec::parse(learner)?).task(Some(Task::Multilabel)))
}

#[test]
fn the_files_show_that_there_are_several() -> Result<()> {
    for (name, text, separator) in [
        ("a.ft", "__label__a x y\n__label__a __label__b x z\n__label__c z\n", None),
        ("a.svm", "1 1:1\n1,3 2:1\n2 3:1\n", None),
        ("a.vw", "1 | x\n1,3 | y\n2 | z\n", None),
        (
            "a.jsonl",
            "{\"label\": [\"a\"], \"x\": 1}\n{\"label\": [], \"x\": 2}\n{\"label\": [\"a\", \"b\"], \"x\": 1}\n",
            None,
        ),
        ("a.tsv", "a,b\tx y\n\tz\na\tx\n", Some(",")),
        ("a.csv", "label,x\na;b,1\n,2\na,3\n", Some(";")),
    ] {
        let columns =
            FormatOptions { label_separator: separator.map(String::from), ..FormatOptions::default() };
        let plain = TrainOptions::default().columns(columns);
        let (model, report) = train(vec![Source::memory(name, text.as_bytes())], &plain, &mut Silent)?;
        assert_eq!((model.task(), report.examples), (Task::Multilabel, 3), "{name}");
        assert!(report.metric("f1-micro").is_some() && report.metric("accuracy").is_none(), "{name}");
    }
    // A task of one label a row does not take the first of them.
    let one = TrainOptions::default().task(Some(Task::Multiclass));
    let error = train(source("__label__a __label__b x\n"), &one, &mut Silent).unwrap_err().to_string();
    assert!(error.contains("line 1") || error.contains(":1:"), "{error}");
    assert!(error.contains("--task multilabel"), "{error}");
    Ok(())
}

#[test]
fn going_on_is_never_having_stopped_and_threads_change_nothing() -> Result<()> {
    for learner in ["arow", "cw-var:schedule=sequential,top=2", "auto"] {
        let options = options(learner)?;
        let (first, second) = (news(90, 1), news(60, 2));
        let (whole, _) = train(source(&(first.clone() + &second)), &options, &mut Silent)?;
        let (half, _) = train(source(&first), &options, &mut Silent)?;
        let (resumed, _) =
            resume(Model::from_bytes(&half.to_bytes()?)?, source(&second), &options, &mut Silent)?;
        assert!(whole.to_bytes()? == resumed.to_bytes()?, "{learner}");
        for threads in [2, 3] {
            let (other, _) =
                train(source(&(first.clone() + &second)), &options.clone().threads(threads), &mut Silent)?;
            assert!(whole.to_bytes()? == other.to_bytes()?, "{learner} with {threads} threads");
        }
    }
    Ok(())
}

#[test]
fn a_cache_keeps_all_labels() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("news.ft");
    std::fs::write(&path, news(80, 5)).expect("written");
    let options = options("arow")?.passes(2);
    let (plain, _) = train(vec![Source::Path(path.clone())], &options, &mut Silent)?;
    let cache = options.clone().cache(Some(folder.path().join("news.cache")));
    for _ in 0..2 {
        let (cached, _) = train(vec![Source::Path(path.clone())], &cache, &mut Silent)?;
        assert!(plain.to_bytes()? == cached.to_bytes()?);
    }
    Ok(())
}

#[test]
fn thresholds_choose_labels_and_reports_agree() -> Result<()> {
    let (model, _) = train(source(&news(600, 1)), &options("arow")?, &mut Silent)?;
    let test = || source(&news(200, 9));
    let found = evaluate(&model, test(), &Reading::default())?;
    let f1 = found.metric("f1-micro").unwrap_or(0.0);
    assert!(found.several_labels && f1 > 0.9, "{f1}");
    assert!(found.classes.iter().all(|class| class.f1.is_some()) && found.confusion.is_empty());
    let at = |common| -> Result<Vec<Option<f64>>> {
        let thresholds = LabelThresholds::new(&model, common, &[])?;
        let found = evaluate_with(&model, test(), &Reading::default(), Some(&thresholds))?;
        Ok(found.classes.iter().map(|class| class.recall).collect())
    };
    let half = at(CommonThreshold::default())?;
    assert_eq!(half, found.classes.iter().map(|class| class.recall).collect::<Vec<_>>());
    let (low, high) = (at(CommonThreshold::Probability(0.02))?, at(CommonThreshold::Probability(0.98))?);
    assert!(low >= half && half >= high && low != high);
    at(CommonThreshold::F1(F1Average::Micro))?;
    at(CommonThreshold::F1(F1Average::Label))?;
    assert!(LabelThresholds::new(&model, CommonThreshold::Probability(1.5), &[]).is_err());
    Ok(())
}

#[test]
fn models_of_several_labels_merge_and_explain() -> Result<()> {
    for learner in ["arow", "auto"] {
        let options = options(learner)?;
        let (one, _) = train(source(&news(300, 1)), &options, &mut Silent)?;
        let (two, _) = train(source(&news(300, 2)), &options, &mut Silent)?;
        let both = merge(&[one.clone(), two], None)?;
        let found = evaluate(&both, source(&news(200, 9)), &Reading::default())?;
        assert!(found.metric("f1-micro") > Some(0.85), "{learner}: {:?}", found.metric("f1-micro"));
        let other =
            train(source(&news(50, 3)), &options.clone().task(Some(Task::Multilabel)), &mut Silent)?.0;
        assert!(merge(&[one.clone(), other], None).is_ok());
        let single = TrainOptions::default().learner(LearnerSpec::parse(learner)?);
        let (single, _) = train(source("__label__a x\n__label__b y\n__label__c z\n"), &single, &mut Silent)?;
        assert!(merge(&[one.clone(), single], None).is_err(), "another task");
        // What features add is the log odds of having the label.
        let mut predictor = surefoot::Predictor::new(&one);
        let why = explain(&one, &KeyedFeatures::default(), 10)?;
        predictor.predict(&KeyedFeatures::default());
        let label = predictor.prediction().label.expect("a label");
        let p = predictor.probabilities()[label];
        assert!((why.logit - (p / (1.0 - p)).ln()).abs() < 1e-9, "{learner}: {} {p}", why.logit);
    }
    Ok(())
}

#[test]
fn weights_of_labels_are_refused() -> Result<()> {
    let error = train(source(&news(20, 1)), &options("arow")?.balanced(true), &mut Silent).unwrap_err();
    assert!(error.to_string().contains("--class-weight"), "{error}");
    Ok(())
}
