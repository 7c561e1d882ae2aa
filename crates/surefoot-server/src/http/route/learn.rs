//! Examples to learn from.

use std::time::Instant;

use serde_json::{Value, json};

use super::predict::bad_row;
use super::{BodyNeeds, Handled, Route, TokenRole, reference};
use crate::http::call::{Call, answer};
use crate::http::reply::{ApiError, Reply};
use crate::{BadRow, Learnt};

pub(crate) static ROUTE: Route = Route {
    method: "POST",
    path: "/v1/models/{model}/learn",
    role: TokenRole::Learn,
    needs: BodyNeeds::Rows,
    about: "Learn rows that have labels: all of them or none. What is answered as learned is on disk",
    query: &[("on-bad-row", "fail (the usual) or skip: bad rows are left out and named")],
    answer: || json!({ "oneOf": [reference("Learned"), reference("LearnedRows")] }),
    handle: |call| -> Handled { Box::pin(learn(call)) },
};

async fn learn(call: Call) -> Result<Reply, ApiError> {
    let (began, entry) = (Instant::now(), call.model()?);
    let name = entry.served.name();
    let refused = |error: ApiError| {
        call.app.metrics.refused(name, error.code);
        error
    };
    let rows = call.rows(&entry).await.map_err(refused)?;
    let bad = rows.bad().to_vec();
    let learned = match rows.is_empty() {
        true => Vec::new(),
        false => {
            let sent = entry.served.learn(rows, call.skips_bad()?).map_err(|error| refused(error.into()))?;
            answer(sent).await.map_err(refused)?
        }
    };
    call.app.metrics.learned(name, &learned, began.elapsed().as_secs_f64());
    told(&call, &learned, &bad)
}

/// The answer in the form of the request.
pub(super) fn told(call: &Call, learned: &[Learnt], bad: &[BadRow]) -> Result<Reply, ApiError> {
    let rows = learned.len();
    let reply = match (call.is_ndjson(), call.is_single(), learned) {
        (true, ..) => {
            let mut out = Vec::new();
            for one in learned {
                serde_json::to_writer(&mut out, one).map_err(|error| ApiError::internal(&error))?;
                out.push(b'\n');
            }
            for one in bad {
                out.extend_from_slice(format!("{}\n", bad_row(one)).as_bytes());
            }
            Reply::new("application/x-ndjson", out)
        }
        (_, true, [one]) => Reply::json(one)?,
        (_, true, _) => Reply::json(&json!({ "bad_rows": bad.iter().map(bad_row).collect::<Value>() }))?,
        _ if bad.is_empty() => Reply::json(&json!({ "learned": learned }))?,
        _ => Reply::json(
            &json!({ "learned": learned, "bad_rows": bad.iter().map(bad_row).collect::<Value>() }),
        )?,
    };
    Ok(reply.rows(rows))
}
