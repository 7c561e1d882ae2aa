//! The best member of a bank, alone.

use surefoot::data::{Batch, Scale};
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
    Ok(TrainOptions {
        learner: Roster::parse(learner)?,
        recipe: Recipe::default(),
        ..TrainOptions::default()
    })
}

#[test]
fn it_predicts_and_goes_on_as_it_did_in_the_bank() -> Result<()> {
    let options = options("bank(perceptron@binary; arow:r=0.1@sqrt+l2; pa1@none)")?;
    let (bank, _) = train(mail(), &options, &mut Silent)?;
    let best = bank.learner().as_bank().map_or(0, |bank| bank.best());
    let expected = bank.league()?[best].learner.clone();
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
    assert!(model.league()?.is_empty());
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
