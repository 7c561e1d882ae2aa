//! Everything that the page draws.

use serde_json::json;

use super::{BodyNeeds, Handled, Route, TokenRole, reference};
use crate::http::call::Call;
use crate::http::reply::{ApiError, Reply};
use crate::served::lock;

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/v1/models/{model}/monitor",
    role: TokenRole::Predict,
    needs: BodyNeeds::Nothing,
    about: "How a model does: curves, reliability, changes of the data, queue, snapshots",
    query: &[],
    answer: || reference("Monitor"),
    handle: |call| -> Handled { Box::pin(monitor(call)) },
};

async fn monitor(call: Call) -> Result<Reply, ApiError> {
    let entry = call.model()?;
    let (served, status) = (&entry.served, entry.served.status());
    let (seq, epoch, labels, features, changes) = {
        let state = served.state();
        let model = &state.model;
        let changes = surefoot::train::by_place(&model.changes()).iter().map(|place| {
            json!({ "seq": place.example, "text": place.to_string(), "signals": place.changes.iter().map(|own| own.signal).collect::<Vec<_>>() })
        }).collect::<Vec<_>>();
        (state.sequence, state.epoch, model.labels().in_order(), model.encoder().index().len(), changes)
    };
    let (waiting, waiting_bytes) = served.waiting();
    let (pending, pending_bytes) = lock(&entry.pending).size();
    let log_bytes = served.folder().current().and_then(|epoch| epoch.log_bytes())?;
    let monitor = served.monitor().clone();
    Reply::json(&json!({
        "name": served.name(), "seq": seq, "epoch": epoch, "labels": labels, "features": features,
        "examples": monitor.examples, "mistakes": monitor.mistakes, "updates": monitor.updates,
        "error": monitor.error(), "recent_error": monitor.recent_error(),
        "log_loss": monitor.log_loss(), "recent_log_loss": monitor.recent_log_loss(),
        "calibration_error": monitor.calibration_error(),
        "curve": monitor.curve, "bins": monitor.bins, "marks": monitor.marks, "changes": changes,
        "queue": { "examples": waiting, "bytes": waiting_bytes },
        "pending": { "rows": pending, "bytes": pending_bytes },
        "log_bytes": log_bytes,
        "snapshot": { "seq": status.snapshot, "millis": status.snapshot_millis, "seconds": status.snapshot_seconds },
        "writable": status.not_writable.is_none(),
        "not_writable": status.not_writable.map(|(code, why)| json!({ "code": code, "error": why })),
    }))
}
