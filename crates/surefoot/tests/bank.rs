//! Banks: the best member alone, and members on two threads.

mod common;

use common::Diary;
use surefoot::data::{Batch, OnBadLine, Scale};
use surefoot::prelude::*;
use surefoot::train::{Silent, resume};
use surefoot::{Reading, Result};

fn mail() -> Vec<Source> {
    let lines = [
        "spam\tcheap pills cheap\n",
        "ham\tlunch today\n",
        "eggs\tbreakfast today today\n",
        "ham\tcheap lunch\n",
    ];
    vec![Source::memory("mail.tsv", lines.concat().repeat(30).into_bytes())]
}

fn options(learner: &str) -> Result<TrainOptions> {
    Ok(TrainOptions::default().learner(LearnerSpec::parse(learner)?).recipe(Recipe::default()))
}

#[test]
fn it_predicts_and_goes_on_as_it_did_in_the_bank() -> Result<()> {
    let options = options("bank(perceptron@binary; arow:r=0.1@sqrt+l2; pa1@none)")?;
    let (bank, _) = train(mail(), &options, &mut Silent)?;
    let best = bank.learner().as_bank().map_or(0, |bank| bank.best());
    let expected = bank.members()?[best].learner.clone();
    let (longer, _) = train([mail(), mail()].concat(), &options, &mut Silent)?;
    let alone = bank.keep_best()?;
    assert_eq!(alone.spec()?, expected);
    let (alone, _) = resume(alone, mail(), &options, &mut Silent)?;
    let longer = longer.keep_best()?;
    let mut reader = alone.read(mail(), &Reading::default())?;
    let mut batch = Batch::new();
    while reader.next_batch(&mut batch)? {
        for example in batch.iter() {
            assert_eq!(alone.predict(&example.features), longer.predict(&example.features));
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
fn scaled_features_need_the_whole_bank() -> Result<()> {
    let mut options = options("bank(arow@sqrt+l2; pa1@none)")?;
    options.recipe.scale = Scale::Rms;
    let (model, _) = train(mail(), &options, &mut Silent)?;
    assert!(model.keep_best().is_err_and(|error| error.to_string().contains("scaled")));
    Ok(())
}

#[test]
fn members_learn_the_same_on_two_threads() -> Result<()> {
    // Labels and words that come to life late, lines without a label, an importance of nothing.
    let line = |i: usize| match i % 97 {
        13 => format!("| w{}\n", i % 7),
        29 => format!("{} 0 | w{}\n", 1 + i % 5, i % 11),
        _ => format!("{} | w{} w{} w{}:0.5\n", 1 + (i * i) % (2 + i / 100), i % 7, i % 50, i / 3),
    };
    let lines: String = (0..900).map(line).collect();
    for learner in ["auto", "bank(arow@none; pa1/identity:average=true@sqrt; cw-var:top=3@none+l2)"] {
        let mut both = Vec::new();
        for threads in [1, 2, 4] {
            let options = options(learner)?
                .threads(threads)
                .passes(2)
                .checkpoint_every(77)
                .on_bad_line(OnBadLine::Skip);
            let (source, mut diary) = (Source::memory("lines.vw", lines.as_bytes()), Diary::default());
            let (model, _) = train(vec![source], &options, &mut diary)?;
            both.push((model.to_bytes()?, diary.rounds, diary.checkpoints, diary.refused));
        }
        assert!(both[0].1.len() > 1700 && both[0].2.len() == both[0].1.len() / 77 && both[0].3.len() == 10);
        assert!(both.iter().all(|run| *run == both[0]), "{learner}");
    }
    Ok(())
}
