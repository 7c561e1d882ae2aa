//! Metrics for Prometheus.

use super::{BodyNeeds, Handled, Route, TokenRole};
use crate::http::reply::{ApiError, Reply};

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/metrics",
    role: TokenRole::Metrics,
    needs: BodyNeeds::Nothing,
    about: "Metrics in the text form of Prometheus",
    query: &[],
    answer: || serde_json::json!({ "type": "string" }),
    handle: |call| -> Handled {
        Box::pin(async move {
            let text =
                call.app.metrics.text(&call.app.models()).map_err(|error| ApiError::internal(&error))?;
            Ok(Reply::new("text/plain; version=0.0.4; charset=utf-8", text))
        })
    },
};
