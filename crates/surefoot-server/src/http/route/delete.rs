//! Models that are served no more.

use serde_json::json;

use super::{BodyNeeds, Handled, Route, TokenRole, object};
use crate::http::reply::{ApiError, Reply};

pub(crate) static ROUTE: Route = Route {
    method: "DELETE",
    path: "/v1/models/{model}",
    role: TokenRole::Admin,
    needs: BodyNeeds::Nothing,
    about: "Serve a model no more: its folder goes into the trash, as it is",
    query: &[],
    answer: object,
    handle: |call| -> Handled {
        Box::pin(async move {
            let entry = call.model()?;
            let (app, name) = (call.app.clone(), entry.served.name().to_string());
            let done = tokio::task::spawn_blocking(move || app.discard(&name)).await;
            let place = done.map_err(|error| ApiError::internal(&error))??;
            Reply::json(
                &json!({ "trash": place.and_then(|place| place.file_name().map(|n| n.to_string_lossy().into_owned())) }),
            )
        })
    },
};
