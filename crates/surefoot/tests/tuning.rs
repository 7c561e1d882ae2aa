//! A search keeps the best of what it tried, and its model is the one that training with those settings makes.

use std::time::Duration;

use surefoot::core::{LearnerSpec, metric};
use surefoot::data::{Ngrams, Recipe, Scale, Source};
use surefoot::train::{Silent, TrainOptions, train};
use surefoot::{
    Contender, FeatureSearch, Model, Result, Search, Tuning, default_recipe, default_recipe_for, settings,
    tune,
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

/// The same topics, of which a row may have several.
fn several(rows: usize) -> Source {
    let words = [["goal", "match", "team"], ["stock", "market", "price"], ["rain", "cloud", "sun"]];
    let row = |i: usize| -> String {
        // The first row shows that there may be several.
        let own = (0..3).filter(|topic| i == 0 || (i * i + i / 3 + topic * 5).is_multiple_of(4));
        let own: Vec<usize> = own.collect();
        let labels: String = own.iter().map(|topic| format!("__label__{topic} ")).collect();
        let text: String = own.iter().map(|&topic| format!("{} ", words[topic][i % 3])).collect();
        format!("{labels}the {text}of {}\n", i % 11)
    };
    Source::memory("topics.ft", (0..rows).map(row).collect::<String>().into_bytes())
}

/// Two words whose order is the label.
fn orders(rows: usize) -> Source {
    let line = |i: usize| match (i * 37 % 1009) % 2 {
        0 => format!("yes\tgood {} not bad\n", i % 3),
        _ => format!("no\tbad {} not good\n", i % 3),
    };
    Source::memory("orders.tsv", (0..rows).map(line).collect::<String>().into_bytes())
}

/// Three measurements, of which the smallest decides.
fn measurements(rows: usize) -> Source {
    let noise = |i: usize, step: usize| (i * step % 1009) as f64 / 1009.0 - 0.5;
    let line = |i: usize| {
        let (decides, large, larger) = (noise(i, 37), noise(i, 101), noise(i, 211));
        let label = if decides > 0.0 { "+1" } else { "-1" };
        format!("{label} 1:{} 2:{} 3:{}\n", 0.01 * decides, 500.0 + 100.0 * large, 1e4 * larger)
    };
    Source::memory("measured.svm", (0..rows).map(line).collect::<String>().into_bytes())
}

fn candidates(patterns: &[&str], recipe: &Recipe) -> Vec<Contender> {
    let learners = patterns.iter().flat_map(|pattern| settings(pattern).unwrap()).collect::<Vec<_>>();
    Contender::all(&learners, recipe).unwrap()
}

fn with_default(patterns: &[&str]) -> Search {
    let mut all = vec![Contender::default()];
    all.extend(candidates(patterns, &default_recipe()));
    Search::default().candidates(all)
}

fn everything() -> FeatureSearch {
    FeatureSearch::default().words(true).characters(true).values(true).scale(true)
}

/// The model that `train` makes with a learner, with the recipe that it has by default and this change.
fn trained(source: Source, learner: &str, change: impl Fn(&mut Recipe)) -> Result<Model> {
    let learner = LearnerSpec::parse(learner)?;
    let mut recipe = default_recipe_for(&learner);
    change(&mut recipe);
    Ok(train(vec![source], &TrainOptions::default().learner(learner).recipe(recipe), &mut Silent)?.0)
}

fn search(source: Source, search: &Search) -> Result<(Model, Tuning)> {
    tune(&[source], search, &TrainOptions::default())
}

#[test]
fn the_winner_is_the_model_that_training_it_alone_gives() -> Result<()> {
    let tried = candidates(&["arow:r=0.01|0.1|1|10,schedule=sequential|one-vs-rest"], &default_recipe());
    let (model, table) = search(topics(300), &Search::default().candidates(tried))?;
    assert_eq!(table.rows.len(), 8);
    assert!(table.rows.is_sorted_by(|a, b| a.mistakes <= b.mistakes));
    assert_eq!(model.to_bytes()?, trained(topics(300), &table.rows[0].learner, |_| ())?.to_bytes()?);
    Ok(())
}

#[test]
fn neighbours_in_a_pass_leave_no_trace() -> Result<()> {
    // Rows so few that `auto` has not decided who joins, ids with gaps, and learners that take none.
    let points = || Source::memory("few.svm", *b"+1 7:1 900:2\n-1 8:1 70000:1\n+1 7:1\n-1 8:2 900:1\n");
    let patterns = ["perceptron", "arow:r=1", "arow/full:r=1", "auto"];
    for winner in patterns {
        let recipe = Recipe::default();
        let mut tried = candidates(&[winner], &recipe);
        for other in patterns {
            tried.extend(candidates(&[other], &recipe));
        }
        // Of equals the first wins, so that each wins once.
        let search = Search::default().candidates(tried).metric(metric::find("roc-auc")?);
        let (model, table) = tune(&[points()], &search, &TrainOptions::default())?;
        let plain = |recipe: &mut Recipe| *recipe = Recipe::default();
        let best = &table.rows[0].learner;
        assert_eq!(model.to_bytes()?, trained(points(), best, plain)?.to_bytes()?, "{winner}: {best}");
    }
    Ok(())
}

#[test]
fn the_default_is_tried_and_kept_if_nothing_is_better() -> Result<()> {
    let (model, table) = search(topics(300), &with_default(&["perceptron", "pa"]))?;
    assert_eq!(table.rows.iter().filter(|row| row.default).count(), 1);
    assert!(table.rows[0].default && table.rows[0].learner == "auto", "{:?}", table.rows[0]);
    assert_eq!(model.to_bytes()?, trained(topics(300), "auto", |_| ())?.to_bytes()?);
    let (_, alone) =
        search(topics(300), &Search::default().candidates(candidates(&["auto"], &default_recipe())))?;
    assert_eq!((alone.rows.len(), alone.rows[0].mistakes), (1, table.rows[0].mistakes));
    Ok(())
}

#[test]
fn no_metric_is_worse_than_that_of_plain_training() -> Result<()> {
    for spec in surefoot::tuning_metrics() {
        let source = || match spec.tasks {
            metric::Tasks::TwoClasses => orders(200),
            metric::Tasks::OneClass => topics(200),
            metric::Tasks::Labels => several(200),
        };
        let wanted = with_default(&["arow:r=0.01|1", "logistic:scale=1|10"]).metric(spec);
        let (model, table) = search(source(), &wanted)?;
        let loss = |value: Option<f64>| {
            value.map_or(
                f64::INFINITY,
                |value| if spec.higher_is_better == Some(true) { -value } else { value },
            )
        };
        let losses: Vec<f64> = table.rows.iter().map(|row| loss(row.metric(spec.name))).collect();
        assert!(losses.is_sorted() && table.metric == spec.name, "{}: {losses:?}", spec.name);
        assert!(table.rows.iter().any(|row| row.default), "{}", spec.name);
        let again = trained(source(), &table.rows[0].learner, |_| ())?;
        assert_eq!(model.to_bytes()?, again.to_bytes()?, "{}", spec.name);
    }
    let refused = search(topics(50), &with_default(&[]).metric(metric::find("roc-auc")?)).unwrap_err();
    assert!(refused.to_string().starts_with("roc-auc has no value on this data"), "{refused}");
    Ok(())
}

#[test]
fn features_that_help_are_found() -> Result<()> {
    // The default sees pairs of words by itself, and scales what is measured.
    let wanted = |patterns: &[&str]| {
        Search::default().candidates(candidates(patterns, &default_recipe())).features(everything())
    };
    let (model, table) = search(orders(400), &wanted(&["arow:r=0.1|1"]))?;
    let (best, plain) = (&table.rows[0], table.rows.iter().find(|row| row.features.is_empty()));
    assert!(plain.is_some_and(|plain| 4 * best.mistakes < plain.mistakes), "{:?}", table.rows);
    let max = if best.features == "--ngrams 1-2" { 2 } else { 3 };
    assert_eq!(best.features, format!("--ngrams 1-{max}"), "{:?}", table.rows);
    let pairs = |recipe: &mut Recipe| recipe.text.ngrams = Some(Ngrams { min: 1, max });
    assert_eq!(model.to_bytes()?, trained(orders(400), &best.learner, pairs)?.to_bytes()?);
    // Those that were worse before are tried with them, too.
    let with_pairs = table.rows.iter().filter(|row| row.features == best.features);
    assert_eq!(with_pairs.count(), 2);
    assert!(table.untried.is_empty());

    let (model, table) = search(measurements(400), &wanted(&["arow"]))?;
    let best = &table.rows[0];
    assert!(best.features.contains("--scale-features"), "{:?}", table.rows);
    assert!(table.rows.iter().all(|row| !row.features.contains("ngrams")), "there is no text");
    assert_ne!(model.encoder().recipe().scale, Scale::None);
    Ok(())
}

#[test]
fn what_is_not_to_change_stays() -> Result<()> {
    let wanted = with_default(&["arow:r=1"]).features(FeatureSearch::default().characters(true));
    let (_, table) = search(orders(100), &wanted)?;
    let changed: Vec<_> =
        table.rows.iter().map(|row| &row.features).filter(|flags| !flags.is_empty()).collect();
    assert!(
        !changed.is_empty() && changed.iter().all(|flags| flags.starts_with("--char-ngrams")),
        "{changed:?}"
    );
    assert!(
        changed.iter().all(|flags| !flags.contains(' ') || flags.matches("--").count() == 1),
        "{changed:?}"
    );
    Ok(())
}

#[test]
fn without_time_the_first_candidates_are_tried_and_the_others_named() -> Result<()> {
    let wanted = with_default(&["arow:r=0.1|1"]).features(everything()).budget(Some(Duration::ZERO));
    let (model, table) = search(orders(100), &wanted)?;
    assert!(table.rows.len() == 1 && table.rows[0].default, "{:?}", table.rows);
    assert_eq!(model.to_bytes()?, trained(orders(100), "auto", |_| ())?.to_bytes()?);
    let untried: Vec<String> = table.untried.iter().map(|one| one.described(&one.learner)).collect();
    assert!(untried[0].starts_with("arow/diagonal:") && untried[0].contains("r=0.1"), "{untried:?}");
    assert!(untried.contains(&"auto --ngrams 1-2".to_string()), "{untried:?}");
    Ok(())
}

/// What `train` says of the features of these lines.
fn note(
    name: &str,
    lines: impl Iterator<Item = String>,
    change: impl Fn(&mut Recipe),
) -> Result<Vec<String>> {
    let mut options = TrainOptions::default();
    change(&mut options.recipe);
    let source = Source::memory(name, lines.collect::<String>().into_bytes());
    let (_, report) = train(vec![source], &options, &mut Silent)?;
    Ok(report.notes.into_iter().filter(|note| note.contains("--scale-features")).collect())
}

#[test]
fn raw_measurements_are_named() -> Result<()> {
    let noise = |i: usize, step: usize| (1 + i * step % 1009) as f64 / 1009.0;
    let label = |i: usize| ["+1", "-1"][i % 2];
    let row = |factor: f64, offset: f64| {
        move |i: usize| {
            let (one, other) = (offset + noise(i, 37), offset + factor * noise(i, 37));
            format!("{} 1:{one} 2:{other}\n", label(i))
        }
    };
    let as_is = |_: &mut Recipe| ();
    let wild = note("d.svm", (0..300).map(row(3400.0, 0.0)), as_is)?;
    let said = "features differ in scale by a factor of 3,400; --scale-features standardize (or rms) may help; \
                surefoot tune … --features tries it";
    assert_eq!(wild, [said]);
    let far = note("d.svm", (0..300).map(row(2.0, 1.0)), as_is)?;
    assert!(far[0].starts_with("half of the features have a mean 5."), "{far:?}");
    assert!(far[0].contains(" or more standard deviations from 0; --scale-features"), "{far:?}");
    // In one scale, scaled already, or a mark beside ids that are no measurements.
    assert!(note("d.svm", (0..300).map(row(20.0, 0.0)), as_is)?.is_empty());
    for scale in [Scale::Rms, Scale::Standardize] {
        assert!(note("d.svm", (0..300).map(row(3400.0, 0.0)), |recipe| recipe.scale = scale)?.is_empty());
    }
    let marks = |i: usize| format!("{} {}:1 {}:1 200:5000\n", label(i), 1 + i % 50, 60 + i % 7);
    assert!(note("d.svm", (0..300).map(marks), as_is)?.is_empty());
    let rare = |i: usize| format!("{} 1:{} {}:{}\n", label(i), noise(i, 37), 2 + i % 9, 1e4 * noise(i, 101));
    assert!(note("d.svm", (0..300).map(rare), as_is)?.is_empty());
    let many = |i: usize| format!("{} 1:{} 2:{} {}:1\n", label(i), noise(i, 37), 1e4 * noise(i, 101), 10 + i);
    assert!(note("d.svm", (0..1500).map(many), as_is)?.is_empty(), "ids");
    // Text, and text beside a number.
    assert!(note("d.tsv", (0..300).map(|i| format!("{}\tto be or not {i}\n", label(i))), as_is)?.is_empty());
    let header = std::iter::once("label,text,price,weight\n".to_string());
    let priced =
        |i: usize| format!("{},to be or {},{},{}\n", label(i), i % 9, 1e4 * noise(i, 101), noise(i, 37));
    assert!(note("d.csv", header.chain((0..300).map(priced)), as_is)?.is_empty());
    Ok(())
}

#[test]
fn standard_input_is_read_once() {
    let refused =
        |search: &Search| tune(&[Source::Stdin], search, &TrainOptions::default()).unwrap_err().to_string();
    assert!(refused(&with_default(&["arow"])).contains("--no-default"));
    let alone = Search::default().candidates(candidates(&["arow"], &default_recipe()));
    assert!(refused(&alone.features(everything())).contains("standard input can be read only once"));
    assert_eq!(
        tune(&[topics(9)], &Search::default(), &TrainOptions::default()).unwrap_err().to_string(),
        "no setting to try"
    );
}
