//! The routes, one file each; a new one is its file and its word in [`ROUTES`]. The document, the tests of roles and the metrics read
//! the list.

mod create;
mod delete;
mod feedback;
mod file;
mod inspect;
mod journal;
mod learn;
mod list;
mod metrics;
mod monitor;
mod openapi;
mod page;
mod predict;
mod rollback;
mod snapshot;
mod status;
mod uncertain;
mod version;
mod weights;

use std::future::Future;
use std::pin::Pin;

use hyper::Method;
use serde_json::{Value, json};

use super::call::Call;
use super::reply::{ApiError, Reply};
use super::tokens::TokenRole;
use super::v2::{infer, meta};

/// Every route.
pub(crate) static ROUTES: &[&Route] = &[
    &predict::ROUTE,
    &learn::ROUTE,
    &feedback::ROUTE,
    &list::ROUTE,
    &create::ROUTE,
    &inspect::ROUTE,
    &delete::ROUTE,
    &file::ROUTE,
    &journal::ROUTE,
    &weights::ROUTE,
    &uncertain::ROUTE,
    &monitor::ROUTE,
    &version::ROUTE,
    &rollback::ROUTE,
    &snapshot::ROUTE,
    &status::ROUTE,
    &infer::ROUTE,
    &infer::VERSION,
    &meta::SERVER,
    &meta::SERVER_SLASH,
    &meta::LIVE,
    &meta::READY,
    &meta::MODEL,
    &meta::VERSION,
    &meta::MODEL_READY,
    &meta::VERSION_READY,
    &metrics::ROUTE,
    &openapi::ROUTE,
    &page::PAGE,
    &page::STYLE,
    &page::SCRIPT,
];

/// Methods that some route has.
pub(crate) const METHODS: [&str; 5] = ["GET", "HEAD", "POST", "PUT", "DELETE"];

/// What a handler gives.
pub(crate) type Handled = Pin<Box<dyn Future<Output = Result<Reply, ApiError>> + Send>>;

/// One path with one method.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    /// With `{name}` for what is open.
    pub(crate) path: &'static str,
    pub(crate) role: TokenRole,
    pub(crate) needs: BodyNeeds,
    /// One line.
    pub(crate) about: &'static str,
    /// What the query may say: name, and what it means.
    pub(crate) query: &'static [(&'static str, &'static str)],
    /// The schema of the answer.
    pub(crate) answer: fn() -> Value,
    pub(crate) handle: fn(Call) -> Handled,
}

/// What a request must bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyNeeds {
    /// No body.
    Nothing,
    /// Rows: an object, an array, or one object a line.
    Rows,
    /// A JSON object.
    Json,
    /// The bytes of a model, or a JSON object.
    Model,
    /// A body of any type.
    Anything,
}

/// The open parts of a path with what stands there.
type PathParams = Vec<(&'static str, String)>;

/// The route of a request.
pub(crate) fn find(method: &Method, path: &str) -> Result<(&'static Route, PathParams), ApiError> {
    let wanted = if method == Method::HEAD { "GET" } else { method.as_str() };
    let mut other = None;
    for route in ROUTES {
        let Some(params) = matched(route.path, path) else { continue };
        if route.method == wanted {
            return Ok((route, params));
        }
        other = Some(route.method);
    }
    Err(match other {
        Some(known) => ApiError::new(405, "method", format!("this path takes {known}")),
        None => ApiError::new(404, "no_route", "there is no such path; GET /openapi.json lists all"),
    })
}

/// The open parts, if the path is of this form.
fn matched(form: &'static str, path: &str) -> Option<PathParams> {
    let (mut forms, mut parts) = (form.split('/'), path.split('/'));
    let mut params = Vec::new();
    loop {
        match (forms.next(), parts.next()) {
            (None, None) => return Some(params),
            (Some(form), Some(part)) => {
                match form.strip_prefix('{').and_then(|form| form.strip_suffix('}')) {
                    Some(name) if !part.is_empty() => params.push((name, part.to_string())),
                    None if form == part => {}
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
}

/// The schema of an object that is described elsewhere.
pub(crate) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// The schema of any object.
pub(crate) fn object() -> Value {
    json!({ "type": "object" })
}
