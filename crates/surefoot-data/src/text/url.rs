//! The parts of a URL: scheme, labels of the host, tokens of the path, keys of the query.
//!
//! It takes what comes: URLs to be classified are often broken on purpose, so nothing is refused.

/// Calls `emit` with each part, each with what it is before it.
///
/// `https://user@www.Example.com:8080/a/Login.php?id=7` gives `scheme:https`, `userinfo`, `port:8080`, `host:www`,
/// `host:example`, `host:com`, `domain:example.com`, `path:a`, `path:login`, `path:php`, `query:id`.
pub(super) fn parts(url: &str, lowercase: bool, name: &mut String, emit: &mut dyn FnMut(&str)) {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut part = |kind: &str, value: &str, lowercase: bool| {
        if !value.is_empty() {
            name.clear();
            name.push_str(kind);
            super::words::push_folded(name, value, lowercase);
            emit(name);
        }
    };
    part("scheme:", scheme, true);
    authority_parts(authority, &mut |kind, value| part(kind, value, true));
    for token in path.split(|c: char| !c.is_alphanumeric()) {
        part("path:", token, lowercase);
    }
    for pair in query.split(['&', ';']) {
        part("query:", pair.split_once('=').map_or(pair, |(key, _)| key), lowercase);
    }
}

fn authority_parts(authority: &str, part: &mut dyn FnMut(&str, &str)) {
    let host = match authority.rsplit_once('@') {
        Some((_, host)) => {
            part("", "userinfo");
            host
        }
        None => authority,
    };
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            part("port:", port);
            host
        }
        _ => host,
    };
    if !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        part("", "ip-address");
    }
    host.split('.').for_each(|label| part("host:", label));
    // The last two labels together: whose the host is, in most cases.
    let mut dots = host.rmatch_indices('.');
    if dots.next().is_some() {
        part("domain:", &host[dots.next().map_or(0, |(dot, _)| dot + 1)..]);
    }
}
