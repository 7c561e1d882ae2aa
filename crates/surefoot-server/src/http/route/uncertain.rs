//! Predictions worth a label.

use serde_json::{Value, json};
use surefoot::data::Batch;
use surefoot::{Predictor, explain};

use super::{BodyNeeds, Handled, Route, TokenRole, reference};
use crate::http::Entry;
use crate::http::call::Call;
use crate::http::pending::PendingRow;
use crate::http::reply::{ApiError, Reply};
use crate::served::lock;

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/v1/models/{model}/uncertain",
    role: TokenRole::Learn,
    needs: BodyNeeds::Nothing,
    about: "Predictions that wait and are worth a label, the most uncertain first: the probability is near even, or the weights do \
            not know yet",
    query: &[("n", "how many (20)")],
    answer: || reference("Uncertain"),
    handle: |call| -> Handled { Box::pin(uncertain(call)) },
};

/// Of those that wait, the newest are looked at.
const LOOKED_AT: usize = 500;
/// Features that decided.
const FEATURES: usize = 5;

/// How uncertain a prediction is, from 0 to 1.
struct Doubt {
    /// How near the two best labels are to each other.
    even: f64,
    /// How near the weights are to voting either way.
    weights: f64,
}

impl Doubt {
    fn most(&self) -> f64 {
        self.even.max(self.weights)
    }
}

async fn uncertain(call: Call) -> Result<Reply, ApiError> {
    let (entry, most) = (call.model()?, call.number("n", 20)?.min(200) as usize);
    let looked = tokio::task::spawn_blocking(move || look(&entry, most)).await;
    Reply::json(&looked.map_err(|error| ApiError::internal(&error))?)
}

fn look(entry: &Entry, most: usize) -> Value {
    let waiting = lock(&entry.pending).newest(LOOKED_AT);
    let mut doubts: Vec<(Doubt, &PendingRow, Batch)> = Vec::new();
    for row in &waiting {
        let mut batch = Batch::new();
        if !entry.served.rows().parse(row.row.get().as_bytes(), 1, &mut batch).unwrap_or(false) {
            continue;
        }
        let state = entry.served.state();
        let mut predictor = Predictor::new(&state.model);
        predictor.predict(&batch.example(0).features);
        let doubt =
            Doubt { even: 1.0 - lead(predictor.probabilities()), weights: 1.0 - lead(predictor.votes()) };
        drop(predictor);
        drop(state);
        doubts.push((doubt, row, batch));
    }
    doubts.sort_by(|(a, ..), (b, ..)| b.most().total_cmp(&a.most()));
    doubts.truncate(most);
    let rows: Vec<Value> = doubts.iter().map(|(doubt, row, batch)| told(entry, doubt, row, batch)).collect();
    json!({ "after": entry.served.state().sequence, "waiting": lock(&entry.pending).size().0, "rows": rows })
}

/// How far the largest number is before the second.
fn lead(numbers: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = numbers.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    match sorted[..] {
        [first, second, ..] => (first - second).clamp(0.0, 1.0),
        _ => 0.0,
    }
}

fn told(entry: &Entry, doubt: &Doubt, row: &PendingRow, batch: &Batch) -> Value {
    let state = entry.served.state();
    let features = batch.example(0).features;
    let mut predictor = Predictor::new(&state.model);
    predictor.predict(&features);
    let probabilities = predictor.probabilities().to_vec();
    let labels: serde_json::Map<String, Value> = probabilities
        .iter()
        .enumerate()
        .filter_map(|(class, p)| Some((state.model.label(Some(class))?.to_string(), json!(p))))
        .collect();
    let kind = if doubt.weights > doubt.even { "variance" } else { "probability" };
    let label = state.model.label(predictor.prediction().label).map(ToString::to_string);
    json!({
        "id": row.id, "millis": row.millis, "row": row.row, "label": label, "probabilities": labels,
        "variance": predictor.variance(), "doubt": kind,
        "doubts": { "probability": doubt.even, "variance": doubt.weights },
        "explanation": explain(&state.model, &features, FEATURES).ok(),
    })
}
