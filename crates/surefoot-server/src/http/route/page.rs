//! The page: three files that are part of the program and ask for nothing elsewhere.

use super::{BodyNeeds, Handled, Route, TokenRole};
use crate::http::reply::Reply;

/// What the page may load and ask: itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(crate) static PAGE: Route =
    file("/", "The page", |_| answer("text/html; charset=utf-8", include_str!("../../web/index.html")));
pub(crate) static STYLE: Route = file("/page.css", "The style of the page", |_| {
    answer("text/css; charset=utf-8", include_str!("../../web/page.css"))
});
pub(crate) static SCRIPT: Route = file("/page.js", "The script of the page", |_| {
    answer("text/javascript; charset=utf-8", include_str!("../../web/page.js"))
});

/// The route of a file.
const fn file(
    path: &'static str,
    about: &'static str,
    handle: fn(crate::http::call::Call) -> Handled,
) -> Route {
    let answer = || serde_json::json!({ "type": "string" });
    Route {
        method: "GET",
        path,
        role: TokenRole::Open,
        needs: BodyNeeds::Nothing,
        about,
        query: &[],
        answer,
        handle,
    }
}

fn answer(kind: &'static str, text: &'static str) -> Handled {
    Box::pin(async move { Ok(Reply::new(kind, text).header("content-security-policy", POLICY)) })
}
