//! `infer`: predictions of tensors.

use std::time::Instant;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use surefoot::data::Batch;
use surefoot::{Model, Predictor};

use super::rows::{Reads, examples};
use super::tensor::InputTensor;
use crate::http::call::Call;
use crate::http::reply::{ApiError, Reply};
use crate::http::route::{BodyNeeds, Handled, Route, object};
use crate::http::tokens::TokenRole;

pub(crate) static ROUTE: Route = route("/v2/models/{model}/infer");
pub(crate) static VERSION: Route = route("/v2/models/{model}/versions/{version}/infer");

/// Outputs, of which the first three are given if none are asked for.
pub(super) const OUTPUTS: [&str; 6] = ["label", "probability", "probabilities", "score", "variance", "vote"];
const USUAL: usize = 3;

/// Rows that are predicted before others get a turn.
const BLOCK: usize = 64;

const fn route(path: &'static str) -> Route {
    Route {
        method: "POST",
        path,
        role: TokenRole::Predict,
        needs: BodyNeeds::Anything,
        about: "Predict, by the Open Inference Protocol V2; tensors may be binary",
        query: &[],
        answer: object,
        handle: |call| -> Handled { Box::pin(infer(call)) },
    }
}

#[derive(Deserialize)]
struct Request {
    #[serde(default)]
    id: Option<String>,
    inputs: Vec<InputTensor>,
    #[serde(default)]
    outputs: Vec<OutputWanted>,
}

#[derive(Deserialize)]
struct OutputWanted {
    name: String,
}

/// What is told of all rows.
#[derive(Default)]
struct InferTold {
    labels: Vec<String>,
    probability: Vec<f64>,
    probabilities: Vec<f64>,
    score: Vec<f64>,
    variance: Vec<f64>,
    vote: Vec<f64>,
}

async fn infer(call: Call) -> Result<Reply, ApiError> {
    let (began, entry) = (Instant::now(), call.model()?);
    let (head, mut binary) = parts(&call)?;
    let request: Request =
        serde_json::from_slice(head).map_err(|error| ApiError::bad("bad_json", error.to_string()))?;
    let wanted: Vec<&str> = match request.outputs.is_empty() {
        true => OUTPUTS[..USUAL].to_vec(),
        false => request.outputs.iter().map(|output| output.name.as_str()).collect(),
    };
    if let Some(unknown) = wanted.iter().find(|name| !OUTPUTS.contains(name)) {
        let error =
            format!("there is no output {}; there are {}", unknown.escape_debug(), OUTPUTS.join(", "));
        return Err(ApiError::bad("bad_output", error));
    }
    let mut inputs = Vec::new();
    for tensor in &request.inputs {
        inputs.push((tensor, tensor.elements(&mut binary)?));
    }
    if !binary.is_empty() {
        return Err(ApiError::bad(
            "bad_tensor",
            format!("{} bytes follow that belong to no input", binary.len()),
        ));
    }
    let version = match call.param("version") {
        "" | "live" => None,
        name => Some(entry.version(name)?),
    };
    let served = &entry.served;
    let reads =
        version.as_ref().map_or_else(|| Reads::of(&served.state().model), |version| Reads::of(&version.0));
    let rows = examples(&inputs, &reads, served.rows(), call.app.options.rows.rows)?;
    let (mut told, mut after, mut classes) = (InferTold::default(), 0, Vec::new());
    for start in (0..rows.len()).step_by(BLOCK) {
        if start > 0 {
            tokio::task::yield_now().await;
        }
        let block = start..rows.len().min(start + BLOCK);
        match version.as_deref() {
            Some((model, sequence)) => {
                predict(model, &rows, block, &wanted, &mut told);
                (after, classes) =
                    (*sequence, model.labels().names().iter().map(ToString::to_string).collect());
            }
            None => {
                let state = served.state();
                predict(&state.model, &rows, block, &wanted, &mut told);
                after = state.sequence;
                classes = state.model.labels().names().iter().map(ToString::to_string).collect();
            }
        }
    }
    call.app.metrics.predicted(served.name(), rows.len(), began.elapsed().as_secs_f64());
    let number = || format!("{}-{after}", crate::writer::now());
    let outputs: Vec<Value> =
        wanted.iter().map(|name| output(name, rows.len(), classes.len(), &told)).collect();
    Ok(Reply::json(&json!({
        "model_name": served.name(),
        "model_version": if version.is_some() { call.param("version") } else { "live" },
        "id": request.id.unwrap_or_else(number),
        "parameters": { "after": after, "labels": classes },
        "outputs": outputs,
    }))?
    .rows(rows.len()))
}

/// The JSON of the body, and the binary tensors behind it.
fn parts(call: &Call) -> Result<(&[u8], &[u8]), ApiError> {
    let Some(length) = call.headers.get("inference-header-content-length") else {
        return Ok((&call.body, &[]));
    };
    let length = length.to_str().ok().and_then(|text| text.parse::<usize>().ok());
    let split = length.and_then(|length| call.body.split_at_checked(length));
    split.ok_or_else(|| ApiError::bad("bad_header", "Inference-Header-Content-Length is not within the body"))
}

fn predict(
    model: &Model,
    rows: &Batch,
    block: std::ops::Range<usize>,
    wanted: &[&str],
    told: &mut InferTold,
) {
    let mut predictor = Predictor::new(model);
    for at in block {
        predictor.predict(&rows.example(at).features);
        let (label, variance) = (predictor.prediction().label, predictor.variance());
        let of = |numbers: &[f64]| label.and_then(|class| numbers.get(class)).copied().unwrap_or(0.0);
        told.labels.push(model.label(label).map(ToString::to_string).unwrap_or_default());
        told.score.push(predictor.prediction().shown_score());
        told.variance.push(variance);
        told.probability.push(of(predictor.probabilities()));
        if wanted.contains(&"probabilities") {
            let probabilities = predictor.probabilities();
            told.probabilities.extend_from_slice(probabilities);
        }
        if wanted.contains(&"vote") {
            told.vote.push(of(predictor.votes()));
        }
    }
}

fn output(name: &str, rows: usize, classes: usize, told: &InferTold) -> Value {
    let (kind, data) = match name {
        "label" => ("BYTES", json!(told.labels)),
        "probability" => ("FP64", json!(told.probability)),
        "probabilities" => {
            let whole = told.probabilities.len() == rows * classes;
            // New labels that came between two blocks: the rows before know fewer.
            let data = if whole { json!(told.probabilities) } else { json!([]) };
            let shape = if whole { [rows, classes] } else { [0, classes] };
            return json!({ "name": name, "datatype": "FP64", "shape": shape, "data": data });
        }
        "score" => ("FP64", json!(told.score)),
        "variance" => ("FP64", json!(told.variance)),
        _ => ("FP64", json!(told.vote)),
    };
    Value::Object(Map::from_iter([
        ("name".to_string(), json!(name)),
        ("datatype".into(), json!(kind)),
        ("shape".into(), json!([rows])),
        ("data".into(), data),
    ]))
}
