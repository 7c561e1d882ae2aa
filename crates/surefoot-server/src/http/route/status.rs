//! How the server is.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::{BodyNeeds, Handled, Route, TokenRole, object};
use crate::http::call::Call;
use crate::http::reply::{ApiError, Reply};
use crate::served::lock;

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/v1/admin/status",
    role: TokenRole::Admin,
    needs: BodyNeeds::Nothing,
    about: "Limits, queues and files",
    query: &[],
    answer: object,
    handle: |call| -> Handled { Box::pin(status(call)) },
};

async fn status(call: Call) -> Result<Reply, ApiError> {
    let app = &call.app;
    let options = &app.options;
    let models: Vec<Value> = app
        .models()
        .iter()
        .map(|entry| {
            let (status, (waiting, bytes)) = (entry.served.status(), entry.served.waiting());
            let (pending, pending_bytes) = lock(&entry.pending).size();
            json!({
                "name": entry.served.name(), "queue_examples": waiting, "queue_bytes": bytes,
                "pending_rows": pending, "pending_bytes": pending_bytes, "snapshot_seq": status.snapshot,
                "snapshot_failures": status.snapshot_failures, "recovered_examples": status.recovered.0,
                "recovery_seconds": status.recovered.1, "cut_bytes": status.cut_bytes,
                "not_writable": status.not_writable.map(|(code, why)| json!({ "code": code, "error": why })),
            })
        })
        .collect();
    Reply::json(&json!({
        "version": env!("CARGO_PKG_VERSION"), "ready": app.ready.load(Ordering::Acquire), "models": models,
        "limits": {
            "body_bytes": options.body_bytes, "header_bytes": options.header_bytes, "connections": options.connections,
            "rows": options.rows.rows, "features": options.rows.features, "value": options.rows.value,
            "weight": options.rows.weight, "queue_examples": options.learn.queue_examples,
            "queue_bytes": options.learn.queue_bytes, "labels": options.learn.max_labels,
            "new_labels": options.learn.new_labels, "pending_bytes": options.pending_bytes,
            "pending_seconds": options.pending_time.as_secs(),
        },
    }))
}
