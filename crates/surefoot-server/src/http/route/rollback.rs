//! Rollbacks: an epoch that starts at an earlier place.

use serde::Deserialize;
use serde_json::json;

use super::{BodyNeeds, Handled, Route, TokenRole, object};
use crate::StreamPoint;
use crate::http::call::{Call, answer};
use crate::http::reply::{ApiError, Reply};

pub(crate) static ROUTE: Route = Route {
    method: "POST",
    path: "/v1/models/{model}/rollback",
    role: TokenRole::Admin,
    needs: BodyNeeds::Json,
    about: "Begin an epoch that starts at a version or after a record: {\"to\": \"before-sale\"} or {\"to\": 7900}. Nothing is deleted",
    query: &[],
    answer: object,
    handle: |call| -> Handled { Box::pin(roll_back(call)) },
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RollbackWanted {
    to: To,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum To {
    Sequence(u64),
    Version(String),
}

async fn roll_back(call: Call) -> Result<Reply, ApiError> {
    let (entry, wanted) = (call.model()?, call.json::<RollbackWanted>()?);
    let to = match wanted.to {
        To::Sequence(sequence) => StreamPoint::Sequence(sequence),
        To::Version(name) => StreamPoint::Version(name),
    };
    let seq = answer(entry.served.roll_back(to)?).await?;
    Reply::json(&json!({ "seq": seq, "epoch": entry.served.state().epoch }))
}
