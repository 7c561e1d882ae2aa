//! Dicts from feature to value, as River passes them: a string is a category, anything else a number.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString};
use surefoot::data::{Builder, Record, Sink};

use crate::error::value;
use crate::rows::RowSource;

/// Dicts, told once while Python is at hand.
pub struct Dicts(Vec<Record>);

impl Dicts {
    /// Reads every dict of a list.
    pub fn new(list: &Bound<'_, PyList>) -> PyResult<Self> {
        let record = |item: Bound<'_, PyAny>| {
            let mut record = Record::default();
            tell(item.cast::<PyDict>()?, &mut record)?;
            Ok(record)
        };
        list.iter().map(record).collect::<PyResult<_>>().map(Self)
    }
}

impl RowSource for &Dicts {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn read(&self, row: usize, out: &mut Builder<'_>) {
        self.0[row].replay(out);
    }
}

/// Tells the features of a dict to a sink.
pub fn tell(dict: &Bound<'_, PyDict>, out: &mut impl Sink) -> PyResult<()> {
    for (key, item) in dict {
        match key.cast::<PyString>() {
            Ok(key) => tell_one(key.to_str()?, &item, out)?,
            Err(_) => tell_one(key.str()?.to_str()?, &item, out)?,
        }
    }
    Ok(())
}

fn tell_one(name: &str, item: &Bound<'_, PyAny>, out: &mut impl Sink) -> PyResult<()> {
    if let Ok(number) = item.cast::<PyFloat>() {
        out.named(name, number.value());
    } else if let Ok(word) = item.cast::<PyString>() {
        out.category(name.as_bytes(), word.to_str()?.as_bytes());
    } else {
        let number = item.extract::<f64>();
        out.named(name, number.map_err(|_| value(format!("feature '{name}' is no number")))?);
    }
    Ok(())
}
