//! Ensembles: the best member alone, and members on several threads.

mod common;

use common::Diary;
use surefoot::Reading;
use surefoot::core::Scores;
use surefoot::data::{Batch, OnBadLine, Random, Row, Scale};
use surefoot::prelude::*;
use surefoot::train::{Silent, resume};

fn mail() -> Vec<Source> {
    let lines = [
        "spam\tcheap pills cheap\n",
        "ham\tlunch today\n",
        "eggs\tbreakfast today today\n",
        "ham\tcheap lunch\n",
    ];
    vec![Source::memory("mail.tsv", lines.concat().repeat(30).into_bytes())]
}

/// Rows of 5 to 24 words of which some go with the label: so many that a unit length is summed in several lanes.
fn long_rows(classes: u64, count: usize, seed: u64) -> Vec<Source> {
    let mut random = Random::new(seed);
    let mut row = |_| {
        let class = random.below(classes);
        let words = 5 + random.below(20);
        let word = |i: u64, random: &mut Random| match i % 4 {
            0 => format!(" w{}:{}", class + classes * random.below(30), 1 + random.below(5)),
            _ => format!(" w{}:{}", random.below(300), 0.37 * (1 + random.below(9)) as f64),
        };
        let words: String = (0..words).map(|i| word(i, &mut random)).collect();
        format!("{} |{words}\n", class + 1)
    };
    vec![Source::memory("rows.vw", (0..count).map(&mut row).collect::<String>().into_bytes())]
}

fn options(learner: &str) -> Result<TrainOptions> {
    Ok(TrainOptions::default().learner(LearnerSpec::parse(learner)?).recipe(Recipe::default()))
}

/// The scores and the variance that a member gives to every example of some rows, to the last bit.
fn scores_of(member: usize, model: &Model, rows: Vec<Source>) -> Result<Vec<(Vec<u64>, u64)>> {
    let (mut reader, mut batch) = (model.read(rows, &Reading::default())?, Batch::new());
    let (mut row, mut scores, mut found) = (Row::new(), Scores::default(), Vec::new());
    while reader.next_batch(&mut batch)? {
        for example in batch.iter() {
            model.encoder().encode_known(&example.features, &mut row);
            model.learner().scores(row.vector()?, &mut scores);
            let bits = scores.of(member).iter().map(|score| score.to_bits()).collect();
            found.push((bits, scores.variance(member).to_bits()));
        }
    }
    Ok(found)
}

#[test]
fn the_best_member_alone_goes_on_bit_for_bit() -> Result<()> {
    let learners = [
        "ensemble(perceptron@binary; arow:r=0.1@sqrt+l2; pa1@none)",
        "ensemble(arow:r=0.1@none+l2; scw1@sqrt+l2; nherd@binary+l2)",
        "ensemble(perceptron@binary+l2; arow/factored:rank=3@log+l2)",
        "ensemble(arow@none; arow:r=0.1@sqrt+l2; pa1@sqrt+l2; logistic@binary+l2)",
        "auto",
    ];
    for (learner, classes) in learners.iter().flat_map(|learner| [(learner, 2), (learner, 3)]) {
        let options = options(learner)?;
        let (ensemble, _) = train(long_rows(classes, 400, 1), &options, &mut Silent)?;
        let best = ensemble.head().best();
        let expected = ensemble.members()?[best].learner.clone();
        let mut alone = ensemble.clone().keep_best()?;
        assert_eq!(alone.spec()?, expected);
        assert!(alone.members()?.is_empty());
        let mut together = ensemble;
        for seed in 2..5 {
            let test = || long_rows(classes, 50, 10 * seed);
            let (in_it, by_itself) = (scores_of(best, &together, test())?, scores_of(0, &alone, test())?);
            assert!(in_it.len() == 50 && in_it == by_itself, "{learner}, {classes} classes");
            // Calibration, mistakes and loss.
            assert_eq!(together.head().member(best).save(), alone.head().save(), "{learner}");
            (together, _) = resume(together, long_rows(classes, 300, seed), &options, &mut Silent)?;
            (alone, _) = resume(alone, long_rows(classes, 300, seed), &options, &mut Silent)?;
        }
    }
    Ok(())
}

#[test]
fn a_single_learner_stays_what_it_is() -> Result<()> {
    let (model, _) = train(mail(), &options("arow")?, &mut Silent)?;
    let bytes = model.to_bytes()?;
    assert!(model.members()?.is_empty());
    assert_eq!(model.keep_best()?.to_bytes()?, bytes);
    Ok(())
}

#[test]
fn scaled_features_need_the_whole_ensemble() -> Result<()> {
    let mut options = options("ensemble(arow@sqrt+l2; pa1@none)")?;
    options.recipe.scale = Scale::Rms;
    let (model, _) = train(mail(), &options, &mut Silent)?;
    assert!(model.keep_best().is_err_and(|error| error.to_string().contains("scaled")));
    Ok(())
}

#[test]
fn members_learn_the_same_on_any_number_of_threads() -> Result<()> {
    // Labels and words that come to life late, lines without a label, an importance of nothing.
    let line = |i: usize| match i % 97 {
        13 => format!("| w{}\n", i % 7),
        29 => format!("{} 0 | w{}\n", 1 + i % 5, i % 11),
        _ => format!("{} | w{} w{} w{}:0.5\n", 1 + (i * i) % (2 + i / 100), i % 7, i % 50, i / 3),
    };
    let lines: String = (0..900).map(line).collect();
    for learner in ["auto", "ensemble(arow@none; pa1/identity:average=true@sqrt; cw-var:top=3@none+l2)"] {
        let mut runs = Vec::new();
        for threads in [1, 2, 3, 5] {
            let options = options(learner)?
                .threads(threads)
                .passes(2)
                .checkpoint_every(77)
                .on_bad_line(OnBadLine::Skip);
            let (source, mut diary) = (Source::memory("lines.vw", lines.as_bytes()), Diary::default());
            let (model, _) = train(vec![source], &options, &mut diary)?;
            runs.push((model.to_bytes()?, diary.rounds, diary.checkpoints, diary.refused));
        }
        assert!(runs[0].1.len() > 1700 && runs[0].2.len() == runs[0].1.len() / 77 && runs[0].3.len() == 10);
        assert!(runs.iter().all(|run| *run == runs[0]), "{learner}");
    }
    Ok(())
}
