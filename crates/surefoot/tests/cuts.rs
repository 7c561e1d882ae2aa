//! Text cut in several ways, of which members of an ensemble see some: whole models.

use std::collections::HashSet;

use surefoot::data::{Batch, Ngrams, Source, SpaceKind};
use surefoot::prelude::*;
use surefoot::train::{Silent, resume};
use surefoot::{Contender, Predictor, Reading, default_recipe_for, explain};

const LEARNER: &str =
    "ensemble(arow/compact:r=0.1@words+pairs:sqrt+l2; scw1/compact@words+pairs:nb; arow/compact@chars:nb+l2)";

const WORDS: [&str; 12] =
    ["not", "good", "bad", "very", "Film", "plot,", "dull", "fine", "ending.", "café", "at", "all"];

/// Texts, of which every third ends with a word of its own.
fn texts(from: usize, to: usize) -> String {
    let line = |i: usize| {
        let words: Vec<&str> = (0..6).map(|k| WORDS[(i * (k + 3) + k * k * 5 + i / 7) % 12]).collect();
        let label = if words.windows(2).any(|pair| pair == ["not", "good"] || pair[0] == "dull") {
            "neg"
        } else {
            "pos"
        };
        let own = if i.is_multiple_of(3) { format!(" unique{i}") } else { String::new() };
        format!("{label}\t{}{own}\n", words.join(" "))
    };
    (from..to).map(line).collect()
}

fn tsv(from: usize, to: usize) -> Vec<Source> {
    vec![Source::memory("texts.tsv", texts(from, to).into_bytes())]
}

/// The same in a table with a number and a category behind the text.
fn table(from: usize, to: usize) -> Vec<Source> {
    let rows = texts(from, to);
    let rows = rows.lines().enumerate().map(|(i, line)| {
        let (label, text) = line.split_once('\t').expect("a label");
        format!("{label},\"{text}\",{},kind {}\n", i % 5, i % 3)
    });
    let text = format!("label,text,stars,kind\n{}", rows.collect::<String>());
    vec![Source::memory("table.csv", text.into_bytes())]
}

fn options() -> TrainOptions {
    let learner = LearnerSpec::parse(LEARNER).expect("a SPEC");
    TrainOptions::default().recipe(default_recipe_for(&learner)).learner(learner)
}

fn names(model: &Model) -> HashSet<String> {
    model.weights().map(|weight| weight.feature.to_string()).collect()
}

#[test]
fn words_pairs_and_characters_are_features_by_name() -> Result<()> {
    let (model, report) = train(tsv(0, 120), &options(), &mut Silent)?;
    let names = names(&model);
    for name in ["not", "not good", "plot", "#fil", "#café", "# not", "(bias)"] {
        assert!(names.contains(name), "{name} of {names:?}");
    }
    // A word gets its weight at once; a pair or some characters when they come again, but for a few.
    let early = names.iter().filter(|name| name.contains(" unique")).count();
    assert!(names.contains("unique3") && early < 8, "{early} of 40");
    assert!(report.error_rate < 0.3, "{}", report.error_rate);
    let (mut reader, mut batch) = (model.read(tsv(0, 9), &Reading::default())?, Batch::new());
    assert!(reader.next_batch(&mut batch)?);
    for example in batch.iter() {
        let why = explain(&model, &example.features, usize::MAX)?;
        let mut predictor = Predictor::new(&model);
        predictor.predict(&example.features);
        let odds = (predictor.probabilities()[0] / predictor.probabilities()[1]).ln().abs();
        let sum: f64 = why.features.iter().map(|own| own.contribution).sum();
        assert!((sum - odds).abs() < 1e-6 * (1.0 + odds), "{sum} {odds}");
    }
    Ok(())
}

#[test]
fn stopping_threads_passes_and_caches_change_nothing() -> Result<()> {
    for rows in [tsv, table] {
        for space in [SpaceKind::Auto, SpaceKind::Hashed { bits: 9, seed: 0 }] {
            let mut options = options();
            options.recipe.space = space;
            let whole = train(rows(0, 150), &options, &mut Silent)?.0.to_bytes()?;
            for threads in [1, 3] {
                let options = options.clone().threads(threads);
                assert!(
                    train(rows(0, 150), &options, &mut Silent)?.0.to_bytes()? == whole,
                    "{threads} threads"
                );
            }
            let (half, _) = train(rows(0, 70), &options, &mut Silent)?;
            let half = Model::from_bytes(&half.to_bytes()?)?;
            if space == SpaceKind::Auto && rows(0, 1)[0].name().ends_with("tsv") {
                let (rest, _) = resume(half, rows(70, 150), &options, &mut Silent)?;
                assert!(rest.to_bytes()? == whole);
            }
        }
    }
    Ok(())
}

#[test]
fn a_cache_keeps_what_cut_each_feature() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("texts.tsv");
    std::fs::write(&file, texts(0, 150)).expect("written");
    let files = || vec![Source::from_argument(&file)];
    let twice = options().passes(2);
    let cached = twice.clone().cache(Some(folder.path().join("x.cache")));
    let plain = train(files(), &twice, &mut Silent)?.0.to_bytes()?;
    for _ in 0..2 {
        assert!(train(files(), &cached, &mut Silent)?.0.to_bytes()? == plain);
    }
    Ok(())
}

#[test]
fn columns_that_are_not_text_are_seen_by_every_member() -> Result<()> {
    let (model, _) = train(table(0, 120), &options(), &mut Silent)?;
    let ensemble = model.learner().as_ensemble().expect("an ensemble");
    let (mut reader, mut batch) = (model.read(table(3, 12), &Reading::default())?, Batch::new());
    assert!(reader.next_batch(&mut batch)?);
    let (index, mut row) = (model.encoder().index(), surefoot::data::Row::new());
    let seen = |member: usize, row: &surefoot::data::Row| -> Result<HashSet<String>> {
        let seen = ensemble.seen_by(member, row.vector()?);
        Ok(seen.features().ids().iter().filter_map(|&id| Some(index.name(id)?.to_string())).collect())
    };
    for example in batch.iter() {
        model.encoder().encode_known(&example.features, &mut row);
        let (words, characters) = (seen(0, &row)?, seen(2, &row)?);
        for names in [&words, &characters] {
            assert!(
                names.contains("(bias)") && names.iter().any(|name| name.starts_with("kind=kind ")),
                "{names:?}"
            );
        }
        assert!(
            words.iter().any(|name| name.contains(' ') && !name.contains('='))
                && !words.iter().any(|name| name.contains('#')),
            "{words:?}"
        );
        let others = ["(bias)", "stars"];
        let cut = |name: &&String| !name.starts_with("kind=") && !others.contains(&name.as_str());
        assert!(characters.iter().filter(cut).all(|name| name.starts_with('#')), "{characters:?}");
    }
    Ok(())
}

#[test]
fn what_is_asked_for_wins() -> Result<()> {
    let learner = LearnerSpec::parse(LEARNER)?;
    let recipe = default_recipe_for(&learner);
    assert!(recipe.text.apart && recipe.text.characters.is_some());
    let uncut = Recipe { text: recipe.text.clone().uncut(), ..recipe.clone() };
    assert_eq!(uncut, Recipe::default());
    let (fast, _) = train(tsv(0, 90), &options().recipe(uncut), &mut Silent)?;
    assert!(!names(&fast).iter().any(|name| name.contains(' ') || name.contains('#')));
    // Compared, it is cut as `train` does, unless other features are asked for.
    let mut asked = Recipe::default();
    assert_eq!(Contender::parse(LEARNER, &asked)?.recipe, recipe);
    asked.text.ngrams = Some(Ngrams { min: 1, max: 3 });
    assert_eq!(Contender::parse(LEARNER, &asked)?.recipe, asked);
    assert_eq!(
        default_recipe_for(&LearnerSpec::parse("ensemble(arow@sqrt+l2; scw1@none)")?),
        Recipe::default()
    );
    Ok(())
}
