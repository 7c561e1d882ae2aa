//! Parses a file and does nothing else: the floor below which no learning from it can go.
//!
//! `cargo run --release -p surefoot-data --example parse -- FILE [THREADS]`; benches/peers times it beside `train`.

use std::sync::Arc;

use surefoot_data::{Batch, Plan, ReadOptions, Reader, Recipe, Source, SpaceKind};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("which file? parse FILE [THREADS]")?;
    let threads = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let space = if path.ends_with(".svm") { SpaceKind::AsGiven } else { SpaceKind::Dictionary };
    let plan = Arc::new(Plan::new(Recipe { space, ..Recipe::default() })?);
    let options = ReadOptions { threads, ..ReadOptions::default() };
    let mut reader = Reader::open(vec![Source::Path(path.into())], options, plan)?;
    let (mut batch, mut examples, mut features) = (Batch::new(), 0, 0);
    while reader.next_batch(&mut batch)? {
        for example in batch.iter() {
            (examples, features) = (examples + 1, features + example.features.values().len());
        }
    }
    println!("{examples} examples, {features} features");
    Ok(())
}
