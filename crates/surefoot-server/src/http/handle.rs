//! From a request to its answer: route, guard, body, handler, metrics, log.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Instant;

use flate2::read::{GzDecoder, ZlibDecoder};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};

use super::call::Call;
use super::log::{self, RequestLine};
use super::reply::{ApiError, Reply};
use super::route::{BodyNeeds, Route, find};
use super::{App, guard};

/// Longest path with query.
const LONGEST_URL: usize = 8 << 10;

/// Put into every answer.
const HEADERS: [(&str, &str); 3] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
];

/// Answers a request, whatever it is.
pub(super) async fn handle(
    app: Arc<App>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let began = Instant::now();
    let number = app.requests.fetch_add(1, Ordering::Relaxed);
    app.metrics.in_flight.inc();
    let (parts, body) = request.into_parts();
    let mut told = RequestTold::default();
    let answered = unwinding(answer(&app, &parts, body, &mut told)).await;
    let reply = answered.unwrap_or_else(|| {
        app.metrics.panics.inc();
        Err(ApiError::new(500, "internal", "this is a bug of the server; the model is as it was"))
    });
    let reply = reply.unwrap_or_else(|error| error.reply());
    let route = told.route.map_or("none", |route| route.path);
    let seconds = began.elapsed().as_secs_f64();
    app.metrics.in_flight.dec();
    app.metrics.request(route, &parts.method, reply.status, seconds);
    log::request(
        app.options.log,
        &RequestLine {
            request: number,
            method: parts.method.as_str(),
            route,
            model: told.model.as_deref(),
            token: told.token.as_deref(),
            status: reply.status.as_u16(),
            ms: 1e3 * seconds,
            rows: reply.rows,
            bytes_in: told.bytes,
            bytes_out: reply.body.len(),
        },
    );
    Ok(response(reply, parts.method == Method::HEAD))
}

/// What becomes known of a request on the way.
#[derive(Default)]
struct RequestTold {
    route: Option<&'static Route>,
    model: Option<String>,
    token: Option<String>,
    bytes: usize,
}

async fn answer(
    app: &Arc<App>,
    parts: &Parts,
    body: Incoming,
    told: &mut RequestTold,
) -> Result<Reply, ApiError> {
    let uri = &parts.uri;
    if uri.path_and_query().is_some_and(|url| url.as_str().len() > LONGEST_URL) {
        return Err(ApiError::new(414, "url", "the URL is longer than 8 KB"));
    }
    let (route, params) = match find(&parts.method, uri.path()) {
        Ok(found) => found,
        Err(error) => {
            // What is not let in learns nothing about paths either.
            guard::admit(app, &parts.headers, super::TokenRole::Open)?;
            return Err(error);
        }
    };
    told.route = Some(route);
    told.model = params.iter().find(|(name, _)| *name == "model").map(|(_, value)| value.clone());
    told.token = guard::admit(app, &parts.headers, route.role)?;
    check_type(route, &parts.headers)?;
    let body = match route.needs {
        BodyNeeds::Nothing => Bytes::new(),
        _ => read(app, &parts.headers, body).await?,
    };
    told.bytes = body.len();
    (route.handle)(Call::new(app.clone(), params, uri.query(), parts.headers.clone(), body)).await
}

/// Refuses bodies that a page of another site could send without being asked.
fn check_type(route: &Route, headers: &HeaderMap) -> Result<(), ApiError> {
    let accepted: &[&str] = match route.needs {
        BodyNeeds::Nothing | BodyNeeds::Anything => return Ok(()),
        BodyNeeds::Rows => &["application/json", "application/x-ndjson"],
        BodyNeeds::Json => &["application/json"],
        BodyNeeds::Model => &["application/json", "application/octet-stream"],
    };
    let found = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = found.split(';').next().unwrap_or_default().trim();
    if accepted.iter().any(|known| known.eq_ignore_ascii_case(kind)) {
        return Ok(());
    }
    let error = format!("the Content-Type must be {}", accepted.join(" or "));
    Err(ApiError::new(415, "content_type", error))
}

/// Reads a body, as large and as slow as it may be.
async fn read(app: &App, headers: &HeaderMap, body: Incoming) -> Result<Bytes, ApiError> {
    let most = app.options.body_bytes;
    let large = || ApiError::new(413, "too_large", format!("the body is larger than {most} bytes"));
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most as u64) || body.size_hint().lower() > most as u64 {
        return Err(large());
    }
    let collected = tokio::time::timeout(app.options.body_timeout, Limited::new(body, most).collect());
    let bytes = match collected.await {
        Err(_) => return Err(ApiError::new(408, "slow_body", "the body did not come in time")),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(large()),
        Ok(Err(error)) => {
            return Err(ApiError::bad("broken_body", format!("the body is not whole: {error}")));
        }
        Ok(Ok(body)) => body.to_bytes(),
    };
    match headers.get(CONTENT_ENCODING).map(|value| value.as_bytes()) {
        None | Some(b"identity") => Ok(bytes),
        Some(b"gzip") => unpack(GzDecoder::new(&*bytes), most, large),
        Some(b"deflate") => unpack(ZlibDecoder::new(&*bytes), most, large),
        Some(_) => Err(ApiError::new(415, "encoding", "the Content-Encoding must be gzip or deflate")),
    }
}

/// Unpacks a body, which stays within its limit.
fn unpack(packed: impl Read, most: usize, large: impl Fn() -> ApiError) -> Result<Bytes, ApiError> {
    let mut out = Vec::new();
    let read = packed.take(most as u64 + 1).read_to_end(&mut out);
    read.map_err(|error| ApiError::bad("bad_encoding", format!("the body cannot be unpacked: {error}")))?;
    if out.len() > most { Err(large()) } else { Ok(out.into()) }
}

/// What a future gives, or nothing if it panics.
async fn unwinding<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Ready(done)) => Poll::Ready(Some(done)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(None),
    })
    .await
}

fn response(reply: Reply, head: bool) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(if head { Bytes::new() } else { reply.body }));
    *response.status_mut() = reply.status;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
    headers.extend(reply.headers);
    if reply.status == StatusCode::REQUEST_TIMEOUT || reply.status == StatusCode::PAYLOAD_TOO_LARGE {
        // The rest of the body is not read.
        headers.insert(hyper::header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
