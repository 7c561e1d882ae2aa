//! What is said of one example, as text or as JSON.

use std::io::Write;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Value, json};
use surefoot::PredictionLine;
use surefoot::data::Example;

use super::Predict;
use crate::failure::Result;
use crate::output::{self, exact};

/// Writes what stands in front of every prediction: the id of the example, if it has one or is to have one.
pub(super) fn put_id(example: &Example<'_>, asked: &Predict, out: &mut dyn Write) -> Result<()> {
    if example.tag.is_some() || asked.id_column.is_some() {
        let id = String::from_utf8_lossy(example.tag.unwrap_or_default());
        write!(out, "{}\t", output::plain(&id))?;
    }
    Ok(())
}

/// The line of a record that could not be read: nothing is predicted, and what follows stays in its place.
pub(super) fn skipped() -> Value {
    json!({ "label": null, "probability": null, "score": null, "variance": null, "skipped": true })
}

/// A prediction as one JSON object.
pub(super) struct JsonLine<'a> {
    pub(super) id: Option<&'a [u8]>,
    pub(super) line: &'a PredictionLine<'a>,
}

impl Serialize for JsonLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(id) = self.id {
            map.serialize_entry("id", &String::from_utf8_lossy(id))?;
        }
        self.line.put(&mut map)?;
        map.end()
    }
}

/// Writes a prediction as columns.
pub(super) fn write(told: &PredictionLine<'_>, asked: &Predict, out: &mut dyn Write) -> Result<()> {
    let wants_numbers = asked.probabilities || asked.votes || asked.scores || asked.asked().others();
    if let Some(predicted) = told.predicted.as_ref().filter(|_| !wants_numbers) {
        return Ok(write!(out, "{}", output::plain(&predicted.join(told.separator)))?);
    }
    let each = asked.asked().others() || told.predicted.is_some();
    for (place, line) in told.labels.iter().enumerate() {
        let label = line.label.to_string();
        write!(out, "{}{}", if place > 0 { "\t" } else { "" }, output::plain(&label))?;
        if asked.probabilities || (asked.asked().others() && !asked.votes && !asked.scores) {
            write!(out, "\t{}", exact(line.probability))?;
        }
        if asked.votes {
            write!(out, "\t{}", exact(line.vote))?;
        }
        match (asked.scores, each) {
            (true, true) => write!(out, "\t{}\t{}", exact(line.score), exact(line.variance))?,
            (true, false) => write!(out, "\t{}\t{}", exact(told.score), exact(told.variance))?,
            _ => {}
        }
    }
    Ok(())
}
