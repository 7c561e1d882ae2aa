//! The log: a line a request on standard error, without what rows hold.

use std::io::Write;

use serde::Serialize;

use super::options::LogFormat;
use crate::writer::now;

/// What is told of a request.
#[derive(Debug, Serialize)]
pub(crate) struct RequestLine<'a> {
    pub(crate) request: u64,
    pub(crate) method: &'a str,
    /// The route, not the path: names of models come on their own.
    pub(crate) route: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<&'a str>,
    /// The name of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<&'a str>,
    pub(crate) status: u16,
    pub(crate) ms: f64,
    pub(crate) rows: usize,
    pub(crate) bytes_in: usize,
    pub(crate) bytes_out: usize,
}

#[derive(Serialize)]
struct Stamped<'a, T> {
    /// Milliseconds since 1970.
    time: u64,
    level: &'a str,
    #[serde(flatten)]
    line: T,
}

#[derive(Serialize)]
struct Event<'a> {
    message: &'a str,
}

/// Tells a request.
pub(crate) fn request(format: LogFormat, line: &RequestLine<'_>) {
    let level = if line.status >= 500 { "error" } else { "info" };
    match format {
        LogFormat::Off => {}
        LogFormat::Json => json(level, line),
        LogFormat::Text => {
            let RequestLine { method, route, status, ms, rows, .. } = line;
            text(&format!("{level} {method} {route} {status} {ms:.2} ms, {rows} rows"));
        }
    }
}

/// Tells something else.
pub(crate) fn event(format: LogFormat, level: &str, message: &str) {
    match format {
        LogFormat::Json => json(level, Event { message }),
        LogFormat::Text | LogFormat::Off => text(&format!("{level} {message}")),
    }
}

fn json(level: &str, line: impl Serialize) {
    if let Ok(line) = serde_json::to_string(&Stamped { time: now(), level, line }) {
        text(&line);
    }
}

fn text(line: &str) {
    // The log may be closed; that is no reason to stop.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
