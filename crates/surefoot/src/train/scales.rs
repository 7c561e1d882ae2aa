//! Whether features look like raw measurements: columns of numbers that most rows have, and that differ wildly in scale. Learners
//! move all weights at a rate of the same order, so there it helps to scale features; that is said, not done.

use std::collections::HashMap;

use surefoot_data::{Batch, Layout, Recipe, Scale};

use crate::words::thousands;

/// So many rows are looked at, or so many features of all rows together where those are long.
const ROWS: u64 = 2000;
const ENTRIES: u64 = 1 << 16;

/// More features than that are words or ids, not measurements.
const MOST_FEATURES: usize = 1 << 10;

/// The ratio of the largest to the smallest scale that is worth saying.
const WILD: f64 = 100.0;

/// How many standard deviations the mean of half of the columns is from zero, to be worth saying: nearly all values are then
/// on one side of it.
const FAR: f64 = 3.0;

/// The values of a feature, where it is there.
#[derive(Debug, Clone, Copy, Default)]
struct ColumnSums {
    rows: u64,
    sum: f64,
    squares: f64,
    first: f64,
    /// Whether there was another value than the first one: what has one value is a mark, and no measurement.
    varies: bool,
}

impl ColumnSums {
    fn add(&mut self, value: f64) {
        self.first = if self.rows == 0 { value } else { self.first };
        self.varies |= value != self.first;
        self.rows += 1;
        self.sum += value;
        self.squares += value * value;
    }

    fn root_mean_square(&self) -> f64 {
        (self.squares / self.rows as f64).sqrt()
    }

    /// The distance of the mean from zero in standard deviations.
    fn offset(&self) -> f64 {
        let mean = self.sum / self.rows as f64;
        let variance = self.squares / self.rows as f64 - mean * mean;
        if variance > 0.0 { mean.abs() / variance.sqrt() } else { 0.0 }
    }
}

/// The first rows of a stream, as long as they may be raw measurements.
#[derive(Debug, Default)]
pub(super) struct FeatureScales {
    rows: u64,
    entries: u64,
    columns: HashMap<u64, ColumnSums>,
}

impl FeatureScales {
    /// For a recipe that leaves features as they are; none where they are scaled.
    pub(super) fn of(recipe: &Recipe) -> Option<Self> {
        (recipe.scale == Scale::None).then(Self::default)
    }

    /// Looks at the rows of a batch, if they are among the first.
    pub(super) fn see(&mut self, batch: &Batch) {
        let features = batch.iter().map(|example| example.features);
        for row in features {
            if self.rows == ROWS || self.entries >= ENTRIES || self.columns.len() > MOST_FEATURES {
                return;
            }
            self.rows += 1;
            self.entries += row.len() as u64;
            for (key, value) in row.keys().iter().zip(row.values()).take(MOST_FEATURES + 1) {
                self.columns.entry(*key).or_default().add(*value);
            }
        }
    }

    /// What is worth saying of data that has this layout; nothing of text.
    pub(super) fn note(&self, layout: Option<&Layout>) -> Option<String> {
        if self.columns.len() > MOST_FEATURES || layout.is_some_and(Layout::has_text) {
            return None;
        }
        let is_column = |own: &&ColumnSums| own.varies && 2 * own.rows >= self.rows;
        let columns: Vec<&ColumnSums> = self.columns.values().filter(is_column).collect();
        let sizes = || columns.iter().map(|own| own.root_mean_square());
        let factor = sizes().fold(0.0, f64::max) / sizes().fold(f64::INFINITY, f64::min);
        if columns.len() < 2 {
            return None;
        }
        let mut offsets: Vec<f64> = columns.iter().map(|own| own.offset()).collect();
        offsets.sort_by(f64::total_cmp);
        let offset = offsets[offsets.len() / 2];
        let found = if factor.is_finite() && factor > WILD {
            format!("features differ in scale by a factor of {}", rounded(factor))
        } else if offset.is_finite() && offset > FAR {
            format!("half of the features have a mean {} or more standard deviations from 0", rounded(offset))
        } else {
            return None;
        };
        Some(format!(
            "{found}; --scale-features standardize (or rms) may help; surefoot tune … --features tries it"
        ))
    }
}

/// A number to two digits, with its thousands apart.
fn rounded(number: f64) -> String {
    let unit = 10f64.powi(number.log10() as i32 - 1);
    match number {
        ..10.0 => format!("{number:.1}"),
        ..1e15 => thousands(((number / unit).round() * unit) as u64),
        _ => format!("{number:.0e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_are_enough() {
        let numbers = [4.68, 100.4, 3417.0, 99_999.0, 2e200].map(rounded);
        assert_eq!(numbers, ["4.7", "100", "3,400", "100,000", "2e200"]);
    }
}
