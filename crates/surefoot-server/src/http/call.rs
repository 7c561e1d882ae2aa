//! One request, as routes see it.

use std::sync::Arc;

use hyper::HeaderMap;
use hyper::body::Bytes;

use super::reply::ApiError;
use super::{App, Entry};
use crate::Rows;

/// A request whose sender may do what it asks.
pub(crate) struct Call {
    pub(crate) app: Arc<App>,
    /// The parts of the path that the route leaves open.
    pub(crate) params: Vec<(&'static str, String)>,
    query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Bodies up to this size are parsed at once; others do not keep a worker.
const SMALL_BODY: usize = 64 << 10;

impl Call {
    pub(super) fn new(
        app: Arc<App>,
        params: Vec<(&'static str, String)>,
        query: Option<&str>,
        headers: HeaderMap,
        body: Bytes,
    ) -> Self {
        let query = form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
        Self { app, params, query, headers, body }
    }

    /// A part of the path.
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(own, _)| *own == name).map_or("", |(_, value)| value)
    }

    /// The model of the path.
    pub(crate) fn model(&self) -> Result<Arc<Entry>, ApiError> {
        let name = self.param("model");
        let found = self.app.model(name);
        found.ok_or_else(|| {
            ApiError::new(404, "no_model", format!("there is no model `{}`", name.escape_debug()))
        })
    }

    /// A value of the query.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Whether the query names this.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value != "false" && value != "0")
    }

    /// A number of the query.
    pub(crate) fn number(&self, name: &str, usual: u64) -> Result<u64, ApiError> {
        let Some(text) = self.value(name).filter(|text| !text.is_empty()) else { return Ok(usual) };
        text.parse().map_err(|_| ApiError::bad("bad_query", format!("{name}: expected a whole number")))
    }

    /// Whether a row a line was sent, and is to be answered so.
    pub(crate) fn is_ndjson(&self) -> bool {
        let kind = self.headers.get(hyper::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        kind.is_some_and(|kind| kind.starts_with("application/x-ndjson"))
    }

    /// Whether one object was sent, and is to be answered by one.
    pub(crate) fn is_single(&self) -> bool {
        !self.is_ndjson() && self.body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'[')
    }

    /// Whether bad rows are left out, and not the whole request refused.
    pub(crate) fn skips_bad(&self) -> Result<bool, ApiError> {
        match self.value("on-bad-row") {
            None | Some("fail") => Ok(false),
            Some("skip") => Ok(true),
            Some(_) => Err(ApiError::bad("bad_query", "on-bad-row: expected fail or skip")),
        }
    }

    /// The rows of the body.
    pub(crate) async fn rows(&self, entry: &Entry) -> Result<Rows, ApiError> {
        let (body, served, skip) = (self.body.clone(), entry.served.clone(), self.skips_bad()?);
        let limits = self.app.options.rows.clone();
        let single = self.is_single();
        let parse = move || Rows::parse(&body, served.rows(), &limits, skip);
        let rows = match self.body.len() > SMALL_BODY {
            true => tokio::task::spawn_blocking(parse).await.map_err(|error| ApiError::internal(&error))?,
            false => parse(),
        }?;
        match (rows.len() + rows.bad().len(), single) {
            (0, true) => Err(ApiError::bad("empty", "expected a row, which is a JSON object, found nothing")),
            (2.., true) => Err(ApiError::bad(
                "several",
                "one row is an object; several are an array, or application/x-ndjson",
            )),
            _ => Ok(rows),
        }
    }

    /// The body as JSON of a known form.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self) -> Result<T, ApiError> {
        serde_json::from_slice(&self.body).map_err(|error| ApiError::bad("bad_json", error.to_string()))
    }
}

/// What a writer answers.
pub(crate) async fn answer<T>(answer: crate::Answer<T>) -> Result<T, ApiError> {
    match answer.await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(crate::Refusal::Stopping.into()),
    }
}
