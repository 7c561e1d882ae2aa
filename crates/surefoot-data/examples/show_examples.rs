//! Prints what the reader makes of files: `label feature:value …`, one line an example, features in canonical order.
//!
//! `cargo run --example show_examples -- data.svm.zst`

use std::io::{BufWriter, Write, stdout};
use std::sync::Arc;

use surefoot_data::{Batch, Example, Plan, ReadOptions, Reader, Recipe, Source};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sources = std::env::args_os().skip(1).map(Source::from_argument).collect();
    let plan = Arc::new(Plan::new(Recipe::default())?);
    let mut reader = Reader::open(sources, ReadOptions::default(), plan)?;
    let mut batch = Batch::new();
    let mut out = BufWriter::new(stdout().lock());
    while reader.next_batch(&mut batch)? {
        for example in batch.iter() {
            show(example, &mut out)?;
        }
    }
    Ok(out.flush()?)
}

fn show(example: Example<'_>, out: &mut impl Write) -> std::io::Result<()> {
    out.write_all(example.label().unwrap_or(b"?"))?;
    let features = example.features;
    for (at, (key, value)) in features.keys().iter().zip(features.values()).enumerate() {
        match features.named() {
            true => write!(out, " {}:{value}", String::from_utf8_lossy(features.name(at)))?,
            false => write!(out, " {key}:{value}")?,
        }
    }
    writeln!(out)
}
