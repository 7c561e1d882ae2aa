//! From tensors to examples: columns become rows as `jsonl` has them, matrices become integer features.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use surefoot::Model;
use surefoot::data::{Batch, Builder, Layout, Plan, RowParser, Sink};

use super::tensor::{Elements, InputTensor};
use crate::http::reply::ApiError;

/// What a text is called where the model does not say.
const TEXT: &str = "text";

/// What has to be known of a model to read tensors for it.
pub(super) struct Reads {
    plan: Arc<Plan>,
    /// What a text is called.
    text: String,
}

impl Reads {
    pub(super) fn of(model: &Model) -> Self {
        let text = model.columns().layout.as_ref().and_then(Layout::only_text).unwrap_or(TEXT);
        Self { plan: model.plan(), text: text.into() }
    }
}

/// The examples of the inputs of a request.
pub(super) fn examples(
    inputs: &[(&InputTensor, Elements)],
    model: &Reads,
    parser: &RowParser,
    most: usize,
) -> Result<Batch, ApiError> {
    let named = |name: &str| inputs.iter().find(|(tensor, _)| tensor.name == name);
    if let (Some(indptr), Some(indices), Some(values)) = (named("indptr"), named("indices"), named("values"))
    {
        return sparse(indptr, indices, values, model, most);
    }
    match inputs {
        [] => Err(ApiError::bad("bad_tensor", "there are no inputs")),
        [(tensor, Elements::Numbers(numbers))] if is_matrix(tensor) => dense(tensor, numbers, model, most),
        _ => columns(inputs, model, parser, most),
    }
}

fn is_matrix(tensor: &InputTensor) -> bool {
    matches!(tensor.shape[..], [_, width] if width != 1)
}

fn limited(rows: usize, most: usize) -> Result<(), ApiError> {
    if rows <= most {
        Ok(())
    } else {
        Err(ApiError::new(413, "too_many", format!("{rows} rows; a request may have {most}")))
    }
}

/// Column j is feature j + `first_index`; zeros are nothing.
fn dense(tensor: &InputTensor, numbers: &[f64], model: &Reads, most: usize) -> Result<Batch, ApiError> {
    let width = tensor.shape[1] as usize;
    limited(numbers.len().checked_div(width).unwrap_or(0), most)?;
    let first = tensor.parameter("first_index").unwrap_or(0);
    let mut batch = Batch::new();
    for (at, row) in numbers.chunks_exact(width.max(1)).enumerate() {
        let features = (first..).zip(row.iter().copied()).filter(|(_, value)| *value != 0.0);
        integers(tensor, at, features, model, &mut batch)?;
    }
    Ok(batch)
}

/// Rows of `indices` and `values`, which begin and end where `indptr` says.
fn sparse(
    (bounds, starts): &(&InputTensor, Elements),
    (_, indices): &(&InputTensor, Elements),
    (tensor, values): &(&InputTensor, Elements),
    model: &Reads,
    most: usize,
) -> Result<Batch, ApiError> {
    let (Elements::Numbers(starts), Elements::Numbers(indices), Elements::Numbers(values)) =
        (starts, indices, values)
    else {
        return Err(bounds.refuse("indptr, indices and values are numbers"));
    };
    limited(starts.len().saturating_sub(1), most)?;
    let first = bounds.parameter("first_index").unwrap_or(0);
    let mut batch = Batch::new();
    for (at, pair) in starts.windows(2).enumerate() {
        let (start, end) = (pair[0] as usize, pair[1] as usize);
        let row = indices.get(start..end).zip(values.get(start..end));
        let (ids, values) =
            row.ok_or_else(|| bounds.refuse(format!("row {at} goes from {start} to {end}")))?;
        if ids.iter().any(|id| *id < 0.0 || id.fract() != 0.0) {
            return Err(bounds.refuse("indices are whole numbers from 0"));
        }
        let features = ids.iter().map(|&id| (id as u64).saturating_add(first)).zip(values.iter().copied());
        integers(tensor, at, features, model, &mut batch)?;
    }
    Ok(batch)
}

fn integers(
    tensor: &InputTensor,
    row: usize,
    features: impl Iterator<Item = (u64, f64)>,
    model: &Reads,
    batch: &mut Batch,
) -> Result<(), ApiError> {
    let mut builder = Builder::new(&model.plan, batch);
    builder.begin(row as u64 + 1);
    features.for_each(|(id, value)| builder.indexed(id, value));
    builder.finish().map_err(|problem| tensor.refuse(format!("row {}: {problem}", row + 1)))
}

/// One tensor a column, or one of rows as JSON.
fn columns(
    inputs: &[(&InputTensor, Elements)],
    model: &Reads,
    parser: &RowParser,
    most: usize,
) -> Result<Batch, ApiError> {
    let rows = inputs.first().map_or(0, |(_, elements)| elements.len());
    limited(rows, most)?;
    if let Some((other, _)) =
        inputs.iter().find(|(tensor, elements)| is_matrix(tensor) || elements.len() != rows)
    {
        return Err(other.refuse(format!("expected a column of {rows} rows, [n] or [n, 1]")));
    }
    let mut batch = Batch::new();
    for at in 0..rows {
        let mut row = Map::new();
        for (tensor, elements) in inputs {
            let value = match elements {
                Elements::Numbers(all) => json!(all[at]),
                Elements::Bools(all) => json!(all[at]),
                Elements::Bytes(all) => match std::str::from_utf8(&all[at]) {
                    Ok(text) if tensor.name == "json" && inputs.len() == 1 => {
                        parse(tensor, text, at, parser, &mut batch)?;
                        continue;
                    }
                    Ok(text) => Value::from(text),
                    Err(_) => return Err(tensor.refuse(format!("row {} is not UTF-8", at + 1))),
                },
            };
            // Of a model of texts, a single column of strings is the text, whatever it is called.
            let is_text = inputs.len() == 1 && matches!(elements, Elements::Bytes(_));
            let name = if is_text { &model.text } else { &tensor.name };
            row.insert(name.to_string(), value);
        }
        if !row.is_empty() {
            parse(inputs[0].0, &Value::Object(row).to_string(), at, parser, &mut batch)?;
        }
    }
    Ok(batch)
}

fn parse(
    tensor: &InputTensor,
    row: &str,
    at: usize,
    parser: &RowParser,
    batch: &mut Batch,
) -> Result<(), ApiError> {
    match parser.parse(row.as_bytes(), at as u64 + 1, batch) {
        Ok(true) => Ok(()),
        Ok(false) => Err(tensor.refuse(format!("row {} is empty", at + 1))),
        Err(fault) => {
            Err(tensor.refuse(format!("row {}, byte {}: {}", at + 1, fault.offset + 1, fault.trouble)))
        }
    }
}
