//! Predictions.

use std::time::Instant;

use hyper::body::Bytes;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use surefoot::{AskedFields, Explanation, PredictionLine, Predictor, explain};

use super::{BodyNeeds, Handled, Route, TokenRole, reference};
use crate::Rows;
use crate::http::Entry;
use crate::http::call::Call;
use crate::http::pending::PendingRow;
use crate::http::reply::{ApiError, Reply};
use crate::served::lock;
use crate::writer::now;

pub(crate) static ROUTE: Route = Route {
    method: "POST",
    path: "/v1/models/{model}/predict",
    role: TokenRole::Predict,
    needs: BodyNeeds::Rows,
    about: "Predict rows; one with an id waits for its label",
    query: &[
        ("all-labels", "give probabilities, scores and variances of all labels"),
        ("top", "give them for the K most probable labels"),
        ("votes", "add how sure the weights are"),
        ("explain", "add the K features that decided (5 if no number is given)"),
        ("track", "keep rows without an id for feedback, too, under ids that are made up"),
        ("on-bad-row", "fail (the usual) or skip"),
    ],
    answer: || json!({ "oneOf": [reference("Prediction"), reference("Predictions")] }),
    handle: |call| -> Handled { Box::pin(predict(call)) },
};

/// Rows that are predicted before others get a turn.
const BLOCK: usize = 64;

/// What is asked.
struct Asked {
    fields: AskedFields,
    explain: Option<usize>,
    track: bool,
    ndjson: bool,
    single: bool,
}

async fn predict(call: Call) -> Result<Reply, ApiError> {
    let (began, entry) = (Instant::now(), call.model()?);
    let top = call.number("top", 0)?;
    let explain = call.flag("explain").then(|| call.number("explain", 5)).transpose();
    let asked = Asked {
        fields: AskedFields {
            probabilities: true,
            votes: call.flag("votes"),
            scores: true,
            all_labels: call.flag("all-labels"),
            top: (top > 0).then_some(top as usize),
        },
        explain: explain.unwrap_or(Some(5)).map(|most| most as usize),
        track: call.flag("track"),
        ndjson: call.is_ndjson(),
        single: call.is_single(),
    };
    let rows = call.rows(&entry).await?;
    let (mut out, mut after) = (Vec::with_capacity(128 * rows.len()), 0);
    for start in (0..rows.len()).step_by(BLOCK) {
        if start > 0 {
            tokio::task::yield_now().await;
        }
        let block = start..rows.len().min(start + BLOCK);
        after = predict_block(&entry, &rows, block, &asked, &mut out)?;
    }
    if rows.is_empty() {
        after = entry.served.state().sequence;
    }
    let kind = if asked.ndjson { "application/x-ndjson" } else { "application/json" };
    if !asked.ndjson && !asked.single {
        let bad: Vec<Value> = rows.bad().iter().map(bad_row).collect();
        let mut whole = format!("{{\"after\":{after},").into_bytes();
        if !bad.is_empty() {
            whole.extend_from_slice(format!("\"bad_rows\":{},", Value::from(bad)).as_bytes());
        }
        whole.extend_from_slice(b"\"predictions\":[");
        whole.append(&mut out);
        whole.extend_from_slice(b"]}");
        out = whole;
    }
    call.app.metrics.predicted(entry.served.name(), rows.len(), began.elapsed().as_secs_f64());
    Ok(Reply::new(kind, Bytes::from(out)).rows(rows.len()))
}

pub(super) fn bad_row(bad: &crate::BadRow) -> Value {
    json!({ "row": bad.row + 1, "byte": bad.byte + 1, "error": bad.problem })
}

/// Predicts some rows by one state of the model; how many examples it had learned.
fn predict_block(
    entry: &Entry,
    rows: &Rows,
    block: std::ops::Range<usize>,
    asked: &Asked,
    out: &mut Vec<u8>,
) -> Result<u64, ApiError> {
    let mut tracked = Vec::new();
    let after = {
        let state = entry.served.state();
        let mut predictor = Predictor::new(&state.model);
        for at in block {
            let example = rows.example(at);
            predictor.predict(&example.features);
            let line = PredictionLine::new(asked.fields, &state.model, &mut predictor, None);
            let why = asked.explain.map(|most| explain(&state.model, &example.features, most)).transpose()?;
            let made_up = (example.tag.is_none() && asked.track).then(made_up_id);
            let id = example.tag.map(String::from_utf8_lossy).or(made_up.map(Into::into));
            if at > 0 && asked.ndjson {
                out.push(b'\n');
            } else if at > 0 && !asked.single {
                out.push(b',');
            }
            let told = PredictionTold { id: id.as_deref(), line: &line, after: state.sequence, why };
            serde_json::to_writer(&mut *out, &told).map_err(|error| ApiError::internal(&error))?;
            if let Some(id) = id {
                let first = line.labels.first();
                let label = first.map(|one| one.label.to_string());
                tracked.push((at, id.into_owned(), label, first.map_or(0.0, |one| one.probability)));
            }
        }
        state.sequence
    };
    if !tracked.is_empty() {
        let (mut pending, millis) = (lock(&entry.pending), now());
        for (at, id, label, probability) in tracked {
            let row = String::from_utf8_lossy(rows.json(at)).into_owned();
            let row =
                RawValue::from_string(row).map_err(|error| ApiError::bad("bad_row", error.to_string()))?;
            pending.push(PendingRow { id, millis, label, probability, row });
        }
    }
    Ok(after)
}

/// An id that no other row has.
fn made_up_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static MADE: AtomicU64 = AtomicU64::new(0);
    format!("_{:x}-{:x}", now(), MADE.fetch_add(1, Ordering::Relaxed))
}

/// One prediction, as `predict --json` has it, and more.
struct PredictionTold<'a> {
    id: Option<&'a str>,
    line: &'a PredictionLine<'a>,
    after: u64,
    why: Option<Explanation>,
}

impl Serialize for PredictionTold<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(id) = self.id {
            map.serialize_entry("id", id)?;
        }
        self.line.put(&mut map)?;
        map.serialize_entry("after", &self.after)?;
        if self.id.is_some() {
            map.serialize_entry("tracked", &true)?;
        }
        if let Some(why) = &self.why {
            map.serialize_entry("explanation", why)?;
        }
        map.end()
    }
}
