//! Answers, and errors as answers: one form of JSON for all of them.

use hyper::body::Bytes;
use hyper::http::HeaderValue;
use hyper::{HeaderMap, StatusCode};
use serde::Serialize;

use crate::{BadRow, Error, Refusal};

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) content_type: &'static str,
    pub(crate) body: Bytes,
    pub(crate) headers: HeaderMap,
    /// Rows that it is about, for the log.
    pub(crate) rows: usize,
}

impl Reply {
    pub(crate) fn new(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let (status, headers) = (StatusCode::OK, HeaderMap::new());
        Self { status, content_type, body: body.into(), headers, rows: 0 }
    }

    /// A JSON document.
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, ApiError> {
        let body = serde_json::to_vec(value).map_err(|error| ApiError::internal(&error))?;
        Ok(Self::new("application/json", body))
    }

    pub(crate) fn rows(mut self, rows: usize) -> Self {
        self.rows = rows;
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl ToString) -> Self {
        if let Ok(value) = HeaderValue::from_str(&value.to_string()) {
            self.headers.insert(name, value);
        }
        self
    }
}

/// Why a request was not done.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ApiError {
    pub(crate) error: String,
    pub(crate) code: &'static str,
    /// The row of the request, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<usize>,
    /// The byte of the body, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<usize>,
    #[serde(skip)]
    pub(crate) status: StatusCode,
    #[serde(skip)]
    retry: bool,
}

impl ApiError {
    pub(crate) fn new(status: u16, code: &'static str, error: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry = status == StatusCode::SERVICE_UNAVAILABLE;
        Self { error: error.into(), code, row: None, byte: None, status, retry }
    }

    pub(crate) fn internal(error: &dyn std::fmt::Display) -> Self {
        Self::new(500, "internal", error.to_string())
    }

    pub(crate) fn bad(code: &'static str, error: impl Into<String>) -> Self {
        Self::new(400, code, error)
    }

    pub(crate) fn reply(&self) -> Reply {
        let mut reply =
            Reply::json(self).unwrap_or_else(|_| Reply::new("application/json", "{\"error\":\"internal\"}"));
        reply.status = self.status;
        if self.retry { reply.header("retry-after", 1) } else { reply }
    }
}

impl From<BadRow> for ApiError {
    fn from(bad: BadRow) -> Self {
        let status = if bad.content { 422 } else { 400 };
        let (row, byte) = (Some(bad.row + 1), Some(bad.byte + 1));
        Self { row, byte, ..Self::new(status, "bad_row", bad.to_string()) }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let (status, code, row) = match &refusal {
            Refusal::Row { row, .. } => (422, "unlearnable", Some(row + 1)),
            Refusal::Conflict { row, .. } => (409, "conflict", Some(row + 1)),
            Refusal::DiskFull(_) => (503, "disk_full", None),
            Refusal::DiskFailed(_) => (503, "disk_failed", None),
            Refusal::QueueFull(_) => (503, "queue_full", None),
            Refusal::TryAgain => (503, "try_again", None),
            Refusal::Stopping => (503, "stopping", None),
            Refusal::NoSuch(_) => (404, "not_found", None),
            Refusal::Exists(_) => (409, "exists", None),
            Refusal::Failed(_) => (500, "internal", None),
        };
        Self { row, ..Self::new(status, code, refusal.to_string()) }
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match &error {
            Error::Name(_) => Self::bad("bad_name", error.to_string()),
            Error::Exists(_) => Self::new(409, "exists", error.to_string()),
            Error::Unfit(_) | Error::Model(_) => Self::new(422, "bad_model", error.to_string()),
            _ => Self::internal(&error),
        }
    }
}

impl From<surefoot::Error> for ApiError {
    fn from(error: surefoot::Error) -> Self {
        Self::new(422, "bad_model", error.to_string())
    }
}
