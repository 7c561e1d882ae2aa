//! Labels that come later than the rows.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{BodyNeeds, Handled, Route, TokenRole, reference};
use crate::http::Entry;
use crate::http::call::{Call, answer};
use crate::http::pending::PendingRow;
use crate::http::reply::{ApiError, Reply};
use crate::served::lock;
use crate::writer::now;
use crate::{Learnt, Refusal, Rows};

pub(crate) static ROUTE: Route = Route {
    method: "POST",
    path: "/v1/models/{model}/feedback",
    role: TokenRole::Learn,
    needs: BodyNeeds::Rows,
    about: "Give a prediction that was tracked its label, by its id: it is learned",
    query: &[],
    answer: || json!({ "oneOf": [reference("Feedback"), reference("FeedbackRows")] }),
    handle: |call| -> Handled { Box::pin(feedback(call)) },
};

/// A label for an id.
#[derive(Debug, Deserialize)]
struct LabelForId {
    id: Scalar,
    label: Scalar,
}

/// A string, or a number or truth value as it is spelled.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Number(serde_json::Number),
    Truth(bool),
}

impl Scalar {
    fn text(&self) -> String {
        match self {
            Scalar::Text(text) => text.clone(),
            Scalar::Number(number) => number.to_string(),
            Scalar::Truth(truth) => truth.to_string(),
        }
    }
}

/// What became of one label.
#[derive(Debug, Serialize)]
struct FeedbackTold {
    id: String,
    seq: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate: Option<bool>,
    /// What had been predicted when the row came.
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mistake: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_seconds: Option<f64>,
}

async fn feedback(call: Call) -> Result<Reply, ApiError> {
    let entry = call.model()?;
    let labels = labels(&call)?;
    if labels.len() > call.app.options.rows.rows {
        return Err(ApiError::new(
            413,
            "too_many",
            format!("at most {} labels at once", call.app.options.rows.rows),
        ));
    }
    let told = give(&call, &entry, &labels).await?;
    if call.is_ndjson() {
        let lines = told.iter().map(|one| serde_json::to_string(one).map(|line| line + "\n"));
        let text: String = lines.collect::<Result<_, _>>().map_err(|error| ApiError::internal(&error))?;
        return Ok(Reply::new("application/x-ndjson", text).rows(told.len()));
    }
    let reply = match (call.is_single(), &told[..]) {
        (true, [one]) => Reply::json(one)?,
        _ => Reply::json(&json!({ "feedback": told }))?,
    };
    Ok(reply.rows(told.len()))
}

fn labels(call: &Call) -> Result<Vec<LabelForId>, ApiError> {
    if !call.is_ndjson() {
        return match call.is_single() {
            true => Ok(vec![call.json()?]),
            false => call.json(),
        };
    }
    let lines = serde_json::Deserializer::from_slice(&call.body).into_iter();
    lines
        .collect::<Result<_, _>>()
        .map_err(|error: serde_json::Error| ApiError::bad("bad_json", error.to_string()))
}

/// Learns the rows that wait for these labels: all of them or none.
async fn give(call: &Call, entry: &Entry, labels: &[LabelForId]) -> Result<Vec<FeedbackTold>, ApiError> {
    let (metrics, name) = (&call.app.metrics, entry.served.name());
    let ids: Vec<String> = labels.iter().map(|label| label.id.text()).collect();
    let waiting: Vec<Option<PendingRow>> = {
        let pending = lock(&entry.pending);
        ids.iter().map(|id| pending.get(id).cloned()).collect()
    };
    // Those that wait no more may have been learned.
    let mut found = Vec::with_capacity(ids.len());
    for ((id, label), row) in ids.iter().zip(labels).zip(&waiting) {
        found.push(match row {
            Some(_) => None,
            None => match answer(entry.served.find(id.as_bytes(), label.label.text().into_bytes())?).await {
                Ok(Some(known)) => Some(known),
                Ok(None) => {
                    metrics.feedback(name, "unknown", None);
                    let shown: String = id.chars().take(64).collect();
                    let error =
                        format!("no prediction of the id '{}' waits for a label", shown.escape_debug());
                    return Err(ApiError::new(404, "unknown_id", error));
                }
                Err(error) => {
                    metrics.feedback(name, "conflict", None);
                    return Err(error);
                }
            },
        });
    }
    let body: Vec<&str> = waiting.iter().flatten().map(|row| row.row.get()).collect();
    let mut rows = Rows::parse(
        format!("[{}]", body.join(",")).as_bytes(),
        entry.served.rows(),
        &call.app.options.rows,
        false,
    )?;
    let given = ids.iter().zip(labels).zip(&waiting).filter(|(_, row)| row.is_some());
    for (at, ((id, label), _)) in given.enumerate() {
        rows.set_label(at, label.label.text().into_bytes());
        rows.set_id(at, id.as_bytes());
    }
    let mut learned = Vec::new();
    if !rows.is_empty() {
        let sent = entry.served.learn(rows, false);
        let refused = |error: ApiError| {
            let outcome = if error.code == "conflict" { "conflict" } else { "refused" };
            metrics.feedback(name, outcome, None);
            error
        };
        learned = answer(sent.map_err(|error: Refusal| refused(error.into()))?).await.map_err(refused)?;
        let mut pending = lock(&entry.pending);
        ids.iter().zip(&waiting).filter(|(_, row)| row.is_some()).for_each(|(id, _)| pending.done(id));
    }
    metrics.learned(name, &learned, 0.0);
    let mut learned = learned.into_iter();
    let told = ids.into_iter().zip(waiting).zip(found).map(|((id, row), known)| {
        let outcome = known.or_else(|| learned.next());
        match (outcome, row) {
            (Some(Learnt::Learned { seq, label, .. }), Some(row)) => {
                let delay = now().saturating_sub(row.millis) as f64 / 1e3;
                metrics.feedback(name, "learned", Some(delay));
                let mistake = Some(row.label.as_ref() != Some(&label));
                FeedbackTold {
                    id,
                    seq,
                    duplicate: None,
                    predicted: row.label,
                    mistake,
                    delay_seconds: Some(delay),
                }
            }
            (Some(Learnt::Duplicate { seq, .. } | Learnt::Learned { seq, .. }), _) => {
                metrics.feedback(name, "duplicate", None);
                FeedbackTold {
                    id,
                    seq,
                    duplicate: Some(true),
                    predicted: None,
                    mistake: None,
                    delay_seconds: None,
                }
            }
            _ => FeedbackTold {
                id,
                seq: 0,
                duplicate: None,
                predicted: None,
                mistake: None,
                delay_seconds: None,
            },
        }
    });
    Ok(told.collect())
}
