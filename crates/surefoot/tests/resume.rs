//! Learning A then B in one run is learning A, saving, loading, and learning B: the same bytes, with every learner.

use surefoot::core::Spec;
use surefoot::core::rule::RULES;
use surefoot::core::store::STORES;
use surefoot::data::{Random, Recipe, Scale, SpaceKind};
use surefoot::prelude::*;
use surefoot::train::{Silent, resume};

/// Rows in svmlight format with noisy labels of so many classes.
fn rows(classes: u64, count: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for _ in 0..count {
        let class = random.below(classes);
        let shown = if random.below(5) == 0 { random.below(classes) } else { class };
        text += &format!("{}", if classes == 2 { 2 * shown as i64 - 1 } else { shown as i64 + 1 });
        for feature in 1..=6 {
            let value = random.below(9) as f64 - 4.0 + if feature == class + 1 { 4.0 } else { 0.0 };
            text += &format!(" {feature}:{value}");
        }
        text.push('\n');
    }
    text
}

fn source(text: &str) -> Vec<Source> {
    vec![Source::memory("rows.svm", text.as_bytes())]
}

/// Both ways to the same model, for these settings.
fn check(options: &TrainOptions, classes: u64) -> Result<()> {
    let (first, second) = (rows(classes, 61, 1), rows(classes, 40, 2));
    let (whole, _) = train(source(&(first.clone() + &second)), options, &mut Silent)?;
    let (half, _) = train(source(&first), options, &mut Silent)?;
    let loaded = Model::from_bytes(&half.to_bytes()?)?;
    let (resumed, report) = resume(loaded, source(&second), options, &mut Silent)?;
    assert_eq!(report.examples, 40);
    assert!(whole.to_bytes()? == resumed.to_bytes()?, "{} with {classes} classes", whole.spec()?);
    Ok(())
}

fn options(learner: &str, recipe: Recipe) -> Result<TrainOptions> {
    Ok(TrainOptions::default().learner(LearnerSpec::parse(learner)?).recipe(recipe))
}

#[test]
fn every_rule_on_every_store() -> Result<()> {
    for rule in RULES {
        for store in STORES {
            for average in ["false", "true"] {
                let mut spec = Spec::new(rule.name, Some(store.name))?;
                if average == "true" && spec.set("average", average).is_err() {
                    continue;
                }
                let options = TrainOptions::default().learner(LearnerSpec::One(spec));
                check(&options, 2)?;
            }
        }
    }
    Ok(())
}

#[test]
fn a_model_may_be_saved_and_loaded_at_any_line() -> Result<()> {
    let learners = [
        "arow",
        "auto",
        "cw-stdev/full",
        "arow/compact",
        "pa1:average=true",
        "arow/factored:rank=2,buffer=2",
        "arow/kernel:kernel=rbf",
        "ensemble(arow@none+l2; scw1@sqrt+l2)",
    ];
    for (learner, classes) in learners.iter().flat_map(|learner| [(learner, 2), (learner, 3)]) {
        let task = if classes == 2 { Task::Binary } else { Task::Multiclass };
        let options = options(learner, Recipe::default())?.task(Some(task));
        let text = rows(classes, 80, 3);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let whole = train(source(&text), &options, &mut Silent)?.0.to_bytes()?;
        for at in 1..lines.len() {
            let (half, _) = train(source(&lines[..at].concat()), &options, &mut Silent)?;
            let loaded = Model::from_bytes(&half.to_bytes()?)?;
            let (resumed, _) = resume(loaded, source(&lines[at..].concat()), &options, &mut Silent)?;
            assert!(resumed.to_bytes()? == whole, "{learner} with {classes} classes after line {at}");
        }
    }
    Ok(())
}

const SCHEDULES: [&str; 4] = ["sequential", "parallel", "exact", "one-vs-rest"];

#[test]
fn every_rule_on_every_store_by_every_schedule() -> Result<()> {
    for rule in RULES {
        for store in STORES {
            for schedule in SCHEDULES {
                let mut spec = Spec::new(rule.name, Some(store.name))?;
                spec.set("schedule", schedule)?;
                spec.set("top", "2")?;
                match spec.build(Task::Multiclass, 4).map(drop).map_err(|error| error.to_string()) {
                    Ok(()) => {}
                    // Parallel and exact work with the precision projection only.
                    Err(problem) if problem.contains("projection") => spec.set("projection", "precision")?,
                    Err(problem) if problem.contains("hard constraints") => continue,
                    Err(problem) => panic!("{}/{} by {schedule}: {problem}", rule.name, store.name),
                }
                let options = TrainOptions::default().learner(LearnerSpec::One(spec));
                check(&options, 4)?;
            }
        }
    }
    Ok(())
}

#[test]
fn any_number_of_rivals() -> Result<()> {
    for store in STORES {
        for schedule in SCHEDULES {
            for top in ["1", "all"] {
                let rule = if store.learns_covariance { "cw-var" } else { "pa1" };
                let spec = format!("{rule}/{}:schedule={schedule},top={top}", store.name);
                check(&options(&spec, surefoot::default_recipe())?, 4)?;
            }
        }
    }
    Ok(())
}

#[test]
fn ensembles_scalers_and_spaces() -> Result<()> {
    let plain = Recipe::default();
    for classes in [2, 3] {
        check(&options("auto", plain.clone())?, classes)?;
        check(&options("ensemble(arow@none+l2; pa1:average=true@none)", plain.clone())?, classes)?;
        for scale in [Scale::Rms, Scale::Standardize] {
            check(&options("arow", Recipe { scale, ..plain.clone() })?, classes)?;
        }
        for space in [SpaceKind::Dictionary, SpaceKind::Hashed { bits: 3, seed: 0 }] {
            check(&options("arow", Recipe { space, ..plain.clone() })?, classes)?;
        }
    }
    Ok(())
}

#[test]
fn words_get_their_indices_as_if_nothing_had_happened() -> Result<()> {
    let (first, second) =
        ("spam\tcheap pills\nham\tlunch today\n", "spam\tcheap watches\nham\ttoday pills\n");
    let mail = |text: &str| vec![Source::memory("mail.tsv", text.as_bytes())];
    let options = TrainOptions::default();
    let (whole, _) = train(mail(&[first, second].concat()), &options, &mut Silent)?;
    let (half, _) = train(mail(first), &options, &mut Silent)?;
    let (resumed, _) = resume(Model::from_bytes(&half.to_bytes()?)?, mail(second), &options, &mut Silent)?;
    assert_eq!(whole.to_bytes()?, resumed.to_bytes()?);
    Ok(())
}

#[test]
fn skipping_what_was_seen_goes_on_after_an_interruption() -> Result<()> {
    let (first, second) = (rows(2, 61, 1), rows(2, 40, 2));
    let all = first.clone() + &second;
    let options = TrainOptions::default();
    let (whole, _) = train(source(&all), &options, &mut Silent)?;
    let (half, _) = train(source(&first), &options, &mut Silent)?;
    let options = options.skip(half.counts().examples);
    let (resumed, _) = resume(half, source(&all), &options, &mut Silent)?;
    assert_eq!(whole.to_bytes()?, resumed.to_bytes()?);
    Ok(())
}

#[test]
fn further_passes_and_random_orders_do_not_depend_on_threads() -> Result<()> {
    let data = rows(3, 700, 5);
    for shuffle in [false, true] {
        let run = |threads| {
            let options = TrainOptions::default().passes(3).shuffle(shuffle).threads(threads).seed(4);
            let (model, report) = train(source(&data), &options, &mut Silent)?;
            assert_eq!((report.passes, report.examples, model.counts().rounds), (3, 700, 2100));
            model.to_bytes()
        };
        assert_eq!(run(1)?, run(3)?);
    }
    Ok(())
}

#[test]
fn a_third_label_is_left_out_and_counted_if_bad_lines_are() -> Result<()> {
    let text = "+1 1:1\n-1 2:1\n7 1:1\n+1 1:2\n";
    let binary = TrainOptions::default().labels(vec!["-1".into(), "1".into()]);
    let error = train(source(text), &binary, &mut Silent).map(drop).unwrap_err().to_string();
    assert!(error.starts_with("rows.svm:3: label '7' is a third label"), "{error}");
    let skip = binary.on_bad_line(surefoot::data::OnBadLine::Skip);
    let (_, report) = train(source(text), &skip, &mut Silent)?;
    assert_eq!((report.examples, report.bad_lines), (3, 1));
    Ok(())
}
