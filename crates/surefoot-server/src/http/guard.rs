//! What is let in: names of this server, origins, tokens.

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};

use super::App;
use super::reply::ApiError;
use super::tokens::TokenRole;
use crate::served::lock;

/// The names of the loopback.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Lets a request in, or says why not; the name of its token.
pub(super) fn admit(app: &App, headers: &HeaderMap, needed: TokenRole) -> Result<Option<String>, ApiError> {
    let refused = |reason: &'static str, error: ApiError| {
        app.metrics.auth_failure(reason);
        error
    };
    let tokens = lock(&app.tokens);
    // Another site that a browser shows must not reach this server through it: by a name of its own that leads here, or by a form.
    if tokens.is_none() && !text(headers, &HOST).is_some_and(|host| app.is_own_name(host)) {
        let error = "this server is not called that; say --allowed-host NAME if it is, or use --tokens";
        return Err(refused("host", ApiError::new(403, "foreign_host", error)));
    }
    if let Some(origin) = text(headers, &ORIGIN) {
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        if text(headers, &HOST) != Some(host) {
            return Err(refused(
                "origin",
                ApiError::new(403, "foreign_origin", "requests of other sites are refused"),
            ));
        }
    }
    let Some(tokens) = &*tokens else { return Ok(None) };
    if needed == TokenRole::Open {
        return Ok(None);
    }
    let token = text(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let Some(token) = token else {
        let error = "a token is needed: Authorization: Bearer TOKEN";
        return Err(refused("missing", ApiError::new(401, "no_token", error)));
    };
    match tokens.find(token.trim()) {
        None => Err(refused("unknown", ApiError::new(401, "unknown_token", "this token is not known"))),
        Some(known) if known.role.allows(needed) => Ok(Some(known.name.clone())),
        Some(known) => {
            let error = format!(
                "a token with the role {} is needed; this one has {}",
                needed.name(),
                known.role.name()
            );
            Err(refused("role", ApiError::new(403, "role", error)))
        }
    }
}

impl App {
    /// Whether a Host header names this server.
    fn is_own_name(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => {
                name
            }
            _ => host,
        };
        let is = |own: &str| own.eq_ignore_ascii_case(name);
        LOOPBACK.into_iter().any(is) || self.options.allowed_hosts.iter().any(|own| is(own))
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
