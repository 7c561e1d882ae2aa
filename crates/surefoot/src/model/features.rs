//! What a program can give a model as the features of an example.

use surefoot_data::{KeyedFeatures, NamedRow};

use crate::Result;

/// Features of one example: named pairs (`&[("caps", 0.4)]`), or features that were read by a
/// [`BatchReader`](surefoot_data::BatchReader).
pub trait AsFeatures {
    /// The same as keys and values; `row` is memory that is used again.
    fn keyed<'a>(&'a self, row: &'a mut NamedRow) -> Result<KeyedFeatures<'a>>;
}

impl AsFeatures for KeyedFeatures<'_> {
    fn keyed<'a>(&'a self, _: &'a mut NamedRow) -> Result<KeyedFeatures<'a>> {
        Ok(*self)
    }
}

impl<S: AsRef<str>> AsFeatures for [(S, f64)] {
    fn keyed<'a>(&'a self, row: &'a mut NamedRow) -> Result<KeyedFeatures<'a>> {
        Ok(row.set(self)?)
    }
}

impl<S: AsRef<str>, const N: usize> AsFeatures for [(S, f64); N] {
    fn keyed<'a>(&'a self, row: &'a mut NamedRow) -> Result<KeyedFeatures<'a>> {
        self[..].keyed(row)
    }
}

impl<S: AsRef<str>> AsFeatures for Vec<(S, f64)> {
    fn keyed<'a>(&'a self, row: &'a mut NamedRow) -> Result<KeyedFeatures<'a>> {
        self[..].keyed(row)
    }
}
