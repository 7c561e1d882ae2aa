//! Binary text tasks like those of the papers: sentiment, pairs of newsgroups, spam.

use surefoot_core::transform::Transform;
use surefoot_data::{Ngrams, Recipe, TextRecipe, Zipf};

use crate::data::DataSet;
use crate::stream::generated;
use crate::{Findings, Result, Setup};

/// Pairs of newsgroups: the three of Dredze et al. 2008, by their names there, then three more.
const PAIRS: [(&str, &str, &str); 6] = [
    ("comp", "comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    ("sci", "sci.electronics", "sci.med"),
    ("talk", "talk.politics.guns", "talk.politics.mideast"),
    ("vehicles", "rec.autos", "rec.motorcycles"),
    ("ball games", "rec.sport.baseball", "rec.sport.hockey"),
    ("belief", "alt.atheism", "soc.religion.christian"),
];

/// Whole files that are one task each: name, file, longest word n-gram.
const FILES: [(&str, &str, usize); 5] = [
    ("books", "amazon_sent_books.tsv.zst", 2),
    ("dvd", "amazon_sent_dvd.tsv.zst", 2),
    ("kitchen", "amazon_sent_kitchen.tsv.zst", 2),
    ("enron spam", "enron1_spam.tsv.zst", 1),
    ("sms spam", "sms_spam.tsv.zst", 1),
];

/// Words and n-grams that occur or do not.
#[must_use]
pub fn bag(longest: usize) -> Recipe {
    let ngrams = Some(Ngrams { min: 1, max: longest });
    let text = TextRecipe { ngrams, values: Transform::Binary, ..TextRecipe::default() };
    Recipe { text, bias: false, ..Recipe::default() }
}

/// The tasks, each named; quickly, three that are generated.
pub fn text(setup: &Setup, findings: &mut Findings) -> Result<Vec<DataSet>> {
    let tasks = if setup.is_quick() { stand_ins(setup)? } else { real(setup)? };
    tasks.iter().for_each(|task| findings.used(task.name.clone(), task.examples.len()));
    Ok(tasks)
}

fn real(setup: &Setup) -> Result<Vec<DataSet>> {
    let mut tasks = Vec::new();
    for (name, file, longest) in FILES {
        tasks.push(DataSet { name: name.to_string(), ..setup.data.read(file, &bag(longest))? });
    }
    let groups = setup.data.read("20news18828.tsv.zst", &bag(1))?;
    for (name, negative, positive) in PAIRS {
        tasks.push(DataSet { name: name.to_string(), ..groups.pair(negative, positive)? });
    }
    Ok(tasks)
}

fn stand_ins(setup: &Setup) -> Result<Vec<DataSet>> {
    let topics = [0.08, 0.12, 0.16];
    let task = |(seed, topic): (u64, f64)| {
        let examples = generated(&mut Zipf::new(20_000, 60, topic, 0.05, 2, seed), 400)?;
        let labels = vec!["-1".to_string(), "1".to_string()];
        Ok(DataSet { name: format!("zipf, topic {topic}"), labels, examples })
    };
    setup.seeds(0, topics.len()).zip(topics).map(task).collect()
}
