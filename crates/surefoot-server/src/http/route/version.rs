//! Versions: models that are kept under a name.

use serde::Deserialize;
use serde_json::json;

use super::{BodyNeeds, Handled, Route, TokenRole, object};
use crate::http::call::{Call, answer};
use crate::http::reply::{ApiError, Reply};

pub(crate) static ROUTE: Route = Route {
    method: "POST",
    path: "/v1/models/{model}/versions",
    role: TokenRole::Admin,
    needs: BodyNeeds::Json,
    about: "Keep the model as it is now under a name: {\"name\": \"before-sale\"}",
    query: &[],
    answer: object,
    handle: |call| -> Handled { Box::pin(keep(call)) },
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VersionWanted {
    name: String,
}

async fn keep(call: Call) -> Result<Reply, ApiError> {
    let (entry, wanted) = (call.model()?, call.json::<VersionWanted>()?);
    crate::check_name(&wanted.name)?;
    let seq = answer(entry.served.keep_version(wanted.name.clone())?).await?;
    Reply::json(&json!({ "name": wanted.name, "seq": seq }))
}
