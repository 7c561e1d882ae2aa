//! Snapshots now.

use serde_json::{Map, Value, json};

use super::{BodyNeeds, Handled, Route, TokenRole, object};
use crate::http::call::{Call, answer};
use crate::http::reply::{ApiError, Reply};

pub(crate) static ROUTE: Route = Route {
    method: "POST",
    path: "/v1/admin/snapshot",
    role: TokenRole::Admin,
    needs: BodyNeeds::Json,
    about: "Write a snapshot of every model now",
    query: &[],
    answer: object,
    handle: |call| -> Handled { Box::pin(snapshot(call)) },
};

async fn snapshot(call: Call) -> Result<Reply, ApiError> {
    let mut done = Map::new();
    for entry in call.app.models() {
        let seq = answer(entry.served.snapshot()?).await?;
        done.insert(entry.served.name().into(), Value::from(seq));
    }
    Reply::json(&json!({ "snapshots": done }))
}
