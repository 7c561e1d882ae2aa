//! The models.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{BodyNeeds, Handled, Route, TokenRole, object};
use crate::http::Entry;
use crate::http::reply::Reply;

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/v1/models",
    role: TokenRole::Predict,
    needs: BodyNeeds::Nothing,
    about: "The models: names, numbers of the last example, and whether they learn",
    query: &[],
    answer: object,
    handle: |call| -> Handled {
        Box::pin(async move {
            let models: Vec<Value> = call.app.models().iter().map(brief).collect();
            Reply::json(&json!({ "models": models }))
        })
    },
};

/// A model in a few words.
pub(super) fn brief(entry: &Arc<Entry>) -> Value {
    let (served, status) = (&entry.served, entry.served.status());
    let (seq, epoch) = {
        let state = served.state();
        (state.sequence, state.epoch)
    };
    let why = status.not_writable.map(|(code, why)| json!({ "code": code, "error": why }));
    json!({
        "name": served.name(), "seq": seq, "epoch": epoch, "ready": true,
        "writable": why.is_none(), "not_writable": why,
    })
}
