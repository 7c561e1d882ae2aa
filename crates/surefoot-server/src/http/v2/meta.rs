//! What a V2 client asks before it infers: is the server there, is a model, what does it take.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::infer::OUTPUTS;
use crate::folder::names;
use crate::http::call::Call;
use crate::http::reply::{ApiError, Reply};
use crate::http::route::{BodyNeeds, Handled, Route, object};
use crate::http::tokens::TokenRole;

pub(crate) static SERVER: Route =
    route("/v2", TokenRole::Open, "What serves", |_| Box::pin(async { server() }));
pub(crate) static SERVER_SLASH: Route =
    route("/v2/", TokenRole::Open, "What serves", |_| Box::pin(async { server() }));
pub(crate) static LIVE: Route = route("/v2/health/live", TokenRole::Open, "Whether the server runs", |_| {
    Box::pin(async { Reply::json(&json!({ "live": true })) })
});
pub(crate) static READY: Route = route("/v2/health/ready", TokenRole::Open, "Whether it predicts", |call| {
    Box::pin(async move { ready(&call) })
});
pub(crate) static MODEL: Route =
    route("/v2/models/{model}", TokenRole::Predict, "What a model takes and gives", |call| {
        Box::pin(async move { model(&call) })
    });
pub(crate) static VERSION: Route =
    route("/v2/models/{model}/versions/{version}", TokenRole::Predict, "The same of a version", |call| {
        Box::pin(async move { model(&call) })
    });
pub(crate) static MODEL_READY: Route =
    route("/v2/models/{model}/ready", TokenRole::Predict, "Whether a model predicts", |call| {
        Box::pin(async move { model_ready(&call) })
    });
pub(crate) static VERSION_READY: Route = route(
    "/v2/models/{model}/versions/{version}/ready",
    TokenRole::Predict,
    "Whether a version is there",
    |call| Box::pin(async move { model_ready(&call) }),
);

const fn route(
    path: &'static str,
    role: TokenRole,
    about: &'static str,
    handle: fn(Call) -> Handled,
) -> Route {
    Route { method: "GET", path, role, needs: BodyNeeds::Nothing, about, query: &[], answer: object, handle }
}

fn server() -> Result<Reply, ApiError> {
    let extensions = ["binary_tensor_data", "surefoot_v1"];
    Reply::json(
        &json!({ "name": "surefoot", "version": env!("CARGO_PKG_VERSION"), "extensions": extensions }),
    )
}

/// The specification's own text says `live`, and its clients read `ready`.
fn ready(call: &Call) -> Result<Reply, ApiError> {
    let ready = call.app.ready.load(Ordering::Acquire);
    let mut reply = Reply::json(&json!({ "ready": ready, "live": true }))?;
    if !ready {
        reply.status = hyper::StatusCode::SERVICE_UNAVAILABLE;
    }
    Ok(reply)
}

fn check_version(call: &Call, known: &[String]) -> Result<(), ApiError> {
    let version = call.param("version");
    if version.is_empty() || known.iter().any(|own| own == version) {
        return Ok(());
    }
    Err(ApiError::new(404, "no_version", format!("there is no version `{}`", version.escape_debug())))
}

fn versions(call: &Call) -> Result<Vec<String>, ApiError> {
    let files = names(&call.model()?.served.folder().versions())?;
    let named = files.iter().filter_map(|name| name.strip_suffix(".model").map(ToString::to_string));
    Ok(std::iter::once("live".to_string()).chain(named).collect())
}

fn model_ready(call: &Call) -> Result<Reply, ApiError> {
    check_version(call, &versions(call)?)?;
    Reply::json(&json!({ "name": call.param("model"), "ready": true }))
}

fn model(call: &Call) -> Result<Reply, ApiError> {
    let (entry, versions) = (call.model()?, versions(call)?);
    check_version(call, &versions)?;
    let state = entry.served.state();
    let layout = state.model.columns().layout.as_ref();
    let named =
        state.model.encoder().index().name(0).is_none_or(|name| name.to_string().parse::<u64>().is_err());
    let column = |name: &str, kind: &str| json!({ "name": name, "datatype": kind, "shape": [-1] });
    let mut inputs: Vec<Value> = match layout {
        Some(layout) if layout.only_text().is_some() => {
            vec![column(layout.only_text().unwrap_or("text"), "BYTES")]
        }
        Some(layout) => layout.features().map(|name| column(name, "BYTES")).collect(),
        None if named => vec![column("text", "BYTES")],
        None => vec![json!({ "name": "input", "datatype": "FP64", "shape": [-1, -1] })],
    };
    // Any model takes rows as JSON.
    inputs.push(column("json", "BYTES"));
    let classes = state.model.labels().len();
    let outputs: Vec<Value> = OUTPUTS
        .iter()
        .map(|name| match *name {
            "label" => column(name, "BYTES"),
            "probabilities" => json!({ "name": name, "datatype": "FP64", "shape": [-1, classes] }),
            _ => column(name, "FP64"),
        })
        .collect();
    Reply::json(&json!({
        "name": entry.served.name(), "versions": versions, "platform": "surefoot", "inputs": inputs, "outputs": outputs,
    }))
}
