//! Learns from sparse rows in memory and prints the seconds it took: what `fit` of the Python package is measured against.
//!
//! The file holds rows of 32 non-zeros: all column numbers (u32), then all values (f64), then all labels (u8, 0 or 1),
//! little-endian. python/bench.py writes it.

use std::time::Instant;

use surefoot::data::{KeyedFeatures, Recipe, SpaceKind};
use surefoot::{Error, Model, Result};

const NON_ZEROS: usize = 32;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).ok_or_else(|| Error::Other("usage: fit_rows FILE".into()))?;
    let bytes = std::fs::read(path).map_err(|error| Error::Other(error.to_string()))?;
    let rows = bytes.len() / (NON_ZEROS * 12 + 1);
    let (ids, rest) = bytes.split_at(rows * NON_ZEROS * 4);
    let (values, labels) = rest.split_at(rows * NON_ZEROS * 8);
    let ids: Vec<u32> = ids.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let values: Vec<f64> = values.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
    let runs = (0..3).map(|_| seconds(&ids, &values, labels)).collect::<Result<Vec<f64>>>()?;
    println!("{}", runs.into_iter().fold(f64::INFINITY, f64::min));
    Ok(())
}

fn seconds(ids: &[u32], values: &[f64], labels: &[u8]) -> Result<f64> {
    let recipe = Recipe { space: SpaceKind::AsGiven, ..Recipe::default() };
    let mut model = Model::builder().learner("arow").labels(["0", "1"]).recipe(recipe).build()?;
    let mut wide = Vec::new();
    let began = Instant::now();
    let rows = ids.chunks(NON_ZEROS).zip(values.chunks(NON_ZEROS));
    for ((ids, values), &label) in rows.zip(labels) {
        wide.clear();
        wide.extend(ids.iter().map(|&id| u64::from(id)));
        model.learn(&KeyedFeatures::given(&wide, values), [b'0' + label.min(1)])?;
    }
    Ok(began.elapsed().as_secs_f64())
}
