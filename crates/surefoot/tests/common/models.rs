//! Small models of every kind of state that a file can hold, for tests and fuzzing of the model file.

use std::fmt::Write as _;

use surefoot::data::{Scale, Source, SpaceKind};
use surefoot::prelude::*;
use surefoot::train::Silent;

const MAIL: &str = "spam\tcheap pills, really cheap\nham\tlunch today?\nlist\tnews of the day\nspam\tcheap watches\n\
                    ham\ttoday at noon\nlist\tthe news\nspam\tpills\nham\tlunch, cheap lunch\n";
const POINTS: &str = "+1 1:1 2:0.5\n-1 2:1 7:-0.25\n+1 1:2 4000000000:1\n-1 3:1.5\n+1 1:0.125\n-1 2:3 3:1\n";
const FLOWERS: &str =
    "1 1:1 2:0.5\n2 2:1 3:0.5\n3 3:1 1:0.5\n1 1:2\n2 2:2\n3 3:2 1:-1\n1 1:1 3:0.25\n4 2:-1\n";

/// Rows of integer features, two labels; `features` gives those of a row.
fn rows(features: impl Fn(u32, &mut dyn FnMut(u32, u32))) -> String {
    (0..90).fold(String::new(), |mut text, row| {
        text += if row % 3 == 0 { "+1" } else { "-1" };
        features(row, &mut |id, value| _ = write!(text, " {id}:{value}"));
        text + "\n"
    })
}

/// One model of two labels on the diagonal store, the simplest of all.
pub fn points() -> Result<Vec<u8>> {
    learned("cw-stdev/diagonal:confidence=0.8", surefoot::default_recipe(), "points.svm", POINTS)
}

/// A model of the same examples that forgets.
pub fn forgetting(learner: &str) -> Result<Vec<u8>> {
    learned(learner, surefoot::default_recipe(), "points.svm", POINTS)
}

/// Models by what is special in their files.
pub fn models() -> Result<Vec<(&'static str, Vec<u8>)>> {
    // So many integers that each is its own index; and rows that have all features there are.
    let dense_ids = rows(|row, put| (0..50).for_each(|i| put(1 + (50 * row + i) % 2_700, (i + row) % 5 + 1)));
    let table = rows(|row, put| (1..6).for_each(|i| put(i, row % 7 + (i * row) % 5 + 1)));
    let (plain, single) = (Recipe::default(), surefoot::default_recipe());
    let hashed = Recipe { space: SpaceKind::Hashed { bits: 6, seed: 0 }, ..plain.clone() };
    let scaled = Recipe { scale: Scale::Rms, ..plain.clone() };
    Ok(vec![
        ("diagonal", points()?),
        ("text", learned("auto", plain.clone(), "mail.tsv", MAIL)?),
        ("few rows", learned("auto", plain.clone(), "points.svm", POINTS)?),
        ("dense rows", learned("auto", plain, "table.svm", &table)?),
        ("dense ids", learned("arow/compact", single.clone(), "ids.svm", &dense_ids)?),
        ("full and hashed", learned("arow/full", hashed, "points.svm", POINTS)?),
        ("factored and scaled", learned("arow/factored:rank=2", scaled, "flowers.svm", FLOWERS)?),
        ("forgetting", forgetting("arow:half-life=4")?),
        (
            "many that forget",
            learned("arow:half-life=4,forget=inflate", single.clone(), "flowers.svm", FLOWERS)?,
        ),
        ("full and forgetting", forgetting("arow/full:half-life=640")?),
        (
            "members that forget",
            forgetting("ensemble(arow:half-life=4@none; logistic@none; scw1:half-life=9@sqrt)")?,
        ),
        ("kernel", learned("arow/kernel:kernel=rbf", single.clone(), "points.svm", POINTS)?),
        ("averaged", learned("pa1:average=true,schedule=exact,top=2", single, "flowers.svm", FLOWERS)?),
    ])
}

fn learned(learner: &str, recipe: Recipe, file: &str, data: &str) -> Result<Vec<u8>> {
    let options = TrainOptions::default().learner(LearnerSpec::parse(learner)?).recipe(recipe);
    let (model, _) = train(vec![Source::memory(file, data.as_bytes())], &options, &mut Silent)?;
    model.to_bytes()
}
