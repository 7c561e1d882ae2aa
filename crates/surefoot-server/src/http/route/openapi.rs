//! The document of this interface.

use super::{BodyNeeds, Handled, Route, TokenRole, object};
use crate::http::openapi::document;
use crate::http::reply::Reply;

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/openapi.json",
    role: TokenRole::Open,
    needs: BodyNeeds::Nothing,
    about: "This document, OpenAPI 3.1",
    query: &[],
    answer: object,
    handle: |_| -> Handled { Box::pin(async { Reply::json(&document()) }) },
};
