//! The file of a model.

use super::{BodyNeeds, Handled, Route, TokenRole};
use crate::http::call::Call;
use crate::http::reply::{ApiError, Reply};

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/v1/models/{model}/file",
    role: TokenRole::Admin,
    needs: BodyNeeds::Nothing,
    about: "The model file as of now; the header Surefoot-Sequence says how many examples it has learned",
    query: &[],
    answer: || serde_json::json!({ "type": "string", "format": "binary" }),
    handle: |call| -> Handled { Box::pin(file(call)) },
};

async fn file(call: Call) -> Result<Reply, ApiError> {
    let entry = call.model()?;
    let looked = entry.served.look(|state| (state.model.to_bytes(), state.sequence))?;
    let (bytes, sequence) = looked.await.map_err(|_| crate::Refusal::Stopping)?;
    Ok(Reply::new("application/octet-stream", bytes?).header("surefoot-sequence", sequence))
}
