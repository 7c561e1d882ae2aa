//! The words that are said to decide are those at which a person nods.

use std::path::{Path, PathBuf};

use surefoot::data::Random;
use surefoot::prelude::*;
use surefoot::train::Silent;

/// The decisive features of each label.
fn decisive(source: Source, count: usize) -> Result<Vec<(String, Vec<String>)>> {
    let (model, _) = train(vec![source], &TrainOptions::default(), &mut Silent)?;
    let names = |weights: Vec<surefoot::NamedWeight<'_>>| -> Vec<String> {
        weights.iter().map(|named| named.feature.to_string()).collect()
    };
    let found = model.decisive(count).into_iter();
    Ok(found.map(|(label, weights)| (label.to_string(), names(weights))).collect())
}

fn check(found: &[(String, Vec<String>)], label: &str, there: &[&str], not_there: &[&str]) {
    let own = &found.iter().find(|(name, _)| name == label).expect("the label").1;
    there.iter().for_each(|word| assert!(own.iter().any(|w| w == word), "{label}: {word} not in {own:?}"));
    not_there.iter().for_each(|word| assert!(!own.iter().any(|w| w == word), "{label}: {word} in {own:?}"));
}

#[test]
fn of_support_tickets() -> Result<()> {
    let tickets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tickets.tsv");
    let found = decisive(Source::Path(tickets), 6)?;
    check(&found, "billing", &["invoice", "card"], &["on", "for", "and"]);
    check(&found, "bug", &["app", "error"], &["the", "and", "on"]);
    check(&found, "shipping", &["order", "delivery", "parcel"], &["it", "in", "to", "you"]);
    check(&found, "account", &["account", "password"], &["with", "have", "can"]);
    Ok(())
}

/// Two words that tell, many that say nothing, some in every row, and one in every row that was met nowhere else.
#[test]
fn of_a_stream_whose_words_are_known() -> Result<()> {
    let mut random = Random::new(5);
    let mut rows = String::new();
    for row in 0..4000 {
        let class = random.below(2);
        // One in ten is not as it seems.
        let told = if random.below(10) == 0 { 1 - class } else { class };
        let word = [["dull", "dreadful"], ["bright", "brilliant"]][told as usize][random.below(2) as usize];
        let noise: String = (0..8).map(|_| format!(" noise{}", random.below(400))).collect();
        rows += &format!("{}\tthe {word} film once{row}{noise}\n", ["bad", "good"][class as usize]);
    }
    let found = decisive(Source::memory("films.tsv", rows.into_bytes()), 2)?;
    check(&found, "bad", &["dull", "dreadful"], &["the", "film"]);
    check(&found, "good", &["bright", "brilliant"], &["the", "film"]);
    Ok(())
}

/// Real messages, where the data sets lie beside the checkout.
#[test]
fn of_text_messages() -> Result<()> {
    let file: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../../../shared/data/sms_spam.tsv.zst"].iter().collect();
    if !file.exists() {
        eprintln!("skipped: {} is not there", file.display());
        return Ok(());
    }
    let found = decisive(Source::Path(file), 8)?;
    check(&found, "spam", &["txt", "call", "text", "uk", "mobile"], &["you", "to", "is", "for"]);
    check(&found, "ham", &["i", "me", "my"], &["call", "free"]);
    Ok(())
}
