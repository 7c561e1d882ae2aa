//! What several tests need: reading bytes, and examples as plain text.

#![allow(dead_code, reason = "each test uses its part of this module")]

use std::sync::Arc;

use surefoot_data::{
    Batch, Example, Format, FormatOptions, Plan, ReadOptions, Reader, Recipe, Source, SpaceKind,
};

/// `label,…*weight 'tag name:value …`, with `?` for no label.
pub fn show(example: Example<'_>) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let labels: Vec<String> = example.labels().map(text).collect();
    let mut out = if labels.is_empty() { "?".into() } else { labels.join(",") };
    if example.weight != 1.0 {
        out += &format!("*{}", example.weight);
    }
    if let Some(tag) = example.tag {
        out += &format!(" '{}", text(tag));
    }
    for (position, value) in example.features.values().iter().enumerate() {
        out += &format!(" {}:{value}", text(example.features.name(position)));
    }
    out
}

/// All examples of a pass, as plain text.
pub fn drain(
    mut next_batch: impl FnMut(&mut Batch) -> surefoot_data::Result<bool>,
) -> surefoot_data::Result<Vec<String>> {
    let mut batch = Batch::new();
    let mut examples = Vec::new();
    while next_batch(&mut batch)? {
        examples.extend(batch.iter().map(show));
    }
    Ok(examples)
}

/// Reads bytes as a file of this name, with named features: the examples, and the error if there is one.
pub fn read(
    name: &str,
    bytes: &[u8],
    format: Option<&str>,
    columns: &FormatOptions,
) -> (Vec<String>, Option<String>) {
    // Names for everything, so that tables show what a feature is called.
    let recipe = Recipe { space: SpaceKind::Dictionary, ..Recipe::default() };
    let plan = Arc::new(Plan::new(recipe).unwrap());
    let format = format.map(|name| Format::by_name(name).unwrap());
    let options = ReadOptions { format, columns: columns.clone(), ..ReadOptions::default() };
    let mut reader = Reader::open(vec![Source::memory(name, bytes)], options, plan).unwrap();
    let mut batch = Batch::new();
    let mut examples = Vec::new();
    loop {
        match reader.next_batch(&mut batch) {
            Ok(true) => examples.extend(batch.iter().map(show)),
            Ok(false) => return (examples, None),
            Err(error) => return (examples, Some(error.to_string())),
        }
    }
}
