//! The document of this interface.

use super::{Handled, Needs, Role, Route, object};
use crate::http::openapi::document;
use crate::http::reply::Reply;

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/openapi.json",
    role: Role::Open,
    needs: Needs::Nothing,
    about: "This document, OpenAPI 3.1",
    query: &[],
    answer: object,
    handle: |_| -> Handled { Box::pin(async { Reply::json(&document()) }) },
};
